//! Results that can be worked out: paths, texts, lists of these.

use super::super::library::CallResult;
use super::PyProgram;
use super::arguments::{CallArguments, text_of};
use super::path::{form_of, glob, last_name, parent};
use super::text::number_piece;
use super::value::{HeapObject, PyText, PyValue, TextForm};
use crate::Taint;

impl PyProgram<'_, '_> {
    pub(super) fn fold(
        &mut self,
        fold: CallResult,
        receiver: Option<&PyValue>,
        given: &CallArguments,
        label: &str,
        site: usize,
    ) -> PyValue {
        let first = receiver
            .or(given.positional.first())
            .or(given.more.as_ref());
        let first = first.map(|thing| self.settle(thing));
        let second = match receiver {
            Some(_) => given.positional.first(),
            None => given.positional.get(1),
        };
        let taint = match receiver {
            Some(receiver) => self.given_taint(given).with(self.taint(receiver)),
            None => self.given_taint(given),
        };
        let data = PyValue::Data(taint);
        let Some(first) = first else {
            return self.fold_nothing(fold, given, label, site);
        };
        match fold {
            CallResult::Same => given.positional.first().cloned().unwrap_or(data),
            CallResult::Receiver => first,
            // With another path to search it is another program.
            CallResult::Found => {
                let alone = given.positional.len() == 1 && given.more.is_none();
                match alone && given.keywords.is_empty() {
                    true => first,
                    false => data,
                }
            }
            CallResult::Path => self.joined_path(&self.parts(given), TextForm::Path),
            CallResult::Join => match receiver {
                Some(receiver) => {
                    let mut parts = vec![receiver.clone()];
                    parts.extend(self.parts(given));
                    self.joined_path(&parts, TextForm::Path)
                }
                None => self.joined_path(&self.parts(given), TextForm::Plain),
            },
            CallResult::Base => base_name(&first).unwrap_or(data),
            CallResult::Parent => parent(&first, taint),
            CallResult::Sibling => {
                let directory = parent(&first, taint);
                let form = form_of(&first);
                self.joined_path(&[directory, PyValue::Number(None)], form)
            }
            CallResult::Home => self.home(TextForm::Path),
            CallResult::Expand => self.expanded(&first),
            CallResult::Cwd
            | CallResult::Temporary
            | CallResult::Interpreter
            | CallResult::Ffmpeg => self.fold_nothing(fold, given, label, site),
            CallResult::Names => self.names(&first, site),
            CallResult::Walk => self.walk(&first, site),
            CallResult::Glob => self.globbed(receiver, given, site),
            CallResult::Text => as_text(first).unwrap_or(data),
            CallResult::Glue => self.glue(&first, second, taint),
            CallResult::Split => self.split(&first, second, taint, site),
            CallResult::Words => self.words(&first, taint, site),
            CallResult::Format => {
                if let PyValue::Text(format) = &first {
                    self.formatted(format, given, taint)
                } else {
                    data
                }
            }
            CallResult::Replace => replaced(&first, second, given).unwrap_or(data),
            CallResult::Trim => match (text_of(Some(&first)), second) {
                (Some(text), None) => PyValue::text(text.trim()),
                _ => data,
            },
            CallResult::Elements => match self.items(&first) {
                Some(items) => self.list(site, items, None),
                None => {
                    let element = self.element(&first);
                    self.list(site, Vec::new(), Some(element))
                }
            },
            CallResult::Pairs => self.pairs(given, label, site),
            CallResult::Merge => self.merged(&first, given, taint, site),
            CallResult::Item => {
                let over = self.element(&first);
                match second {
                    Some(default) => over.join(default),
                    None => over,
                }
            }
            CallResult::Variable => {
                let name = match receiver {
                    Some(_) => second,
                    None => Some(&first),
                };
                let name = text_of(name);
                self.variable(name.as_deref())
            }
            CallResult::Member => self.member(&first, second, given, taint, site),
            CallResult::Module => match text_of(Some(&first)) {
                Some(name) => self.resolve(&name),
                None => self.unknown(label, given),
            },
            // A directory where modules are looked for from now on.
            CallResult::Search => {
                match text_of(given.positional.last()) {
                    Some(directory) => self.search.push(directory),
                    None => self.reading.unknown_call(label),
                }
                PyValue::None
            }
            CallResult::Partial => self.partial(given, label, taint, site),
        }
    }

    fn names(&mut self, first: &PyValue, site: usize) -> PyValue {
        let place = self.word(first);
        self.reading.lists(&place);
        let element = if let PyValue::Text(text) = first
            && text.form == TextForm::Path
        {
            self.joined_path(&[first.clone(), glob("*")], TextForm::Path)
        } else {
            glob("*")
        };
        self.list(site, Vec::new(), Some(element))
    }

    fn pairs(&mut self, given: &CallArguments, label: &str, site: usize) -> PyValue {
        let enumerates = label.ends_with("enumerate");
        let mut parts: Vec<PyValue> = Vec::new();
        if enumerates {
            parts.push(PyValue::Number(None));
        }
        let count = if enumerates {
            1
        } else {
            given.positional.len()
        };
        for over in given.positional.clone().iter().take(count) {
            parts.push(self.element(over));
        }
        let pair = self.list(site.saturating_add(1), parts, None);
        self.list(site, Vec::new(), Some(pair))
    }

