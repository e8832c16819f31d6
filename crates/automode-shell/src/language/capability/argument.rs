//! What a call is given, and whether that keeps it where a test may work.

use super::contained::{Containment, VALUE, chain};
use super::lexer::{CodeLexeme, CodeToken};
use super::scan::FileScan;
use super::table::NameRule;
use super::{Capability, SourceLanguage};
use crate::place::is_secret_variable;

/// The argument number that stands for the receiver.
const RECEIVER: u8 = u8::MAX;

impl FileScan<'_> {
    /// Whether a use stays where a test may work.
    pub(super) fn is_contained(
        &self,
        rule: NameRule,
        capability: Capability,
        at: usize,
        next: usize,
    ) -> bool {
        let Some(number) = rule.argument else {
            return false;
        };
        let argument = if number == RECEIVER {
            self.receiver(at, next)
        } else {
            self.argument(next, usize::from(number))
        };
        let Some(argument) = argument.filter(|argument| !argument.is_empty()) else {
            return false;
        };
        match capability {
            Capability::Environment => is_plain_variable(argument),
            Capability::Network => self.stays_here(argument),
            Capability::Process => false,
            Capability::FileRead => self.paths.containment(argument) <= Containment::Project,
            // The file that is copied or moved away is the other argument.
            Capability::FileWrite if number == 1 && !self.source_stays(at, next) => false,
            // Code of the project by one constant name.
            Capability::DynamicCode => {
                let constant = matches!(
                    argument,
                    [CodeLexeme {
                        token: CodeToken::Text { .. },
                        ..
                    }]
                ) || self.language != SourceLanguage::JavaScript;
                constant && self.paths.containment(argument) == Containment::Project
            }
            Capability::FileWrite | Capability::FileDelete => {
                self.paths.containment(argument) == Containment::Temporary
            }
            Capability::Home | Capability::Native | Capability::Library | Capability::Privilege => {
                false
            }
        }
    }

    /// Whether what is copied lies in the project, and what is moved in a temporary directory.
    pub(super) fn source_stays(&self, at: usize, next: usize) -> bool {
        let (parts, _) = chain(self.tokens, at);
        let name = parts
            .last()
            .map_or_else(String::new, |name| name.to_lowercase());
        let moves = ["rename", "move", "mv"]
            .iter()
            .any(|word| name.contains(word));
        let links = name.contains("link") || name.contains("ln");
        let Some(source) = self.argument(next, 0) else {
            return false;
        };
        match self.paths.containment(source) {
            Containment::Temporary => true,
            Containment::Project => !moves && !links,
            Containment::Unknown => false,
        }
    }

    /// A file that is opened by its name, and not only to be read.
    pub(super) fn opens_to_write(&self, name: &str, next: usize) -> bool {
        let opens = matches!(
            name.rsplit('.').next(),
            Some("fopen" | "freopen" | "open" | "openSync" | "SplFileObject" | "openat")
        );
        let modes = |lexeme: &CodeLexeme| match &lexeme.token {
            CodeToken::Text { text, whole } => {
                !whole || text.contains(['w', 'a', 'x', '+']) || text.is_empty()
            }
            CodeToken::Word(word) => {
                !matches!(word.as_str(), "O_RDONLY" | "encoding" | "external_encoding")
            }
            CodeToken::Number => true,
            CodeToken::Mark(_) | CodeToken::Command => false,
        };
        opens
            && self
                .argument(next, 1)
                .is_some_and(|mode| mode.iter().any(modes))
    }

    /// An address on this machine: a path of the same site, `localhost`, or the
    /// server that a test has started itself.
    pub(super) fn stays_here(&self, argument: &[CodeLexeme]) -> bool {
        let own_server = self.has_word("httptest")
            && matches!(
                argument,
                [first, .., last] if matches!(&first.token, CodeToken::Word(_))
                    && matches!(&last.token, CodeToken::Word(word) if word == "URL")
            );
        let local = if let Some(CodeToken::Text { text, .. }) =
            argument.first().map(|lexeme| &lexeme.token)
        {
            let site = text.starts_with('/') && !text.starts_with("//");
            site || [
                "http://localhost:",
                "http://localhost/",
                "http://127.0.0.1:",
            ]
            .iter()
            .any(|start| text.starts_with(start))
        } else {
            false
        };
        own_server || (local && argument.len() == 1)
    }

    /// The tokens in front of the last part of the name.
    pub(super) fn receiver(&self, at: usize, next: usize) -> Option<&[CodeLexeme]> {
        // `dir.path().join("x").write(…)`: back to where the expression begins.
        let mut start = at;
        let mut depth = 0_usize;
        let first = at.saturating_sub(VALUE);
        while let Some(before) = start.checked_sub(1).filter(|before| *before >= first) {
            match self.tokens.get(before).map(|lexeme| &lexeme.token) {
                Some(CodeToken::Mark(")" | "]")) => depth = depth.saturating_add(1),
                Some(CodeToken::Mark("(" | "[")) if depth > 0 => depth = depth.saturating_sub(1),
                Some(CodeToken::Mark("." | "?." | "::" | "&.")) => {}
                Some(_) if depth > 0 => {}
                Some(CodeToken::Word(_))
                    if matches!(
                        self.tokens.get(start).map(|lexeme| &lexeme.token),
                        Some(CodeToken::Mark(_))
                    ) => {}
                Some(CodeToken::Text { .. })
                    if matches!(
                        self.tokens.get(start).map(|lexeme| &lexeme.token),
                        Some(CodeToken::Mark("." | "?."))
                    ) => {}
                _ => break,
            }
            start = before;
        }
        self.tokens.get(start..next.saturating_sub(2).max(start))
    }

    /// One argument of the call behind a name.
    pub(super) fn argument(&self, next: usize, number: usize) -> Option<&[CodeLexeme]> {
        let open = self.tokens.get(next)?;
        let bracket = matches!(open.token, CodeToken::Mark("(" | "[" | "{"));
        if !bracket && !self.rules.bare_arguments {
            return None;
        }
        let mut at = if bracket {
            next.saturating_add(1)
        } else {
            next
        };
        let mut start = at;
        let mut seen = 0_usize;
        let mut depth = 0_usize;
        let last = at.saturating_add(VALUE);
        while at < last
            && let Some(lexeme) = self.tokens.get(at)
        {
            let ends = match lexeme.token.mark().unwrap_or_default() {
                "(" | "[" | "{" => {
                    depth = depth.saturating_add(1);
                    false
                }
                ")" | "]" | "}" if depth > 0 => {
                    depth = depth.saturating_sub(1);
                    false
                }
                ")" | "]" | "}" | ";" if depth == 0 => true,
                "," if depth == 0 => {
                    if seen == number {
                        return self.tokens.get(start..at);
                    }
                    seen = seen.saturating_add(1);
                    start = at.saturating_add(1);
                    false
                }
                _ => !bracket && depth == 0 && lexeme.line != open.line,
            };
            if ends {
                break;
            }
            at = at.saturating_add(1);
        }
        (seen == number)
            .then(|| self.tokens.get(start..at))
            .flatten()
    }
}

/// The constant name of a variable that holds no secret and no directory.
fn is_plain_variable(argument: &[CodeLexeme]) -> bool {
    match argument {
        [
            CodeLexeme {
                token: CodeToken::Text { text, whole: true },
                ..
            },
        ] => {
            !is_secret_variable(text)
                && !matches!(
                    text.as_str(),
                    "HOME" | "USERPROFILE" | "PATH" | "XDG_CONFIG_HOME" | "user.home"
                )
        }
        _ => false,
    }
}
