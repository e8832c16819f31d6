//! Names that are not written down as they are called: put together, spelled in numbers,
//! or given as a value.

use std::borrow::Cow;

use super::SourceLanguage;
use super::lexer::{CodeLexeme, CodeToken};
use super::scan::FileScan;

impl FileScan<'_> {
    /// A name with letters in numbers (`ev\u0061l`), or a member that a variable names.
    pub(super) fn is_spelled_out(&self, at: usize, next: usize) -> bool {
        (at..next).any(|at| match self.token(at) {
            Some(CodeToken::Mark("\\")) => self.language != SourceLanguage::Php,
            Some(CodeToken::Mark(mark)) if self.language == SourceLanguage::Php => {
                let named = matches!(self.token(at.saturating_add(1)), Some(CodeToken::Word(word)) if word.starts_with('$'));
                let called = self.token(at.saturating_add(2)) == Some(&CodeToken::Mark("("));
                named && (matches!(*mark, "->" | "?.") || (*mark == "::" && called))
            }
            Some(_) | None => false,
        })
    }

    /// A function of PHP that calls what it is given: something else than a function that is
    /// written in place, or one by a name that is looked up.
    pub(super) fn takes_computed(&self, parts: &[String], next: usize) -> bool {
        const FIRST: &[&str] = &[
            "array_map",
            "call_user_func",
            "call_user_func_array",
            "forward_static_call",
            "forward_static_call_array",
            "register_shutdown_function",
            "spl_autoload_register",
            "ob_start",
            "set_error_handler",
            "set_exception_handler",
            "header_register_callback",
            "register_tick_function",
        ];
        const SECOND: &[&str] = &[
            "array_filter",
            "array_walk",
            "array_walk_recursive",
            "array_reduce",
            "usort",
            "uasort",
            "uksort",
            "iterator_apply",
            "preg_replace_callback",
        ];
        let name = parts
            .last()
            .map_or_else(String::new, |name| name.to_lowercase());
        let number = if FIRST.contains(&name.as_str()) {
            0
        } else if SECOND.contains(&name.as_str()) {
            1
        } else {
            return false;
        };
        if self.language != SourceLanguage::Php {
            return false;
        }
        let Some(argument) = self.argument(next, number) else {
            return false;
        };
        match argument {
            [] => false,
            [
                CodeLexeme {
                    token: CodeToken::Text { whole, .. },
                    ..
                },
            ] => !whole,
            [first, ..] => match &first.token {
                CodeToken::Word(word) => word.starts_with('$') && !self.is_function(word, argument),
                CodeToken::Mark("[") => false,
                CodeToken::Text { .. }
                | CodeToken::Mark(_)
                | CodeToken::Number
                | CodeToken::Command => true,
            },
        }
    }

    /// Whether a variable of PHP holds a function that the file shows, or is declared as one.
    pub(super) fn is_function(&self, variable: &str, argument: &[CodeLexeme]) -> bool {
        if argument.len() > 1 {
            // `$this->method(...)`, `$container->get(X::class)`.
            return !argument.iter().any(|lexeme| {
                matches!(
                    &lexeme.token,
                    CodeToken::Text { .. } | CodeToken::Mark("[" | "{")
                )
            });
        }
        self.tokens.windows(3).any(|three| match three {
            [one, two, three] => {
                let same = |lexeme: &CodeLexeme| matches!(&lexeme.token, CodeToken::Word(word) if word == variable);
                let declared = matches!(&one.token, CodeToken::Word(word) if matches!(word.as_str(), "callable" | "Closure")) && same(two);
                let assigned = same(one)
                    && two.token == CodeToken::Mark("=")
                    && matches!(&three.token, CodeToken::Word(word) if matches!(word.as_str(), "fn" | "function" | "static"));
                declared || assigned
            }
            _ => false,
        })
    }

    /// A member or a function whose name is made at run time: `globalThis[x]`,
    /// `$name(…)`.
    pub(super) fn is_computed(&self, word: &str, at: usize) -> bool {
        let after = self.token(at.saturating_add(1));
        let opens = matches!(after, Some(CodeToken::Mark("[" | "?.")));
        let global = self.table.prefixes.binary_search(&word).is_ok();
        let before = at.checked_sub(1).and_then(|at| self.token(at));
        if self.language == SourceLanguage::JavaScript {
            return global && opens;
        }
        // `$f(…)`, `$o->$m(…)`, `$k::$m(…)`, `new $k`.
        if self.language == SourceLanguage::Php {
            let member = matches!(before, Some(CodeToken::Mark("->" | "?.")));
            let made = matches!(before, Some(CodeToken::Word(word)) if word == "new");
            let called = after == Some(&CodeToken::Mark("("));
            return word.starts_with('$') && word != "$this" && (called || member || made);
        }
        // `rm = FileUtils`: what is called on the other name is not seen.
        if self.language == SourceLanguage::Ruby {
            let kept = matches!(before, Some(CodeToken::Mark("=" | "[" | "=>" | "::")));
            let member = matches!(after, Some(CodeToken::Mark("." | "::" | "&.")));
            return matches!(
                word,
                "File" | "FileUtils" | "IO" | "Dir" | "Kernel" | "Process" | "Pathname"
            ) && kept
                && !member;
        }
        false
    }

    /// A text that stands for code: a function by its name in PHP, a module file
    /// outside the project in Rust, what a timer of JavaScript runs.
    pub(super) fn names_code(&self, text: &str, at: usize) -> bool {
        let back = |by: usize| at.checked_sub(by).and_then(|at| self.token(at));
        if self.language == SourceLanguage::Php {
            let lower = text.to_lowercase();
            let named = self.table.name(text).or_else(|| self.table.name(&lower));
            let called = self.token(at.saturating_add(1)) == Some(&CodeToken::Mark("("));
            return called || named.is_some_and(|rule| rule.capability.is_some());
        }
        if self.language == SourceLanguage::Rust {
            let path = back(1) == Some(&CodeToken::Mark("="))
                && matches!(back(2), Some(CodeToken::Word(word)) if word == "path");
            let up = text.split('/').filter(|part| *part == "..").count();
            return path && (text.starts_with('/') || up > 3);
        }
        // `setTimeout("code", 0)`.
        if self.language == SourceLanguage::JavaScript {
            return back(1) == Some(&CodeToken::Mark("("))
                && matches!(back(2), Some(CodeToken::Word(word)) if matches!(word.as_str(), "setTimeout" | "setInterval" | "setImmediate" | "execScript"));
        }
        // `x."name"()`.
        self.language == SourceLanguage::Groovy && back(1) == Some(&CodeToken::Mark("."))
    }

    /// Marks that put names together (`a##b`) or spell them in numbers (`\\u0065val`).
    pub(super) fn makes_names(&self, mark: &str, at: usize) -> bool {
        let next = self.token(at.saturating_add(1));
        let pastes = self.language == SourceLanguage::C
            && mark == "#"
            && next == Some(&CodeToken::Mark("#"));
        let spells = mark == "\\"
            && matches!(next, Some(CodeToken::Word(word)) if word.starts_with(['u', 'x', 'U']));
        let completes = self.language == SourceLanguage::Rust
            && mark == "::"
            && match next {
                Some(CodeToken::Mark(mark)) => *mark == "$",
                Some(CodeToken::Word(word)) => word.starts_with('$'),
                Some(CodeToken::Text { .. } | CodeToken::Command | CodeToken::Number) | None => {
                    false
                }
            };
        pastes || spells || completes || self.calls_value(mark, at) || self.joins_member(mark, at)
    }

    /// `x['const' + 'ructor'](…)`: a member whose name is there in pieces, and called.
    fn joins_member(&self, mark: &str, at: usize) -> bool {
        if self.language != SourceLanguage::JavaScript || mark != "[" {
            return false;
        }
        let mut pieces = 0_usize;
        let mut next = at.saturating_add(1);
        while let Some(CodeToken::Text { whole: true, .. }) = self.token(next) {
            pieces = pieces.saturating_add(1);
            next = next.saturating_add(1);
            if self.token(next) != Some(&CodeToken::Mark("+")) {
                break;
            }
            next = next.saturating_add(1);
        }
        let called = matches!(
            self.token(next.saturating_add(1)),
            Some(CodeToken::Mark("(" | "?." | "[" | "."))
        );
        pieces > 1 && self.token(next) == Some(&CodeToken::Mark("]")) && called
    }

    /// PHP calls what an expression gives: `('a' . 'b')(…)`, `[$o, 'm'](…)`, `$o->{…}`. A
    /// function that is written in place is seen.
    pub(super) fn calls_value(&self, mark: &str, at: usize) -> bool {
        let back = |by: usize| at.checked_sub(by).and_then(|at| self.token(at));
        if self.language != SourceLanguage::Php {
            return false;
        }
        match mark {
            "{" => matches!(back(1), Some(CodeToken::Mark("->" | "?." | "::"))),
            "(" => match back(1) {
                Some(CodeToken::Mark("]")) => true,
                Some(CodeToken::Mark(")")) => !self.has_word("fn") && !self.has_word("function"),
                Some(_) | None => false,
            },
            _ => false,
        }
    }
}

