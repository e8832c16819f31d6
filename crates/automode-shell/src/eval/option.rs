//! The options of a builtin, as bash reads them.
//!
//! Letters may stand together, a value may follow in the same word or in the
//! next one, and the first word that is no option ends them.

use crate::ir::{Piece, Value};

/// What stands in front of the operands, and the operands.
pub(super) struct BuiltinOptions<'a> {
    flags: Vec<(char, Option<Value>)>,
    pub(super) operands: &'a [Value],
    /// The first operand that only the run knows: it may be an option as well.
    pub(super) unsure: bool,
}

impl<'a> BuiltinOptions<'a> {
    /// Reads options; the letters in `valued` take a value.
    pub(super) fn read(arguments: &'a [Value], valued: &str) -> Self {
        let mut flags = Vec::new();
        let mut rest = arguments;
        while let [word, more @ ..] = rest {
            let prefix = word.prefix();
            if !prefix.starts_with('-') || word.literal().as_deref() == Some("-") {
                break;
            }
            rest = more;
            if word.literal().as_deref() == Some("--") {
                break;
            }
            for (at, letter) in prefix.char_indices().skip(1) {
                if !valued.contains(letter) {
                    flags.push((letter, None));
                    continue;
                }
                let attached = word.after(at.saturating_add(letter.len_utf8()));
                let attached = Some(attached).filter(|value| !is_nothing(value));
                let value = attached.or_else(|| {
                    let (next, more) = rest.split_first()?;
                    rest = more;
                    Some(next.clone())
                });
                flags.push((letter, value));
                break;
            }
        }
        let unsure = rest.first().is_some_and(Value::begins_unknown);
        Self {
            flags,
            operands: rest,
            unsure,
        }
    }

    pub(super) fn has(&self, letter: char) -> bool {
        self.flags.iter().any(|(flag, _)| *flag == letter)
    }

    /// The value of an option, where one is given.
    pub(super) fn value(&self, letter: char) -> Option<&Value> {
        let found = self.flags.iter().rev().find(|(flag, _)| *flag == letter);
        found.and_then(|(_, value)| value.as_ref())
    }

    pub(super) fn letters(&self) -> impl Iterator<Item = char> {
        self.flags.iter().map(|(flag, _)| *flag)
    }
}

fn is_nothing(value: &Value) -> bool {
    let empty = |piece: &Piece| matches!(piece, Piece::Text(text) if text.is_empty());
    value.pieces.iter().all(empty)
}

#[cfg(test)]
mod tests {
    use super::BuiltinOptions;
    use crate::ir::{Span, Value};

    #[test]
    fn options_are_read_as_bash_reads_them() {
        let check = |words: &[&str], flags: &str, operands: usize| {
            let words: Vec<Value> = words
                .iter()
                .map(|word| Value::text(*word, Span::default()))
                .collect();
            let options = BuiltinOptions::read(&words, "ap");
            let shown: Vec<String> = options
                .flags
                .iter()
                .map(|(flag, value)| match value {
                    Some(value) => format!("{flag}={}", value.shown()),
                    None => flag.to_string(),
                })
                .collect();
            assert_eq!(shown.join(" "), flags);
            assert_eq!(options.operands.len(), operands);
        };
        check(&["x"], "", 1);
        check(&["-r", "x"], "r", 1);
        check(&["-ra", "x", "y"], "r a=x", 1);
        check(&["-ax", "y"], "a=x", 1);
        check(&["-ptext", "x"], "p=text", 1);
        check(&["-r", "--", "-a"], "r", 1);
        check(&["x", "-r"], "", 2);
        check(&["-", "-r"], "", 2);
        check(&["-a"], "a", 0);
    }
}
