//! Whether a path stays where a test may work.
//!
//! An expression is *rooted* where it begins at a temporary directory that the
//! file itself makes, *of the project* where it is a constant relative name, and
//! unknown otherwise. A variable counts as what all its bindings are; one that is
//! also a parameter, a pattern or a loop's variable is unknown.

use std::collections::BTreeMap;

use super::import::FileImports;
use super::lexer::{CodeLexeme, CodeToken};
use super::syntax::LexicalRules;
use super::table::CapabilityTable;

/// Where a path lies; the larger, the less is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Containment {
    /// Below a temporary directory of the file's own.
    Temporary,
    /// Below the project, by a constant name.
    Project,
    Unknown,
}

/// What the variables of a file hold.
pub(super) struct PathVariables<'a> {
    tokens: &'a [CodeLexeme],
    table: &'a CapabilityTable,
    rules: LexicalRules,
    imports: &'a FileImports,
    known: BTreeMap<&'a str, Containment>,
}

/// Bindings are looked at this often, each time with what was found before.
const ROUNDS: usize = 3;

/// Tokens of one value that are looked at; a longer one is unknown.
pub(super) const VALUE: usize = 400;

/// Words that stand in front of a value, so that the next word is no declaration.
const IN_FRONT: &[&str] = &[
    "return", "await", "in", "new", "not", "and", "or", "else", "throw", "yield", "case", "defer",
    "try", "mut", "ref", "move", "when", "unless", "if", "while", "until", "puts", "raise", "do",
    "then", "of", "is", "as", "go", "assert", "expect", "print", "println", "typeof", "delete",
];
/// Words that declare a variable.
const DECLARES: &[&str] = &[
    "let", "var", "val", "const", "mut", "final", "auto", "def", "static", "lateinit", "readonly",
];
/// Words that declare a function, whose parameters come next.
const DEFINES: &[&str] = &[
    "fn",
    "func",
    "fun",
    "function",
    "def",
    "defp",
    "defmacro",
    "constructor",
    "init",
];

impl<'a> PathVariables<'a> {
    pub(super) fn new(
        tokens: &'a [CodeLexeme],
        table: &'a CapabilityTable,
        rules: LexicalRules,
        imports: &'a FileImports,
    ) -> Self {
        let mut variables = Self {
            tokens,
            table,
            rules,
            imports,
            known: BTreeMap::new(),
        };
        let mut unknown = BTreeMap::new();
        variables.mark_bound_elsewhere(&mut unknown);
        for _ in 0..ROUNDS {
            let mut known = unknown.clone();
            variables.bindings(&mut known);
            if known == variables.known {
                break;
            }
            variables.known = known;
        }
        variables
    }

    /// Where the path in `tokens` lies.
    pub(super) fn containment(&self, tokens: &[CodeLexeme]) -> Containment {
        if tokens.len() >= VALUE {
            return Containment::Unknown;
        }
        let mut level = None;
        let mut names = false;
        let mut at = 0_usize;
        while let Some(lexeme) = tokens.get(at) {
            match &lexeme.token {
                CodeToken::Text { text, whole } => {
                    let text = match level {
                        // `concat!(env!("CARGO_MANIFEST_DIR"), "/tests/x")`, `__dirname + "/x"`.
                        Some(Containment::Project) if is_glued(tokens, at) => {
                            text.trim_start_matches('/')
                        }
                        _ => text.as_str(),
                    };
                    if !whole || !is_relative(text) {
                        // `/tmp/name` as a whole is as good as a temporary directory.
                        if *whole && level.is_none() && is_temporary(text) {
                            level = Some(Containment::Temporary);
                        } else {
                            return Containment::Unknown;
                        }
                    }
                    names = true;
                }
                CodeToken::Word(word) if word == "env!" => {
                    match self.build_variable(tokens.get(at.saturating_add(2))) {
                        Some(found) => {
                            level = Some(level.map_or(found, |level: Containment| level.min(found)))
                        }
                        None => return Containment::Unknown,
                    }
                    at = at.saturating_add(4);
                    continue;
                }
                CodeToken::Word(_) => {
                    let (chain, next) = chain(tokens, at);
                    match self.word(&chain) {
                        Some(Containment::Unknown) => return Containment::Unknown,
                        Some(found) => {
                            level = Some(level.map_or(found, |level: Containment| level.min(found)))
                        }
                        None => {}
                    }
                    at = next;
                    continue;
                }
                CodeToken::Number => {}
                CodeToken::Mark(mark) => {
                    let quiet = matches!(
                        *mark,
                        "(" | ")"
                            | "["
                            | "]"
                            | "."
                            | "::"
                            | ","
                            | "&"
                            | "?"
                            | "+"
                            | "/"
                            | "!"
                            | "*"
                            | "?."
                            | "<"
                            | ">"
                            | ":"
                            | "->"
                            | "@"
                    );
                    if !quiet {
                        return Containment::Unknown;
                    }
                }
                CodeToken::Command => return Containment::Unknown,
            }
            at = at.saturating_add(1);
        }
        match level {
            Some(level) => level,
            None if names => Containment::Project,
            None => Containment::Unknown,
        }
    }

