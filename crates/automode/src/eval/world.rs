//! The world of a case: an empty project, and the files its transcript wrote.
//!
//! Nothing of the real machine is looked at, so a case gives the same answer
//! wherever it is measured.

use std::collections::BTreeMap;

use automode_core::{
    ChangedFile, Changes, Facts, GitState, PathFact, PathKind, Query, RepoFact, Tracking,
};
use automode_shell::FileFact;
use automode_shell::script::is_task_file;

use crate::ports::FileSystem;

/// Where a case without a directory of its own runs.
pub const FOLDER: &str = "/tmp/automode-eval/project";
/// Whose machine it is.
pub const HOME: &str = "/home/user";

/// Directories that every machine has.
const SYSTEM: &[&str] = &[
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib64",
    "/mnt",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/tmp",
    "/usr",
    "/usr/bin",
    "/usr/lib",
    "/usr/local",
    "/usr/local/bin",
    "/usr/share",
    "/var",
    "/var/lib",
    "/var/log",
    "/var/tmp",
    HOME,
];

/// Files that exist on every machine and that commands like to read.
const FILES: &[&str] = &[
    "/etc/hosts",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/shadow",
];

/// A project with nothing in it but what was written there.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub cwd: String,
    /// The folder is a repository in which nothing was ever changed.
    pub pristine: bool,
    /// Files that earlier calls wrote, by absolute path.
    pub files: BTreeMap<String, String>,
    /// Links that earlier calls made, and where they lead.
    pub links: BTreeMap<String, String>,
}

impl World {
    fn look(&self, path: &str) -> PathFact {
        let resolved = self.resolve(path);
        if resolved != path {
            return PathFact {
                canonical: Some(resolved.clone()),
                kind: if self.links.contains_key(path) {
                    PathKind::Link
                } else {
                    self.look(&resolved).kind
                },
                ..self.look(&resolved)
            };
        }
        let kind = if self.files.contains_key(path) || FILES.contains(&path) {
            PathKind::File
        } else if self.is_directory(path) {
            PathKind::Directory
        } else {
            PathKind::Absent
        };
        let git = match kind {
            PathKind::Directory
                if self.pristine && self.contains(path) && self.files.is_empty() =>
            {
                GitState::Clean
            }
            PathKind::File if self.contains(path) => GitState::Untracked,
            PathKind::Absent
            | PathKind::File
            | PathKind::Directory
            | PathKind::Link
            | PathKind::Other
            | PathKind::Unreadable => GitState::None,
        };
        PathFact {
            kind,
            canonical: Some(path.to_owned()),
            git,
            ignores_case: false,
            size: self.files.get(path).map(|body| body.len() as u64),
            other_names: false,
        }
    }

    /// The path behind the links in it. A link that leads to a link is followed once.
    fn resolve(&self, path: &str) -> String {
        self.links
            .iter()
            .find_map(|(link, target)| {
                let rest = path.strip_prefix(link.as_str())?;
                (rest.is_empty() || rest.starts_with('/')).then(|| format!("{target}{rest}"))
            })
            .unwrap_or_else(|| path.to_owned())
    }

    fn contains(&self, path: &str) -> bool {
        path.strip_prefix(&self.cwd)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn is_directory(&self, path: &str) -> bool {
        let below = format!("{}/", path.trim_end_matches('/'));
        SYSTEM.contains(&path)
            || path == self.cwd
            || self.cwd.starts_with(&below)
            || self.files.keys().any(|file| file.starts_with(&below))
    }

    /// The files that the transcript wrote are all that changed.
    fn changes(&self) -> Changes {
        let files = self.files.iter().map(|(path, body)| ChangedFile {
            path: path.clone(),
            before: None,
            now: FileFact::Text {
                body: body.clone(),
                session: true,
            },
        });
        Changes {
            tracking: Tracking::Whole,
            files: files.collect(),
        }
    }

    fn read(&self, path: &str) -> FileFact {
        match self.files.get(&self.resolve(path)) {
            Some(body) => FileFact::Text {
                body: body.clone(),
                session: true,
            },
            None if path.starts_with("/dev/") => FileFact::Unreadable,
            None if self.is_directory(path) => FileFact::Directory,
            None => FileFact::Absent,
        }
    }

    fn repo(&self) -> RepoFact {
        RepoFact {
            root: Some(self.cwd.clone()),
            branch: Some("main".to_owned()),
            // Nobody can look into a project that is only named.
            dirty: !self.pristine || !self.files.is_empty(),
            ..RepoFact::default()
        }
    }
}

impl FileSystem for World {
    fn observe(&self, queries: &[Query]) -> Facts {
        let mut facts = Facts::default();
        for query in queries {
            match query {
                Query::Path(path) | Query::GitState(path) => {
                    facts.paths.insert(path.clone(), self.look(path));
                }
                Query::File(path) => {
                    let fact = self.read(path);
                    // A case that wrote no task file does not say which tasks its project
                    // declares: nobody looked.
                    let unsaid = is_task_file(path)
                        && self.contains(path)
                        && !self.files.keys().any(|file| is_task_file(file));
                    if fact != FileFact::Absent || !unsaid {
                        facts.shell.files.insert(path.clone(), fact);
                    }
                }
                Query::Repo(directory) | Query::RepoState(directory) => {
                    facts.repos.insert(directory.clone(), self.repo());
                }
                Query::Changes { directory, .. } => {
                    facts.changes.insert(directory.clone(), self.changes());
                }
                Query::Transcript | Query::Permit => {}
            }
        }
        facts
    }
}
