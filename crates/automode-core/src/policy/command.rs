//! Shell commands as rules see them: rendered text.
//!
//! A rule is held against the words of an invocation joined by single blanks,
//! quoted where a word could be read as several. Words that are only known at run
//! time become [`UNKNOWN`]: they never satisfy a permit's literal text, and a veto
//! that could match them is a maybe.

use std::borrow::Cow;

use automode_shell::reference::hidden_options;
use automode_shell::{DynamicSource, Piece, Value};

use super::glob::UNKNOWN;

/// Most readings of one invocation that loops and branches may give.
const MAX_READINGS: usize = 16;

/// Every reading of the words: one, or several where loops and branches give a
/// word different texts.
pub(super) fn readings(argv: &[Value]) -> Vec<Vec<String>> {
    let mut readings: Vec<Vec<String>> = vec![Vec::new()];
    for value in argv {
        let texts = texts(value);
        let grown = readings.len().saturating_mul(texts.len());
        let texts = if grown > MAX_READINGS {
            vec![UNKNOWN.to_string()]
        } else {
            texts
        };
        readings = readings
            .iter()
            .flat_map(|words| {
                texts.iter().map(|text| {
                    let mut words = words.clone();
                    words.push(text.clone());
                    words
                })
            })
            .collect();
    }
    readings
}

fn texts(value: &Value) -> Vec<String> {
    let mut texts = vec![String::new()];
    for piece in &value.pieces {
        let choices: Vec<Cow<'_, str>> = match piece {
            Piece::Text(text) | Piece::Glob(text) => {
                vec![Cow::Owned(text.replace(UNKNOWN, "\u{fffd}"))]
            }
            Piece::Dynamic(dynamic) => match &dynamic.source {
                DynamicSource::OneOf(options)
                    if !options.is_empty() && options.len() <= MAX_READINGS =>
                {
                    options
                        .iter()
                        .map(|option| Cow::Borrowed(option.as_str()))
                        .collect()
                }
                DynamicSource::OneOf(_)
                | DynamicSource::Variable(_)
                | DynamicSource::Argument
                | DynamicSource::Output
                | DynamicSource::Item
                | DynamicSource::Number
                | DynamicSource::Name
                | DynamicSource::Unknown => vec![Cow::Owned(UNKNOWN.to_string())],
            },
        };
        texts = texts
            .iter()
            .flat_map(|text| choices.iter().map(move |choice| format!("{text}{choice}")))
            .collect();
    }
    texts
}

/// The words as one text, quoted where a blank or a special character stands in one.
pub(super) fn quoted<W: AsRef<str>>(words: &[W]) -> String {
    let special = |c: char| c.is_whitespace() || "'\"\\`;|&<>()".contains(c);
    let words: Vec<Cow<'_, str>> = words
        .iter()
        .map(|word| {
            let word = word.as_ref();
            if word.is_empty() || word.contains(special) {
                Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
            } else {
                Cow::Borrowed(word)
            }
        })
        .collect();
    words.join(" ")
}

/// Whether only an exact rule may permit these words.
pub(super) fn hides<W: AsRef<str>>(words: &[W]) -> bool {
    let Some((head, rest)) = words.split_first() else {
        return false;
    };
    let base = head.as_ref().rsplit('/').next().unwrap_or_default();
    let hidden = hidden_options(base);
    rest.iter().any(|word| hidden.contains(&word.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting() {
        assert_eq!(
            quoted(&["git", "commit", "-m", "a b"]),
            "git commit -m 'a b'"
        );
        assert_eq!(quoted(&["git status"]), "'git status'");
        assert_eq!(quoted(&["echo", "it's", ""]), r"echo 'it'\''s' ''");
    }
}
