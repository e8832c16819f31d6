//! The world of a case: what it says of its project, and the files that were written.
//!
//! Nothing of the real machine is looked at, so a case gives the same answer
//! wherever it is measured. A case that says nothing of its repository works on a
//! feature branch of one that has a remote, and whose other files nobody knows.

use std::collections::BTreeMap;

use automode_core::{
    ChangedFile, Changes, Facts, GitCredential, GitState, MAX_MATCHES, NamePattern, PathFact,
    PathKind, Query, Remote, RepoFact, Tracking,
};
use automode_shell::FileFact;

use super::case::{Case, CaseStatus};
use crate::ports::{FileSystem, ImaginedFiles};

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
];

/// Files that exist on every machine and that commands like to read.
const FILES: &[&str] = &[
    "/etc/hosts",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/shadow",
];

/// The branch, the default branch and the remote of a repository of which nothing is said.
const BRANCH: &str = "feature/change";
const DEFAULT_BRANCH: &str = "main";
const ORIGIN: (&str, &str) = ("origin", "https://github.com/example/project.git");

/// A project with nothing in it but what a case says and what was written there.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub cwd: String,
    pub home: String,
    /// Nothing was ever changed but by earlier calls.
    pub pristine: bool,
    /// Files that the case says are there, by absolute path.
    pub committed: BTreeMap<String, String>,
    /// Of those, the ones that differ from their commit.
    pub changed: Vec<String>,
    /// Files that earlier calls wrote, by absolute path.
    pub files: BTreeMap<String, String>,
    /// Files that earlier calls made of a secret, whose text nobody knows.
    pub secret: Vec<String>,
    /// Links that earlier calls made, and where they lead.
    pub links: BTreeMap<String, String>,
    pub branch: Option<String>,
    pub default_branch: Option<String>,
    pub remotes: Vec<Remote>,
}

impl World {
    /// What a case says of its project, before anything of its transcript ran.
    pub fn of(case: &Case) -> Self {
        let said = &case.surroundings;
        let cwd = case
            .cwd
            .clone()
            .filter(|cwd| cwd.starts_with('/'))
            .unwrap_or_else(|| FOLDER.to_owned());
        let absolute = |path: &str| match path.starts_with('/') {
            true => path.to_owned(),
            false => format!("{cwd}/{}", path.trim_start_matches("./")),
        };
        let git = said.git.clone().unwrap_or_default();
        let pristine = match &git.status {
            Some(CaseStatus::Clean | CaseStatus::Changed(_)) => true,
            Some(CaseStatus::Dirty) => false,
            // An empty repository has nothing that could be changed.
            None => case.cwd.is_none() && said.files.is_none(),
        };
        let remotes = git.remotes.unwrap_or_else(|| {
            let (name, url) = ORIGIN;
            BTreeMap::from([(name.to_owned(), url.to_owned())])
        });
        Self {
            committed: said
                .files
                .iter()
                .flatten()
                .map(|(path, body)| (absolute(path), body.clone()))
                .collect(),
            changed: match git.status {
                Some(CaseStatus::Changed(paths)) => {
                    paths.iter().map(|path| absolute(path)).collect()
                }
                Some(CaseStatus::Clean | CaseStatus::Dirty) | None => Vec::new(),
            },
            home: said.home.clone().unwrap_or_else(|| HOME.to_owned()),
            pristine,
            branch: git.branch.or_else(|| Some(BRANCH.to_owned())),
            default_branch: git
                .default_branch
                .or_else(|| Some(DEFAULT_BRANCH.to_owned())),
            remotes: remotes
                .into_iter()
                .map(|(name, url)| Remote { name, url })
                .collect(),
            cwd,
            ..Self::default()
        }
    }

    fn text(&self, path: &str) -> Option<&String> {
        self.files.get(path).or_else(|| self.committed.get(path))
    }

