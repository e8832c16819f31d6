//! Python, by running it on what is known.
//!
//! The text is parsed for real and then walked once, with values that know as
//! much of a text, path or list as the program shows. Library calls are looked
//! up in `languages/python.toml`; a call that is not there is a gap.
//! Both ways of a condition are walked, loops until nothing new is learnt, the
//! program's own functions and modules at each call. Every step is counted.

mod arguments;
mod assign;
mod attribute;
mod branch;
mod call;
mod comprehension;
mod connect;
mod define;
mod effect;
mod express;
mod file;
mod fold;
mod format;
mod guard;
mod import;
mod invoke;
mod memo;
mod method;
mod part;
mod path;
mod process;
mod reach;
mod state;
mod text;
mod value;
mod walk;

use std::collections::BTreeMap;
use std::rc::Rc;

use ruff_python_ast::comparable::ComparableStmt;
use ruff_python_parser::parse_module;

use self::memo::{RunningCall, WalkedCalls};
use self::reach::GlobalReach;
use self::state::{Names, PyState};
use self::value::{HeapObject, PyValue};
use super::reading::CodeReading;
use crate::{Act, Code, GapKind, Origin, Taint, Value};

/// Expressions and statements that are walked before the analysis gives up.
const STEPS: usize = 120_000;

pub(super) fn read(text: &str, reading: &mut CodeReading<'_>) {
    let source = reading.source;
    reading.act(Act::Execute {
        code: Code::Inline { language: "python" },
        origin: Origin {
            seen: true,
            taint: source.taint,
        },
    });
    let mut program = PyProgram {
        reading,
        state: PyState::default(),
        module: 0,
        files: Vec::new(),
        imported: BTreeMap::new(),
        search: Vec::new(),
        stars: Vec::new(),
        text: Rc::from(text),
        running: Vec::new(),
        returns: Vec::new(),
        walked: WalkedCalls::new(),
        globals: GlobalReach::default(),
        steps: 0,
        depth: 0,
        weak: 0,
        branch: 0,
    };
    program.start(text, source.file.map(str::to_owned));
    let steps = program.steps;
    reading.took(steps);
}

/// Whether two texts are the same program: they differ in nothing but comments and blanks.
pub(super) fn is_same_program(one: &str, other: &str) -> bool {
    // The first lines may say by whom and in which encoding a file is read.
    let opening = |text: &str| -> Vec<String> {
        let lines = text.lines().take(2);
        let spoken = lines.filter(|line| line.trim_start().starts_with('#'));
        spoken.map(str::to_owned).collect()
    };
    // Comments that a tool reads: what a script needs, cells and commands of a notebook.
    let is_told = |text: &str| {
        ["# ///", "# %", "# !"]
            .iter()
            .any(|sign| text.contains(sign))
    };
    let is_read = |text: &str| {
        guard::is_shallow(text) && guard::strange_encoding(text).is_none() && !is_told(text)
    };
    if opening(one) != opening(other) || !is_read(one) || !is_read(other) {
        return false;
    }
    let (Ok(one), Ok(other)) = (parse_module(one), parse_module(other)) else {
        return false;
    };
    let statements = one.syntax().body.iter().map(ComparableStmt::from);
    statements.eq(other.syntax().body.iter().map(ComparableStmt::from))
}

/// A Python program while it is walked.
struct PyProgram<'r, 'a> {
    reading: &'r mut CodeReading<'a>,
    state: PyState,
    /// The module whose code is walked.
    module: usize,
    /// The file of each module, where it has one.
    files: Vec<Option<String>>,
    /// Modules of the project that were loaded, by path.
    imported: BTreeMap<String, usize>,
    /// Directories that the program put on the search path of modules.
    search: Vec<String>,
    /// Modules whose names were all imported (`from x import *`).
    stars: Vec<String>,
    /// The source of the code that is walked, for the names of gaps.
    text: Rc<str>,
    /// The program's functions that are running, and whether with given arguments.
    running: Vec<RunningCall>,
    /// Running functions at which a walk went no further.
    returns: Vec<RunningCall>,
    /// Calls whose walk would find the same again.
    walked: WalkedCalls,
    /// Objects that every function can get at.
    globals: GlobalReach,
    steps: usize,
    depth: usize,
    /// Assignments may be skipped or interrupted here: old values stay possible.
    weak: usize,
    /// Inside a condition or loop.
    branch: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ArgumentSource {
    Given,
    /// Stand-ins for every possible call.
    Any,
}

impl PyProgram<'_, '_> {
    fn start(&mut self, text: &str, file: Option<String>) {
        self.enter_module(file);
        self.run_text(text);
    }

    /// A fresh module scope; gives its place.
    fn enter_module(&mut self, file: Option<String>) -> usize {
        let at = self.files.len();
        self.state
            .modules
            .resize_with(at.saturating_add(1), Names::default);
        self.files.push(file);
        at
    }

    /// Parses text and walks it in the current module.
    fn run_text(&mut self, text: &str) {
        if !guard::is_shallow(text) {
            let what = "python code that nests too deep or does not parse".to_owned();
            return self.reading.gap(GapKind::Refused(what));
        }
        if let Some(encoding) = guard::strange_encoding(text) {
            let what = format!("python code in the encoding `{encoding}`");
            return self.reading.gap(GapKind::Refused(what));
        }
        match parse_module(text) {
            Ok(parsed) => {
                let outer = std::mem::replace(&mut self.text, Rc::from(text));
                self.block(&parsed.syntax().body);
                self.text = outer;
            }
            Err(_) => self.reading.syntax("does not parse"),
        }
    }

    /// Counts a step; says whether to go on.
    fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_add(1);
        if self.steps > STEPS {
            self.reading.gap(GapKind::Budget);
        }
        self.steps <= STEPS
    }

    /// A copy of the state for one way of a branch.
    fn fork(&mut self) -> PyState {
        self.steps = self.steps.saturating_add(self.state.size() / 16);
        self.state.clone()
    }

    /// Puts an object on the heap under the place in the text that makes it.
    fn hold(&mut self, site: usize, held: HeapObject) -> PyValue {
        let at = site
            .saturating_mul(64)
            .saturating_add(self.module.saturating_add(1));
        match self.state.heap.get_mut(&at) {
            Some(known) => known.join(&held),
            None => self.state.heap.insert(at, held),
        }
        PyValue::Heap(at)
    }

    fn list(&mut self, site: usize, items: Vec<PyValue>, rest: Option<PyValue>) -> PyValue {
        self.hold(site, HeapObject::List { items, rest })
    }

    fn taint(&self, thing: &PyValue) -> Taint {
        self.state.taint(thing)
    }

    /// A value of the program as a word of the shell.
    fn word(&self, thing: &PyValue) -> Value {
        Value {
            pieces: self.pieces(thing),
            span: self.reading.source.span,
            may_split: false,
        }
    }
}

#[cfg(test)]
mod tests;
