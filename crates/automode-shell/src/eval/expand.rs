//! Words to values: the order of bash, with parts that may stay unknown.

use super::Evaluator;
use super::field::{Fields, push_text};
use super::outcome::Outcome;
use super::shell::{Shell, Stored};
use crate::syntax::{self, Part, PartKind, Quoting, Script, Word};
use crate::{Dynamic, DynamicSource, GapKind, Piece, Span, Stdout, Taint, Value};

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

/// What an expansion yields.
pub(super) enum Expansion {
    One(Value),
    /// Several words even in quotes: `"$@"`, `"${a[@]}"`.
    Many(Vec<Value>),
}

impl Evaluator<'_> {
    /// The words that a word becomes.
    pub(super) fn fields(&mut self, word: &Word, shell: &mut Shell) -> Vec<Value> {
        if let Some(value) = plain(word) {
            return vec![value];
        }
        let words = match syntax::expand_braces(word) {
            Ok(words) => words,
            Err(syntax::TooMany) => {
                self.gap(GapKind::Budget, word.span);
                vec![word.clone()]
            }
        };
        words
            .iter()
            .flat_map(|word| self.split_fields(word, shell))
            .collect()
    }

    fn split_fields(&mut self, word: &Word, shell: &mut Shell) -> Vec<Value> {
        let mut fields = Fields::new(word.span, self.separators(shell));
        self.parts(word, shell, Quotes::Written, &mut fields);
        fields.finish()
    }

    /// The one value of a word.
    pub(super) fn expand(&mut self, word: &Word, shell: &mut Shell, quotes: Quotes) -> Value {
        if let Some(value) = plain(word) {
            return value;
        }
        let mut fields = Fields::new(word.span, None);
        self.parts(word, shell, quotes, &mut fields);
        let mut values = fields.finish().into_iter();
        let mut value = values.next().unwrap_or_else(|| Value::text("", word.span));
        for next in values {
            push_text(&mut value.pieces, " ");
            value.pieces.extend(next.pieces);
        }
        value.may_split = false;
        value
    }

    fn parts(&mut self, word: &Word, shell: &mut Shell, quotes: Quotes, fields: &mut Fields) {
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
                let text = self.tilde(at, text, part, word, shell, fields);
                if quoted {
                    fields.quoted(text);
                } else {
                    fields.bare_text(text);
                }
                continue;
            }
            match self.part(part, shell) {
                Expansion::One(value) if quoted => fields.quoted_value(value),
                Expansion::One(value) => fields.bare_value(value),
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

    /// Expands a tilde in front and hands back the rest of the text.
    fn tilde<'w>(
        &self,
        at: usize,
        text: &'w str,
        part: &Part,
        word: &Word,
        shell: &Shell,
        fields: &mut Fields,
    ) -> &'w str {
        let Some(rest) = text
            .strip_prefix('~')
            .filter(|_| at == 0 && part.quoting == Quoting::Bare)
        else {
            return text;
        };
        let (user, path) = rest
            .split_at_checked(rest.find('/').unwrap_or(rest.len()))
            .unwrap_or((rest, ""));
        if path.is_empty() && word.parts.len() > 1 {
            // More of the name follows in quotes or an expansion: no tilde then.
            return text;
        }
        let home = match user {
            "" => self.variable("HOME", shell, part.span),
            "+" => self.variable("PWD", shell, part.span),
            _ => Value::dynamic(
                DynamicSource::Variable(format!("HOME of {user}")),
                Taint::NONE,
                part.span,
            ),
        };
        fields.quoted_value(home);
        path
    }

    fn part(&mut self, part: &Part, shell: &mut Shell) -> Expansion {
        match &part.kind {
            PartKind::Literal(text) => Expansion::One(Value::text(text.as_str(), part.span)),
            PartKind::Parameter(parameter) => self.parameter(parameter, part.span, shell),
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
    pub(super) fn captured(&mut self, script: &Script, shell: &mut Shell) -> Outcome {
        self.deeper(script.span, |evaluator| {
            evaluator.in_child(shell, |evaluator, child| {
                child.stdout = Stdout::Captured;
                evaluator.script(script, child)
            })
        })
    }

    /// `<(…)` and `>(…)`: a path that stands for a stream. Its number is not
    /// known, but it carries the marks of what is written to it.
    fn process(
        &mut self,
        flow: syntax::Flow,
        script: &Script,
        span: Span,
        shell: &mut Shell,
    ) -> Value {
        let taint = match flow {
            syntax::Flow::Output => {
                let outcome = self.captured(script, shell);
                let taint = outcome.taint;
                shell.streams.push((span, outcome));
                taint
            }
            syntax::Flow::Input => {
                self.consumer(script, Outcome::unknown(Taint::UNKNOWN), shell);
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
        written: Outcome,
        shell: &mut Shell,
    ) -> Outcome {
        self.deeper(script.span, |evaluator| {
            evaluator.in_child(shell, |evaluator, child| {
                child.stdin = written.into_stdin(script.span);
                evaluator.script(script, child)
            })
        })
    }

    /// The value of `IFS`, where it is known.
    fn separators(&self, shell: &Shell) -> Option<String> {
        match shell.variables.get("IFS").map(|binding| &binding.value) {
            None => Some(" \t\n".to_owned()),
            Some(Stored::Scalar(value)) => value.literal().map(std::borrow::Cow::into_owned),
            Some(Stored::Unset) => Some(" \t\n".to_owned()),
            Some(Stored::List(_) | Stored::Hidden(_)) => None,
        }
    }
}

/// The value of a word in which nothing is special: most words.
fn plain(word: &Word) -> Option<Value> {
    let text = word.bare()?;
    let special = text.starts_with('~') || text.contains(['*', '?', '[', '{']);
    (!special).then(|| Value::text(text, word.span))
}
