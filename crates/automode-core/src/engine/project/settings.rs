//! Settings of tools, line by line: what they load or run, and where they lead.

use automode_shell::is_steering_variable;
use serde_json::Value;

use super::kind;
use crate::scene::report;

const TELLING: &[&str] = &[
    "command",
    "exec",
    "preload",
    "loader",
    "wrapper",
    "linker",
    "rustc-",
    "registry",
    "index-url",
    "proxy",
    "hook",
    "basetemp",
    "-p ",
    "-f ",
    "--file",
    "script-shell",
    "node-options",
    "toolchain",
    "git =",
    "git=",
    "git:",
    "replace",
    "patch",
    "runner",
    "rustflags",
    "usingtask",
    "<import",
    "distributionurl",
    "mirror",
    "<extension",
    "javaagent",
    "agentlib",
    "agentpath",
    "bootclasspath",
    "user.home",
    "$(home)",
    "${env",
    "<removedir",
    "<delete",
    "<move",
    "<copy",
    "<java",
    "<script",
    "<get ",
    "writelines",
    "downloadfile",
    "_.source",
    "_.file",
    "run =",
    "run=",
    "cmd",
    "_bin",
    "entrypoint",
    "log_file",
    "data_file",
    "basetemp",
    "init-hook",
    "init_hook",
    "shellhook",
    "-fplugin",
    "plugin_dir",
    "local-plugins",
    "<!(",
    "<!@(",
    "<jvm>",
    "argline",
    "<repositor",
    "<pluginrepositor",
    "<systempath>",
    "<analyzer",
    "project sdk=",
    "auto_prepend",
    "packagesources",
    "auto_append",
    "script_shell",
    "scriptshell",
    "extraargs",
    "compiler:",
    "on-run-",
    "_hooks",
    "\"binary\"",
    "<%",
    "yarnpath",
    "<!entity",
    "path:/",
];

/// Lines that name a place for people.
const SHOWN: &[&str] = &[
    "homepage",
    "repository",
    "documentation",
    "xmlns",
    "schemalocation",
    "$schema",
    "url",
];

/// Lines of a tool's settings that say what it loads or runs, or lead elsewhere.
pub(super) fn settings(path: &str, text: &str) -> Vec<String> {
    if path.contains("/.cargo/") {
        return cargo_settings(text);
    }
    entries(text)
        .iter()
        .filter(|line| {
            // The end of an element is no path.
            let lower = line.to_lowercase().replace("/>", ">");
            let leads = [
                "../", "~/", "\"/", "'/", "= /", "=/", " /", "[/", ",/", "://",
            ];
            let shown = SHOWN.iter().any(|word| lower.contains(word));
            TELLING.iter().any(|word| lower.contains(word))
                || line.split([',', '{', '}', '[', ']']).any(is_steering_line)
                || is_spelled_in_numbers(&lower)
                || takes_data_for_code(&lower)
                || (!shown && leads.iter().any(|lead| lower.contains(lead)))
        })
        .map(|line| format!("sets `{}`, which may load other code", report::name(line)))
        .collect()
}

/// What settings say, one value a line and with its key: an object that stands in one line says
/// no less than one in many, and a line of a list belongs to the key above it.
fn entries(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
        leaves(&value, "", &mut found);
        return found;
    }
    let mut key = "";
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', ';']) || line.starts_with("//") {
            continue;
        }
        let listed = line.starts_with(['"', '\'', '-']) && !line.contains([':', '=']);
        if listed {
            found.push(format!("{key} {line}"));
            continue;
        }
        key = line.split([':', '=']).next().unwrap_or_default().trim();
        found.push(line.to_owned());
    }
    found
}

fn leaves(value: &Value, key: &str, found: &mut Vec<String>) {
    let below = |name: &str| match key {
        "" => name.to_owned(),
        key => format!("{key}.{name}"),
    };
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                leaves(value, &below(name), found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| leaves(item, key, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            found.push(format!("\"{key}\": {value}"));
        }
    }
}

