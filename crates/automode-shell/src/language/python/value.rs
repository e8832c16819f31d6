//! What a Python expression may be, as far as it is known.
//!
//! Joining two values gives one that stands for both. A value of which nothing
//! is known is [`PyValue::Unknown`]: calling it, or a method of it, is a gap.
//! [`PyValue::Data`] is plain data (text, numbers, lists of these): its methods are
//! known to stay inside the program.

use std::collections::BTreeMap;
use std::rc::Rc;

use ruff_python_ast::{Expr, Parameters, Stmt};

use super::state::Names;
use crate::{Dynamic, DynamicSource, Piece, Taint};

#[derive(Clone, Debug)]
pub(super) enum PyValue {
    None,
    /// A number, and which one where it was written down.
    Number(Option<u64>),
    /// Text of which parts are known.
    Text(PyText),
    /// Plain data with the marks of where it comes from.
    Data(Taint),
    /// A library's module, function, class or constant, by dotted name.
    Name(Rc<str>),
    /// A module of the project, by its place in the state.
    Module(usize),
    /// An instance of a kind that the tables describe.
    Object(PyObject),
    /// A list, dictionary or instance, by its place in the heap.
    Heap(usize),
    Function(Rc<PyFunction>),
    Class(Rc<PyClass>),
    /// A method with its receiver.
    Method(Rc<PyValue>, Rc<str>),
    /// One of these, depending on the way the program took.
    Either(Rc<[PyValue]>),
    Unknown(Taint),
}

/// Text with the pieces that are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PyText {
    pub(super) pieces: Vec<Piece>,
    pub(super) form: TextForm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextForm {
    Plain,
    /// A `pathlib` path.
    Path,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PyObject {
    pub(super) kind: &'static str,
    pub(super) taint: Taint,
    /// The file or address it stands for.
    pub(super) origin: Option<Rc<PyText>>,
    /// How its file was opened for writing, if it was.
    pub(super) written: Option<crate::WriteHow>,
}

/// A function of the program itself.
#[derive(Debug)]
pub(super) struct PyFunction {
    pub(super) parameters: Parameters,
    pub(super) body: FunctionBody,
    pub(super) defaults: BTreeMap<String, PyValue>,
    pub(super) captured: Names,
    pub(super) module: usize,
    pub(super) binding: Binding,
}

#[derive(Debug)]
pub(super) enum FunctionBody {
    Block(Vec<Stmt>),
    Expression(Expr),
}

/// What a function of a class gets as its first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    Instance,
    Class,
    Static,
    /// Called by mere access.
    Property,
}

#[derive(Debug)]
pub(super) struct PyClass {
    pub(super) name: Rc<str>,
    pub(super) members: Names,
    pub(super) bases: Vec<PyValue>,
}

/// Something with an identity.
#[derive(Clone, Debug)]
pub(super) enum HeapObject {
    /// Known items in order, then any number of others.
    List {
        items: Vec<PyValue>,
        rest: Option<PyValue>,
    },
    /// Values by constant key, then any number of others.
    Dict {
        entries: BTreeMap<String, PyValue>,
        rest: Option<PyValue>,
    },
    Instance {
        class: Rc<PyClass>,
        fields: BTreeMap<String, PyValue>,
    },
}

/// How many texts a joined value may list.
const CHOICES: usize = 16;

/// How many values of different kinds a joined value may list.
const WAYS: usize = 6;

impl PyText {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self {
            pieces: vec![Piece::Text(text.into())],
            form: TextForm::Plain,
        }
    }

    pub(super) fn literal(&self) -> Option<String> {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => Some(text.as_str()),
                Piece::Glob(_) | Piece::Dynamic(_) => None,
            })
            .collect()
    }

    pub(super) fn taint(&self) -> Taint {
        self.pieces
            .iter()
            .fold(Taint::NONE, |taint, piece| match piece {
                Piece::Dynamic(dynamic) => taint.with(dynamic.taint),
                Piece::Text(_) | Piece::Glob(_) => taint,
            })
    }

    pub(super) fn with_form(mut self, form: TextForm) -> Self {
        self.form = form;
        self
    }

    /// The texts that it may be, where these are all known.
    fn texts(&self) -> Option<Vec<String>> {
        match self.pieces.as_slice() {
            [
                Piece::Dynamic(Dynamic {
                    source: DynamicSource::OneOf(texts),
                    ..
                }),
            ] => Some(texts.clone()),
            _ => self.literal().map(|text| vec![text]),
        }
    }

    fn join(&self, other: &Self) -> Option<Self> {
        let (mut texts, others) = (self.texts()?, other.texts()?);
        for text in others {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        (texts.len() <= CHOICES).then(|| Self {
            pieces: vec![Piece::Dynamic(Dynamic {
                source: DynamicSource::OneOf(texts),
                taint: self.taint().with(other.taint()),
            })],
            form: self.form,
        })
    }
}