    /// `env!("CARGO_MANIFEST_DIR")`.
    fn build_variable(&self, name: Option<&CodeLexeme>) -> Option<Containment> {
        let Some(CodeToken::Text { text, whole: true }) = name.map(|lexeme| &lexeme.token) else {
            return None;
        };
        let name = format!("env!{text}");
        let lists = [
            (self.table.temporary, Containment::Temporary),
            (self.table.project, Containment::Project),
        ];
        lists
            .iter()
            .find(|(list, _)| list.binary_search(&name.as_str()).is_ok())
            .map(|(_, found)| *found)
    }

    /// What a dotted name says of a path; nothing where it only passes it on.
    fn word(&self, chain: &[&str]) -> Option<Containment> {
        let whole = chain.join(".");
        let list = |list: &[&str], name: &str| list.binary_search(&name).is_ok();
        let tails = (0..chain.len()).map(|from| chain.get(from..).unwrap_or_default().join("."));
        for tail in std::iter::once(whole.clone()).chain(tails) {
            if list(self.table.temporary, &tail) {
                return Some(Containment::Temporary);
            }
            if list(self.table.project, &tail) {
                return Some(Containment::Project);
            }
        }
        if chain.len() > 1 && list(self.table.through, &whole) {
            return None;
        }
        let first = chain.first().copied().unwrap_or_default();
        let passes_on = chain
            .iter()
            .skip(1)
            .all(|part| list(self.table.through, part));
        if !passes_on {
            return Some(Containment::Unknown);
        }
        match self.known.get(first) {
            Some(found) => Some(*found),
            None if list(self.table.through, first) => None,
            None => Some(Containment::Unknown),
        }
    }

    /// Names in front of what a loop goes through.
    fn mark_loop_names(&self, at: usize, unknown: &mut BTreeMap<&'a str, Containment>) {
        for next in at.saturating_add(1)..at.saturating_add(8) {
            match self.token(next) {
                Some(CodeToken::Word(word)) if matches!(word.as_str(), "in" | "of" | "as") => break,
                Some(CodeToken::Word(word)) => self.forget(word, unknown),
                Some(CodeToken::Mark("{" | ";" | "=" | "<-")) | None => break,
                Some(_) => {}
            }
        }
    }

