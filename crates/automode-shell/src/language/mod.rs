//! Code in other languages, read for what it would do.
//!
//! [`read`] takes a piece of source text, inline or from a file, and answers with
//! the [`ProgramEffects`] of running it: effects, shell text and commands that it
//! starts in turn, and a gap for every call that is not known.
//! It is total and bounded: text that is too long, too deep or not understood is
//! a gap, never a guess.
//! Every effect carries the span of the word that brought the code in.

mod awk;
pub mod capability;
mod cursor;
mod library;
pub mod powershell;
mod python;
mod reading;
mod sed;
mod sql;
mod tokens;
mod told_edit;

pub use told_edit::tells_what_it_takes;

use reading::CodeReading;

use std::borrow::Cow;

use crate::{
    Act, Code, Context, Dynamic, DynamicSource, Facts, Gap, GapKind, Language, Layer, Origin,
    Piece, ProgramEffects, Span, Taint, Value,
};

/// A piece of code and how it is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeSource<'a> {
    pub language: Language,
    pub text: &'a Value,
    /// What the code sees as its arguments (`sys.argv[1..]`, `process.argv[2..]`, `ARGV`).
    pub arguments: &'a [Value],
    /// Marks on the text itself: downloaded, decoded, written by this session.
    pub taint: Taint,
    /// Marks of what arrives on standard input.
    pub input: Taint,
    /// The file that holds the text, absolute; inline code has none.
    pub file: Option<&'a str>,
    /// Working directory, absolute, where it is known.
    pub cwd: Option<&'a str>,
    /// What brought the code in; handed on to what it starts.
    pub layer: &'a Layer,
    /// The word in the typed command that stands for all of it.
    pub span: Span,
}

/// Longer text is not read.
const LENGTH: usize = 256 * 1024;

/// A word may stand for this many texts before it counts as unknown.
const CHOICES: usize = 8;

/// Whether two texts of Python do the same: they differ in nothing but comments and blanks.
#[must_use]
pub fn is_same_python(one: &str, other: &str) -> bool {
    one.len() <= LENGTH && other.len() <= LENGTH && python::is_same_program(one, other)
}

/// Reads code for what it would do.
#[must_use]
pub fn read(source: &CodeSource<'_>, context: &Context, facts: &Facts) -> ProgramEffects {
    let Some(texts) = texts(source.text) else {
        return unseen(source);
    };
    let mut reading = CodeReading::new(source, context, facts);
    for text in &texts {
        if text.len() > LENGTH {
            reading.gap(GapKind::Refused(format!(
                "{} code of {} bytes",
                source.language.name(),
                text.len()
            )));
            continue;
        }
        match source.language {
            Language::Sed => sed::read(text, &mut reading),
            Language::Awk => awk::read(text, &mut reading),
            Language::Sql => sql::read(text, &mut reading),
            Language::Python => python::read(text, &mut reading),
            Language::JavaScript
            | Language::Ruby
            | Language::Perl
            | Language::Php
            | Language::Lua => tokens::read(text, &mut reading),
            Language::PowerShell => powershell::read(text, &mut reading),
            Language::Shell | Language::Other => return unseen(source),
        }
    }
    reading.finish()
}

/// The texts that a word may be; a number in it is as good as any other number.
fn texts(value: &Value) -> Option<Vec<String>> {
    let mut value = value.clone();
    for piece in &mut value.pieces {
        if let Piece::Dynamic(Dynamic {
            source: DynamicSource::Number,
            ..
        }) = piece
        {
            *piece = Piece::Text("1".to_owned());
        }
    }
    value
        .choices(CHOICES)?
        .iter()
        .map(|choice| choice.literal().map(Cow::into_owned))
        .collect()
}

/// Code that runs but was not understood.
fn unseen(source: &CodeSource<'_>) -> ProgramEffects {
    let language = source.language.name();
    ProgramEffects {
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
        ..ProgramEffects::default()
    }
}

#[cfg(test)]
pub(crate) mod tests;
