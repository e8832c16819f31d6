//! Tests, as their runner would run them, and modules, as anybody may use them.

use std::collections::BTreeMap;

/// Files whose functions a tool calls by their names.
const LOADED: &[&str] = &[
    "conftest.py",
    "dodo.py",
    "environment.py",
    "fabfile.py",
    "gunicorn.conf.py",
    "hatch_build.py",
    "locustfile.py",
    "noxfile.py",
    "setup.py",
    "tasks.py",
];

/// Folders whose files are steps of a story.
const FOLDERS: &[&str] = &["/features/", "/steps/"];

/// The text of a Python test with a call of every function that the runner calls.
pub fn called(path: &str, text: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    let tests = name.starts_with("test_")
        || name.ends_with("_test.py")
        || LOADED.contains(&name)
        || FOLDERS.iter().any(|folder| path.contains(folder));
    if !tests || !name.ends_with(".py") {
        return text.to_owned();
    }
    let mut calls = String::new();
    let mut class = None;
    for line in text.lines() {
        let bare = line.trim_start();
        let outer = bare.len() == line.len();
        if let Some(rest) = line.strip_prefix("class ") {
            class = Some(identifier(rest));
        }
        let Some(rest) = bare
            .strip_prefix("async ")
            .unwrap_or(bare)
            .strip_prefix("def ")
        else {
            continue;
        };
        let function = identifier(rest);
        match class {
            _ if outer => {
                class = None;
                calls.push_str(&format!("{function}()\n"));
            }
            Some(class) if is_called_by_runner(function) => {
                calls.push_str(&format!("{class}().{function}()\n"));
            }
            Some(_) | None => {}
        }
    }
    format!("{text}\n{calls}")
}

/// The text of a Python module with a call of everything that it defines: whoever loads it
/// may call that. What a function is given is a place of its own, so that only what it reaches
/// for by itself shows. A few calls at a time, so that each has the reader's whole patience;
/// none where it defines nothing, reaches for nothing, or is no Python.
pub fn lent(path: &str, text: &str) -> Vec<String> {
    let python = matches!(path.rsplit_once('.'), Some((_, "py" | "pyw")));
    if !python || is_self_contained(text) {
        return Vec::new();
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut outer: Vec<Definition<'_>> = Vec::new();
    let mut made: BTreeMap<String, String> = BTreeMap::new();
    let mut calls: Vec<(String, String, String)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let bare = line.trim_start();
        let indent = line.len().saturating_sub(bare.len());
        let function = bare.strip_prefix("async ").unwrap_or(bare).trim_start();
        let function = function
            .strip_prefix("def ")
            .map(|rest| (DefinitionKind::Function, identifier(rest.trim_start())));
        let class = bare
            .strip_prefix("class ")
            .map(|rest| (DefinitionKind::Class, identifier(rest.trim_start())));
        let found = function.or(class);
        let lambda = bare
            .split_once('=')
            .filter(|(_, value)| value.trim_start().starts_with("lambda"))
            .map(|(name, _)| identifier(name));
        if found.is_none() && lambda.is_none() {
            continue;
        }
        while outer.last().is_some_and(|last| last.indent >= indent) {
            outer.pop();
        }
        // What a function defines within itself is seen when it is called.
        if outer
            .iter()
            .any(|within| within.kind == DefinitionKind::Function)
        {
            continue;
        }
        let classes: Vec<&str> = outer.iter().map(|within| within.name).collect();
        let class = classes.join(".");
        if let Some(name) = lambda {
            calls.push((class, name.to_owned(), String::new()));
            continue;
        }
        let Some((kind, name)) = found else { continue };
        match kind {
            DefinitionKind::Class => {
                let own = [classes.as_slice(), &[name]].concat().join(".");
                made.entry(own.clone()).or_default();
                calls.push((own, String::new(), String::new()));
            }
            DefinitionKind::Function => {
                let given = required(lines.get(at..).unwrap_or_default());
                if name == "__init__" && !class.is_empty() {
                    made.insert(class, given);
                } else {
                    calls.push((class, name.to_owned(), given));
                }
            }
        }
        outer.push(Definition { indent, kind, name });
    }
    let called: Vec<String> = calls
        .into_iter()
        .map(|(class, name, given)| {
            let instance = || {
                let given = made.get(&class).map_or("", String::as_str);
                format!("{class}({given})")
            };
            match (class.is_empty(), name.is_empty()) {
                (true, _) => format!("__lent__({name}, {name}({given}))\n"),
                (false, true) => format!("__lent__({})\n", instance()),
                (false, false) => {
                    let instance = instance();
                    format!("__lent__({instance}.{name}({given}))\n")
                }
            }
        })
        .collect();
    let at_once = called.len().div_ceil(PARTS).max(AT_ONCE);
    called
        .chunks(at_once)
        .map(|calls| format!("{text}\nimport tempfile\n{}", calls.concat()))
        .collect()
}

