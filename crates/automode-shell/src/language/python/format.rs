//! Text that is glued, split and formatted.

use super::PyProgram;
use super::arguments::CallArguments;
use super::text::{constant, merged, number_piece};
use super::value::{PyText, PyValue, TextForm, unknown_piece};
use crate::{Piece, Taint};

impl PyProgram<'_, '_> {
    pub(super) fn glue(
        &mut self,
        separator: &PyValue,
        over: Option<&PyValue>,
        taint: Taint,
    ) -> PyValue {
        let items = over.and_then(|over| self.items(over));
        let (Some(separator), Some(items)) = (constant(separator), items) else {
            let element = match over {
                Some(over) => self.element(over),
                None => PyValue::None,
            };
            return PyValue::Data(taint.with(self.taint(&element)));
        };
        let mut pieces = Vec::new();
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                pieces.push(Piece::Text(separator.clone()));
            }
            pieces.extend(self.pieces(item));
        }
        PyValue::Text(PyText {
            pieces: merged(pieces),
            form: TextForm::Plain,
        })
    }

    pub(super) fn split(
        &mut self,
        text: &PyValue,
        separator: Option<&PyValue>,
        taint: Taint,
        site: usize,
    ) -> PyValue {
        let parts: Option<Vec<PyValue>> = match (constant(text), separator.map(constant)) {
            (Some(text), None) => Some(text.split_whitespace().map(PyValue::text).collect()),
            (Some(text), Some(Some(separator))) if !separator.is_empty() => {
                Some(text.split(separator.as_str()).map(PyValue::text).collect())
            }
            _ => None,
        };
        match parts {
            Some(parts) => self.list(site, parts, None),
            None => self.list(site, Vec::new(), Some(PyValue::Data(taint))),
        }
    }

    /// `shlex.split`.
    pub(super) fn words(&mut self, text: &PyValue, taint: Taint, site: usize) -> PyValue {
        match constant(text).and_then(|text| shell_words(&text)) {
            Some(words) => {
                let words = words.into_iter().map(PyValue::text).collect();
                self.list(site, words, None)
            }
            None => self.list(site, Vec::new(), Some(PyValue::Data(taint))),
        }
    }

    /// `"…%s…" % value`.
    pub(super) fn percent(&mut self, format: &PyText, values: &PyValue) -> PyValue {
        let taint = format.taint().with(self.taint(values));
        let Some(text) = format.literal() else {
            return PyValue::Data(taint);
        };
        let mut values = self
            .items(values)
            .unwrap_or_else(|| vec![values.clone()])
            .into_iter();
        let mut pieces = Vec::new();
        let mut parts = text.split('%');
        pieces.push(Piece::Text(parts.next().unwrap_or_default().to_owned()));
        while let Some(part) = parts.next() {
            let mut letters = part.chars();
            match letters.next() {
                Some('s') => {
                    match values.next() {
                        Some(value) => pieces.extend(self.pieces(&value)),
                        None => pieces.push(unknown_piece(taint)),
                    }
                    pieces.push(Piece::Text(letters.as_str().to_owned()));
                }
                Some('d' | 'i') => {
                    values.next();
                    pieces.push(number_piece());
                    pieces.push(Piece::Text(letters.as_str().to_owned()));
                }
                None => {
                    pieces.push(Piece::Text("%".to_owned()));
                    pieces.push(Piece::Text(parts.next().unwrap_or_default().to_owned()));
                }
                Some(_) => return PyValue::Data(taint),
            }
        }
        PyValue::Text(PyText {
            pieces: merged(pieces),
            form: TextForm::Plain,
        })
    }

    /// `"…{}…".format(…)` with plain fields.
    pub(super) fn formatted(
        &mut self,
        format: &PyText,
        given: &CallArguments,
        taint: Taint,
    ) -> PyValue {
        let Some(text) = format.literal() else {
            return PyValue::Data(taint);
        };
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        let mut next = 0_usize;
        while let Some((before, after)) = rest.split_once('{') {
            if before.contains('}') || after.starts_with('{') {
                return PyValue::Data(taint);
            }
            let Some((field, after)) = after.split_once('}') else {
                return PyValue::Data(taint);
            };
            pieces.push(Piece::Text(before.to_owned()));
            let value = match field.parse::<usize>() {
                Ok(at) => given.positional.get(at),
                Err(_) if field.is_empty() => {
                    next = next.saturating_add(1);
                    given.positional.get(next.saturating_sub(1))
                }
                Err(_) => given.keyword(field),
            };
            match value {
                Some(value) => pieces.extend(self.pieces(value)),
                None => pieces.push(unknown_piece(taint)),
            }
            rest = after;
        }
        if rest.contains('}') {
            return PyValue::Data(taint);
        }
        pieces.push(Piece::Text(rest.to_owned()));
        PyValue::Text(PyText {
            pieces: merged(pieces),
            form: TextForm::Plain,
        })
    }
}

/// Words of shell text with plain quotes; nothing where it is more than that.
fn shell_words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' | '#' => return None,
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        end if end == letter => break,
                        '\\' if letter == '"' => return None,
                        inside => word.push(inside),
                    }
                }
            }
            letter if letter.is_whitespace() => words.extend(word.take()),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Some(words)
}
