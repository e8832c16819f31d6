//! Names and the chains they begin: what they stand for, and what follows from them.

use super::keyword::is_keyword;
use super::learn::defines;
use super::row::{TokenRow, plain};
use super::scan::{IN_PLACE, INPUT_FILES, SEARCH_PATHS, Scan};
use super::{Lexeme, ScriptToken};
use crate::place::taint_of_variable;
use crate::{Language, Taint};

/// A dotted name and the place behind it.
pub(super) struct NameChain {
    pub(super) parts: Vec<String>,
    pub(super) end: usize,
}

impl Scan<'_, '_> {
    /// Part of a chain that was read from its start.
    pub(super) fn is_member(&self, row: &TokenRow<'_>, at: usize) -> bool {
        let Some(ScriptToken::Mark(mark)) = row.before(at) else {
            return false;
        };
        // `::File` and `\unlink` begin at the root: they belong to nothing.
        if at
            .checked_sub(1)
            .is_some_and(|mark| self.is_root(row.tokens, mark))
        {
            return false;
        }
        // A colon also separates other things in Lua.
        self.separates(mark) && (*mark != ":" || row.get(at).is_some_and(|lexeme| lexeme.glued))
    }

    /// A mark before a name that is found from the root.
    fn is_root(&self, tokens: &[Lexeme], at: usize) -> bool {
        let token = |at: usize| tokens.get(at).map(|lexeme| &lexeme.token);
        let roots = matches!(
            (self.language, token(at)),
            (Language::Ruby, Some(ScriptToken::Mark("::")))
                | (Language::Php, Some(ScriptToken::Mark("\\")))
        );
        let glued = tokens.get(at).is_some_and(|lexeme| lexeme.glued);
        let follows = matches!(
            at.checked_sub(1).and_then(token),
            Some(ScriptToken::Name(_) | ScriptToken::Mark(")" | "]" | "}"))
        );
        roots && !(glued && follows)
    }