impl PyValue {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(PyText::plain(text))
    }

    pub(super) fn name(name: impl AsRef<str>) -> Self {
        Self::Name(Rc::from(name.as_ref()))
    }

    pub(super) fn object(kind: &'static str, taint: Taint) -> Self {
        Self::Object(PyObject {
            kind,
            taint,
            origin: None,
            written: None,
        })
    }

    pub(super) const fn as_text(&self) -> Option<&PyText> {
        if let Self::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// Its place in the heap.
    pub(super) const fn as_heap(&self) -> Option<&usize> {
        if let Self::Heap(at) = self {
            Some(at)
        } else {
            None
        }
    }

    pub(super) const fn as_function(&self) -> Option<&Rc<PyFunction>> {
        if let Self::Function(function) = self {
            Some(function)
        } else {
            None
        }
    }

    pub(super) const fn as_class(&self) -> Option<&Rc<PyClass>> {
        if let Self::Class(class) = self {
            Some(class)
        } else {
            None
        }
    }

    /// One value that stands for both.
    pub(super) fn join(&self, other: &Self) -> Self {
        if self.same(other) {
            return self.clone();
        }
        match (self, other) {
            (Self::Text(a), Self::Text(b)) if a.form == b.form => match a.join(b) {
                Some(text) => Self::Text(text),
                // A path that may be anything is still a path.
                None => Self::Text(PyText {
                    pieces: vec![unknown_piece(a.taint().with(b.taint()))],
                    form: a.form,
                }),
            },
            (Self::Object(a), Self::Object(b)) if a.kind == b.kind => Self::Object(PyObject {
                kind: a.kind,
                taint: a.taint.with(b.taint),
                origin: None,
                written: a.written.or(b.written),
            }),
            // `x = None` before the real value is given.
            (Self::None, other @ (Self::Object(_) | Self::Heap(_) | Self::Text(_)))
            | (other @ (Self::Object(_) | Self::Heap(_) | Self::Text(_)), Self::None) => {
                other.clone()
            }
            (a, b) if a.is_plain() && b.is_plain() => Self::Data(a.taint().with(b.taint())),
            (a, b) => a.either(b),
        }
    }

    fn either(&self, other: &Self) -> Self {
        let mut ways: Vec<Self> = Vec::new();
        for thing in self.ways().iter().chain(other.ways()) {
            if matches!(thing, Self::Unknown(_)) || ways.len() >= WAYS {
                return Self::Unknown(self.taint().with(other.taint()));
            }
            if !ways.iter().any(|way| way.same(thing)) {
                ways.push(thing.clone());
            }
        }
        Self::Either(ways.into())
    }

    /// The values it may be, one by one.
    pub(super) fn ways(&self) -> &[Self] {
        match self {
            Self::Either(ways) => ways,
            other => std::slice::from_ref(other),
        }
    }

    /// Whether two values are one and the same for the analysis.
    pub(super) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) | (Self::Number(_), Self::Number(_)) => true,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Data(a), Self::Data(b)) | (Self::Unknown(a), Self::Unknown(b)) => a == b,
            (Self::Name(a), Self::Name(b)) => a == b,
            (Self::Module(a), Self::Module(b)) | (Self::Heap(a), Self::Heap(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => a == b,
            (Self::Function(a), Self::Function(b)) => Rc::ptr_eq(a, b),
            (Self::Class(a), Self::Class(b)) => Rc::ptr_eq(a, b),
            (Self::Method(a, x), Self::Method(b, y)) => x == y && a.same(b),
            (Self::Either(a), Self::Either(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.same(b))
            }
            _ => false,
        }
    }

    /// Whether two values are one and the same, down to the number.
    pub(super) fn is_identical(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::Method(a, x), Self::Method(b, y)) => x == y && a.is_identical(b),
            (Self::Either(a), Self::Either(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.is_identical(b))
            }
            _ => self.same(other),
        }
    }

    /// Plain data: nothing with methods that reach outside.
    pub(super) const fn is_plain(&self) -> bool {
        match self {
            Self::None | Self::Number(_) | Self::Data(_) => true,
            Self::Text(text) => matches!(text.form, TextForm::Plain),
            Self::Name(_)
            | Self::Module(_)
            | Self::Object(_)
            | Self::Heap(_)
            | Self::Function(_)
            | Self::Class(_)
            | Self::Method(..)
            | Self::Either(_)
            | Self::Unknown(_) => false,
        }
    }

    /// The marks of the value itself; what a heap object holds is asked of the state.
    pub(super) fn taint(&self) -> Taint {
        match self {
            Self::Text(text) => text.taint(),
            Self::Data(taint) | Self::Unknown(taint) => *taint,
            Self::Object(object) => object.taint,
            Self::Method(receiver, _) => receiver.taint(),
            Self::Either(ways) => ways
                .iter()
                .fold(Taint::NONE, |taint, way| taint.with(way.taint())),
            Self::None
            | Self::Number(_)
            | Self::Name(_)
            | Self::Module(_)
            | Self::Heap(_)
            | Self::Function(_)
            | Self::Class(_) => Taint::NONE,
        }
    }
}

pub(super) fn unknown_piece(taint: Taint) -> Piece {
    Piece::Dynamic(Dynamic {
        source: DynamicSource::Unknown,
        taint,
    })
}