    /// Names that are parameters, patterns or the variables of loops.
    fn mark_bound_elsewhere(&self, unknown: &mut BTreeMap<&'a str, Containment>) {
        for (at, lexeme) in self.tokens.iter().enumerate() {
            if self.imports.covers(at) {
                continue;
            }
            match &lexeme.token {
                CodeToken::Word(word) if DEFINES.contains(&word.as_str()) => {
                    self.mark_parameters(at, unknown);
                }
                CodeToken::Word(word)
                    if matches!(word.as_str(), "for" | "foreach" | "case" | "rescue") =>
                {
                    self.mark_loop_names(at, unknown);
                }
                // `match x { Some(dir) => … }`, `(a, dir) => …`, `dir -> …`.
                CodeToken::Mark("=>" | "->" | "<-") => self.mark_before(at, unknown),
                CodeToken::Mark("=") => {
                    if matches!(
                        self.token(at.saturating_sub(1)),
                        Some(CodeToken::Mark(")" | "}" | "]"))
                    ) {
                        self.mark_before(at, unknown);
                    }
                }
                CodeToken::Mark("|") => {
                    for near in [at.saturating_sub(1), at.saturating_add(1)] {
                        if let Some(CodeToken::Word(word)) = self.token(near) {
                            self.forget(word, unknown);
                        }
                    }
                }
                // `name(dir) {`: a method with its parameters, or a call with a block.
                CodeToken::Mark("{")
                    if self.token(at.saturating_sub(1)) == Some(&CodeToken::Mark(")"))
                        && self.opener_is_call(at.saturating_sub(1)) =>
                {
                    self.mark_before(at, unknown);
                }
                CodeToken::Word(word) => {
                    let before = at.checked_sub(1).and_then(|at| self.token(at));
                    let after = self.token(at.saturating_add(1));
                    let declared = matches!(before, Some(CodeToken::Word(other)) if !IN_FRONT.contains(&other.as_str())
                            && !DECLARES.contains(&other.as_str())
                            && self.same_line(at.saturating_sub(1), at));
                    let declares = matches!(before, Some(CodeToken::Word(other)) if DECLARES.contains(&other.as_str()));
                    let typed = matches!(after, Some(CodeToken::Mark(":"))) && !declares;
                    let go_typed = matches!(after, Some(CodeToken::Word(other)) if !IN_FRONT.contains(&other.as_str()) && !matches!(other.as_str(), "in" | "as" | "is" | "instanceof" | "do" | "end" | "then" | "shouldBe" | "to" | "until" | "downTo" | "step" | "where" | "catch" | "else" | "rescue" | "if" | "unless"))
                        && self.same_line(at, at.saturating_add(1));
                    let assigned = matches!(after, Some(CodeToken::Mark("=" | ":=")));
                    let temporary = self.is_annotated(at);
                    if (declared || typed || go_typed) && !assigned && !temporary {
                        self.forget(word, unknown);
                    }
                }
                CodeToken::Text { .. }
                | CodeToken::Number
                | CodeToken::Mark(_)
                | CodeToken::Command => {}
            }
        }
    }

