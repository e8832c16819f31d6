//! Names of options that tell of an effect.
//!
//! An option called `--exec` or `--output-file` may be inert all the same, but
//! then somebody has to say why.

/// Words in an option's name that mean code, a file that is written, or another machine.
const TELLING: &[&str] = &[
    "browser",
    "clean",
    "cmd",
    "command",
    "commands",
    "conf",
    "config",
    "configfile",
    "connect",
    "delete",
    "destroy",
    "drop",
    "dump",
    "editor",
    "endpoint",
    "engine",
    "erase",
    "eval",
    "exec",
    "executable",
    "execute",
    "extension",
    "file",
    "fix",
    "force",
    "helper",
    "hook",
    "hooks",
    "host",
    "inplace",
    "install",
    "linker",
    "load",
    "loader",
    "logfile",
    "out",
    "outdir",
    "outfile",
    "output",
    "outputdir",
    "outputfile",
    "overwrite",
    "pager",
    "plugin",
    "plugins",
    "post",
    "preload",
    "program",
    "proxy",
    "prune",
    "publish",
    "purge",
    "push",
    "rcfile",
    "remove",
    "replace",
    "require",
    "rm",
    "rpc",
    "run",
    "save",
    "script",
    "scripts",
    "server",
    "shell",
    "socket",
    "unlink",
    "update",
    "upload",
    "url",
    "webhook",
    "wipe",
    "wrapper",
    "write",
];

/// First words that turn the meaning round, and last words that only describe it.
const DENYING: &[&str] = &[
    "no", "skip", "without", "ignore", "exclude", "disable", "dry", "never",
];
const DESCRIBING: &[&str] = &[
    "color", "colour", "count", "depth", "encoding", "format", "level", "limit", "mode", "name",
    "names", "only", "run", "size", "style", "timeout", "type", "width",
];

/// Whether the name of an option says that it does something.
pub fn tells(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    let words: Vec<String> = name.split(['-', '_', ':', '.']).flat_map(humps).collect();
    let first = words.first().map(String::as_str).unwrap_or_default();
    let last = words.last().map(String::as_str).unwrap_or_default();
    let denies = words.len() > 1 && DENYING.contains(&first);
    let describes = words.len() > 1 && DESCRIBING.contains(&last);
    !denies && !describes && words.iter().any(|word| TELLING.contains(&word.as_str()))
}

/// `outFile` as `out` and `file`.
fn humps(word: &str) -> Vec<String> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut lower = false;
    for letter in word.chars() {
        if letter.is_uppercase() && lower {
            parts.push(String::new());
        }
        lower = letter.is_lowercase();
        if let Some(last) = parts.last_mut() {
            last.extend(letter.to_lowercase());
        }
    }
    parts
}
