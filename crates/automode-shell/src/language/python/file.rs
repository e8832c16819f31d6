//! Deeds that write, delete and open files.

use super::super::library::{Argument, ArgumentPlace};
use super::PyProgram;
use super::arguments::CallArguments;
use super::value::{PyObject, PyValue};
use crate::{Taint, WriteHow};

/// What an open mode allows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenMode {
    Read,
    Write,
    Append,
    Update,
    Unknown,
}

impl PyProgram<'_, '_> {
    pub(super) fn write(
        &mut self,
        at: Argument,
        receiver: Option<&PyValue>,
        given: &CallArguments,
        how: WriteHow,
        data: Taint,
    ) -> Taint {
        let data = match (at.place, receiver) {
            (ArgumentPlace::Receiver, _) | (_, None) => data,
            (_, Some(receiver)) => data.with(self.taint(receiver)),
        };
        if let Some(PyValue::Object(object)) = self.argument(at, receiver, given)
            && object.written.is_some()
        {
            self.put_into(&object, data);
            return Taint::NONE;
        }
        if let Some(place) = self.place(at, receiver, given) {
            self.reading.writes(&place, how, data);
        }
        Taint::NONE
    }

    pub(super) fn delete(
        &mut self,
        at: Argument,
        receiver: Option<&PyValue>,
        given: &CallArguments,
        tree: bool,
    ) -> Taint {
        if let Some(place) = self.place(at, receiver, given) {
            self.reading.deletes(&place, tree);
        }
        Taint::NONE
    }

    pub(super) fn open(
        &mut self,
        file: Argument,
        mode: Argument,
        receiver: Option<&PyValue>,
        given: &CallArguments,
    ) -> Taint {
        let mode = match self.argument(mode, receiver, given) {
            Some(mode) => mode_of(super::text::constant(&mode).as_deref()),
            None => OpenMode::Read,
        };
        let Some(place) = self.place(file, receiver, given) else {
            return Taint::NONE;
        };
        if let Some(how) = mode.written() {
            self.reading.writes(&place, how, Taint::NONE);
        }
        match mode {
            OpenMode::Read | OpenMode::Update | OpenMode::Unknown => self.reading.reads(&place),
            OpenMode::Write | OpenMode::Append => Taint::NONE,
        }
    }

    /// Data that goes into a file which is already open.
    pub(super) fn put(&mut self, at: Argument, receiver: Option<&PyValue>, given: &CallArguments) {
        let data = self.given_taint(given);
        match self.argument(at, receiver, given) {
            Some(PyValue::Object(object)) => self.put_into(&object, data),
            Some(PyValue::Unknown(_)) => self.reading.unknown_call("write to an unknown object"),
            // What was read from a file is told by its read.
            None if data.has(Taint::SECRET) && !data.has(Taint::LOCAL) => {
                self.reading.shows_environment();
            }
            Some(_) | None => {}
        }
    }

    fn put_into(&mut self, object: &PyObject, data: Taint) {
        match (&object.origin, object.written) {
            (Some(origin), Some(how)) => {
                let place = self.word(&PyValue::Text((**origin).clone()));
                self.reading.writes(&place, how, data);
            }
            (None, Some(how)) => {
                let place = self.reading.unknown_word(Taint::UNKNOWN);
                self.reading.writes(&place, how, data);
            }
            (_, None) => {}
        }
    }
}

impl OpenMode {
    pub(super) const fn written(self) -> Option<WriteHow> {
        match self {
            Self::Read => None,
            Self::Write | Self::Unknown => Some(WriteHow::Replace),
            Self::Append => Some(WriteHow::Append),
            Self::Update => Some(WriteHow::Edit),
        }
    }
}

pub(super) fn mode_of(mode: Option<&str>) -> OpenMode {
    match mode {
        None => OpenMode::Unknown,
        Some(mode) if mode.contains('a') => OpenMode::Append,
        Some(mode) if mode.contains(['w', 'x']) => OpenMode::Write,
        Some(mode) if mode.contains('+') => OpenMode::Update,
        Some(_) => OpenMode::Read,
    }
}

pub(super) fn origin_of(receiver: Option<&PyValue>) -> Option<String> {
    if let Some(PyValue::Object(object)) = receiver {
        object.origin.as_ref().and_then(|origin| origin.literal())
    } else {
        None
    }
}
