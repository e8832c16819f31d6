//! How each language writes comments, texts and words.

use super::SourceLanguage;

/// The lexical rules of a language.
#[derive(Clone, Copy)]
pub(super) struct LexicalRules {
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comments: &'static [(&'static str, &'static str)],
    pub(super) nested_comments: bool,
    /// Longer openers first.
    pub(super) quotes: &'static [QuoteRule],
    /// Characters beside letters, digits and `_` that begin or continue a word.
    pub(super) word_marks: &'static str,
    /// Characters that may end a word (`empty?`, `save!`).
    pub(super) word_ends: &'static str,
    pub(super) oddities: &'static [Oddity],
    /// A line's end ends a statement.
    pub(super) lines_end: bool,
    /// Arguments may stand without brackets.
    pub(super) bare_arguments: bool,
}

#[derive(Clone, Copy)]
pub(super) struct QuoteRule {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// What makes the next character literal.
    pub(super) escape: Option<char>,
    /// What opens and closes code inside the text.
    pub(super) code: Option<(&'static str, &'static str)>,
    pub(super) many_lines: bool,
}

/// Constructs that need more than a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Oddity {
    /// `'a` beside `'x'`, and `r#"…"#`.
    Rust,
    /// `R"x(…)x"` and `1'000`.
    Cpp,
    /// `@"…""…"` and `$@"…"`.
    CSharp,
    /// `#"…"#`.
    Swift,
    /// `/…/` in the place of a value.
    Regex,
    /// `<<~NAME`, `%w[…]` and `/…/`.
    Ruby,
    /// `<<<NAME` and text outside `<?php … ?>`.
    Php,
    /// `~r/…/`.
    Sigils,
    /// `[[…]]` and `[=[…]=]`.
    Brackets,
    /// `<<EOT`.
    Terraform,
    /// Words of a text between tags, where `'` is no quote.
    Markup,
}

const fn quote(open: &'static str, close: &'static str) -> QuoteRule {
    QuoteRule {
        open,
        close,
        escape: Some('\\'),
        code: None,
        many_lines: false,
    }
}

const fn long(open: &'static str, close: &'static str) -> QuoteRule {
    QuoteRule {
        many_lines: true,
        ..quote(open, close)
    }
}

const fn raw(open: &'static str, close: &'static str) -> QuoteRule {
    QuoteRule {
        escape: None,
        ..long(open, close)
    }
}

const fn with_code(rule: QuoteRule, open: &'static str, close: &'static str) -> QuoteRule {
    QuoteRule {
        code: Some((open, close)),
        ..rule
    }
}

const C_LIKE: LexicalRules = LexicalRules {
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    nested_comments: false,
    quotes: &[quote("\"", "\""), quote("'", "'")],
    word_marks: "",
    word_ends: "",
    oddities: &[],
    lines_end: false,
    bare_arguments: false,
};

pub(super) const fn rules(language: SourceLanguage) -> LexicalRules {
    match language {
        SourceLanguage::Rust => RUST,
        SourceLanguage::Go => GO,
        SourceLanguage::Java => JAVA,
        SourceLanguage::Kotlin => KOTLIN,
        SourceLanguage::C => C,
        SourceLanguage::CSharp => CSHARP,
        SourceLanguage::Swift => SWIFT,
        SourceLanguage::JavaScript => JAVASCRIPT,
        SourceLanguage::Groovy => GROOVY,
        SourceLanguage::Php => PHP,
        SourceLanguage::Ruby => RUBY,
        SourceLanguage::Elixir => ELIXIR,
        SourceLanguage::CMake => CMAKE,
        SourceLanguage::Terraform => TERRAFORM,
        SourceLanguage::Dockerfile | SourceLanguage::Compose | SourceLanguage::Workflow => C_LIKE,
    }
}

const RUST: LexicalRules = LexicalRules {
    nested_comments: true,
    quotes: &[long("\"", "\"")],
    oddities: &[Oddity::Rust],
    ..C_LIKE
};

const GO: LexicalRules = LexicalRules {
    quotes: &[quote("\"", "\""), quote("'", "'"), raw("`", "`")],
    lines_end: true,
    ..C_LIKE
};

