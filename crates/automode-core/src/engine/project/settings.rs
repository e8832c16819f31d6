//! Settings of tools, line by line: what they load or run, and where they lead.

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
pub(super) fn settings(text: &str) -> Vec<String> {
    text.lines()
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
                || takes_data_for_code(&lower)
                || (!shown && leads.iter().any(|lead| lower.contains(lead)))
        })
        .map(|line| format!("sets `{}`, which may load other code", report::name(line)))
        .collect()
}

/// What an entry of a package's manifest may start: settings of tools that look for them there.
pub(super) fn manifest_marks(key: &str, value: &serde_json::Value) -> Vec<String> {
    const PLAIN: &[&str] = &[
        "author",
        "autoload",
        "autoload-dev",
        "bin",
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
        "main",
        "minimum-stability",
        "module",
        "name",
        "optionalDependencies",
        "overrides",
        "packageManager",
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
    ];
    if PLAIN.contains(&key) {
        return Vec::new();
    }
    serde_json::to_string_pretty(&serde_json::json!({ key: value }))
        .map(|lines| settings(&lines))
        .unwrap_or_default()
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
    let beside = |word: &str| word.starts_with("./") && data(word);
    named && quoted().any(data) || (named || listed) && bare().any(beside)
}
