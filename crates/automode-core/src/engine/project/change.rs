//! What a change brings into a text that starts code of its own accord.

use std::collections::BTreeMap;

use automode_shell::language::is_same_python;

use super::kind;

/// Words by which Python starts a program or runs a text, or comes by one that does.
const STARTS: &[&str] = &[
    "Popen",
    "__builtins__",
    "__dict__",
    "__globals__",
    "__import__",
    "call",
    "check_call",
    "check_output",
    "compile",
    "create_subprocess_exec",
    "create_subprocess_shell",
    "eval",
    "exec",
    "execv",
    "execve",
    "execvp",
    "getattr",
    "getoutput",
    "getstatusoutput",
    "globals",
    "import_module",
    "load",
    "loads",
    "locals",
    "os",
    "popen",
    "posix_spawn",
    "run",
    "run_module",
    "run_path",
    "runpy",
    "spawn",
    "subprocess",
    "system",
    "vars",
];

/// Whether code that starts whatever it is given may be given something else than before: a new
/// line names a way to start code, or anything that the text had defined.
pub(super) fn may_start_anew(path: &str, before: &str, now: &str) -> bool {
    if !matches!(kind::ending(path), "py" | "pyw") {
        return before != now;
    }
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for line in before.lines() {
        let count = known.entry(line.trim()).or_default();
        *count = count.saturating_add(1);
    }
    let defined: Vec<&str> = before.lines().filter_map(name).collect();
    now.lines()
        .map(str::trim)
        .filter(|line| match known.get_mut(line) {
            Some(count) if *count > 0 => {
                *count = count.saturating_sub(1);
                false
            }
            Some(_) | None => !line.starts_with('#'),
        })
        .flat_map(words)
        .any(|word| STARTS.contains(&word) || defined.contains(&word))
}

/// Whether a change leaves what the text does as it was: only blanks at its end differ, or, in
/// Python, comments and blanks.
pub(super) fn does_the_same(path: &str, before: &str, now: &str) -> bool {
    let is_python = matches!(kind::ending(path), "py" | "pyw");
    before.trim_end() == now.trim_end() || is_python && is_same_python(before, now)
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

/// What a line defines or binds, as far as it can be called.
fn name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("async ").unwrap_or(line).trim_start();
    let defined = line
        .strip_prefix("def ")
        .or_else(|| line.strip_prefix("class "));
    let bound = || line.split_once('=').map(|(name, _)| name);
    let name = defined.or_else(bound)?;
    words(name.trim_start())
        .next()
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{does_the_same, may_start_anew};

    #[test]
    fn a_change_of_comments_and_blanks_does_the_same() {
        let before = "import os\n\ndef home():\n    return os.getcwd()\n";
        let check = |path: &str, now: &str, expected: bool| {
            assert_eq!(does_the_same(path, before, now), expected, "{now}");
        };
        check("/w/a.rb", &format!("{before}\n\n"), true);
        check("/w/a.rb", &format!("{before}# why\n"), false);
        check("/w/a.py", &format!("{before}# why\n"), true);
        check(
            "/w/a.py",
            "import os\ndef home():\n    # why\n    return os.getcwd()",
            true,
        );
        for other in [
            "import os\n\ndef home():\n    return os.getlogin()\n".to_owned(),
            format!("{before}home()\n"),
            format!("#!/bin/sh\n{before}"),
            format!("# coding: utf-7\n{before}"),
            format!("{before}# /// script\n# dependencies = [\"x\"]\n# ///\n"),
            format!("{before}# %%\n# !rm -rf ~\n"),
            "def home(:\n".to_owned(),
        ] {
            check("/w/a.py", &other, false);
        }
    }

    #[test]
    fn a_new_line_that_names_a_way_to_start_code_may_start_something_else() {
        let before = "import subprocess\ndef start(words):\n    subprocess.run(words)\n";
        let check = |path: &str, added: &str, expected: bool| {
            let now = format!("{before}{added}\n");
            assert_eq!(may_start_anew(path, before, &now), expected, "{added}");
        };
        for harmless in [
            "",
            "# start(x)",
            "LIMIT = 3",
            "    return None",
            "import json",
        ] {
            check("/w/a.py", harmless, false);
        }
        for other in [
            "start(WORDS)",
            "again = start",
            "subprocess.run(WORDS)",
            "exec(TEXT)",
            "getattr(module, NAME)(WORDS)",
            "    subprocess.run(words)",
        ] {
            check("/w/a.py", other, true);
        }
        check("/w/a.sh", "echo", true);
        assert!(!may_start_anew("/w/a.sh", before, before));
    }
}
