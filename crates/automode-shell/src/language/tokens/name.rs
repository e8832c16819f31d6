//! Names and the chains they begin: what they stand for, and what follows from them.

use super::keyword::is_keyword;
use super::learn::defines;
use super::row::{Row, plain};
use super::scan::{SEARCH_PATHS, Scan};
use super::{Lexeme, ScriptToken};
use crate::place::taint_of_variable;
use crate::{Language, Taint};

/// A dotted name and the place behind it.
pub(super) struct Chain {
    pub(super) parts: Vec<String>,
    pub(super) end: usize,
}

impl Scan<'_, '_> {
    /// Part of a chain that was read from its start.
    pub(super) fn is_member(&self, row: &Row<'_>, at: usize) -> bool {
        let Some(ScriptToken::Mark(mark)) = row.before(at) else {
            return false;
        };
        // A colon also separates other things in Lua.
        self.separates(mark) && (*mark != ":" || row.get(at).is_some_and(|lexeme| lexeme.glued))
    }

    pub(super) fn chain(&self, tokens: &[Lexeme], at: usize) -> Chain {
        let mut parts = Vec::new();
        let mut end = at;
        while let Some(ScriptToken::Name(name)) = tokens.get(end).map(|lexeme| &lexeme.token) {
            parts.push(name.clone());
            end = end.saturating_add(1);
            match tokens.get(end).map(|lexeme| &lexeme.token) {
                Some(ScriptToken::Mark(mark))
                    if self.separates(mark)
                        && matches!(
                            tokens
                                .get(end.saturating_add(1))
                                .map(|lexeme| &lexeme.token),
                            Some(ScriptToken::Name(_))
                        )
                        && (*mark != ":" || tokens.get(end).is_some_and(|lexeme| lexeme.glued)) =>
                {
                    end = end.saturating_add(1);
                }
                Some(_) | None => break,
            }
        }
        Chain { parts, end }
    }