/// `"comm\u0061nd"`: a letter that needs no number.
fn is_spelled_in_numbers(line: &str) -> bool {
    ["\\u00", "\\x", "\\u{"].iter().any(|start| {
        line.split(start).skip(1).any(|rest| {
            let digits = rest.get(..2).unwrap_or_default();
            u8::from_str_radix(digits, 16).is_ok_and(|letter| letter.is_ascii_graphic())
        })
    })
}

/// Lines of a configuration in JavaScript that name a file which is not its language's.
pub(super) fn configured(path: &str, text: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let configures = name.contains(".config.") || name.contains(".conf.") || name.contains("rc.");
    entries(text)
        .iter()
        .filter(|line| configures && takes_data_for_code(&line.to_lowercase()))
        .map(|line| format!("sets `{}`, which may load other code", report::name(line)))
        .collect()
}

/// `NAME = "value"` of a variable that makes programs load or start something.
fn is_steering_line(line: &str) -> bool {
    line.split_once(['=', ':']).is_some_and(|(name, value)| {
        let name = name.trim().trim_matches(['"', '\'']);
        let name = name.rsplit(['.', ' ']).next().unwrap_or(name);
        let upper = !name.is_empty()
            && name
                .chars()
                .all(|letter| letter.is_ascii_uppercase() || matches!(letter, '_' | '0'..='9'));
        upper && is_steering_variable(name, value.trim().trim_matches(['"', '\'']))
    })
}

/// Lines of cargo's own settings, of which only these change nothing about what runs.
fn cargo_settings(text: &str) -> Vec<String> {
    const TABLES: &[&str] = &[
        "term",
        "net",
        "profile",
        "doc",
        "future-incompat-report",
        "cargo-new",
        "alias",
    ];
    const KEYS: &[&str] = &["jobs", "incremental", "target", "dep-info-basedir"];
    let mut table = String::new();
    let mut marks = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with('[') {
            table = line.trim_matches(['[', ']']).trim().to_owned();
            continue;
        }
        let key = line.split('=').next().unwrap_or_default().trim();
        let full = if table.is_empty() {
            key.to_owned()
        } else {
            format!("{table}.{key}")
        };
        let (first, rest) = full.split_once('.').unwrap_or((full.as_str(), ""));
        let calm = TABLES.contains(&first) && !rest.contains("git-fetch-with-cli")
            || first == "build" && KEYS.contains(&rest);
        // An alias is one of cargo's own commands, or runs something else.
        let runs = first == "alias" && (line.contains("run") || line.contains("--config"));
        if !calm || runs {
            marks.push(format!(
                "sets `{}`, which may load other code",
                report::name(line)
            ));
        }
    }
    marks
}

/// What an entry of a package's manifest may start: settings of tools that look for them there.
pub(super) fn manifest_marks(key: &str, value: &Value) -> Vec<String> {
    const PLAIN: &[&str] = &[
        "author",
        "browser",
        "browserslist",
        "bugs",
        "contributors",
        "dependencies",
        "description",
        "devDependencies",
        "engines",
        "exports",
        "files",
        "funding",
        "homepage",
        "imports",
        "keywords",
        "license",
        "minimum-stability",
        "module",
        "name",
        "optionalDependencies",
        "overrides",
        "peerDependencies",
        "peerDependenciesMeta",
        "prefer-stable",
        "private",
        "publishConfig",
        "repository",
        "require",
        "require-dev",
        "resolutions",
        "sideEffects",
        "support",
        "type",
        "types",
        "typings",
        "version",
        "volta",
        "workspaces",
        "$schema",
    ];
    /// Entries that name files which are loaded as code.
    const LOADED: &[&str] = &[
        "autoload",
        "autoload-dev",
        "bin",
        "browser",
        "exports",
        "imports",
        "main",
        "module",
    ];
    let mut found = Vec::new();
    if LOADED.contains(&key) {
        let mut lines = Vec::new();
        leaves(value, key, &mut lines);
        let odd = lines.iter().filter(|line| names_data(line));
        found.extend(odd.map(|line| format!("loads `{}` as code", report::name(line))));
    }
    if PLAIN.contains(&key) {
        return found;
    }
    let lines = serde_json::json!({ key: value }).to_string();
    found.extend(settings("", &lines));
    found
}