/// Calls that are read together, and the most parts of a large module.
const AT_ONCE: usize = 8;
const PARTS: usize = 4;

/// Whether a text computes and does nothing else, whoever calls it: it imports only what
/// computes, and no word of it leads anywhere else.
fn is_self_contained(text: &str) -> bool {
    const COMPUTES: &[&str] = &[
        "__future__",
        "abc",
        "array",
        "ast",
        "base64",
        "binascii",
        "bisect",
        "calendar",
        "cmath",
        "collections",
        "colorsys",
        "contextlib",
        "copy",
        "csv",
        "dataclasses",
        "datetime",
        "decimal",
        "difflib",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "hmac",
        "html",
        "ipaddress",
        "itertools",
        "json",
        "keyword",
        "math",
        "numbers",
        "pprint",
        "random",
        "re",
        "reprlib",
        "secrets",
        "statistics",
        "string",
        "struct",
        "textwrap",
        "time",
        "typing",
        "typing_extensions",
        "unicodedata",
        "uuid",
        "warnings",
        "zlib",
        "zoneinfo",
        "pytest",
        "attr",
        "attrs",
        "pydantic",
        "numpy",
    ];
    const REACHES: &[&str] = &[
        "open",
        "eval",
        "exec",
        "compile",
        "getattr",
        "setattr",
        "globals",
        "locals",
        "vars",
        "input",
        "breakpoint",
        "load",
        "loads",
        "fromfile",
        "tofile",
        "memmap",
        "save",
        // Modules that other modules hold: `random._os`.
        "os",
        "_os",
        "sys",
        "_sys",
        "io",
        "codecs",
        "system",
        "popen",
        "subprocess",
        "shutil",
        "socket",
        "pathlib",
        "builtins",
        "importlib",
        "inspect",
        "types",
        "ctypes",
    ];
    let mut words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let reaches =
        words.any(|word| REACHES.contains(&word) || (word.starts_with("__") && !is_usual(word)));
    let imports = text.lines().map(str::trim_start).all(|line| {
        let module = line
            .strip_prefix("import ")
            .or_else(|| line.strip_prefix("from "));
        module.is_none_or(|modules| {
            let modules = modules.split(" import ").next().unwrap_or_default();
            modules.split(',').all(|module| {
                let root = module.trim().split(['.', ' ']).next().unwrap_or_default();
                COMPUTES.contains(&root)
            })
        })
    });
    !reaches && imports && !text.contains("\\\n") && !text.contains(';')
}

/// Names with underscores that lead nowhere.
fn is_usual(word: &str) -> bool {
    matches!(
        word,
        "__init__"
            | "__name__"
            | "__main__"
            | "__all__"
            | "__future__"
            | "__repr__"
            | "__str__"
            | "__eq__"
            | "__ne__"
            | "__lt__"
            | "__le__"
            | "__gt__"
            | "__ge__"
            | "__hash__"
            | "__len__"
            | "__iter__"
            | "__next__"
            | "__contains__"
            | "__getitem__"
            | "__setitem__"
            | "__delitem__"
            | "__enter__"
            | "__exit__"
            | "__call__"
            | "__bool__"
            | "__add__"
            | "__sub__"
            | "__mul__"
            | "__truediv__"
            | "__neg__"
            | "__post_init__"
            | "__slots__"
            | "__version__"
            | "__doc__"
            | "__new__"
            | "__radd__"
            | "__iadd__"
            | "__mod__"
            | "__format__"
            | "__int__"
            | "__float__"
            | "__abs__"
            | "__and__"
            | "__or__"
            | "__xor__"
    )
}