    fn merged(
        &mut self,
        first: &PyValue,
        given: &CallArguments,
        taint: Taint,
        site: usize,
    ) -> PyValue {
        let mut entries: std::collections::BTreeMap<String, PyValue> =
            given.keywords.iter().cloned().collect();
        let mut rest = None;
        if let PyValue::Heap(at) = first {
            match self.state.heap.get(at) {
                Some(HeapObject::Dict {
                    entries: more,
                    rest: others,
                }) => {
                    entries.extend(more.clone());
                    rest.clone_from(others);
                }
                Some(HeapObject::List { .. } | HeapObject::Instance { .. }) | None => {
                    rest = Some(PyValue::Data(taint));
                }
            }
        } else if !matches!(first, PyValue::Name(_)) {
            rest = Some(PyValue::Data(taint));
        }
        self.hold(site, HeapObject::Dict { entries, rest })
    }

    /// `getattr(object, name, default)`.
    fn member(
        &mut self,
        first: &PyValue,
        name: Option<&PyValue>,
        given: &CallArguments,
        taint: Taint,
        site: usize,
    ) -> PyValue {
        let Some(name) = text_of(name) else {
            return if self.state.is_plain(first) {
                PyValue::Data(taint)
            } else {
                PyValue::Unknown(taint)
            };
        };
        let found = self.attribute(first, &name, site);
        match given.positional.get(2) {
            Some(default) => found.join(default),
            None => found,
        }
    }

    fn partial(
        &mut self,
        given: &CallArguments,
        label: &str,
        taint: Taint,
        site: usize,
    ) -> PyValue {
        match given.positional.split_first() {
            // Called later with anything: walk it now, and what is left is harmless.
            Some((function, rest)) => {
                let called = CallArguments {
                    positional: rest.to_vec(),
                    keywords: given.keywords.clone(),
                    more: Some(PyValue::Data(taint)),
                };
                self.apply(&function.clone(), called, label, site);
                PyValue::name("len")
            }
            None => PyValue::Data(taint),
        }
    }

    fn fold_nothing(
        &mut self,
        fold: CallResult,
        given: &CallArguments,
        label: &str,
        site: usize,
    ) -> PyValue {
        match fold {
            CallResult::Cwd => match self.reading.directory().map(str::to_owned) {
                Some(directory) if label.contains("Path") => {
                    PyValue::Text(PyText::plain(directory).with_form(TextForm::Path))
                }
                Some(directory) => PyValue::text(directory),
                None => PyValue::Data(Taint::NONE),
            },
            CallResult::Home => self.home(TextForm::Path),
            CallResult::Path => PyValue::Text(PyText::plain(".").with_form(TextForm::Path)),
            CallResult::Temporary => {
                let form = TextForm::Plain;
                self.joined_path(&[PyValue::text("/tmp"), PyValue::Number(None)], form)
            }
            // Whatever its path is, it is this program.
            CallResult::Interpreter => PyValue::text("python3"),
            CallResult::Ffmpeg => PyValue::text("ffmpeg"),
            CallResult::Names => {
                let place = self.reading.word(".");
                self.reading.lists(&place);
                self.list(site, Vec::new(), Some(glob("*")))
            }
            CallResult::Merge => {
                let entries = given.keywords.iter().cloned().collect();
                self.hold(
                    site,
                    HeapObject::Dict {
                        entries,
                        rest: None,
                    },
                )
            }
            CallResult::Elements => self.list(site, Vec::new(), None),
            CallResult::Same
            | CallResult::Receiver
            | CallResult::Found
            | CallResult::Join
            | CallResult::Base
            | CallResult::Parent
            | CallResult::Expand
            | CallResult::Walk
            | CallResult::Glob
            | CallResult::Sibling
            | CallResult::Text
            | CallResult::Glue
            | CallResult::Split
            | CallResult::Words
            | CallResult::Format
            | CallResult::Replace
            | CallResult::Trim
            | CallResult::Pairs
            | CallResult::Item
            | CallResult::Variable
            | CallResult::Member
            | CallResult::Module
            | CallResult::Search
            | CallResult::Partial => PyValue::Data(self.given_taint(given)),
        }
    }
}

/// The last name of a path, where it is known.
fn base_name(path: &PyValue) -> Option<PyValue> {
    if let Some(path) = text_of(Some(path)) {
        let name = path.trim_end_matches('/').rsplit('/').next();
        return Some(PyValue::text(name.unwrap_or_default()));
    }
    let form = TextForm::Plain;
    last_name(path).map(|pieces| PyValue::Text(PyText { pieces, form }))
}

/// `str(value)`.
fn as_text(value: PyValue) -> Option<PyValue> {
    if matches!(value, PyValue::Number(_)) {
        return Some(PyValue::Text(PyText {
            pieces: vec![number_piece()],
            form: TextForm::Plain,
        }));
    }
    if let PyValue::Text(text) = value {
        return Some(PyValue::Text(text.with_form(TextForm::Plain)));
    }
    None
}

/// `text.replace(from, to)`, where all three are known.
fn replaced(text: &PyValue, from: Option<&PyValue>, given: &CallArguments) -> Option<PyValue> {
    let text = text_of(Some(text))?;
    let from = text_of(from).filter(|from| !from.is_empty())?;
    let to = text_of(given.positional.get(1))?;
    Some(PyValue::text(text.replace(&from, &to)))
}
