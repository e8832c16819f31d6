//! Paths that are computed: joined, expanded, walked, matched.

use super::PyProgram;
use super::arguments::CallArguments;
use super::text::merged;
use super::value::{PyText, PyValue, TextForm, unknown_piece};
use crate::{Piece, Taint};

impl PyProgram<'_, '_> {
    pub(super) fn parts(&self, given: &CallArguments) -> Vec<PyValue> {
        given
            .positional
            .iter()
            .chain(&given.more)
            .map(|part| self.settle(part))
            .collect()
    }

    /// Parts of a path put together: an absolute part starts anew.
    pub(super) fn joined_path(&self, parts: &[PyValue], form: TextForm) -> PyValue {
        let mut pieces: Vec<Piece> = Vec::new();
        for part in parts {
            let next = self.pieces(part);
            match next.first() {
                Some(Piece::Text(text)) if text.starts_with('/') => pieces.clear(),
                // What is not known may be absolute: nothing in front of it holds.
                Some(Piece::Dynamic(dynamic))
                    if !pieces.is_empty() && !is_name(&dynamic.source) =>
                {
                    pieces = vec![unknown_piece(self.taint(part))];
                    continue;
                }
                Some(Piece::Text(_) | Piece::Glob(_) | Piece::Dynamic(_)) | None => {}
            }
            let slash = match pieces.last() {
                None => false,
                Some(Piece::Text(text)) => !text.ends_with('/') && !text.is_empty(),
                Some(Piece::Glob(_) | Piece::Dynamic(_)) => true,
            };
            if slash {
                pieces.push(Piece::Text("/".to_owned()));
            }
            pieces.extend(next);
        }
        PyValue::Text(PyText {
            pieces: merged(pieces),
            form,
        })
    }

    pub(super) fn home(&self, form: TextForm) -> PyValue {
        match &self.reading.context.home {
            Some(home) => PyValue::Text(PyText::plain(home).with_form(form)),
            None => PyValue::Text(PyText {
                pieces: vec![unknown_piece(Taint::NONE)],
                form,
            }),
        }
    }

    /// `~` at the start of a path.
    pub(super) fn expanded(&self, path: &PyValue) -> PyValue {
        let PyValue::Text(text) = path else {
            return path.clone();
        };
        let (Some(Piece::Text(start)), Some(home)) =
            (text.pieces.first(), &self.reading.context.home)
        else {
            return path.clone();
        };
        match start.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                let mut pieces = text.pieces.clone();
                if let Some(first) = pieces.first_mut() {
                    *first = Piece::Text(format!("{home}{rest}"));
                }
                PyValue::Text(PyText {
                    pieces,
                    form: text.form,
                })
            }
            Some(_) => PyValue::Text(PyText {
                pieces: vec![unknown_piece(Taint::NONE)],
                form: text.form,
            }),
            None => path.clone(),
        }
    }

    /// A variable of the environment.
    pub(super) fn variable(&mut self, name: Option<&str>) -> PyValue {
        let Some(name) = name else {
            self.reading.saw(Taint::SECRET);
            return PyValue::Data(Taint::SECRET);
        };
        if name == "HOME"
            && let Some(home) = &self.reading.context.home
        {
            return PyValue::text(home);
        }
        let known = self
            .reading
            .context
            .variables
            .iter()
            .find(|(known, _)| known == name);
        if let Some((_, value)) = known {
            return PyValue::text(value);
        }
        let upper = name.to_ascii_uppercase();
        let secret = [
            "KEY",
            "TOKEN",
            "SECRET",
            "PASS",
            "CREDENTIAL",
            "AUTH",
            "COOKIE",
            "PRIVATE",
        ]
        .iter()
        .any(|word| upper.contains(word));
        let taint = if secret { Taint::SECRET } else { Taint::NONE };
        self.reading.saw(taint);
        PyValue::Data(taint)
    }

    pub(super) fn walk(&mut self, root: &PyValue, site: usize) -> PyValue {
        let place = self.word(root);
        self.reading.lists(&place);
        let form = form_of(root);
        let below = self.joined_path(&[root.clone(), glob("**")], form);
        let names = self.list(site.saturating_add(1), Vec::new(), Some(glob("*")));
        let row = self.list(
            site.saturating_add(2),
            vec![below, names.clone(), names],
            None,
        );
        self.list(site.saturating_add(3), Vec::new(), Some(row))
    }

    pub(super) fn globbed(
        &mut self,
        receiver: Option<&PyValue>,
        given: &CallArguments,
        site: usize,
    ) -> PyValue {
        let pattern = given.positional.first().cloned().unwrap_or(PyValue::None);
        let pattern = match &pattern {
            PyValue::Text(text) => PyValue::Text(PyText {
                pieces: text
                    .pieces
                    .iter()
                    .map(|piece| match piece {
                        Piece::Text(text) if text.contains(['*', '?', '[']) => {
                            Piece::Glob(text.clone())
                        }
                        piece => piece.clone(),
                    })
                    .collect(),
                form: TextForm::Plain,
            }),
            other => other.clone(),
        };
        let element = match receiver {
            Some(root) => self.joined_path(&[root.clone(), pattern], TextForm::Path),
            None => pattern,
        };
        let place = self.word(&element);
        self.reading.lists(&place);
        self.list(site, Vec::new(), Some(element))
    }
}