/// A function or class that lines further in belong to.
struct Definition<'a> {
    indent: usize,
    kind: DefinitionKind,
    name: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DefinitionKind {
    Class,
    Function,
}

/// A value for every parameter without a default, as the words of a call.
fn required(lines: &[&str]) -> String {
    let mut depth = 0_usize;
    let mut parameters: Vec<String> = vec![String::new()];
    'signature: for line in lines.iter().take(64) {
        for letter in line.split('#').next().unwrap_or_default().chars() {
            match letter {
                '(' | '[' | '{' => depth = depth.saturating_add(1),
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                ',' if depth == 1 => {
                    parameters.push(String::new());
                    continue;
                }
                _ => {}
            }
            if depth == 0 && letter == ')' {
                break 'signature;
            }
            if let Some(last) = parameters.last_mut().filter(|_| depth > 0) {
                last.push(letter);
            }
        }
    }
    let mut by_name = false;
    let mut given = Vec::new();
    for parameter in &parameters {
        let parameter = parameter.trim_start_matches('(').trim();
        if parameter.starts_with('*') {
            by_name = !parameter.starts_with("**");
            continue;
        }
        let name = identifier(parameter);
        let itself = matches!(name, "self" | "cls" | "mcs" | "mcls" | "metacls");
        if name.is_empty() || itself || parameter.contains('=') {
            continue;
        }
        given.push(if by_name {
            format!("{name}=tempfile.mkdtemp()")
        } else {
            "tempfile.mkdtemp()".to_owned()
        });
    }
    given.join(", ")
}

/// A method that a runner calls by its name.
fn is_called_by_runner(method: &str) -> bool {
    ["test", "set", "tear", "run", "on_", "before", "after", "as"]
        .iter()
        .any(|start| method.starts_with(start))
}

fn identifier(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{called, lent};

    #[test]
    fn a_runner_calls_what_a_test_defines() {
        let text = "def test_a():\n    pass\nclass TestB:\n    def test_c(self):\n        pass\n";
        let run = called("/p/test_x.py", text);
        assert!(run.ends_with("test_a()\nTestB().test_c()\n"), "{run}");
        let steps = called(
            "/p/features/environment.py",
            "def before_all(c):\n    pass\n",
        );
        assert!(steps.ends_with("before_all()\n"), "{steps}");
        assert_eq!(called("/p/app.py", text), text);
    }

    #[test]
    fn everything_that_a_module_defines_is_called() {
        let check = |text: &str, expected: &[&str]| {
            let text = format!("import os\n{text}");
            let calls = lent("/p/app.py", &text).join("\n");
            let calls: Vec<&str> = calls
                .lines()
                .filter_map(|line| line.strip_prefix("__lent__(")?.strip_suffix(')'))
                .collect();
            assert_eq!(calls, expected, "{text}");
        };
        let one = "tempfile.mkdtemp()";
        check("x = 1\n", &[]);
        check(
            "def f(a, b=1, *, c):\n    def g(): pass\n",
            &[&format!("f, f({one}, c={one})")],
        );
        check(
            "if x:\n    async def f(\n        a: dict[str, int],\n    ): pass\nelse:\n    h = lambda: 1\n",
            &[&format!("f, f({one})"), "h, h()"],
        );
        check(
            "class A:\n    def __init__(self, a): pass\n    class B:\n        def m(self): pass\n    def n(self, x): pass\n",
            &[
                &format!("A({one})"),
                "A.B()",
                "A.B().m()",
                &format!("A({one}).n({one})"),
            ],
        );
        assert_eq!(
            lent("/p/app.txt", "import os\ndef f(): pass\n"),
            Vec::<String>::new()
        );
        let computes = "from dataclasses import dataclass\n\ndef add(a, b):\n    return a + b\n";
        assert_eq!(lent("/p/app.py", computes), Vec::<String>::new());
        let reaches = "def add(a, b):\n    return __import__('os').system(a)\n";
        assert_eq!(lent("/p/app.py", reaches).len(), 1);
    }
}
