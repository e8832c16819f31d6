//! Modules that stand before Python's own.
//!
//! `python -m json.tool` and `python -c 'import csv'` look for every module in the working
//! directory first, and a script looks beside itself. A file there that bears the name of
//! a module of the library runs in its place, whatever the program was started for.

use super::meaning::Meaning;
use crate::{FileFact, Span};

/// Modules that the library loads for itself or for its tools.
const LIBRARY: &[&str] = &[
    "abc",
    "argparse",
    "ast",
    "asyncio",
    "base64",
    "bdb",
    "bisect",
    "bz2",
    "calendar",
    "cmd",
    "code",
    "codecs",
    "collections",
    "compileall",
    "concurrent",
    "configparser",
    "contextlib",
    "copy",
    "copyreg",
    "csv",
    "ctypes",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "dis",
    "doctest",
    "email",
    "encodings",
    "enum",
    "fnmatch",
    "fractions",
    "functools",
    "genericpath",
    "getopt",
    "getpass",
    "gettext",
    "glob",
    "graphlib",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "imp",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "json",
    "keyword",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "mimetypes",
    "multiprocessing",
    "ntpath",
    "numbers",
    "opcode",
    "operator",
    "optparse",
    "os",
    "pathlib",
    "pdb",
    "pickle",
    "pkgutil",
    "platform",
    "posixpath",
    "pprint",
    "profile",
    "pstats",
    "py_compile",
    "queue",
    "quopri",
    "random",
    "re",
    "readline",
    "reprlib",
    "runpy",
    "secrets",
    "selectors",
    "shlex",
    "shutil",
    "signal",
    "site",
    "sitecustomize",
    "socket",
    "socketserver",
    "sqlite3",
    "sre_compile",
    "sre_constants",
    "sre_parse",
    "ssl",
    "stat",
    "statistics",
    "string",
    "stringprep",
    "struct",
    "subprocess",
    "symtable",
    "sysconfig",
    "tabnanny",
    "tarfile",
    "tempfile",
    "textwrap",
    "threading",
    "timeit",
    "token",
    "tokenize",
    "tomllib",
    "trace",
    "traceback",
    "tracemalloc",
    "types",
    "typing",
    "unittest",
    "urllib",
    "usercustomize",
    "uuid",
    "venv",
    "warnings",
    "weakref",
    "webbrowser",
    "xml",
    "zipfile",
    "zipimport",
    "zoneinfo",
];

impl Meaning<'_> {
    /// A gap for a file of this session that Python would load in place of its own module.
    pub(super) fn check_shadowed_library(&mut self, directory: Option<&str>, span: Span) {
        let Some(directory) = directory else {
            return;
        };
        let directory = directory.trim_end_matches('/');
        let own = |fact: &FileFact| match fact {
            FileFact::Text { session, .. } => *session,
            FileFact::Unreadable => true,
            FileFact::Directory | FileFact::Absent => false,
        };
        let found = self.facts.files.iter().find_map(|(path, fact)| {
            let name = path.strip_prefix(directory)?.strip_prefix('/')?;
            let module = name
                .strip_suffix("/__init__.py")
                .or_else(|| name.strip_suffix(".py"))?;
            (own(fact) && LIBRARY.contains(&module)).then(|| name.to_owned())
        });
        if let Some(name) = found {
            self.unseen(format!("`{name}` in place of Python's own module"), span);
        }
    }
}