/// A text as its compiler reads it: Java takes `\\u0041` for a letter before anything else.
pub(super) fn spelled_out(language: SourceLanguage, text: &str) -> Result<Cow<'_, str>, String> {
    let translates = matches!(language, SourceLanguage::Java | SourceLanguage::Groovy);
    if !translates || !text.contains("\\u") {
        return Ok(Cow::Borrowed(text));
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        let behind = from.get(1..).unwrap_or_default();
        let Some(digits) = behind.strip_prefix('u') else {
            // Two of them are one that spells nothing.
            let length = if behind.starts_with('\\') { 2 } else { 1 };
            plain.push_str(from.get(..length).unwrap_or_default());
            rest = from.get(length..).unwrap_or_default();
            continue;
        };
        let digits = digits.trim_start_matches('u');
        let number = digits
            .get(..4)
            .and_then(|four| u32::from_str_radix(four, 16).ok());
        match number {
            // What it spells may spell on.
            Some(0x5c) | None => return Err("letters that are spelled as numbers".to_owned()),
            // Half of a letter stands in texts only.
            Some(number) => plain.push(char::from_u32(number).unwrap_or('\u{fffd}')),
        }
        rest = digits.get(4..).unwrap_or_default();
    }
    plain.push_str(rest);
    Ok(Cow::Owned(plain))
}

