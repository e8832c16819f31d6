//! Every call in a row of tokens.

use super::row::TokenRow;
use super::{ScriptToken, lexer, library};
use crate::language::library::LibraryTable;
use crate::language::reading::CodeReading;
use crate::{Language, NestedStdin, Piece, Taint};
use std::collections::{BTreeMap, BTreeSet};

/// Variables that decide which file a module is loaded from.
pub(super) const SEARCH_PATHS: &[&str] = &[
    "$LOAD_PATH",
    "$:",
    "@INC",
    "%INC",
    "$INC",
    "package.path",
    "package.cpath",
    "package.loaded",
    "package.preload",
    "module.paths",
    "require.cache",
    "require.extensions",
];

/// Variables that make reading the input a change of the files it comes from.
pub(super) const IN_PLACE: &[&str] = &["$^I", "$INPLACE_EDIT", "$-i", "ARGF.inplace_mode"];

/// The list of files that the input comes from.
pub(super) const INPUT_FILES: &[&str] = &["@ARGV", "$ARGV", "ARGV", "$*"];

/// Files that pull in further files.
const DEPTH: usize = 6;

/// Brackets inside each other.
pub(super) const NESTING: usize = 100;

/// Tokens of one call without parentheses.
pub(super) const STATEMENT: usize = 400;

pub(super) struct Scan<'r, 'a> {
    pub(super) reading: &'r mut CodeReading<'a>,
    pub(super) library: &'static LibraryTable,
    pub(super) language: Language,
    /// Names that stand for a module or a member of one.
    pub(super) aliases: BTreeMap<String, String>,
    /// Variables that get one text and nothing else.
    pub(super) constants: BTreeMap<String, Vec<Piece>>,
    pub(super) functions: BTreeSet<String>,
    pub(super) variables: BTreeSet<String>,
    /// What a call that ends at this token gives.
    pub(super) results: BTreeMap<usize, &'static str>,
    pub(super) depth: usize,
}

impl Scan<'_, '_> {
    fn walk(&mut self, row: &TokenRow<'_>) {
        for (at, lexeme) in row.tokens.iter().enumerate() {
            match &lexeme.token {
                ScriptToken::Command(pieces) => {
                    let text = self.word(pieces.clone());
                    self.reading.shell(text, NestedStdin::Same);
                    self.reading.saw(Taint::UNKNOWN);
                }
                ScriptToken::Name(_) if !self.is_member(row, at) && !row.binds.contains(&at) => {
                    self.name(row, at);
                }
                ScriptToken::Mark(mark) if self.separates(mark) => self.method_of_value(row, at),
                ScriptToken::Mark("(") => self.computed_call(row, at),
                // `${"name"}`: a variable by a name that is made.
                ScriptToken::Mark("$")
                    if matches!(row.token(at.saturating_add(2)), Some(ScriptToken::Text(_))) =>
                {
                    self.reading.unknown_call("variable named by a text");
                }
                ScriptToken::Name(_)
                | ScriptToken::Text(_)
                | ScriptToken::Number(_)
                | ScriptToken::Regex
                | ScriptToken::Mark(_)
                | ScriptToken::Line => {}
            }
        }
    }

    pub(super) fn separates(&self, mark: &str) -> bool {
        match self.language {
            Language::JavaScript => matches!(mark, "." | "?."),
            Language::Ruby => matches!(mark, "." | "&." | "::"),
            Language::Perl => matches!(mark, "->" | "::"),
            Language::Php => matches!(mark, "->" | "::" | "\\"),
            Language::Shell
            | Language::Python
            | Language::Lua
            | Language::Awk
            | Language::Sed
            | Language::Sql
            | Language::PowerShell
            | Language::Other => matches!(mark, "." | ":"),
        }
    }
}

/// Reads a text and what it pulls in.
pub(super) fn program(text: &str, reading: &mut CodeReading<'_>, depth: usize) {
    let language = reading.source.language;
    let Some(library) = library(language) else {
        return;
    };
    if depth > DEPTH {
        return reading.gap(crate::GapKind::Budget);
    }
    let lexed = match lexer::lex(text, language) {
        Ok(lexed) => lexed,
        Err(what) => return reading.syntax(what),
    };
    let mut scan = Scan {
        reading,
        library,
        language,
        aliases: BTreeMap::new(),
        constants: BTreeMap::new(),
        functions: BTreeSet::new(),
        variables: BTreeSet::new(),
        results: BTreeMap::new(),
        depth,
    };
    let rows: Option<Vec<TokenRow<'_>>> = std::iter::once(&lexed.main)
        .chain(&lexed.inner)
        .map(|tokens| TokenRow::new(tokens))
        .collect();
    let Some(mut rows) = rows else {
        return scan.reading.syntax("brackets that nest too deep");
    };
    for row in &mut rows {
        scan.learn(row);
    }
    // The first pass only collects the marks of what is read anywhere.
    let muted = scan.reading.mute(true);
    for round in 0..2 {
        if round == 1 {
            scan.reading.mute(muted);
        }
        for row in &rows {
            scan.results.clear();
            scan.walk(row);
        }
    }
}