    fn token(&self, at: usize) -> Option<&'a CodeToken> {
        self.tokens.get(at).map(|lexeme| &lexeme.token)
    }

    fn same_line(&self, one: usize, two: usize) -> bool {
        match (self.tokens.get(one), self.tokens.get(two)) {
            (Some(one), Some(two)) => one.line == two.line,
            _ => false,
        }
    }

    fn forget(&self, word: &'a str, unknown: &mut BTreeMap<&'a str, Containment>) {
        unknown.insert(word, Containment::Unknown);
    }

    fn mark_parameters(&self, at: usize, unknown: &mut BTreeMap<&'a str, Containment>) {
        let open =
            (at..at.saturating_add(12)).find(|at| self.token(*at) == Some(&CodeToken::Mark("(")));
        let Some(open) = open else { return };
        let mut depth = 0_usize;
        for at in open..open.saturating_add(400) {
            match self.token(at) {
                Some(CodeToken::Mark("(")) => depth = depth.saturating_add(1),
                Some(CodeToken::Mark(")")) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return;
                    }
                }
                Some(CodeToken::Word(word)) if !self.is_annotated(at) => self.forget(word, unknown),
                Some(_) => {}
                None => return,
            }
        }
    }

    /// Forgets the words of the pattern that ends before `at`.
    fn mark_before(&self, at: usize, unknown: &mut BTreeMap<&'a str, Containment>) {
        let mut depth = 0_usize;
        for before in (0..at).rev().take(60) {
            match self.token(before) {
                Some(CodeToken::Mark(")" | "]" | "}")) => depth = depth.saturating_add(1),
                Some(CodeToken::Mark("(" | "[" | "{")) => {
                    if depth == 0 {
                        return;
                    }
                    depth = depth.saturating_sub(1);
                }
                Some(CodeToken::Mark(";" | "=>" | "=" | ":=")) => return,
                Some(CodeToken::Mark(",")) if depth == 0 => return,
                Some(CodeToken::Word(word)) => {
                    if depth == 0 && DECLARES.contains(&word.as_str()) {
                        return;
                    }
                    if !self.is_annotated(before) {
                        self.forget(word, unknown);
                    }
                }
                Some(_) => {}
                None => return,
            }
            // An assignment to an element ends with its line.
            if depth == 0 && !self.same_line(before, at) {
                return;
            }
        }
    }

    /// Whether the bracket that closes at `at` belongs to a name, not to `if`.
    fn opener_is_call(&self, at: usize) -> bool {
        let mut depth = 0_usize;
        for before in (0..=at).rev().take(300) {
            match self.token(before) {
                Some(CodeToken::Mark(")")) => depth = depth.saturating_add(1),
                Some(CodeToken::Mark("(")) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        let name = before.checked_sub(1).and_then(|at| self.token(at));
                        return matches!(name, Some(CodeToken::Word(word)) if !matches!(word.as_str(), "if" | "for" | "while" | "switch" | "catch" | "match" | "when" | "foreach" | "using" | "lock" | "guard"));
                    }
                }
                Some(_) => {}
                None => return false,
            }
        }
        true
    }

    /// `@TempDir Path dir`: JUnit makes the directory.
    fn is_annotated(&self, at: usize) -> bool {
        (1..6).any(|back| {
            let Some(start) = at.checked_sub(back) else {
                return false;
            };
            matches!(self.token(start), Some(CodeToken::Word(word)) if word == "TempDir")
                && start.checked_sub(1).and_then(|at| self.token(at)) == Some(&CodeToken::Mark("@"))
                && (start.saturating_add(1)..at).all(|between| {
                    matches!(self.token(between), Some(CodeToken::Word(word)) if matches!(word.as_str(), "Path" | "File" | "static" | "private" | "public" | "protected" | "lateinit" | "var" | "val" | "final" | "java" | "nio" | "file"))
                        || matches!(self.token(between), Some(CodeToken::Mark(".")))
                })
        })
    }

    /// Variables by what they are bound to.
    fn bindings(&self, known: &mut BTreeMap<&'a str, Containment>) {
        for (at, lexeme) in self.tokens.iter().enumerate() {
            let CodeToken::Word(word) = &lexeme.token else {
                continue;
            };
            if self.imports.covers(at) {
                continue;
            }
            if self.is_annotated(at)
                && !matches!(
                    word.as_str(),
                    "Path" | "File" | "static" | "private" | "lateinit" | "var" | "val"
                )
            {
                join(known, word, Containment::Temporary);
                continue;
            }
            // A member of something else is no variable.
            if matches!(
                at.checked_sub(1).and_then(|at| self.token(at)),
                Some(CodeToken::Mark("." | "::" | "->" | "?."))
            ) {
                continue;
            }
            let Some(start) = self.value_start(at) else {
                continue;
            };
            let end = self.value_end(start);
            let value = self.tokens.get(start..end).unwrap_or_default();
            join(known, word, self.containment(value));
        }
    }

    /// Where the value begins that the word at `at` is bound to.
    fn value_start(&self, at: usize) -> Option<usize> {
        let mut next = at.saturating_add(1);
        // `dir, err := …`
        if self.token(next) == Some(&CodeToken::Mark(","))
            && matches!(self.token(next.saturating_add(1)), Some(CodeToken::Word(_)))
            && matches!(
                self.token(next.saturating_add(2)),
                Some(CodeToken::Mark(":=" | "="))
            )
        {
            return Some(next.saturating_add(3));
        }
        // `let dir: TempDir = …`
        if self.token(next) == Some(&CodeToken::Mark(":")) {
            let stop = next.saturating_add(10);
            while next < stop
                && !matches!(
                    self.token(next),
                    Some(CodeToken::Mark("=" | ";" | ")" | "," | "{")) | None
                )
            {
                next = next.saturating_add(1);
            }
        }
        matches!(self.token(next), Some(CodeToken::Mark("=" | ":=")))
            .then(|| next.saturating_add(1))
    }

    fn value_end(&self, start: usize) -> usize {
        let mut depth = 0_usize;
        let mut at = start;
        let last = start.saturating_add(VALUE);
        while at < last
            && let Some(lexeme) = self.tokens.get(at)
        {
            match lexeme.token.mark().unwrap_or_default() {
                "(" | "[" | "{" => depth = depth.saturating_add(1),
                ")" | "]" | "}" => {
                    if depth == 0 {
                        return at;
                    }
                    depth = depth.saturating_sub(1);
                }
                ";" if depth == 0 => return at,
                _ => {}
            }
            let next = at.saturating_add(1);
            let goes_on = matches!(
                self.token(next),
                Some(CodeToken::Mark("." | "?." | "|>" | ":"))
            );
            let unfinished = matches!(
                lexeme.token,
                CodeToken::Mark("=" | ":=" | "(" | "," | "." | "+" | "?.")
            );
            if self.rules.lines_end
                && depth == 0
                && !goes_on
                && !unfinished
                && !self.same_line(at, next)
            {
                return next;
            }
            at = next;
        }
        at
    }
}