/// Text that a compiler reads otherwise than it looks: names cut by the end of a line in C.
pub(super) fn disguised(language: SourceLanguage, text: &str) -> Option<String> {
    let is_word = |letter: Option<char>| letter.is_some_and(|c| c == '_' || c.is_alphanumeric());
    match language {
        SourceLanguage::C if ["%:", "??=", "??/"].iter().any(|mark| text.contains(mark)) => {
            Some("marks that are spelled with other marks".to_owned())
        }
        SourceLanguage::C => text.match_indices("\\\n").find_map(|(at, cut)| {
            let before = text.get(..at)?.chars().next_back();
            let after = text.get(at.saturating_add(cut.len())..)?.chars().next();
            (is_word(before) && is_word(after))
                .then(|| "a name that is cut by a line's end".to_owned())
        }),
        // Names in backquotes are for those that a keyword is in the way of.
        SourceLanguage::Kotlin => {
            let mut quoted = text.split('`').skip(1).step_by(2);
            let chained = text.contains("`.") || text.contains(".`");
            let keyword = |name: &str| {
                matches!(
                    name,
                    "when" | "is" | "in" | "as" | "object" | "fun" | "val" | "typealias"
                )
            };
            (chained && quoted.any(|name| !keyword(name) && !name.contains(' ')))
                .then(|| "names in backquotes".to_owned())
        }
        SourceLanguage::Java
        | SourceLanguage::Groovy
        | SourceLanguage::Rust
        | SourceLanguage::Go
        | SourceLanguage::CSharp
        | SourceLanguage::Swift
        | SourceLanguage::Ruby
        | SourceLanguage::Php
        | SourceLanguage::JavaScript
        | SourceLanguage::CMake
        | SourceLanguage::Elixir
        | SourceLanguage::Dockerfile
        | SourceLanguage::Compose
        | SourceLanguage::Workflow
        | SourceLanguage::Terraform => None,
    }
}