/// Words of lines that name code to be loaded.
const LOADS: &[&str] = &[
    "require",
    "setup",
    "plugin",
    "preload",
    "import",
    "include",
    "loader",
    "transform",
    "parser",
    "runner",
    "extends",
    "bootstrap",
    "python_files",
    "testmatch",
    "testregex",
    "pythonpath",
    "environment",
    "reporter",
    "mapper",
    "helpers",
    "entities",
    "spec:",
    "before:",
    "files",
    "extensions",
    "-config",
];

/// A name of data that neither people nor tools have a use for in settings and code.
pub(super) fn is_odd_data(word: &str) -> bool {
    word.contains('.') && kind::is_data(word) && !kind::is_ordinary(kind::ending(word))
}

/// Whether a line names a file that people read, and programs only as what they work on.
fn names_data(line: &str) -> bool {
    let mut words = line.split(['"', '\'', ' ', '\t', ',', '=', '[', ']', '(', ')', '<', '>']);
    words.any(|word| {
        let word = word.trim_end_matches(['$', '}', ')', '?', '|']);
        let read = matches!(
            kind::ending(word),
            "txt" | "text" | "md" | "markdown" | "rst" | "html" | "htm" | "csv" | "tsv" | "log"
        );
        read || is_odd_data(word)
    })
}

/// Whether a line of settings says which files are run, and means some that are not read.
fn runs_data(line: &str) -> bool {
    const PATTERNS: &[&str] = &[
        "python_files",
        "testmatch",
        "testregex",
        "setupfiles",
        "globalsetup",
        "globalteardown",
        "transform",
        "preload",
        "spec:",
        "testpattern",
    ];
    let bare = |word: &str| kind::is_data(&format!("x.{word}")) && word != "json";
    let endings = line.contains("modulefileextensions")
        && line
            .split(['"', '\'', ' ', ','])
            .any(|word| !word.is_empty() && bare(word));
    endings || PATTERNS.iter().any(|key| line.contains(key)) && names_data(line)
}

/// Whether a line names a library of machine code.
fn names_library(line: &str) -> bool {
    let mut words = line.split([
        '"', '\'', ' ', '\t', ',', '=', '[', ']', ':', '<', '>', '{', '}',
    ]);
    words.any(|word| {
        matches!(
            kind::ending(word),
            "so" | "dll" | "dylib" | "jar" | "node" | "pyd" | "wasm" | "exe"
        )
    })
}

/// Whether a line of settings takes a file for code whose name says that it is none.
fn takes_data_for_code(line: &str) -> bool {
    const KEYS: &[&str] = &[
        "path",
        "build",
        "setup",
        "main",
        "entry",
        "config",
        "preset",
        "bootstrap",
        "python_files",
        "plugin",
        "parser",
        "extends",
        "require",
        "import",
        "transform",
        "process",
        "provider",
        "resolver",
        "report",
        "format",
        "environment",
        "runner",
        "rules",
        "autoload",
        "module",
    ];
    // A line of a list says nothing but the name.
    let listed = line.trim_start().starts_with(['"', '\'', '-']);
    let named = KEYS.iter().any(|key| line.contains(key));
    let data = |word: &str| {
        word.contains('.')
            && kind::is_data(word)
            && !word.ends_with(".toml")
            && !word.ends_with(".json")
    };
    let quoted = || line.split(['"', '\'']).skip(1).step_by(2);
    let bare = || line.split([' ', '\t', ',', '[', ']', '"', '\'']);
    let beside = |word: &str| {
        ["./", "<rootdir>/", "${", "$("]
            .iter()
            .any(|start| word.starts_with(start))
            && data(word)
    };
    // Nobody names such a file in settings but to have it loaded.
    let odd = is_odd_data;
    let loads = LOADS.iter().any(|word| line.contains(word));
    let words = || {
        line.split([
            ' ', '\t', ',', '[', ']', '"', '\'', '=', '(', ')', '<', '>', ';',
        ])
    };
    runs_data(line)
        || names_library(line)
        || named && quoted().any(data)
        || (named || listed || loads) && bare().any(beside)
        || (named || listed || loads) && words().any(odd)
}
