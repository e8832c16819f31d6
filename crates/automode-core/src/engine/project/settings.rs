//! Settings of tools, line by line: what they load or run, and where they lead.

use automode_shell::is_steering_variable;

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
    let lines = text.lines();
    if path.contains("/.cargo/") {
        return cargo_settings(text);
    }
    lines
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with(['#', ';']) && !line.starts_with("//"))
        .filter(|line| {
            // The end of an element is no path.
            let lower = line.to_lowercase().replace("/>", ">");
            let leads = [
                "../", "~/", "\"/", "'/", "= /", "=/", " /", "[/", ",/", "://",
            ];
            let shown = SHOWN.iter().any(|word| lower.contains(word));
            TELLING.iter().any(|word| lower.contains(word))
                || is_steering_line(line)
                || takes_data_for_code(&lower)
                || (!shown && leads.iter().any(|lead| lower.contains(lead)))
        })
        .map(|line| format!("sets `{}`, which may load other code", report::name(line)))
        .collect()
}

/// `NAME = "value"` of a variable that makes programs load or start something.
fn is_steering_line(line: &str) -> bool {
    line.split_once(['=', ':']).is_some_and(|(name, value)| {
        let name = name.trim().trim_matches(['"', '\'']);
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
pub(super) fn manifest_marks(key: &str, value: &serde_json::Value) -> Vec<String> {
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
    if PLAIN.contains(&key) {
        return Vec::new();
    }
    serde_json::to_string_pretty(&serde_json::json!({ key: value }))
        .map(|lines| settings("", &lines))
        .unwrap_or_default()
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

/// Endings of what people and tools read, which settings name all the time.
const ORDINARY: &[&str] = &[
    "md",
    "markdown",
    "rst",
    "adoc",
    "txt",
    "json",
    "json5",
    "jsonc",
    "toml",
    "yml",
    "yaml",
    "csv",
    "tsv",
    "html",
    "htm",
    "css",
    "scss",
    "sass",
    "less",
    "svg",
    "png",
    "jpg",
    "jpeg",
    "gif",
    "ico",
    "webp",
    "woff",
    "woff2",
    "lock",
    "map",
    "log",
    "sql",
    "proto",
    "graphql",
    "xml",
    "ini",
    "cfg",
    "conf",
    "typed",
    "pem",
    "crt",
    "env",
    "db",
    "sqlite",
    "sqlite3",
    "xsd",
    "prisma",
    "lcov",
    "po",
    "ignore",
    "pdf",
    "properties",
    "tmpl",
    "template",
    "j2",
    "jinja",
    "hbs",
    "feature",
];

/// A name of data that neither people nor tools have a use for in settings and code.
pub(super) fn is_odd_data(word: &str) -> bool {
    word.contains('.') && kind::is_data(word) && !ORDINARY.contains(&kind::ending(word))
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
    named && quoted().any(data)
        || (named || listed || loads) && bare().any(beside)
        || (named || listed || loads) && words().any(odd)
}
