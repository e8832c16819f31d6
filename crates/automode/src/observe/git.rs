//! Whether git has the content of a path.
//!
//! The only place that starts a program. `git` gets an environment of its own, no
//! hooks, no monitor and no submodules, and is not started at all where the
//! repository's own configuration would make it run something. It gets a
//! deadline; what it cannot tell in time is not known.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use automode_core::GitState;

use super::repo;

const DEADLINE: Duration = Duration::from_secs(2);
/// The most output that is read; a repository that has more to say is dirty.
const MOST: u64 = 1024 * 1024;

/// Variables git needs to find itself and the user's own settings.
const INHERITED: &[&str] = &["PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT"];

/// The state of a canonical path; of a directory, of everything in it.
pub(super) fn state(path: &Path) -> GitState {
    let directory = if path.is_dir() {
        Some(path)
    } else {
        path.parent()
    };
    let Some(repository) = directory.and_then(repo::find) else {
        return GitState::None;
    };
    if !repository.helpers().iter().all(|key| is_idle(key)) {
        return GitState::None;
    }
    let status = [
        "status",
        "--porcelain",
        "-z",
        "--untracked-files=all",
        "--ignored=matching",
        "--ignore-submodules=all",
        "--no-renames",
    ];
    let Some(report) = run(&repository.root, &status, path) else {
        return GitState::None;
    };
    match worst(&report) {
        Some(state) => state,
        // Silence means clean, or that git knows nothing of it.
        None => match run(&repository.root, &["ls-files", "-z"], path) {
            Some(tracked) if !tracked.is_empty() => GitState::Clean,
            Some(_) => GitState::Untracked,
            None => GitState::None,
        },
    }
}

/// Whether the key is of no consequence for `status` and `ls-files`, or overridden by us.
fn is_idle(key: &str) -> bool {
    let key = key.to_lowercase();
    !(key.starts_with("filter.") || key.starts_with("include"))
}

/// The state that would lose most, of all that `status` reports.
fn worst(report: &[u8]) -> Option<GitState> {
    report
        .split(|byte| *byte == 0)
        .filter_map(|entry| entry.get(..2))
        .map(|code| match code {
            b"??" => GitState::Untracked,
            b"!!" => GitState::Ignored,
            _ => GitState::Dirty,
        })
        .max_by_key(|state| match state {
            GitState::Clean | GitState::None => 0,
            GitState::Ignored => 1,
            GitState::Dirty => 2,
            GitState::Untracked => 3,
        })
}

fn run(root: &Path, arguments: &[&str], path: &Path) -> Option<Vec<u8>> {
    let mut command = Command::new("git");
    command
        .env_clear()
        .envs(
            INHERITED
                .iter()
                .filter_map(|name| Some((name, std::env::var_os(name)?))),
        )
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .env("LC_ALL", "C")
        .arg("-C")
        .arg(root)
        .args([
            "--no-pager",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
        ])
        .args(arguments)
        .arg("--")
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    wait(command.spawn().ok()?)
}

/// The whole output of a process that ended well and in time.
fn wait(mut child: Child) -> Option<Vec<u8>> {
    let output = child.stdout.take()?;
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut report = Vec::new();
        let read = output.take(MOST).read_to_end(&mut report);
        // Nobody listens any more once the deadline has passed.
        sender
            .send(read.is_ok().then_some(report))
            .unwrap_or_default();
    });
    let report = receiver.recv_timeout(DEADLINE).ok().flatten();
    if report.is_none() {
        child.kill().ok();
    }
    let ended = child.wait().is_ok_and(|status| status.success());
    report.filter(|report| ended || report.len() as u64 == MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn git(root: &Path, arguments: &[&str]) {
        let done = Command::new("git")
            .current_dir(root)
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
            .args(arguments)
            .output()
            .expect("git runs");
        assert!(done.status.success(), "{arguments:?}: {done:?}");
    }

    #[test]
    fn git_tells_what_it_has() {
        let tree = tempfile::tempdir().expect("a directory");
        let root = fs::canonicalize(tree.path()).expect("canonical");
        fs::create_dir_all(root.join("src")).expect("a directory");
        fs::write(root.join(".gitignore"), "dist\n").expect("written");
        fs::write(root.join("src/clean"), "1").expect("written");
        fs::write(root.join("dirty"), "1").expect("written");
        git(&root, &["init", "-q"]);
        git(&root, &["add", "."]);
        git(&root, &["commit", "-qm", "one"]);
        fs::write(root.join("dirty"), "2").expect("written");
        fs::write(root.join("untracked*"), "1").expect("written");
        fs::create_dir_all(root.join("dist")).expect("a directory");
        fs::write(root.join("dist/app.js"), "1").expect("written");
        fs::write(root.join("staged"), "1").expect("written");
        git(&root, &["add", "staged"]);
        let check = |path: &str, expected: GitState| {
            assert_eq!(state(&root.join(path)), expected, "{path}");
        };
        check("src/clean", GitState::Clean);
        check("src", GitState::Clean);
        check("dirty", GitState::Dirty);
        check("staged", GitState::Dirty);
        check("untracked*", GitState::Untracked);
        check("dist/app.js", GitState::Ignored);
        check("", GitState::Untracked);
        assert_eq!(state(Path::new("/")), GitState::None);
    }

    #[test]
    fn a_repository_that_would_run_programs_is_not_asked() {
        let tree = tempfile::tempdir().expect("a directory");
        let root = fs::canonicalize(tree.path()).expect("canonical");
        let mark = root.join("ran");
        fs::write(root.join("a"), "1").expect("written");
        fs::write(root.join(".gitattributes"), "* filter=x\n").expect("written");
        git(&root, &["init", "-q"]);
        git(&root, &["add", "a"]);
        git(&root, &["commit", "-qm", "one"]);
        let program = format!("touch {}; cat", mark.display());
        git(&root, &["config", "filter.x.clean", &program]);
        git(&root, &["config", "core.fsmonitor", &program]);
        fs::write(root.join("a"), "2").expect("written");
        assert_eq!(state(&root.join("a")), GitState::None);
        assert!(!mark.exists(), "git ran the repository's program");
    }
}