const JAVA: LexicalRules = LexicalRules {
    quotes: &[long("\"\"\"", "\"\"\""), quote("\"", "\""), quote("'", "'")],
    word_marks: "$",
    ..C_LIKE
};

const KOTLIN: LexicalRules = LexicalRules {
    nested_comments: true,
    quotes: &[
        with_code(raw("\"\"\"", "\"\"\""), "${", "}"),
        with_code(quote("\"", "\""), "${", "}"),
        quote("'", "'"),
        quote("`", "`"),
    ],
    lines_end: true,
    ..C_LIKE
};

const C: LexicalRules = LexicalRules {
    oddities: &[Oddity::Cpp],
    ..C_LIKE
};

const CSHARP: LexicalRules = LexicalRules {
    quotes: &[
        raw("\"\"\"", "\"\"\""),
        with_code(quote("$\"", "\""), "{", "}"),
        quote("\"", "\""),
        quote("'", "'"),
    ],
    oddities: &[Oddity::CSharp],
    ..C_LIKE
};

const SWIFT: LexicalRules = LexicalRules {
    nested_comments: true,
    quotes: &[
        with_code(long("\"\"\"", "\"\"\""), "\\(", ")"),
        with_code(quote("\"", "\""), "\\(", ")"),
        quote("`", "`"),
    ],
    oddities: &[Oddity::Swift],
    lines_end: true,
    ..C_LIKE
};

const JAVASCRIPT: LexicalRules = LexicalRules {
    quotes: &[
        quote("\"", "\""),
        quote("'", "'"),
        with_code(long("`", "`"), "${", "}"),
    ],
    word_marks: "$",
    oddities: &[Oddity::Regex, Oddity::Markup],
    lines_end: true,
    ..C_LIKE
};

const GROOVY: LexicalRules = LexicalRules {
    quotes: &[
        with_code(long("\"\"\"", "\"\"\""), "${", "}"),
        long("'''", "'''"),
        with_code(quote("\"", "\""), "${", "}"),
        quote("'", "'"),
    ],
    oddities: &[Oddity::Regex],
    lines_end: true,
    bare_arguments: true,
    ..C_LIKE
};

const PHP: LexicalRules = LexicalRules {
    line_comments: &["//", "#"],
    quotes: &[
        with_code(long("\"", "\""), "{$", "}"),
        long("'", "'"),
        long("`", "`"),
    ],
    word_marks: "$",
    oddities: &[Oddity::Php],
    ..C_LIKE
};

const RUBY: LexicalRules = LexicalRules {
    line_comments: &["#"],
    block_comments: &[("\n=begin", "\n=end")],
    quotes: &[
        with_code(long("\"", "\""), "#{", "}"),
        long("'", "'"),
        with_code(long("`", "`"), "#{", "}"),
    ],
    word_marks: "@$",
    word_ends: "?!",
    oddities: &[Oddity::Ruby],
    lines_end: true,
    bare_arguments: true,
    ..C_LIKE
};

const ELIXIR: LexicalRules = LexicalRules {
    line_comments: &["#"],
    block_comments: &[],
    quotes: &[
        with_code(long("\"\"\"", "\"\"\""), "#{", "}"),
        with_code(long("'''", "'''"), "#{", "}"),
        with_code(long("\"", "\""), "#{", "}"),
        with_code(long("'", "'"), "#{", "}"),
    ],
    word_marks: "@",
    word_ends: "?!",
    oddities: &[Oddity::Sigils],
    lines_end: true,
    bare_arguments: true,
    ..C_LIKE
};

const CMAKE: LexicalRules = LexicalRules {
    line_comments: &["#"],
    block_comments: &[],
    quotes: &[long("\"", "\"")],
    word_marks: "-/.${}+~*",
    oddities: &[Oddity::Brackets],
    bare_arguments: true,
    ..C_LIKE
};

const TERRAFORM: LexicalRules = LexicalRules {
    line_comments: &["#", "//"],
    quotes: &[with_code(quote("\"", "\""), "${", "}")],
    word_marks: "-",
    oddities: &[Oddity::Terraform],
    lines_end: true,
    bare_arguments: true,
    ..C_LIKE
};