    /// Nothing at a path or below it differs from a commit.
    fn is_untouched(&self, path: &str) -> bool {
        let below = format!("{}/", path.trim_end_matches('/'));
        let changed = self.files.keys().chain(&self.changed);
        !changed
            .into_iter()
            .any(|file| file == path || file.starts_with(&below))
    }

    fn state_of_file(&self, path: &str) -> GitState {
        match self.committed.contains_key(path) {
            true if self.pristine && self.is_untouched(path) => GitState::Clean,
            true => GitState::Dirty,
            false => GitState::Untracked,
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
            || path == self.home
            || self.home.starts_with(&below)
            || self
                .files
                .keys()
                .chain(self.committed.keys())
                .any(|file| file.starts_with(&below))
    }

    /// What the addresses of its remotes give away.
    fn credentials(&self) -> Vec<GitCredential> {
        let file = format!("{}/.git/config", self.cwd);
        let remotes = self.remotes.iter();
        let read = |remote: &Remote| {
            let key = format!("remote.{}.url", remote.name);
            GitCredential::read(&file, &key, &remote.url)
        };
        remotes.filter_map(read).collect()
    }

    pub fn repo(&self) -> RepoFact {
        RepoFact {
            root: Some(self.cwd.clone()),
            branch: self.branch.clone(),
            default_branch: self.default_branch.clone(),
            remotes: self.remotes.clone(),
            // Nobody can look into a project that is only named.
            dirty: !self.pristine || !self.is_untouched(&self.cwd),
            credentials: self.credentials(),
            ..RepoFact::default()
        }
    }
}

impl FileSystem for World {
    fn observe(&self, queries: &[Query]) -> Facts {
        self.answer(queries)
    }
}

impl ImaginedFiles for World {
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
        let kind = if self.text(path).is_some() || FILES.contains(&path) {
            PathKind::File
        } else if self.is_directory(path) {
            PathKind::Directory
        } else {
            PathKind::Absent
        };
        let git = match kind {
            PathKind::Directory
                if self.pristine && self.contains(path) && self.is_untouched(path) =>
            {
                GitState::Clean
            }
            PathKind::File if self.contains(path) => self.state_of_file(path),
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
            size: self.text(path).map(|body| body.len() as u64),
            other_names: false,
        }
    }

    fn read(&self, path: &str) -> FileFact {
        let resolved = self.resolve(path);
        match self.text(&resolved) {
            Some(body) => FileFact::Text {
                body: body.clone(),
                session: self.files.contains_key(&resolved),
            },
            None if path.starts_with("/dev/") => FileFact::Unreadable,
            None if self.is_directory(path) => FileFact::Directory,
            None => FileFact::Absent,
        }
    }

    /// What a pattern takes of the files that there are.
    fn matches(&self, path: &str) -> Option<(String, Vec<String>)> {
        let pattern = NamePattern::read(path)?;
        let files = self.files.keys().chain(self.committed.keys());
        let names = pattern.taken_among(files.chain(&self.changed).chain(&self.secret));
        (names.len() <= MAX_MATCHES).then(|| (path.to_owned(), names))
    }

    /// The files that the transcript wrote are all that changed, beside those that
    /// the case names.
    fn changes(&self) -> Changes {
        let changed = self
            .changed
            .iter()
            .filter(|path| !self.files.contains_key(*path));
        let as_tracked = |path: &String, tracked: bool| ChangedFile {
            path: path.clone(),
            before: None,
            now: self.read(path),
            tracked,
        };
        let files = self.files.keys().chain(changed);
        let files = files.map(|path| as_tracked(path, false));
        // Whether it was committed, nobody says: then it was.
        let secret = self.secret.iter().map(|path| as_tracked(path, true));
        Changes {
            tracking: Tracking::Whole,
            files: files.chain(secret).collect(),
        }
    }

    fn names(&self) -> Vec<&String> {
        self.files.keys().chain(self.committed.keys()).collect()
    }

    fn repository(&self, _: &str) -> Option<RepoFact> {
        Some(self.repo())
    }
}
