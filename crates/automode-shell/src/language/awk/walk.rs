//! What the statements of a program reach outside.

use super::token::{AwkToken, is_word};
use crate::language::library::{AWK, CallEffect};
use crate::language::reading::{CodeReading, named};
use crate::place::taint_of_variable;
use crate::{
    Code, Direction, Dynamic, DynamicSource, Host, NestedStdin, Piece, Taint, Value, WriteHow,
};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct AwkWalker<'a> {
    pub(super) tokens: &'a [AwkToken],
    pub(super) constants: BTreeMap<String, String>,
    pub(super) functions: BTreeSet<String>,
}

impl AwkWalker<'_> {
    /// `ENVIRON["NAME"]` is one variable, anything else may be all of them.
    fn environment(&self, at: usize, reading: &mut CodeReading<'_>) {
        match self.tokens.get(at.saturating_add(2)) {
            Some(AwkToken::Text(name)) => reading.saw(taint_of_variable(name)),
            Some(_) | None => reading.shows_environment(),
        }
    }

    /// Whether `name[…] =` follows.
    fn is_assigned(&self, at: usize) -> bool {
        let rest = self.tokens.get(at..).unwrap_or_default();
        let close = rest.iter().position(|token| *token == AwkToken::Mark("]"));
        close.is_some_and(|close| rest.get(close.saturating_add(1)) == Some(&AwkToken::Mark("=")))
    }

    pub(super) fn walk(&self, reading: &mut CodeReading<'_>) {
        for (at, token) in self.tokens.iter().enumerate() {
            let after = at.saturating_add(1);
            match token {
                AwkToken::Name(word) if word == "print" || word == "printf" => {
                    self.output(after, reading);
                }
                AwkToken::Name(word) if word == "getline" => self.getline(at, reading),
                AwkToken::Name(word) if word == "ENVIRON" => self.environment(at, reading),
                // It holds every variable, the environment among them.
                AwkToken::Name(word) if word == "SYMTAB" => reading.shows_environment(),
                // The program chooses its own files.
                AwkToken::Name(word) if word == "ARGV" && self.is_assigned(at) => {
                    reading.unknown_call("ARGV");
                }
                AwkToken::Call(name) => self.call(name, after, reading),
                AwkToken::Mark("@") => self.directive(after, reading),
                AwkToken::Name(_)
                | AwkToken::Text(_)
                | AwkToken::Number
                | AwkToken::Regex
                | AwkToken::Mark(_)
                | AwkToken::Line => {}
            }
        }
    }

    /// A function that is built in does what the table says, whatever the program defines.
    fn call(&self, name: &str, open: usize, reading: &mut CodeReading<'_>) {
        match AWK.call(name) {
            Some(behaviour) => {
                for effect in behaviour.effects {
                    if let CallEffect::Shell(_) = effect {
                        let command = self.value(self.group(open), reading);
                        reading.shell(command, NestedStdin::Same);
                    } else {
                        reading.unknown_call(name);
                    }
                }
            }
            None if self.functions.contains(name) => {}
            None => reading.unknown_call(name),
        }
    }

    /// `print … > file`, `>> file`, `| command`.
    fn output(&self, start: usize, reading: &mut CodeReading<'_>) {
        let statement = self.statement(start);
        let mut depth = 0_usize;
        for (at, token) in statement.iter().enumerate() {
            let AwkToken::Mark(mark) = token else {
                continue;
            };
            let rest = statement.get(at.saturating_add(1)..).unwrap_or_default();
            match *mark {
                "(" | "[" => depth = depth.saturating_add(1),
                ")" | "]" => depth = depth.saturating_sub(1),
                ">" | ">>" if depth == 0 => {
                    let how = if *mark == ">" {
                        WriteHow::Replace
                    } else {
                        WriteHow::Append
                    };
                    let place = self.value(rest, reading);
                    return write(&place, how, reading);
                }
                "|" | "|&" if depth == 0 => {
                    let command = self.value(rest, reading);
                    let data = Taint::LOCAL.with(reading.seen());
                    return reading.shell(command, NestedStdin::Data(data));
                }
                _ => {}
            }
        }
    }

    /// `getline < file` and `command | getline`.
    pub(super) fn getline(&self, at: usize, reading: &mut CodeReading<'_>) {
        let before = at
            .checked_sub(1)
            .and_then(|before| Some((before, self.tokens.get(before)?)));
        if let Some((pipe, AwkToken::Mark("|" | "|&"))) = before {
            let command = self.value(self.operand_before(pipe), reading);
            reading.saw(Taint::UNKNOWN);
            return reading.shell(command, NestedStdin::Same);
        }
        let statement = self.statement(at.saturating_add(1));
        let lesser = statement
            .iter()
            .take(6)
            .position(|token| *token == AwkToken::Mark("<"));
        let Some(lesser) = lesser else { return };
        // Only one operand is the file: `getline < "a" "b"` reads `a`.
        let rest = statement
            .get(lesser.saturating_add(1)..)
            .unwrap_or_default();
        let length = match rest.first() {
            Some(AwkToken::Mark("(")) => group_length(rest),
            Some(AwkToken::Mark("$")) => rest.len(),
            Some(_) | None => 1,
        };
        let place = self.value(rest.get(..length).unwrap_or(rest), reading);
        match place.literal().as_deref() {
            Some("-" | "/dev/stdin") => {}
            Some(inet) if inet.starts_with("/inet") => {
                reading.connects(inet_host(inet), Direction::Receive, Taint::NONE);
                reading.saw(Taint::NETWORK);
            }
            Some(_) | None => {
                reading.reads(&place);
            }
        }
    }

    fn directive(&self, at: usize, reading: &mut CodeReading<'_>) {
        match (self.tokens.get(at), self.tokens.get(at.saturating_add(1))) {
            (Some(AwkToken::Name(word)), Some(AwkToken::Text(name))) if word == "include" => {
                reading.hidden_code(
                    Code::File(crate::Target::locate(
                        &reading.word(name),
                        reading.source.cwd,
                    )),
                    name,
                    Taint::LOCAL,
                );
            }
            (Some(AwkToken::Name(word)), _) if word == "namespace" => {}
            _ => reading.unknown_call("@"),
        }
    }

    /// The tokens up to the end of the statement that starts here.
    fn statement(&self, start: usize) -> &[AwkToken] {
        let rest = self.tokens.get(start..).unwrap_or_default();
        let mut depth = 0_i64;
        let mut previous: Option<&AwkToken> = None;
        let end = rest.iter().position(|token| {
            let ends = match token {
                AwkToken::Mark("(" | "[") => {
                    depth = depth.saturating_add(1);
                    false
                }
                AwkToken::Mark(")" | "]") => {
                    depth = depth.saturating_sub(1);
                    depth < 0
                }
                AwkToken::Mark(";" | "}") => depth <= 0,
                // A line goes on after a comma, `&&`, `||` and an open brace.
                AwkToken::Line => {
                    depth <= 0 && !matches!(previous, Some(AwkToken::Mark("," | "&&" | "||" | "{")))
                }
                AwkToken::Name(_)
                | AwkToken::Call(_)
                | AwkToken::Text(_)
                | AwkToken::Number
                | AwkToken::Regex
                | AwkToken::Mark(_) => false,
            };
            previous = Some(token);
            ends
        });
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    /// The tokens between the parentheses that open here.
    fn group(&self, open: usize) -> &[AwkToken] {
        let rest = self.tokens.get(open..).unwrap_or_default();
        let length = group_length(rest);
        rest.get(1..length.saturating_sub(1)).unwrap_or_default()
    }

    /// The operand in front of a pipe: back to what separates expressions.
    fn operand_before(&self, pipe: usize) -> &[AwkToken] {
        let before = self.tokens.get(..pipe).unwrap_or_default();
        let mut depth = 0_usize;
        let start = before.iter().rposition(|token| match token {
            AwkToken::Mark(")" | "]") => {
                depth = depth.saturating_add(1);
                false
            }
            AwkToken::Mark("(" | "[") => {
                let outside = depth == 0;
                depth = depth.saturating_sub(1);
                outside
            }
            AwkToken::Mark(";" | "{" | "}" | "=" | "," | "&&" | "||" | "!" | "?" | ":") => {
                depth == 0
            }
            AwkToken::Name(word) => depth == 0 && is_word(word),
            AwkToken::Line => depth == 0,
            AwkToken::Call(_)
            | AwkToken::Text(_)
            | AwkToken::Number
            | AwkToken::Regex
            | AwkToken::Mark(_) => false,
        });
        let start = start.map_or(0, |at| at.saturating_add(1));
        before.get(start..).unwrap_or_default()
    }

    /// The text of an expression as far as it is known: strings side by side.
    fn value(&self, tokens: &[AwkToken], reading: &CodeReading<'_>) -> Value {
        let mut tokens = tokens;
        while tokens.first() == Some(&AwkToken::Mark("(")) && group_length(tokens) == tokens.len() {
            tokens = tokens
                .get(1..tokens.len().saturating_sub(1))
                .unwrap_or_default();
        }
        let mut pieces = Vec::new();
        for token in tokens {
            match token {
                AwkToken::Text(text) => pieces.push(Piece::Text(text.clone())),
                AwkToken::Name(name) => match self.constants.get(name) {
                    Some(text) => pieces.push(Piece::Text(text.clone())),
                    None => pieces.push(item()),
                },
                AwkToken::Mark("$") | AwkToken::Number => pieces.push(item()),
                AwkToken::Call(_) | AwkToken::Regex | AwkToken::Mark(_) | AwkToken::Line => {
                    // An operator or a call may rearrange everything around it.
                    return Value {
                        pieces: vec![item()],
                        span: reading.source.span,
                        may_split: false,
                    };
                }
            }
        }
        if pieces.is_empty() {
            pieces.push(item());
        }
        Value {
            pieces,
            span: reading.source.span,
            may_split: false,
        }
    }
}

fn item() -> Piece {
    Piece::Dynamic(Dynamic {
        source: DynamicSource::Item,
        taint: Taint::LOCAL,
    })
}

/// How many tokens a group takes, parentheses included.
fn group_length(tokens: &[AwkToken]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        if *token == AwkToken::Mark("(") {
            depth = depth.saturating_add(1);
        } else if *token == AwkToken::Mark(")") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at.saturating_add(1);
            }
        }
    }
    tokens.len()
}

fn write(place: &Value, how: WriteHow, reading: &mut CodeReading<'_>) {
    let data = Taint::LOCAL.with(reading.seen());
    match place.literal().as_deref() {
        Some("/dev/stdout" | "/dev/stderr" | "-" | "/dev/tty" | "/dev/null") => {}
        Some(inet) if inet.starts_with("/inet") => {
            reading.connects(inet_host(inet), Direction::Send, data);
        }
        Some(_) | None => reading.writes(place, how, data),
    }
}

/// The host of `/inet/tcp/0/host/port`.
fn inet_host(path: &str) -> Host {
    path.split('/').nth(4).map_or(Host::Unknown, named)
}
