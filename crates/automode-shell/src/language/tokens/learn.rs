//! What the text defines: functions, names of modules, imports.

use super::keyword::is_keyword;
use super::row::{TokenRow, plain};
use super::scan::Scan;
use super::{Lexeme, ScriptToken};
use crate::{Language, Piece};
use std::collections::BTreeMap;

impl Scan<'_, '_> {
    pub(super) fn learn(&mut self, row: &mut TokenRow<'_>) {
        let tokens = row.tokens;
        let mut assigned: BTreeMap<String, Option<Vec<Piece>>> = BTreeMap::new();
        for (at, lexeme) in tokens.iter().enumerate() {
            let ScriptToken::Name(name) = &lexeme.token else {
                continue;
            };
            let after = |step: usize| {
                tokens
                    .get(at.saturating_add(step))
                    .map(|lexeme| &lexeme.token)
            };
            let before = row.before(at);
            if matches!(name.as_str(), "function" | "def" | "sub" | "fn" | "class") {
                self.learn_function(tokens, at);
            }
            if name == "import" {
                self.learn_import(row, at);
            }
            match after(1) {
                Some(ScriptToken::Mark("=")) => {
                    self.variables.insert(name.clone());
                    let text = match (after(2), after(3)) {
                        (
                            Some(ScriptToken::Text(pieces)),
                            None | Some(ScriptToken::Line | ScriptToken::Mark(";" | "," | ")")),
                        ) => Some(pieces.clone()),
                        _ => None,
                    };
                    if self.assigns_function(row, at.saturating_add(2)) {
                        self.functions.insert(name.clone());
                    }
                    self.learn_module(tokens, name, at.saturating_add(2));
                    let member =
                        matches!(before, Some(ScriptToken::Mark("." | "->" | "::" | "?.")));
                    assigned
                        .entry(name.clone())
                        .and_modify(|known| *known = None)
                        .or_insert(text.filter(|_| !member));
                }
                Some(ScriptToken::Mark(
                    "+=" | "-=" | ".=" | "||=" | "<<" | "++" | "--" | "=~" | "??=" | "*=",
                )) => {
                    self.variables.insert(name.clone());
                    assigned.insert(name.clone(), None);
                }
                Some(ScriptToken::Mark("," | "|" | ")" | "in" | "]"))
                | Some(ScriptToken::Name(_))
                    if matches!(
                        before,
                        Some(ScriptToken::Mark("|" | "," | "(" | "*" | "&" | "[" | "=>"))
                    ) || matches!(before, Some(ScriptToken::Name(word)) if word == "for" || word == "rescue") =>
                {
                    self.variables.insert(name.clone());
                }
                // `name(…) { … }` inside a class defines a method.
                Some(ScriptToken::Mark("("))
                    if self.language == Language::JavaScript
                        && !is_keyword(name, self.language) =>
                {
                    let close = row.closing(at.saturating_add(1));
                    let body = matches!(
                        row.token(close.saturating_add(1)),
                        Some(ScriptToken::Mark("{"))
                    );
                    let member = matches!(before, Some(ScriptToken::Mark("." | "?.")));
                    let new = matches!(before, Some(ScriptToken::Name(word)) if word == "new");
                    if body && !member && !new {
                        self.functions.insert(name.clone());
                    }
                }
                _ => {}
            }
        }
        if self.language == Language::JavaScript {
            for at in 0..tokens.len() {
                if row.token(at) == Some(&ScriptToken::Mark("{")) {
                    self.learn_destructured(row, at);
                }
            }
        }
        for (name, pieces) in assigned {
            match pieces {
                Some(pieces) if !self.constants.contains_key(&name) => {
                    self.constants.insert(name, pieces);
                }
                Some(_) | None => {
                    self.constants.remove(&name);
                }
            }
        }
    }