    pub(super) fn name(&mut self, row: &Row<'_>, at: usize) {
        let chain = self.chain(row.tokens, at);
        let (Some(first), Some(last)) = (chain.parts.first().cloned(), chain.parts.last().cloned())
        else {
            return;
        };
        let member = chain.parts.len() > 1;
        if !member && (is_keyword(&first, self.language) || self.is_label(row, at, chain.end)) {
            return;
        }
        // `eval {…}` and `do {…}` are blocks; with a text they run it.
        let block = row.token(chain.end) == Some(&ScriptToken::Mark("{"));
        if self.language == Language::Perl && block && matches!(first.as_str(), "eval" | "do") {
            return;
        }
        self.environment(row, &chain);
        let loads = self.language == Language::Perl;
        if matches!(row.before(at), Some(ScriptToken::Name(word)) if defines(word) || loads && matches!(word.as_str(), "use" | "no" | "require"))
        {
            return;
        }
        let full = self.full_name(&chain.parts);
        let moves = SEARCH_PATHS.iter().any(|path| {
            full.strip_prefix(*path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        if moves {
            self.reading
                .unknown_call(&format!("{full} changes where modules come from"));
        }
        if let Some(function) = first.strip_prefix('&')
            && !self.functions.contains(function)
        {
            return self.reading.unknown_call(&full);
        }
        let variable = self.variables.contains(&first) || first.starts_with(['$', '@', '%']);
        let parentheses = row.token(chain.end) == Some(&ScriptToken::Mark("("));
        let arguments =
            if variable && !member && !parentheses && self.language != Language::JavaScript {
                None
            } else {
                self.arguments(row, chain.end)
            };
        let (given, close) = match &arguments {
            Some((given, close)) => (Some(given.as_slice()), *close),
            None => (None, chain.end.saturating_sub(1)),
        };
        if let Some(behaviour) = self.library.call(&full) {
            let gives = self.perform(behaviour, given, &full);
            self.results.insert(close, gives);
            return;
        }
        let own = !member || matches!(first.as_str(), "this" | "self" | "$this" | "super");
        if self.functions.contains(&last) && (own || !self.library.names_effect(&last)) {
            return;
        }
        let called = arguments.is_some();
        let sends = member && (called || self.language == Language::Ruby);
        let root = full.split('.').next().unwrap_or_default();
        if sends
            && !self.library.has_module(root)
            && let Some(behaviour) = self.library.method("data", &last)
        {
            let gives = self.perform(behaviour, given, &full);
            self.results.insert(close, gives);
            return;
        }
        let bare = self.language == Language::Ruby
            && !variable
            && (member || !first.starts_with(|c: char| c.is_uppercase()));
        let property = self.language == Language::Ruby && member;
        if called || bare || property {
            self.reading.unknown_call(&full);
        }
    }

    /// A key or label, not a value: `name =>`, `{name}`, `name:`.
    fn is_label(&self, row: &Row<'_>, at: usize, end: usize) -> bool {
        let next = row.get(end);
        let before = row.before(at);
        match next.map(|lexeme| &lexeme.token) {
            Some(ScriptToken::Mark("=>")) => matches!(
                self.language,
                Language::Perl | Language::Php | Language::Ruby
            ),
            Some(ScriptToken::Mark("}")) => {
                self.language == Language::Perl && matches!(before, Some(ScriptToken::Mark("{")))
            }
            Some(ScriptToken::Mark(":")) => {
                self.language == Language::Ruby && next.is_some_and(|lexeme| lexeme.glued)
            }
            Some(_) | None => false,
        }
    }

    /// Variables of the environment may hold secrets.
    fn environment(&mut self, row: &Row<'_>, chain: &Chain) {
        let full = chain.parts.join(".");
        // What a visitor of a page sends comes from outside.
        if matches!(
            full.as_str(),
            "$_GET" | "$_POST" | "$_REQUEST" | "$_COOKIE" | "$_FILES"
        ) {
            self.reading.saw(Taint::NETWORK);
        }
        let whole = [
            "process.env",
            "ENV",
            "%ENV",
            "$_ENV",
            "$_SERVER",
            "Deno.env",
            "Bun.env",
        ];
        // `ENV.to_h` and its like are the whole as well.
        let full = match full.strip_prefix("ENV.") {
            Some("to_h" | "to_a" | "each" | "map" | "inspect" | "to_hash" | "sort") => {
                "ENV".to_owned()
            }
            Some(_) | None => full,
        };
        if full == "$ENV" || full.starts_with("process.env.") || whole.contains(&full.as_str()) {
            let name = chain.parts.last().cloned().unwrap_or_default();
            let key = match row.token(chain.end.saturating_add(1)) {
                Some(ScriptToken::Text(pieces)) => plain(pieces),
                Some(ScriptToken::Name(name)) => Some(name.clone()),
                _ => None,
            };
            let name = if full.starts_with("process.env.") {
                Some(name)
            } else {
                key
            };
            match name {
                Some(name) => self.reading.saw(taint_of_variable(&name)),
                None if prints(row) || full == "process.env" && chain.end >= row.tokens.len() => {
                    self.reading.shows_environment()
                }
                None => self.reading.saw(Taint::SECRET),
            }
        }
    }

    pub(super) fn full_name(&self, parts: &[String]) -> String {
        let mut parts = parts.to_vec();
        if let Some(first) = parts.first_mut() {
            if let Some(module) = self.aliases.get(first.as_str()) {
                first.clone_from(module);
            }
            if parts.len() > 1
                && parts.first().is_some_and(|first| {
                    matches!(
                        first.as_str(),
                        "globalThis" | "window" | "global" | "_G" | "Kernel" | "CORE"
                    )
                })
            {
                parts.remove(0);
            }
        }
        parts.join(".")
    }
}

/// A row of tokens with its brackets matched.
/// Whether the code shows anything.
fn prints(row: &Row<'_>) -> bool {
    const WORDS: &[&str] = &[
        "console",
        "dump",
        "echo",
        "p",
        "pp",
        "print",
        "print_r",
        "printf",
        "puts",
        "say",
        "stdout",
        "var_dump",
        "var_export",
    ];
    row.tokens.iter().any(
        |lexeme| matches!(&lexeme.token, ScriptToken::Name(name) if WORDS.contains(&name.as_str())),
    )
}
