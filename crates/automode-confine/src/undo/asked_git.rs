//! What git says could be lost in a working tree.
//!
//! Its list of changes is not the whole of it: files whose changes it was told to overlook
//! are written over all the same, and so are ignored files that another commit has.
//! Git is asked within a time, and not at all where the repository would make it run a program.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::snapshot::TakeError;

/// One working tree, and how long there is.
pub(super) struct AskedGit<'a> {
    pub(super) tree: &'a Path,
    pub(super) until: Instant,
}

/// What is in no commit as it is.
pub(super) struct Changes {
    pub(super) paths: Vec<PathBuf>,
    /// The index, where a version of a file stands there alone.
    pub(super) staged_only: Option<PathBuf>,
}

/// Tracked, and in no list of changes.
#[derive(Default)]
struct Overlooked {
    /// Whose changes git was told to overlook.
    files: Vec<PathBuf>,
    /// Repositories of their own, whose ignored files this one does not list.
    repositories: Vec<PathBuf>,
}

/// What git does not have as it is, below one directory.
pub(super) struct Unheld {
    pub(super) tracked: Vec<PathBuf>,
    /// Untracked or ignored.
    pub(super) unknown: Vec<PathBuf>,
}

impl AskedGit<'_> {
    /// Everything below the tree that git does not have as it is; nothing where no repository
    /// is around it.
    pub(super) fn unheld(&self) -> Result<Option<Unheld>, TakeError> {
        let unsure = || TakeError::Git(self.tree.to_owned());
        let is_repository = |above: &Path| above.join(".git").symlink_metadata().is_ok();
        if !self.tree.ancestors().any(is_repository) {
            return Ok(None);
        }
        let top = self.top()?;
        // Settings may say that the files lie elsewhere.
        let real = top.canonicalize().map_err(|_| unsure())?;
        if !self.tree.starts_with(&real) {
            return Err(unsure());
        }
        let listed = self.ask(&[
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--ignored=matching",
            "--no-renames",
            "--ignore-submodules=none",
            "--",
            ".",
        ])?;
        let overlooked = self.overlooked(&top, ".")?;
        let mut unheld = Unheld {
            tracked: [overlooked.files, overlooked.repositories].concat(),
            unknown: Vec::new(),
        };
        for record in records(&listed) {
            let (Some([staged, _, _]), Some(path)) = (record.first_chunk(), record.get(3..)) else {
                return Err(unsure());
            };
            let path = top.join(path_of(path));
            if self.tree.starts_with(&path) {
                // All of it is unknown to the repository around it.
                return Ok(None);
            }
            if b"?!".contains(staged) {
                unheld.unknown.push(path);
            } else {
                unheld.tracked.push(path);
            }
        }
        Ok(Some(unheld))
    }

    /// Where the files of the repository lie. Not asked where git would start a program for it.
    fn top(&self) -> Result<PathBuf, TakeError> {
        if self.runs_programs()? {
            return Err(TakeError::Git(self.tree.to_owned()));
        }
        let top = self.ask(&["rev-parse", "--show-toplevel"])?;
        Ok(path_of(top.trim_ascii_end()))
    }

    /// What stands in no list of changes.
    fn overlooked(&self, top: &Path, below: &str) -> Result<Overlooked, TakeError> {
        let listed = self.ask(&["ls-files", "-v", "-s", "-z", "--full-name", below])?;
        let mut overlooked = Overlooked::default();
        for record in records(&listed) {
            let mut parts = record.splitn(2, |byte| *byte == b'\t');
            let (Some([tag, _, mode @ ..]), Some(path)) = (parts.next(), parts.next()) else {
                return Err(TakeError::Git(self.tree.to_owned()));
            };
            if mode.starts_with(b"160000") {
                overlooked
                    .repositories
                    .extend(standing(top, &path_of(path)));
            } else if tag.is_ascii_lowercase() || *tag == b'S' {
                overlooked.files.extend(standing(top, &path_of(path)));
            }
        }
        Ok(overlooked)
    }

    /// Changed, untracked and overlooked files, and what the named commits would write over.
    pub(super) fn changes(&self, taken_from: &[String]) -> Result<Changes, TakeError> {
        let top = self.top()?;
        let listed = self.ask(&[
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            "--ignore-submodules=none",
        ])?;
        let mut paths: Vec<PathBuf> = Vec::new();
        let mut staged_only = false;
        for record in records(&listed) {
            let (Some([staged, there, _]), Some(path)) = (record.first_chunk(), record.get(3..))
            else {
                continue;
            };
            staged_only |= !b" ?!D".contains(staged) && *there != b' ';
            paths.push(top.join(path_of(path)));
        }
        paths.extend(self.overlooked(&top, ":/")?.files);
        for word in taken_from {
            for commit in self.commits(word)? {
                let missing = self.ask(&[
                    "diff-index",
                    "--cached",
                    "--name-only",
                    "--no-renames",
                    "--diff-filter=D",
                    "-z",
                    &commit,
                ])?;
                let missing = records(&missing).map(path_of);
                paths.extend(missing.filter_map(|path| standing(&top, &path)));
            }
        }
        let staged_only = if staged_only {
            let index = self.ask(&["rev-parse", "--git-path", "index"])?;
            Some(self.tree.join(path_of(index.trim_ascii_end())))
        } else {
            None
        };
        Ok(Changes { paths, staged_only })
    }

    /// The commit that a word names, or the branch of that name elsewhere that git would take.
    fn commits(&self, word: &str) -> Result<Vec<String>, TakeError> {
        let lines = |text: Vec<u8>| {
            let text = String::from_utf8_lossy(&text).into_owned();
            text.lines().map(str::to_owned).collect::<Vec<String>>()
        };
        let name = format!("{word}^{{commit}}");
        let known = self.answer(&["rev-parse", "-q", "--verify", "--end-of-options", &name])?;
        if let Some(commit) = known {
            return Ok(lines(commit));
        }
        let elsewhere = format!("refs/remotes/*/{word}");
        let listing = ["for-each-ref", "--format=%(objectname)", &elsewhere];
        Ok(self.answer(&listing)?.map(lines).unwrap_or_default())
    }

    /// Whether looking at the files would start a program that the repository names.
    fn runs_programs(&self) -> Result<bool, TakeError> {
        let named = self.answer(&[
            "config",
            "--local",
            "--includes",
            "--name-only",
            "--get-regexp",
            r"^filter\..*\.(clean|process)$",
        ])?;
        Ok(named.is_some())
    }

    fn ask(&self, arguments: &[&str]) -> Result<Vec<u8>, TakeError> {
        self.answer(arguments)?
            .ok_or_else(|| TakeError::Git(self.tree.to_owned()))
    }

    /// What git prints; nothing where it says no.
    fn answer(&self, arguments: &[&str]) -> Result<Option<Vec<u8>>, TakeError> {
        let failed = |error| TakeError::Io(self.tree.to_owned(), error);
        let mut child = Command::new("git")
            .args([
                "-c",
                "core.fsmonitor=false",
                "-c",
                "core.hooksPath=/dev/null",
            ])
            .args(arguments)
            .current_dir(self.tree)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let stdout = child.stdout.take();
        let reading = thread::spawn(move || -> io::Result<Vec<u8>> {
            let mut text = Vec::new();
            if let Some(mut stdout) = stdout {
                stdout.read_to_end(&mut text)?;
            }
            Ok(text)
        });
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                break status;
            }
            if Instant::now() > self.until {
                child.kill().map_err(failed)?;
                child.wait().map_err(failed)?;
                return Err(TakeError::Slow);
            }
            thread::sleep(Duration::from_micros(300));
        };
        let text = reading
            .join()
            .map_err(|_| failed(io::Error::other("its answer was lost")))?
            .map_err(failed)?;
        Ok(status.success().then_some(text))
    }
}

/// What stands at a path or in its way: a file in place of a directory is written over, too.
fn standing(top: &Path, path: &Path) -> Option<PathBuf> {
    let mut way = top.to_owned();
    for part in path {
        way.push(part);
        match way.symlink_metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Some(way),
            Err(_) => return None,
        }
    }
    // A directory where the commit has a file.
    Some(way)
}

fn records(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == 0)
        .filter(|record| !record.is_empty())
}

fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}