    pub(super) fn chain(&self, tokens: &[Lexeme], at: usize) -> NameChain {
        let mut parts = Vec::new();
        let mut end = at;
        while let Some(ScriptToken::Name(name)) = tokens.get(end).map(|lexeme| &lexeme.token) {
            parts.push(name.clone());
            end = end.saturating_add(1);
            match tokens.get(end).map(|lexeme| &lexeme.token) {
                Some(ScriptToken::Mark(mark))
                    if self.separates(mark)
                        && !self.is_root(tokens, end)
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
        NameChain { parts, end }
    }

    pub(super) fn name(&mut self, row: &TokenRow<'_>, at: usize) {
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
        self.environment_by_another_name(row, &chain);
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
        if IN_PLACE.contains(&full.as_str()) {
            self.reading
                .unknown_call(&format!("{full} changes the files that are read"));
        }
        if INPUT_FILES.contains(&first.as_str()) && self.changes_input(row, at, &chain) {
            self.reading
                .unknown_call(&format!("{first} changes which files are read"));
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

    /// Whether the list of files to read is given other names: `@ARGV = …`, `push @ARGV, …`,
    /// `$ARGV[0] = …`, `ARGV << …`, `ARGV.replace(…)`.
    fn changes_input(&self, row: &TokenRow<'_>, at: usize, chain: &NameChain) -> bool {
        const ADDS: &[&str] = &[
            "append", "concat", "fill", "insert", "map!", "collect!", "prepend", "push", "replace",
            "unshift",
        ];
        let grows = chain
            .parts
            .get(1)
            .is_some_and(|method| ADDS.contains(&method.as_str()));
        let pushed = [1_usize, 2].iter().any(|back| {
            let word = at.checked_sub(*back).and_then(|at| row.token(at));
            matches!(word, Some(ScriptToken::Name(word)) if matches!(word.as_str(), "push" | "unshift" | "splice"))
        });
        let end = match row.token(chain.end) {
            Some(ScriptToken::Mark("[")) => row.closing(chain.end).saturating_add(1),
            Some(_) | None => chain.end,
        };
        let assigned = matches!(row.token(end), Some(ScriptToken::Mark("=" | "<<")));
        // `($a, @ARGV) = …` and `local(@ARGV) = …`.
        let listed = row.token(chain.end) == Some(&ScriptToken::Mark(")"))
            && row.token(chain.end.saturating_add(1)) == Some(&ScriptToken::Mark("="));
        grows || pushed || assigned || listed
    }

    /// A key or label, not a value: `name =>`, `{name}`, `name:`.
    fn is_label(&self, row: &TokenRow<'_>, at: usize, end: usize) -> bool {
        let next = row.get(end);
        let before = row.before(at);
        match next.map(|lexeme| &lexeme.token) {
            Some(ScriptToken::Mark("=>")) => matches!(
                self.language,
                Language::Perl | Language::Php | Language::Ruby
            ),
            Some(ScriptToken::Mark("}")) => {
                self.language == Language::Perl
                    && matches!(before, Some(ScriptToken::Mark("{")))
                    && at
                        .checked_sub(1)
                        .is_some_and(|open| is_subscript(row, open))
            }
            Some(ScriptToken::Mark(":")) => {
                self.language == Language::Ruby && next.is_some_and(|lexeme| lexeme.glued)
            }
            Some(_) | None => false,
        }
    }

    /// Variables of the environment may hold secrets.
    fn environment(&mut self, row: &TokenRow<'_>, chain: &NameChain) {
        /// What holds all variables, by the name that each language has for it.
        const WHOLE: &[&str] = &[
            "process.env",
            "import.meta.env",
            "Deno.env",
            "Bun.env",
            "ENV",
            "%ENV",
            "$ENV",
            "$_ENV",
            "$_SERVER",
            "$GLOBALS",
        ];
        /// Methods that tell nothing of the values.
        const COUNTS: &[&str] = &[
            "has", "key?", "has_key?", "include?", "member?", "keys", "size", "length", "empty?",
        ];
        let full = chain.parts.join(".");
        // What a visitor of a page sends comes from outside.
        if matches!(
            full.as_str(),
            "$_GET" | "$_POST" | "$_REQUEST" | "$_COOKIE" | "$_FILES"
        ) {
            self.reading.saw(Taint::NETWORK);
        }
        let resolved = self.full_name(&chain.parts);
        let mut full = if self.language == Language::Ruby {
            resolved.as_str()
        } else {
            full.as_str()
        };
        for root in [
            "::",
            "Object.",
            "Kernel.",
            "globalThis.",
            "global.",
            "window.",
            "self.",
            "this.",
        ] {
            full = full.strip_prefix(root).unwrap_or(full);
        }
        let Some(rest) = WHOLE.iter().find_map(|whole| {
            let rest = full.strip_prefix(whole)?;
            (rest.is_empty() || rest.starts_with('.')).then_some(rest)
        }) else {
            return;
        };
        let member = rest
            .strip_prefix('.')
            .and_then(|rest| rest.split('.').next());
        if member.is_some_and(|member| COUNTS.contains(&member)) {
            return;
        }
        // `ENV.fetch("X")`, `ENV.fetch "X"`, `$ENV{X}`, `process.env["X"]`.
        let text = |at: usize| match row.token(at) {
            Some(ScriptToken::Text(pieces)) => plain(pieces),
            _ => None,
        };
        let opens = matches!(
            row.token(chain.end),
            Some(ScriptToken::Mark("[" | "{" | "("))
        );
        let behind = chain.end.saturating_add(usize::from(opens));
        let given = match row.token(behind) {
            Some(ScriptToken::Name(name)) if member.is_none() && opens => Some(name.clone()),
            _ => text(behind),
        };
        let name = match member {
            Some("fetch" | "get" | "dig" | "delete" | "[]") => given,
            Some(member) if self.language == Language::JavaScript && member != "toObject" => {
                Some(member.to_owned())
            }
            Some(_) => None,
            None => given,
        };
        match name {
            Some(name) => self.reading.saw(taint_of_variable(&name)),
            None if prints(row) || full == "process.env" && chain.end >= row.tokens.len() => {
                self.reading.shows_environment()
            }
            None => self.reading.saw(Taint::SECRET),
        }
    }

    /// `let {env} = process`, `globalThis["process"]`, `%main::ENV`: what is taken out of a
    /// value that holds the environment is not told by a name.
    fn environment_by_another_name(&mut self, row: &TokenRow<'_>, chain: &NameChain) {
        let full = self.full_name(&chain.parts);
        let next = row.token(chain.end);
        let computed = next == Some(&ScriptToken::Mark("["));
        let holds = match self.language {
            Language::JavaScript => {
                let spelled = chain.parts.join(".");
                let through = spelled != full && full == "process.env";
                let module = full == "require"
                    && matches!(row.token(chain.end.saturating_add(1)),
                        Some(ScriptToken::Text(pieces))
                            if plain(pieces).is_some_and(|name| name == "process" || name == "node:process"));
                let global = matches!(full.as_str(), "globalThis" | "global" | "window" | "self");
                // The whole of it as a value: what is taken out of it has no name here.
                let handed = matches!(full.as_str(), "globalThis" | "global")
                    && !matches!(next, Some(ScriptToken::Mark("=")));
                let holder = matches!(
                    chain.parts.join(".").as_str(),
                    "this.process" | "globalThis.process" | "global.process"
                );
                full == "process" || holder || through || module || (global && computed) || handed
            }
            // `%main::ENV`, and `%main::`, which holds everything.
            Language::Perl => {
                let last = full.rsplit("::").next().unwrap_or_default();
                full.contains("::")
                    && matches!(last, "" | "ENV")
                    && full.starts_with(['%', '$', '@'])
            }
            Language::Ruby
            | Language::Php
            | Language::Lua
            | Language::Python
            | Language::Awk
            | Language::Sed
            | Language::Sql
            | Language::PowerShell
            | Language::Shell
            | Language::Other => false,
        };
        if holds {
            self.reading.shows_environment();
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

/// Whether a brace of Perl opens a subscript: it follows a variable or another subscript.
fn is_subscript(row: &TokenRow<'_>, open: usize) -> bool {
    let glued = row.get(open).is_some_and(|lexeme| lexeme.glued);
    let Some(before) = open.checked_sub(1).filter(|_| glued) else {
        return false;
    };
    match row.token(before) {
        Some(ScriptToken::Name(name)) => {
            let behind = before.checked_sub(1).and_then(|at| row.token(at));
            name.starts_with(['$', '@', '%']) || behind == Some(&ScriptToken::Mark("::"))
        }
        Some(ScriptToken::Mark("->")) => true,
        Some(ScriptToken::Mark("]" | "}")) => is_subscript(row, row.opening(before)),
        Some(_) | None => false,
    }
}

/// Whether the code shows anything.
fn prints(row: &TokenRow<'_>) -> bool {
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