pub(super) fn glob(pattern: &str) -> PyValue {
    PyValue::Text(PyText {
        pieces: vec![Piece::Glob(pattern.to_owned())],
        form: TextForm::Plain,
    })
}

pub(super) fn form_of(thing: &PyValue) -> TextForm {
    thing.as_text().map_or(TextForm::Plain, |text| text.form)
}

/// A part that cannot be an absolute path.
const fn is_name(source: &crate::DynamicSource) -> bool {
    source.stays_in_place()
}

/// The pieces after the last slash, where one is seen.
pub(super) fn last_name(thing: &PyValue) -> Option<Vec<Piece>> {
    let PyValue::Text(text) = thing else {
        return None;
    };
    let at = text.pieces.iter().rposition(|piece| match piece {
        Piece::Text(text) => text.contains('/'),
        Piece::Glob(_) | Piece::Dynamic(_) => false,
    })?;
    let after = text.pieces.iter().skip(at.saturating_add(1));
    if after
        .clone()
        .any(|piece| matches!(piece, Piece::Dynamic(dynamic) if !is_name(&dynamic.source)))
    {
        return None;
    }
    let Some(Piece::Text(with_slash)) = text.pieces.get(at) else {
        return None;
    };
    let mut pieces = vec![Piece::Text(
        with_slash.rsplit('/').next().unwrap_or_default().to_owned(),
    )];
    pieces.extend(after.cloned());
    Some(pieces)
}

/// The directory of a path.
pub(super) fn parent(thing: &PyValue, taint: Taint) -> PyValue {
    let PyValue::Text(text) = thing else {
        return PyValue::Data(taint);
    };
    if let Some(path) = text.literal() {
        let path = path.trim_end_matches('/');
        let directory = match path.rsplit_once('/') {
            Some(("", _)) => "/",
            Some((directory, _)) => directory,
            None if text.form == TextForm::Path && !path.is_empty() => ".",
            None => "",
        };
        // The parent of `.` leads up, not to itself.
        if path == "." || path == ".." || path.ends_with("/..") {
            return PyValue::Text(PyText::plain(format!("{path}/..")).with_form(text.form));
        }
        return PyValue::Text(PyText::plain(directory).with_form(text.form));
    }
    match text.pieces.last() {
        Some(Piece::Glob(pattern)) if !pattern.contains('/') && pattern != "**" => {
            let mut pieces = text.pieces.clone();
            pieces.pop();
            PyValue::Text(PyText {
                pieces,
                form: text.form,
            })
        }
        _ => PyValue::Text(PyText {
            pieces: vec![unknown_piece(taint)],
            form: text.form,
        }),
    }
}
