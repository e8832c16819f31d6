//! JavaScript, Ruby, Perl, PHP and Lua, by their tokens.
//!
//! The text is cut into tokens and every call in it is looked up, wherever it
//! stands and whether or not it is reached. Texts, constant variables and
//! imported names are followed; nothing else is. A call, a method or a
//! construct that the tables do not know is a gap.
//! The walk goes over the text twice: what is written or sent carries the marks
//! of everything that is read anywhere in it.

mod argument;
mod call;
mod keyword;
mod learn;
mod lexer;
mod name;
mod open;
mod perl;
mod quote;
mod row;
mod scan;
mod start;
mod value;

use super::library::{JAVASCRIPT, LUA, LibraryTable, PERL, PHP, RUBY};
use super::reading::CodeReading;
use crate::{Act, Code, Language, Origin, Piece};

pub(super) fn read(text: &str, reading: &mut CodeReading<'_>) {
    let source = reading.source;
    reading.act(Act::Execute {
        code: Code::Inline {
            language: source.language.name(),
        },
        origin: Origin {
            seen: true,
            taint: source.taint,
        },
    });
    scan::program(text, reading, 0);
}

#[derive(Clone, Debug, PartialEq)]
enum ScriptToken {
    /// A name with its sigil; a name of several parts comes as several tokens.
    Name(String),
    Text(Vec<Piece>),
    /// Text in backticks.
    Command(Vec<Piece>),
    Number(String),
    Regex,
    Mark(&'static str),
    /// The end of a line.
    Line,
}

impl ScriptToken {
    /// The sign that it is; empty for everything else.
    const fn mark(&self) -> &'static str {
        match self {
            Self::Mark(mark) => mark,
            Self::Name(_)
            | Self::Text(_)
            | Self::Command(_)
            | Self::Number(_)
            | Self::Regex
            | Self::Line => "",
        }
    }

    /// The name that it is.
    fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Text(_)
            | Self::Command(_)
            | Self::Number(_)
            | Self::Regex
            | Self::Mark(_)
            | Self::Line => None,
        }
    }
}

/// A token, and whether it follows the one before without a space.
#[derive(Clone, Debug, PartialEq)]
struct Lexeme {
    token: ScriptToken,
    glued: bool,
}

/// The tokens of a text, and those of the code inside its strings.
#[derive(Debug, Default)]
struct Lexed {
    main: Vec<Lexeme>,
    inner: Vec<Vec<Lexeme>>,
}

const fn library(language: Language) -> Option<&'static LibraryTable> {
    match language {
        Language::JavaScript => Some(&JAVASCRIPT),
        Language::Ruby => Some(&RUBY),
        Language::Perl => Some(&PERL),
        Language::Php => Some(&PHP),
        Language::Lua => Some(&LUA),
        Language::Shell
        | Language::Python
        | Language::Awk
        | Language::Sed
        | Language::Sql
        | Language::PowerShell
        | Language::Other => None,
    }
}

#[cfg(test)]
mod tests;
