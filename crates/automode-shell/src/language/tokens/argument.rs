//! The arguments of a call, with or without parentheses, and calls whose name is computed.

use super::keyword::is_keyword;
use super::row::{TokenRow, split, statement_end};
use super::scan::{STATEMENT, Scan};
use super::{Lexeme, ScriptToken};
use crate::Language;

impl Scan<'_, '_> {
    /// The arguments of a call that starts here, and the place where they end.
    pub(super) fn arguments<'t>(
        &self,
        row: &TokenRow<'t>,
        at: usize,
    ) -> Option<(Vec<&'t [Lexeme]>, usize)> {
        let next = row.get(at)?;
        if next.token == ScriptToken::Mark("(") && (next.glued || self.language != Language::Ruby) {
            let close = row.closing(at);
            return Some((split(row.between(at, close)), close));
        }
        if self.language == Language::JavaScript
            && next.token == ScriptToken::Mark("<")
            && next.glued
        {
            // `name<T>(…)`.
            let length = row
                .tokens
                .iter()
                .skip(at)
                .take(24)
                .position(|lexeme| lexeme.token == ScriptToken::Mark(">"))?;
            let open = at.saturating_add(length).saturating_add(1);
            let called = row
                .get(open)
                .is_some_and(|lexeme| lexeme.token == ScriptToken::Mark("(") && lexeme.glued);
            let close = row.closing(open);
            return called.then(|| (split(row.between(open, close)), close));
        }
        let one = || row.tokens.get(at..at.saturating_add(1)).unwrap_or_default();
        match (self.language, &next.token) {
            (Language::Lua, ScriptToken::Text(_)) => Some((vec![one()], at)),
            (Language::Lua, ScriptToken::Mark("{")) => Some((vec![&[]], row.closing(at))),
            (Language::JavaScript, ScriptToken::Text(_)) if next.glued => Some((vec![one()], at)),
            (Language::Ruby | Language::Perl | Language::Php, token)
                if self.starts_argument(token, next.glued) =>
            {
                let rest = row.tokens.get(at..).unwrap_or_default();
                let Some(end) = statement_end(rest, self.language) else {
                    return Some((vec![&[]], at));
                };
                let inside = rest.get(..end).unwrap_or_default();
                Some((split(inside), at.saturating_add(end).saturating_sub(1)))
            }
            _ => None,
        }
    }

    /// Whether a call without parentheses goes on with this token.
    fn starts_argument(&self, token: &ScriptToken, glued: bool) -> bool {
        match token {
            ScriptToken::Text(_)
            | ScriptToken::Number(_)
            | ScriptToken::Command(_)
            | ScriptToken::Regex => true,
            ScriptToken::Name(word) => {
                !is_keyword(word, self.language)
                    || matches!(
                        word.as_str(),
                        "my" | "our"
                            | "local"
                            | "not"
                            | "__FILE__"
                            | "lambda"
                            | "proc"
                            | "nil"
                            | "true"
                            | "false"
                            | "self"
                    )
            }
            ScriptToken::Mark("[" | "*" | "&") => !glued,
            ScriptToken::Mark("->") => self.language == Language::Ruby,
            ScriptToken::Mark("$") => true,
            ScriptToken::Mark(_) | ScriptToken::Line => false,
        }
    }

    /// `….name(…)` on a value that is no name.
    pub(super) fn method_of_value(&mut self, row: &TokenRow<'_>, at: usize) {
        let Some(before) = at.checked_sub(1) else {
            return;
        };
        if !is_value(row, before) {
            return;
        }
        match row.token(at.saturating_add(1)) {
            Some(ScriptToken::Name(_)) => {}
            Some(ScriptToken::Mark("(")) => {
                return self.reading.unknown_call("call through a value");
            }
            Some(_) | None => return,
        }
        let chain = self.chain(row.tokens, at.saturating_add(1));
        let method = chain.parts.last().cloned().unwrap_or_default();
        let arguments = self.arguments(row, chain.end);
        let kind = self.results.get(&before).copied().unwrap_or("data");
        let path = chain.parts.join(".");
        if arguments.is_none() && self.language != Language::Ruby {
            // A function of a module that is handed around may be called with anything.
            if let Some(behaviour) = self.library.call(&format!("{kind}.{path}")) {
                self.perform(behaviour, None, &method);
            }
            return;
        }
        let behaviour = self
            .library
            .call(&format!("{kind}.{path}"))
            .or_else(|| self.library.method(kind, &method))
            .or_else(|| {
                self.library
                    .method("data", &method)
                    .filter(|_| !self.library.has_module(kind))
            });
        let regex = row.token(before) == Some(&ScriptToken::Regex);
        match behaviour {
            Some(behaviour) => {
                let given = arguments.as_ref().map(|(given, _)| given.as_slice());
                let gives = self.perform(behaviour, given, &method);
                if let Some((_, close)) = &arguments {
                    self.results.insert(*close, gives);
                }
            }
            None if regex && matches!(method.as_str(), "exec" | "test") => {}
            None if self.functions.contains(&method) && !self.library.names_effect(&method) => {}
            None => self.reading.unknown_call(&format!("….{path}")),
        }
    }

    /// `f()()`, `x[y]()`: a call of something that has no name.
    pub(super) fn computed_call(&mut self, row: &TokenRow<'_>, at: usize) {
        let Some(before) = at.checked_sub(1) else {
            return;
        };
        let glued = row.get(at).is_some_and(|lexeme| lexeme.glued);
        match row.token(before) {
            Some(ScriptToken::Mark("]")) if glued => {
                self.reading.unknown_call("call of an element")
            }
            Some(ScriptToken::Mark(")")) => {
                let open = row.opening(before);
                let keyword = matches!(row.before(open), Some(ScriptToken::Name(word)) if is_keyword(word, self.language));
                let function = row
                    .between(open, before)
                    .iter()
                    .take(STATEMENT)
                    .any(|lexeme| match &lexeme.token {
                        ScriptToken::Name(word) => word == "function",
                        ScriptToken::Mark(mark) => *mark == "=>",
                        ScriptToken::Text(_)
                        | ScriptToken::Command(_)
                        | ScriptToken::Number(_)
                        | ScriptToken::Regex
                        | ScriptToken::Line => false,
                    });
                if !keyword && !function && (glued || self.language == Language::JavaScript) {
                    self.reading.unknown_call("call of a result");
                }
            }
            Some(ScriptToken::Mark("}")) if glued && self.language == Language::Perl => {
                self.reading.unknown_call("call through a reference");
            }
            Some(ScriptToken::Mark(">")) if glued && self.language == Language::JavaScript => {
                let start = before.saturating_sub(24);
                let generic = row
                    .tokens
                    .get(start..before)
                    .unwrap_or_default()
                    .iter()
                    .any(|lexeme| lexeme.token == ScriptToken::Mark("<"));
                if !generic {
                    self.reading.unknown_call("generic call");
                }
            }
            Some(_) | None => {}
        }
    }
}

/// Whether what stands before a member is a value and not a name.
fn is_value(row: &TokenRow<'_>, before: usize) -> bool {
    match row.token(before) {
        Some(
            ScriptToken::Mark(")" | "]" | "}")
            | ScriptToken::Text(_)
            | ScriptToken::Regex
            | ScriptToken::Number(_)
            | ScriptToken::Command(_),
        ) => true,
        // A method on the next line: `x\n  .then(…)`.
        Some(ScriptToken::Line) => before > 0,
        // `$x->(…)` calls what the variable holds.
        Some(ScriptToken::Name(_)) => {
            row.token(before.saturating_add(2)) == Some(&ScriptToken::Mark("("))
        }
        Some(ScriptToken::Mark(_)) | None => false,
    }
}