    fn learn_function(&mut self, tokens: &[Lexeme], at: usize) {
        let mut names = Vec::new();
        for lexeme in tokens.iter().skip(at.saturating_add(1)).take(16) {
            match &lexeme.token {
                ScriptToken::Name(name) => names.push(name.clone()),
                ScriptToken::Mark("." | ":" | "::" | "*" | "->") => {}
                ScriptToken::Text(_)
                | ScriptToken::Command(_)
                | ScriptToken::Number(_)
                | ScriptToken::Regex
                | ScriptToken::Mark(_)
                | ScriptToken::Line => break,
            }
        }
        if let Some(name) = names.last() {
            self.functions.insert(name.clone());
        }
        // Its parameters are variables.
        let open = at.saturating_add(1).saturating_add(names.len());
        for lexeme in tokens.iter().skip(open).take(64).take_while(|lexeme| {
            !matches!(
                lexeme.token,
                ScriptToken::Mark(")" | "{") | ScriptToken::Line
            )
        }) {
            if let ScriptToken::Name(name) = &lexeme.token {
                self.variables.insert(name.clone());
            }
        }
    }

    /// Whether the program defines a function of this name.
    pub(super) fn is_own(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    /// A name for a module; one that stands for two of them stands for neither.
    pub(super) fn alias(&mut self, name: &str, module: String) {
        match self.aliases.get_mut(name) {
            Some(known) if *known != module => *known = "…".to_owned(),
            Some(_) => {}
            None => {
                self.aliases.insert(name.to_owned(), module);
            }
        }
    }

    fn assigns_function(&self, row: &TokenRow<'_>, at: usize) -> bool {
        let mut at = at;
        if matches!(row.token(at), Some(ScriptToken::Name(word)) if word == "async") {
            at = at.saturating_add(1);
        }
        match row.token(at) {
            Some(ScriptToken::Name(word))
                if matches!(
                    word.as_str(),
                    "function" | "sub" | "fn" | "lambda" | "proc" | "class"
                ) =>
            {
                true
            }
            Some(ScriptToken::Name(_)) => {
                matches!(
                    row.token(at.saturating_add(1)),
                    Some(ScriptToken::Mark("=>"))
                )
            }
            Some(ScriptToken::Mark("(")) => {
                let close = row.closing(at);
                matches!(
                    row.token(close.saturating_add(1)),
                    Some(ScriptToken::Mark("=>" | ":"))
                )
            }
            Some(_) | None => false,
        }
    }

    /// `x = require('m')`, `x = require('m').y`, `{a, b: c} = require('m')`.
    fn learn_module(&mut self, tokens: &[Lexeme], name: &str, at: usize) {
        let mut at = at;
        while matches!(tokens.get(at).map(|lexeme| &lexeme.token), Some(ScriptToken::Name(word)) if word == "await")
        {
            at = at.saturating_add(1);
        }
        if let Some((mut module, end)) = required(tokens, at) {
            let mut end = end;
            while let (Some(ScriptToken::Mark(".")), Some(ScriptToken::Name(part))) = (
                tokens.get(end).map(|lexeme| &lexeme.token),
                tokens
                    .get(end.saturating_add(1))
                    .map(|lexeme| &lexeme.token),
            ) {
                module = format!("{module}.{part}");
                end = end.saturating_add(2);
            }
            return self.alias(name, module);
        }
        // `f = File`, `f = fs`: another name for the same.
        let rooted = matches!(
            tokens.get(at).map(|lexeme| &lexeme.token),
            Some(ScriptToken::Mark("::"))
        );
        let chain = self.chain(tokens, at.saturating_add(usize::from(rooted)));
        let ends = matches!(
            tokens.get(chain.end).map(|lexeme| &lexeme.token),
            None | Some(ScriptToken::Line | ScriptToken::Mark(";" | "," | ")" | "}"))
        );
        if let Some(module) = self.known_module(&chain.parts).filter(|_| ends) {
            self.alias(name, module);
        }
    }

    /// The module that a chain of names is, where the tables know it.
    fn known_module(&self, parts: &[String]) -> Option<String> {
        let full = self.full_name(parts);
        let known =
            !full.is_empty() && (self.library.has_module(&full) || self.library.has_member(&full));
        known.then_some(full)
    }

    /// `import x, {a as b} from 'm'`, `import * as x from 'm'`.
    fn learn_import(&mut self, row: &mut TokenRow<'_>, at: usize) {
        let tokens = row.tokens;
        let statement: Vec<&ScriptToken> = tokens
            .iter()
            .skip(at.saturating_add(1))
            .map(|lexeme| &lexeme.token)
            .take_while(|token| !matches!(token, ScriptToken::Mark(";")))
            .take(80)
            .collect();
        let Some(from) = statement
            .iter()
            .position(|token| matches!(token, ScriptToken::Name(word) if word == "from"))
        else {
            return;
        };
        let Some(ScriptToken::Text(pieces)) = statement.get(from.saturating_add(1)) else {
            return;
        };
        let Some(module) = plain(pieces) else { return };
        let module = module.trim_start_matches("node:").replace('/', ".");
        if !self.library.has_module(&module) {
            // A package, or a file: what it does when it is loaded is not here.
            self.reading.unknown_call(&format!("import {module}"));
        }
        row.binds
            .extend(at..at.saturating_add(from).saturating_add(1));
        let mut braces = false;
        let mut member: Option<String> = None;
        for (at, token) in statement.iter().take(from).enumerate() {
            match token {
                ScriptToken::Mark("{") => braces = true,
                ScriptToken::Mark("}") => braces = false,
                ScriptToken::Name(word) if word == "as" || word == "type" => {}
                ScriptToken::Name(name) => {
                    let renamed = matches!(statement.get(at.saturating_add(1)), Some(ScriptToken::Name(word)) if word == "as");
                    let renames = at.checked_sub(1).is_some_and(
                        |at| matches!(statement.get(at), Some(ScriptToken::Name(word)) if word == "as"),
                    );
                    if braces && renamed {
                        member = Some(name.clone());
                    } else if braces {
                        let original = member
                            .take()
                            .filter(|_| renames)
                            .unwrap_or_else(|| name.clone());
                        self.alias(name, format!("{module}.{original}"));
                    } else {
                        self.alias(name, module.clone());
                    }
                }
                ScriptToken::Text(_)
                | ScriptToken::Command(_)
                | ScriptToken::Number(_)
                | ScriptToken::Regex
                | ScriptToken::Mark(_)
                | ScriptToken::Line => {}
            }
        }
    }

    /// `const {a, b: c} = require('m')`: the names in the braces.
    fn learn_destructured(&mut self, row: &mut TokenRow<'_>, open: usize) {
        let close = row.closing(open);
        if row.token(close.saturating_add(1)) != Some(&ScriptToken::Mark("=")) {
            return;
        }
        let behind = close.saturating_add(2);
        let named = || self.known_module(&self.chain(row.tokens, behind).parts);
        let required = required(row.tokens, behind).map(|(module, _)| module);
        let Some(module) = required.or_else(named) else {
            return;
        };
        row.binds.extend(open..close);
        let mut original: Option<String> = None;
        let inside = row.between(open, close);
        for (at, lexeme) in inside.iter().enumerate() {
            let ScriptToken::Name(name) = &lexeme.token else {
                continue;
            };
            let next = inside.get(at.saturating_add(1)).map(|lexeme| &lexeme.token);
            if next == Some(&ScriptToken::Mark(":")) {
                original = Some(name.clone());
            } else {
                let member = original.take().unwrap_or_else(|| name.clone());
                self.alias(name, format!("{module}.{member}"));
            }
        }
    }
}

/// The module of `require('m')`, `import('m')`, and the place behind it.
fn required(tokens: &[Lexeme], at: usize) -> Option<(String, usize)> {
    let token = |step: usize| {
        tokens
            .get(at.saturating_add(step))
            .map(|lexeme| &lexeme.token)
    };
    match (token(0), token(1), token(2)) {
        (
            Some(ScriptToken::Name(word)),
            Some(ScriptToken::Mark("(")),
            Some(ScriptToken::Text(pieces)),
        ) if word == "require" || word == "import" => {
            let module = plain(pieces)?;
            Some((
                module.trim_start_matches("node:").replace('/', "."),
                at.saturating_add(4),
            ))
        }
        (Some(ScriptToken::Name(word)), Some(ScriptToken::Text(pieces)), _)
            if word == "require" =>
        {
            Some((plain(pieces)?.replace('/', "."), at.saturating_add(2)))
        }
        _ => None,
    }
}

/// Words after which a name is defined, not used.
pub(super) fn defines(word: &str) -> bool {
    matches!(
        word,
        "function"
            | "def"
            | "sub"
            | "class"
            | "module"
            | "package"
            | "interface"
            | "type"
            | "enum"
            | "goto"
    )
}
