//! What the calls of other languages do, compiled from `languages/*.toml`.
//!
//! A [`CallBehaviour`] lists the effects of one call and what it gives back. A name
//! that is in no table has no behaviour: the caller records a gap.

use crate::template::{ActTemplate, PathUse, Scoped};
use crate::{Account, CloudVerb, DatabaseVerb, Direction, Taint, WriteHow};

/// Names that lead from a module of pure functions to everything else.
const ESCAPES: &[&str] = &[
    "binding",
    "builtins",
    "class_eval",
    "code",
    "codecs",
    "constructor",
    "const_get",
    "ctypes",
    "define_method",
    "eval",
    "exec",
    "fork",
    "importlib",
    "inspect",
    "instance_eval",
    "instance_exec",
    "mainModule",
    "method",
    "module_eval",
    "multiprocessing",
    "open",
    "os",
    "pathlib",
    "pickle",
    "prototype",
    "public_send",
    "require",
    "runpy",
    "send",
    "shutil",
    "socket",
    "spawn",
    "subprocess",
    "sys",
    "system",
    "tempfile",
    "urllib",
    "webbrowser",
];

/// Everything known about one language.
pub(in crate::language) struct LibraryTable {
    /// By dotted name, sorted; `module.*` stands for the rest of a module.
    calls: &'static [NamedCall],
    /// The last names of those that do more than compute, sorted.
    doing: &'static [&'static str],
    /// Methods by the kind of their receiver, sorted; `*` stands for the rest.
    kinds: &'static [(&'static str, &'static [NamedCall])],
    /// Modules that may be imported, sorted.
    modules: &'static [&'static str],
}

/// Many names share a behaviour, which is there once.
type NamedCall = (&'static str, &'static CallBehaviour);

#[derive(Clone, Copy, Debug)]
pub(in crate::language) struct CallBehaviour {
    pub(in crate::language) effects: &'static [CallEffect],
    /// The kind of the result.
    pub(in crate::language) gives: &'static str,
}

/// One thing a call does, with the argument that it concerns.
#[derive(Clone, Copy, Debug)]
pub(in crate::language) enum CallEffect {
    /// What a program may do too.
    Act(ActTemplate<Argument>),
    /// Unpacks an archive below a directory.
    Unpack(Argument),
    /// Opens a file in a mode.
    Open(Argument, Argument),
    /// Puts data into a file that is open.
    Put(Argument),
    /// Shell text.
    Shell(Argument),
    /// A list of words, or shell text when told so.
    ProcessWords(Argument),
    /// A list of words.
    Argv(Argument),
    /// A program and a list of its words.
    Program(Argument),
    /// One argument is shell text, several are words.
    ShellOrWords,
    /// A function, by its name or as code, that the call calls.
    Callback(Argument),
    /// Words one by one from this argument on.
    Words(Argument),
    /// Text in the same language.
    Code(Argument),
    /// Data that runs code when it is loaded.
    Load(Argument),
    /// A connection to a host, not yet with data.
    Reach(Argument),
    /// Runs shell text on another machine.
    Remote(Argument),
    /// Accepts connections at an address.
    Bind(Argument),
    /// Accepts connections at a host given apart from the port.
    Serve(Argument),
    Sql(Argument),
    /// Changes the working directory.
    Directory(Argument),
    Decode,
    Secret,
    Network,
    Local,
    Input,
    Unknown,
    CallResult(CallResult),
}

impl CallEffect {
    /// The file that the result stands for, and the mode it is opened in; one that is
    /// written whole is told none.
    pub(in crate::language) const fn opens(&self) -> Option<(Argument, Option<Argument>)> {
        if let Self::Open(file, mode) = self {
            return Some((*file, Some(*mode)));
        }
        if let Self::Act(ActTemplate::Path(PathUse::Write | PathUse::Edit, file)) = self {
            return Some((*file, None));
        }
        None
    }
}

/// The marks that a file takes over from what is at hand: a name, a time or a mode holds
/// nothing of it.
pub(in crate::language) const fn written_marks(how: WriteHow, data: Taint) -> Taint {
    match how {
        WriteHow::Replace | WriteHow::Append | WriteHow::Edit | WriteHow::Raw => data,
        WriteHow::Touch | WriteHow::Attributes | WriteHow::Link => Taint::NONE,
    }
}

