//! Words to values: the order of bash, with parts that may stay unknown.

use super::Evaluator;
use super::field::{Fields, push_text};
use super::output::{CommandOutput, Data};
use super::shell_state::ShellState;
use super::variable::Stored;
use crate::ir::{Dynamic, DynamicSource, GapKind, Invocation, Piece, Span, Stdout, Taint, Value};
use crate::syntax::{self, PartKind, Quoting, Script, Word, WordPart};

/// Where the paths of process substitutions lie.
pub(super) const STREAM: &str = "/dev/fd/";

/// Whether a word is split and matched with files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    /// As written.
    Written,
    /// As if quoted: assignments, `case`, here-strings.
    Implied,
}

/// Where a tilde stands for a home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tildes {
    /// In front of a word.
    Front,
    /// Also in a word like `name=value`, as in the value of an assignment.
    Argument,
    /// In front of a value, and behind each colon in it.
    Listed,
}

/// What an expansion yields.
pub(super) enum Expansion {
    One(Value),
    /// Several words even in quotes: `"$@"`, `"${a[@]}"`.
    Many(Vec<Value>),
}

impl Evaluator<'_> {
    /// The words that a word becomes.
    pub(super) fn fields(&mut self, word: &Word, shell: &mut ShellState) -> Vec<Value> {
        self.fields_with(word, Tildes::Argument, shell)
    }

    /// The elements that a word of an array becomes.
    pub(super) fn elements(&mut self, word: &Word, shell: &mut ShellState) -> Vec<Value> {
        self.fields_with(word, Tildes::Front, shell)
    }

    fn fields_with(&mut self, word: &Word, tildes: Tildes, shell: &mut ShellState) -> Vec<Value> {
        if let Some(value) = plain(word) {
            return vec![value];
        }
        if word.parts.iter().any(groups) {
            // It may also choose files by what a command says about them.
            let kind = GapKind::Syntax("a pattern that other shells read differently".to_owned());
            self.gap(kind, word.span);
        }
        let words = match syntax::expand_braces(word) {
            Ok(words) => words,
            Err(syntax::TooMany) => {
                self.gap(GapKind::Budget, word.span);
                vec![word.clone()]
            }
        };
        let fields: Vec<Value> = words
            .iter()
            .flat_map(|word| self.split_fields(word, tildes, shell))
            .collect();
        self.traced(&fields, word.span, shell);
        fields
    }

    fn split_fields(&mut self, word: &Word, tildes: Tildes, shell: &mut ShellState) -> Vec<Value> {
        let mut fields = Fields::new(word.span, self.separators(shell));
        self.parts(word, shell, Quotes::Written, tildes, &mut fields);
        fields.finish_matching()
    }

    /// The one value of a word.
    pub(super) fn expand(&mut self, word: &Word, shell: &mut ShellState, quotes: Quotes) -> Value {
        self.expand_with(word, shell, quotes, Tildes::Front)
    }

    /// The value that a word assigns.
    pub(super) fn assigned_word(&mut self, word: &Word, shell: &mut ShellState) -> Value {
        self.expand_with(word, shell, Quotes::Implied, Tildes::Listed)
    }

    fn expand_with(
        &mut self,
        word: &Word,
        shell: &mut ShellState,
        quotes: Quotes,
        tildes: Tildes,
    ) -> Value {
        if let Some(value) = plain(word) {
            return value;
        }
        let mut fields = Fields::new(word.span, None);
        self.parts(word, shell, quotes, tildes, &mut fields);
        let mut values = fields.finish().into_iter();
        let mut value = values.next().unwrap_or_else(|| Value::text("", word.span));
        for next in values {
            push_text(&mut value.pieces, " ");
            value.pieces.extend(next.pieces);
        }
        value.may_split = false;
        self.traced(std::slice::from_ref(&value), word.span, shell);
        value
    }

    fn parts(
        &mut self,
        word: &Word,
        shell: &mut ShellState,
        quotes: Quotes,
        tildes: Tildes,
        fields: &mut Fields,
    ) {
        let value_at = match tildes {
            Tildes::Argument => assigned_length(word),
            Tildes::Front | Tildes::Listed => None,
        };
        let tildes = match (tildes, value_at) {
            (Tildes::Argument, Some(_)) => Tildes::Listed,
            (Tildes::Argument, None) => Tildes::Front,
            (Tildes::Front | Tildes::Listed, _) => tildes,
        };
        let value_at = value_at.unwrap_or(0);
        for (at, part) in word.parts.iter().enumerate() {
            if fields.overflows() {
                self.gap(GapKind::Budget, part.span);
            }
            if fields.overflows() || !self.spend(part.span) {
                fields.quoted_value(Value::dynamic(
                    DynamicSource::Unknown,
                    Taint::UNKNOWN,
                    part.span,
                ));
                return;
            }
            let quoted = part.quoting == Quoting::Quoted || quotes == Quotes::Implied;
            if let PartKind::Literal(text) = &part.kind {
                let push = |fields: &mut Fields, text: &str| {
                    if quoted {
                        fields.quoted(text);
                    } else {
                        fields.bare_text(text);
                    }
                };
                if part.quoting == Quoting::Quoted || !text.contains('~') {
                    push(fields, text);
                    continue;
                }
                let last = at + 1 == word.parts.len();
                let value_at = (at == 0).then_some(value_at);
                for (segment, is_tilde) in segments(text, value_at, tildes, last) {
                    if is_tilde {
                        fields.quoted_value(self.home(segment, part.span, shell));
                    } else {
                        push(fields, segment);
                    }
                }
                continue;
            }
            let quoting = if quoted {
                Quoting::Quoted
            } else {
                Quoting::Bare
            };
            match self.part(part, quoting, shell) {
                Expansion::One(value) if quoted => fields.quoted_value(value),
                Expansion::One(value) => fields.bare_value(value),
                Expansion::Many(values) if values.is_empty() => fields.vanish(),
                Expansion::Many(values) => {
                    let mut first = true;
                    for value in values {
                        if !first {
                            fields.end();
                        }
                        first = false;
                        if quoted {
                            fields.quoted_value(value);
                        } else {
                            fields.bare_value(value);
                        }
                    }
                }
            }
        }
        self.spend_on(fields.size(), word.span);
    }

    /// The directory that a tilde with what follows it stands for.
    fn home(&self, prefix: &str, span: Span, shell: &ShellState) -> Value {
        match prefix {
            "~" => self.variable("HOME", shell, span),
            "~+" => self.variable("PWD", shell, span),
            "~-" => self.variable("OLDPWD", shell, span),
            _ => Value::dynamic(
                DynamicSource::Variable(format!("HOME of {}", prefix.trim_start_matches('~'))),
                Taint::NONE,
                span,
            ),
        }
    }

    fn part(&mut self, part: &WordPart, quoting: Quoting, shell: &mut ShellState) -> Expansion {
        match &part.kind {
            PartKind::Literal(text) => Expansion::One(Value::text(text.as_str(), part.span)),
            PartKind::Parameter(parameter) => self.parameter(parameter, quoting, part.span, shell),
            PartKind::Command(script) => {
                let outcome = self.captured(script, shell);
                Expansion::One(outcome.into_value(part.span))
            }
            PartKind::Process(flow, script) => {
                Expansion::One(self.process(*flow, script, part.span, shell))
            }
            PartKind::Arithmetic(expression) => Expansion::One(self.arithmetic(expression, shell)),
        }
    }

    /// Runs a substitution for its output.
    pub(super) fn captured(&mut self, script: &Script, shell: &mut ShellState) -> CommandOutput {
        let first = self.invocations.len();
        let mut outcome = self.captured_within(script, shell);
        // `curl -A "$(git show HEAD:src/app.py)" …`: what a program of this machine
        // prints is data of this machine, unless it is known to tell nothing.
        let ran = self.invocations.get(first..).unwrap_or_default();
        let silent = ran.iter().all(tells_nothing) || outcome.taint.has(Taint::NETWORK);
        if matches!(outcome.data, Data::Unknown) && !silent {
            outcome.taint = outcome.taint.with(Taint::LOCAL);
        }
        outcome
    }

    fn captured_within(&mut self, script: &Script, shell: &mut ShellState) -> CommandOutput {
        self.deeper(script.span, |evaluator| {
            evaluator.in_child(shell, |evaluator, child| {
                child.stdout = Stdout::Captured;
                // A substitution does not inherit `set -e`.
                child.stops_on_error = false;
                evaluator.script(script, child)
            })
        })
    }

    /// `<(…)` and `>(…)`: a path that stands for a stream. Its number is not
    /// known, but it carries the marks of what is written to it.
    fn process(
        &mut self,
        flow: syntax::ProcessDirection,
        script: &Script,
        span: Span,
        shell: &mut ShellState,
    ) -> Value {
        let taint = match flow {
            syntax::ProcessDirection::Output => {
                let outcome = self.captured(script, shell);
                let taint = outcome.taint;
                shell.streams.push((span, outcome));
                taint
            }
            syntax::ProcessDirection::Input => {
                self.consumer(script, CommandOutput::unknown(Taint::UNKNOWN), shell);
                Taint::NONE
            }
        };
        let mut path = Value::text(STREAM, span);
        path.pieces.push(Piece::Dynamic(Dynamic {
            source: DynamicSource::Number,
            taint,
        }));
        path
    }

    /// Runs the inside of `>(…)` on what is written to it.
    pub(super) fn consumer(
        &mut self,
        script: &Script,
        written: CommandOutput,
        shell: &mut ShellState,
    ) -> CommandOutput {
        self.deeper(script.span, |evaluator| {
            evaluator.in_child(shell, |evaluator, child| {
                evaluator.feed(written.into_stdin(script.span), child);
                evaluator.script(script, child)
            })
        })
    }

    /// The value of `IFS`, where it is known.
    pub(super) fn separators(&self, shell: &ShellState) -> Option<String> {
        match shell.variables.get("IFS").map(|binding| &binding.value) {
            None => Some(" \t\n".to_owned()),
            Some(Stored::Scalar(value)) => value.literal().map(std::borrow::Cow::into_owned),
            Some(Stored::Unset) => Some(" \t\n".to_owned()),
            Some(Stored::List(_) | Stored::Map(_) | Stored::Hidden(_) | Stored::Reference(_)) => {
                None
            }
        }
    }
}