fn join<'a>(known: &mut BTreeMap<&'a str, Containment>, word: &'a str, level: Containment) {
    let level = known.get(word).map_or(level, |before| (*before).max(level));
    known.insert(word, level);
}

/// The dotted name at `at`, and where it ends.
pub(super) fn chain(tokens: &[CodeLexeme], at: usize) -> (Vec<&str>, usize) {
    let mut parts = Vec::new();
    let mut next = at;
    loop {
        if let Some(CodeToken::Word(word)) = tokens.get(next).map(|lexeme| &lexeme.token) {
            parts.push(word.as_str())
        } else {
            return (parts, next);
        }
        next = next.saturating_add(1);
        let joins = matches!(
            tokens.get(next).map(|lexeme| &lexeme.token),
            Some(CodeToken::Mark(
                "." | "::" | "->" | "?." | "&." | "\\" | "!!"
            ))
        );
        let word = matches!(
            tokens
                .get(next.saturating_add(1))
                .map(|lexeme| &lexeme.token),
            Some(CodeToken::Word(_))
        );
        if !joins || !word {
            return (parts, next);
        }
        next = next.saturating_add(1);
    }
}

/// Whether a text is put behind another one letter by letter.
fn is_glued(tokens: &[CodeLexeme], at: usize) -> bool {
    let first = tokens.first().map(|lexeme| &lexeme.token);
    let before = at
        .checked_sub(1)
        .and_then(|at| tokens.get(at))
        .map(|lexeme| &lexeme.token);
    matches!(first, Some(CodeToken::Word(word)) if word == "concat!")
        || matches!(before, Some(CodeToken::Mark("+" | ".")))
}

/// A constant name below the directory it is joined to.
fn is_relative(text: &str) -> bool {
    let drive = text.as_bytes().get(1) == Some(&b':');
    !text.starts_with(['/', '~', '\\', '$', '%'])
        && !drive
        && !text.contains('\u{fffd}')
        && !text.contains("://")
        && !text.split(['/', '\\']).any(|part| part == "..")
}

/// A name of its own in the directory for temporary files.
fn is_temporary(text: &str) -> bool {
    let below = text
        .strip_prefix("/tmp/")
        .or_else(|| text.strip_prefix("/var/tmp/"));
    below.is_some_and(|name| {
        !name.is_empty()
            && !name.contains('*')
            && !name.split('/').any(|part| part == ".." || part == ".")
    })
}
