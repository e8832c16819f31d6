//! Flags that no file lists, and whose names still tell that they do something.
//!
//! A command whose table lets any flag pass is trusted to have no flag that
//! writes, sends or runs anything beyond those it lists. Tables are written by
//! people and programs grow, so a name such as `--exec` or `--output-file` is
//! believed over the table: it is a gap until the table speaks about it.

/// Words in a flag's name that mean code, a file that is written, or another machine.
const TELLING: &[&str] = &[
    "browser",
    "cmd",
    "command",
    "commands",
    "conf",
    "config",
    "configfile",
    "connect",
    "delete",
    "dump",
    "editor",
    "endpoint",
    "engine",
    "eval",
    "exec",
    "executable",
    "execute",
    "extension",
    "file",
    "fix",
    "helper",
    "hook",
    "hooks",
    "host",
    "inplace",
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
    "pager",
    "plugin",
    "plugins",
    "post",
    "preload",
    "program",
    "proxy",
    "publish",
    "push",
    "rcfile",
    "remove",
    "require",
    "rpc",
    "run",
    "save",
    "script",
    "scripts",
    "server",
    "shell",
    "socket",
    "unlink",
    "upload",
    "url",
    "webhook",
    "wrapper",
    "write",
];

/// First words that turn the meaning round, and last words that only describe it.
const DENYING: &[&str] = &["no", "skip", "without", "ignore", "exclude", "disable"];
const DESCRIBING: &[&str] = &[
    "color", "colour", "count", "depth", "encoding", "format", "level", "limit", "mode", "name",
    "names", "only", "size", "style", "timeout", "type", "width",
];

/// Whether a flag that is not in the table says by its name that it does something.
pub(super) fn tells(word: &str) -> bool {
    let bare = word.trim_start_matches('-');
    let name = bare.split_once('=').map_or(bare, |(name, _)| name);
    let words = || name.split(['-', '_', ':', '.']);
    let denies = words().next().is_some_and(|first| DENYING.contains(&first));
    let describes = words()
        .next_back()
        .is_some_and(|last| DESCRIBING.contains(&last));
    !denies && !describes && words().any(|word| is_telling(&word.to_ascii_lowercase()))
}

fn is_telling(word: &str) -> bool {
    TELLING.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{TELLING, tells};

    #[test]
    fn words_are_sorted() {
        assert!(TELLING.is_sorted());
    }

    #[test]
    fn names_tell() {
        let check = |flag: &str, told: bool| assert_eq!(tells(flag), told, "{flag}");
        check("--exec", true);
        check("-exec", true);
        check("--on-load-script=x", true);
        check("--outFile=x", true);
        check("--stat", false);
        check("--no-config", false);
        check("--output-format", false);
        check("--oneline", false);
        check("--x=--exec", false);
    }
}