/// Whether a part holds an extended pattern, or what another shell takes for more.
fn groups(part: &WordPart) -> bool {
    match &part.kind {
        PartKind::Literal(text) => part.quoting == Quoting::Bare && text.contains('('),
        PartKind::Parameter(_)
        | PartKind::Command(_)
        | PartKind::Process(..)
        | PartKind::Arithmetic(_) => false,
    }
}

/// The length of `name=`, `name+=` or `name[…]=` in front of a word.
fn assigned_length(word: &Word) -> Option<usize> {
    let WordPart {
        kind: PartKind::Literal(text),
        quoting: Quoting::Bare,
        ..
    } = word.parts.first()?
    else {
        return None;
    };
    let equals = text.find('=')?;
    let (front, _) = text.split_at_checked(equals)?;
    let front = front.strip_suffix('+').unwrap_or(front);
    let name = front.split_once('[').map_or(front, |(name, _)| name);
    let named = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    (named && begins).then_some(equals.saturating_add(1))
}

/// Text cut at the tildes that stand for a directory; each piece says whether it is one.
fn segments(text: &str, value_at: Option<usize>, tildes: Tildes, last: bool) -> Vec<(&str, bool)> {
    let mut pieces = Vec::new();
    let mut done = 0;
    for (at, _) in text.match_indices('~') {
        let before = text.get(..at).unwrap_or_default();
        let listed = tildes == Tildes::Listed;
        let behind = value_at.is_none_or(|value_at| at > value_at);
        let stands = value_at == Some(at) || (listed && behind && before.ends_with(':'));
        if !stands || at < done {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let length = match rest.find(['/', ':']) {
            Some(length) => length,
            // More of the name follows in quotes or an expansion: no tilde then.
            None if !last => continue,
            None => rest.len(),
        };
        pieces.push((text.get(done..at).unwrap_or_default(), false));
        pieces.push((rest.get(..length).unwrap_or_default(), true));
        done = at.saturating_add(length);
    }
    pieces.push((text.get(done..).unwrap_or_default(), false));
    pieces.retain(|(piece, _)| !piece.is_empty());
    pieces
}

/// The value of a word in which nothing is special: most words.
fn plain(word: &Word) -> Option<Value> {
    let text = word.bare()?;
    let special = text.contains(['~', '*', '?', '[', '{', '(']);
    (!special).then(|| Value::text(text, word.span))
}

/// Whether what a program prints says nothing of the files and people of this machine.
fn tells_nothing(start: &Invocation) -> bool {
    const PLAIN: &[&str] = &[
        "arch", "basename", "bc", "cut", "date", "dirname", "echo", "expr", "factor", "false",
        "getconf", "grep", "head", "mktemp", "nproc", "numfmt", "openssl", "printf", "rev", "sed",
        "seq", "shuf", "sleep", "sort", "tail", "test", "tput", "tr", "true", "uname", "uniq",
        "uuidgen", "wc", ":", "[",
    ];
    let name = start.argv.first().and_then(Value::literal);
    name.is_some_and(|name| PLAIN.contains(&name.rsplit('/').next().unwrap_or(&name)))
}
