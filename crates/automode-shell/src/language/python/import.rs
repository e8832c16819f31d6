//! Imports: library modules by name, modules of the project by their text.
//!
//! A file beside the script hides a library module of the same name, so such a
//! file is asked for even when the library is known.

use ruff_python_ast::{StmtImport, StmtImportFrom};

use super::super::library::PYTHON;
use super::PyProgram;
use super::express::DEPTH;
use super::value::PyValue;
use crate::{Act, Code, FileFact, Origin, Taint, Target};

/// Modules of the project that one program may pull in.
const MODULES: usize = 64;

/// What a module that is loaded inside another counts for among nested evaluations.
const LOAD: usize = 10;

/// Loaded before any script starts, so a file of the same name hides nothing.
const PRELOADED: &[&str] = &[
    "sys",
    "os",
    "builtins",
    "time",
    "io",
    "abc",
    "stat",
    "posixpath",
    "codecs",
    "site",
    "posix",
    "errno",
    "marshal",
    "_io",
    "__future__",
];

impl PyProgram<'_, '_> {
    pub(super) fn import(&mut self, node: &StmtImport) {
        for alias in &node.names {
            let full = alias.name.as_str();
            match &alias.asname {
                Some(name) => {
                    let module = self.resolve(full);
                    self.bind(name.as_str(), module);
                }
                None => {
                    let top = full.split('.').next().unwrap_or(full);
                    let module = self.resolve(full);
                    let bound = if matches!(module, PyValue::Name(_)) {
                        PyValue::name(top)
                    } else if top == full {
                        module
                    } else {
                        self.resolve(top)
                    };
                    self.bind(top, bound);
                }
            }
        }
    }

    pub(super) fn import_from(&mut self, node: &StmtImportFrom) {
        let module = node.module.as_ref().map_or("", |module| module.as_str());
        if module == "__future__" {
            return;
        }
        let source = if node.level > 0 {
            self.relative(module, node.level)
        } else {
            self.resolve(module)
        };
        for alias in &node.names {
            let name = alias.name.as_str();
            if name == "*" {
                self.import_all(&source);
                continue;
            }
            let value = if let PyValue::Name(module) = &source {
                self.library(&format!("{module}.{name}"))
            } else if let PyValue::Module(at) = &source {
                let found = self
                    .state
                    .modules
                    .get(*at)
                    .and_then(|names| names.get(name))
                    .cloned();
                match found {
                    Some(value) => value,
                    None => self.submodule(*at, name),
                }
            } else {
                PyValue::Unknown(Taint::UNKNOWN)
            };
            let bound = alias.asname.as_ref().unwrap_or(&alias.name);
            self.bind(bound.as_str(), value);
        }
    }

    fn import_all(&mut self, source: &PyValue) {
        if let PyValue::Name(module) = source {
            self.stars.push(module.to_string());
        } else if let PyValue::Module(at) = source {
            let names = self.state.modules.get(*at).cloned().unwrap_or_default();
            for (name, value) in names.iter() {
                self.bind(name, value.clone());
            }
        }
    }

    /// A module by its dotted name.
    pub(super) fn resolve(&mut self, full: &str) -> PyValue {
        let top = full.split('.').next().unwrap_or(full);
        if !PRELOADED.contains(&top) {
            let mut places: Vec<String> = self.script_directory().into_iter().collect();
            let base = self.reading.directory().map(str::to_owned);
            for directory in self.search.clone() {
                let place = Target::locate(&self.reading.word(&directory), base.as_deref());
                places.push(place.path);
            }
            for directory in places {
                if let Some(found) = self.load_from(&directory, full) {
                    return found;
                }
            }
        }
        if PYTHON.has_module(full) {
            return PyValue::name(full);
        }
        // A module that is not there by its text may be there as a library.
        match self.searches_elsewhere() {
            true => self
                .reading
                .unknown_call(&format!("sys.path leads elsewhere: import {full}")),
            false => self.reading.unknown_call(&format!("import {full}")),
        }
        PyValue::Unknown(Taint::UNKNOWN)
    }

