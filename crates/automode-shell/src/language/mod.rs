//! Code in other languages, read for what it would do.
//!
//! [`read`] takes a piece of source text, inline or from a file, and answers with
//! the [`Consequence`] of running it: effects, shell text and commands that it
//! starts in turn, and a gap for every call that is not known.
//! It is total and bounded: text that is too long, too deep or not understood is
//! a gap, never a guess.
//! Every effect carries the span of the word that brought the code in.

use crate::{
    Act, Code, Consequence, Context, Facts, Gap, GapKind, Language, Layer, Origin, Span, Taint,
    Value,
};

/// A piece of code and how it is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source<'a> {
    pub language: Language,
    pub text: &'a Value,
    /// What the code sees as its arguments (`sys.argv[1..]`, `process.argv[2..]`, `ARGV`).
    pub arguments: &'a [Value],
    /// Marks on the text itself: downloaded, decoded, written by this session.
    pub taint: Taint,
    /// The file that holds the text, absolute; inline code has none.
    pub file: Option<&'a str>,
    /// Working directory, absolute, where it is known.
    pub cwd: Option<&'a str>,
    /// What brought the code in; handed on to what it starts.
    pub layer: &'a Layer,
    /// The word in the typed command that stands for all of it.
    pub span: Span,
}

/// Reads code for what it would do.
#[must_use]
pub fn read(source: &Source<'_>, _context: &Context, _facts: &Facts) -> Consequence {
    unseen(source)
}

impl Language {
    /// The name that effects and gaps carry.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::Ruby => "ruby",
            Self::Perl => "perl",
            Self::Php => "php",
            Self::Lua => "lua",
            Self::Awk => "awk",
            Self::Sed => "sed",
            Self::Sql => "sql",
            Self::PowerShell => "powershell",
            Self::Other => "other",
        }
    }
}

/// Code that runs but was not understood.
fn unseen(source: &Source<'_>) -> Consequence {
    let language = source.language.name();
    Consequence {
        effects: vec![(
            Act::Execute {
                code: Code::Inline { language },
                origin: Origin {
                    seen: false,
                    taint: source.taint.with(source.text.taint()),
                },
            },
            source.span,
        )],
        gaps: vec![Gap {
            kind: GapKind::Unseen(format!("{language} code")),
            span: source.span,
        }],
        ..Consequence::default()
    }
}