/// Results that are worked out, not only named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::language) enum CallResult {
    /// The first argument itself.
    Same,
    /// The receiver itself.
    Receiver,
    /// A path from parts.
    Path,
    Join,
    Base,
    Parent,
    Home,
    Expand,
    Cwd,
    Names,
    Walk,
    Glob,
    Sibling,
    Temporary,
    /// The program that runs the code itself.
    Interpreter,
    Ffmpeg,
    /// A program by its name on the search path.
    Found,
    Text,
    Glue,
    Split,
    Words,
    Format,
    Replace,
    Trim,
    Elements,
    Pairs,
    Merge,
    Item,
    Variable,
    Member,
    Module,
    Search,
    Partial,
}

/// Where a call finds what it works on.
#[derive(Clone, Copy, Debug)]
pub(in crate::language) struct Argument {
    pub(in crate::language) place: ArgumentPlace,
    /// The keyword, where there is one.
    pub(in crate::language) name: &'static str,
    /// The effect only happens when the argument is given.
    pub(in crate::language) optional: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::language) enum ArgumentPlace {
    Position(u8),
    Keyword,
    Receiver,
    /// No argument: the name is the word itself.
    Itself,
}

impl LibraryTable {
    /// The behaviour of a function by its dotted name.
    pub(in crate::language) fn call(&self, name: &str) -> Option<CallBehaviour> {
        if let Some(found) = find(self.calls, name) {
            return Some(found);
        }
        let mut module = name;
        while let Some((outer, _)) = module.rsplit_once('.') {
            if let Some(found) = find(self.calls, &format!("{outer}.*")) {
                let inside = name.strip_prefix(outer).unwrap_or(name);
                return (!self.leads_out(inside)).then_some(found);
            }
            module = outer;
        }
        None
    }

    /// Whether the rest of a name leads out of the module that a `*` describes:
    /// to another module (`random._os.system`), to the inside of the language
    /// (`Math.constructor`, `Digest.send`), or to a name that elsewhere does more
    /// than compute.
    fn leads_out(&self, inside: &str) -> bool {
        let mut parts = inside.split('.').filter(|part| !part.is_empty());
        let last = parts.next_back().unwrap_or_default();
        let foreign = |part: &str| part.starts_with('_') || ESCAPES.contains(&part);
        foreign(last) || parts.any(foreign) || self.names_effect(last)
    }

    /// The behaviour of a method of a kind.
    pub(in crate::language) fn method(&self, kind: &str, name: &str) -> Option<CallBehaviour> {
        let calls = self.kind(kind)?;
        let private = name.starts_with('_');
        find(calls, name).or_else(|| find(calls, "*").filter(|_| !private))
    }

    /// Whether any described call of this last name does more than compute.
    pub(in crate::language) fn names_effect(&self, last: &str) -> bool {
        self.doing.binary_search(&last).is_ok()
    }

    /// Whether a call is a member of this name: `File` for `File.delete`.
    pub(in crate::language) fn has_member(&self, name: &str) -> bool {
        let start = format!("{name}.");
        let at = self
            .calls
            .partition_point(|(call, _)| *call < start.as_str());
        self.calls
            .get(at)
            .is_some_and(|(call, _)| call.starts_with(&start))
    }

    /// Whether all methods of a kind are described at once.
    pub(in crate::language) fn is_broad(&self, kind: &str) -> bool {
        self.kind(kind)
            .is_some_and(|calls| find(calls, "*").is_some())
    }

    fn kind(&self, kind: &str) -> Option<&'static [NamedCall]> {
        let at = self
            .kinds
            .binary_search_by_key(&kind, |(name, _)| name)
            .ok()?;
        self.kinds.get(at).map(|(_, calls)| *calls)
    }

    /// The name of a described module, or of the one it is inside.
    pub(in crate::language) fn module(&self, name: &str) -> Option<&'static str> {
        let mut module = name;
        loop {
            if let Ok(at) = self.modules.binary_search(&module) {
                return self.modules.get(at).copied();
            }
            module = module.rsplit_once('.')?.0;
        }
    }

    /// Whether a name is exactly that of a described module.
    pub(in crate::language) fn is_module(&self, name: &str) -> bool {
        self.modules.binary_search(&name).is_ok()
    }

    /// Whether a module is one of the described ones, or inside one.
    pub(in crate::language) fn has_module(&self, name: &str) -> bool {
        self.module(name).is_some()
    }
}

fn find(calls: &[NamedCall], name: &str) -> Option<CallBehaviour> {
    let at = calls.binary_search_by_key(&name, |(name, _)| name).ok()?;
    calls.get(at).map(|(_, behaviour)| **behaviour)
}

include!(concat!(env!("OUT_DIR"), "/languages.rs"));