    /// Whether the program looks for modules outside the directories that it lies in and
    /// starts in.
    fn searches_elsewhere(&self) -> bool {
        let base = self.reading.directory();
        let own: Vec<&str> = base.into_iter().chain(self.reading.source.cwd).collect();
        self.search.iter().any(|directory| {
            let place = Target::locate(&self.reading.word(directory), base);
            !own.iter().any(|own| {
                let rest = place.path.strip_prefix(own.trim_end_matches('/'));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        })
    }

    /// The first place where Python looks for modules.
    fn script_directory(&self) -> Option<String> {
        match self.files.first().and_then(Option::as_deref) {
            Some(file) => file
                .rsplit_once('/')
                .map(|(directory, _)| directory.to_owned()),
            None => self.reading.directory().map(str::to_owned),
        }
    }

    fn relative(&mut self, module: &str, level: u32) -> PyValue {
        let file = self.files.get(self.module).cloned().flatten();
        let mut directory = file
            .as_deref()
            .and_then(|file| file.rsplit_once('/'))
            .map(|(directory, _)| directory);
        for _ in 1..level.min(16) {
            directory = directory
                .and_then(|directory| directory.rsplit_once('/'))
                .map(|(outer, _)| outer);
        }
        let found = directory.map(str::to_owned).and_then(|directory| {
            if module.is_empty() {
                self.load_file(&format!("{directory}/__init__.py"))
            } else {
                self.load_from(&directory, module)
            }
        });
        found.unwrap_or_else(|| {
            self.reading.unknown_call(&format!("import .{module}"));
            PyValue::Unknown(Taint::UNKNOWN)
        })
    }

    /// `from package import module`.
    fn submodule(&mut self, package: usize, name: &str) -> PyValue {
        let file = self.files.get(package).cloned().flatten();
        let directory = file
            .as_deref()
            .and_then(|file| file.strip_suffix("/__init__.py"))
            .map(str::to_owned);
        let found = directory.and_then(|directory| self.load_from(&directory, name));
        found.unwrap_or_else(|| {
            self.reading.unknown_call(&format!("import {name}"));
            PyValue::Unknown(Taint::UNKNOWN)
        })
    }

    /// A module below a directory: each package on the way is loaded too.
    fn load_from(&mut self, directory: &str, full: &str) -> Option<PyValue> {
        let mut place = directory.trim_end_matches('/').to_owned();
        let mut found = None;
        for part in full.split('.') {
            place = format!("{place}/{part}");
            found = match self.load_file(&format!("{place}.py")) {
                Some(module) => Some(module),
                None => match self.load_file(&format!("{place}/__init__.py")) {
                    Some(package) => Some(package),
                    // A directory without `__init__.py` may still be a package.
                    None if found.is_none() && part != full => continue,
                    None => return None,
                },
            };
        }
        found
    }

    fn load_file(&mut self, path: &str) -> Option<PyValue> {
        if let Some(at) = self.imported.get(path) {
            return Some(PyValue::Module(*at));
        }
        let (body, session) = match self.reading.file(path)? {
            FileFact::Text { body, session } => (body, session),
            FileFact::Absent | FileFact::Directory => return None,
            FileFact::Unreadable => {
                // It is there and hides whatever module has that name.
                let name = path.rsplit('/').next().unwrap_or(path);
                self.reading.unknown_call(&format!("import {name}"));
                return Some(PyValue::Unknown(Taint::UNKNOWN));
            }
        };
        let is_deep = self.depth.saturating_add(LOAD) >= DEPTH;
        if is_deep || self.imported.len() >= MODULES {
            self.reading.gap(crate::GapKind::Budget);
            return None;
        }
        let muted = self.reading.mute(false);
        let taint = if *session {
            Taint::SESSION
        } else {
            Taint::NONE
        };
        self.reading.act(Act::Execute {
            code: Code::File(Target::locate(&self.reading.word(path), None)),
            origin: Origin { seen: true, taint },
        });
        self.reading.mute(muted);
        let at = self.enter_module(Some(path.to_owned()));
        self.imported.insert(path.to_owned(), at);
        let outer = std::mem::replace(&mut self.module, at);
        let frames = std::mem::take(&mut self.state.frames);
        // A module is loaded once: its effects count even when a loop is only tried out.
        let muted = self.reading.mute(false);
        // What this session wrote is read to the letter.
        let module = (!session).then(|| path.to_owned());
        let loading = self.reading.load(module);
        self.depth = self.depth.saturating_add(LOAD);
        self.run_text(body);
        self.depth = self.depth.saturating_sub(LOAD);
        self.reading.load(loading);
        self.reading.mute(muted);
        self.state.frames = frames;
        self.module = outer;
        Some(PyValue::Module(at))
    }
}
