//! A file system in memory.

use std::collections::BTreeMap;

use automode::ports::{FileSystem, ImaginedFiles};
use automode_core::{
    ChangedFile, Changes, Facts, GitState, NamePattern, PathFact, PathKind, Query, RepoFact,
    Tracking,
};
use automode_shell::FileFact;

/// Something in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Directory,
    File { body: String, git: GitState },
    Link { target: String },
}

/// Nodes by absolute path. Directories above a node are there by themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    nodes: BTreeMap<String, Node>,
    repos: BTreeMap<String, RepoFact>,
}

impl Tree {
    #[must_use]
    pub fn directory(mut self, path: &str) -> Self {
        self.nodes.insert(path.to_owned(), Node::Directory);
        self
    }

    #[must_use]
    pub fn file(mut self, path: &str, body: &str, git: GitState) -> Self {
        let body = body.to_owned();
        self.nodes.insert(path.to_owned(), Node::File { body, git });
        self
    }

    #[must_use]
    pub fn link(mut self, path: &str, target: &str) -> Self {
        let target = target.to_owned();
        self.nodes.insert(path.to_owned(), Node::Link { target });
        self
    }

    #[must_use]
    pub fn repo(mut self, directory: &str, repo: RepoFact) -> Self {
        self.repos.insert(directory.to_owned(), repo);
        self
    }

    /// The project that pages of guards and fast paths speak of.
    #[must_use]
    pub fn project() -> Self {
        Self::default()
            .directory("/home/dev/app-evil")
            .directory("/srv/other")
            .directory("/tmp/out")
            .file("/home/dev/.bashrc", "", GitState::None)
            .file("/home/dev/app/.git/config", "[core]\n", GitState::None)
            .file(
                "/home/dev/app/src/main.rs",
                "fn main() {}\n",
                GitState::Clean,
            )
            .file("/home/dev/app/src/dirty.rs", "fn f() {}\n", GitState::Dirty)
            .file("/home/dev/app/notes.txt", "mine\n", GitState::Untracked)
            .file("/home/dev/app/dist/app.js", "1\n", GitState::Ignored)
            .link("/home/dev/app/out", "/tmp/out")
            .link("/home/dev/app/inner", "src/main.rs")
            .link("/home/dev/app/elsewhere", "/srv/other")
            .link("/home/dev/app/notes", "/home/dev/.bashrc")
    }

    /// The path with links resolved; the rest of what is not there is kept.
    fn resolve(&self, path: &str) -> Option<String> {
        let mut ahead: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
        let mut done: Vec<String> = Vec::new();
        let mut links = 0_u8;
        while let Some(name) = ahead.pop() {
            match name.as_str() {
                "" | "." => continue,
                ".." => {
                    done.pop();
                    continue;
                }
                _ => done.push(name),
            }
            if let Some(Node::Link { target }) = self.nodes.get(&joined(&done)) {
                links = links.checked_add(1).filter(|links| *links <= 40)?;
                done.pop();
                if target.starts_with('/') {
                    done.clear();
                }
                ahead.extend(target.split('/').rev().map(str::to_owned));
            }
        }
        Some(joined(&done))
    }

    fn is_parent(&self, path: &str) -> bool {
        let prefix = format!("{}/", path.trim_end_matches('/'));
        self.nodes.keys().any(|node| node.starts_with(&prefix))
    }
}

fn joined(names: &[String]) -> String {
    format!("/{}", names.join("/"))
}

impl FileSystem for Tree {
    fn observe(&self, queries: &[Query]) -> Facts {
        self.answer(queries)
    }
}

impl ImaginedFiles for Tree {
    fn look(&self, path: &str) -> PathFact {
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        let own = path.rsplit_once('/').map_or(path, |(_, own)| own);
        let entry = self.resolve(parent).map(|parent| {
            let parent = parent.trim_end_matches('/');
            format!("{parent}/{own}")
        });
        let canonical = self.resolve(path);
        let kind = match entry.as_deref().and_then(|entry| self.nodes.get(entry)) {
            Some(Node::Link { .. }) => PathKind::Link,
            Some(Node::File { .. }) => PathKind::File,
            Some(Node::Directory) => PathKind::Directory,
            None if canonical
                .as_deref()
                .is_some_and(|path| self.is_parent(path)) =>
            {
                PathKind::Directory
            }
            None => PathKind::Absent,
        };
        let target = canonical.as_deref().and_then(|path| self.nodes.get(path));
        let (git, size) = match target {
            Some(Node::File { body, git }) => (*git, Some(body.len() as u64)),
            Some(Node::Directory | Node::Link { .. }) | None => (GitState::None, None),
        };
        PathFact {
            kind,
            canonical,
            git,
            ignores_case: false,
            size,
            other_names: false,
        }
    }

    fn read(&self, path: &str) -> FileFact {
        let is_link = matches!(self.nodes.get(path), Some(Node::Link { .. }));
        let Some(path) = self.resolve(path) else {
            return FileFact::Unreadable;
        };
        match self.nodes.get(&path) {
            Some(Node::File { body, .. }) => FileFact::Text {
                body: body.clone(),
                session: false,
            },
            // What lies above a directory behind a link is not what its name says.
            Some(Node::Directory) if is_link => FileFact::Unreadable,
            None if is_link && self.is_parent(&path) => FileFact::Unreadable,
            Some(Node::Directory) => FileFact::Directory,
            Some(Node::Link { .. }) => FileFact::Unreadable,
            None if self.is_parent(&path) => FileFact::Directory,
            None => FileFact::Absent,
        }
    }

    fn matches(&self, path: &str) -> Option<(String, Vec<String>)> {
        let pattern = NamePattern::read(path)?;
        Some((path.to_owned(), pattern.taken_among(self.nodes.keys())))
    }

    /// Every file that git does not hold as it is.
    fn changes(&self) -> Changes {
        let changed = self.nodes.iter().filter_map(|(path, node)| match node {
            Node::File { body, git } => match git {
                GitState::Dirty | GitState::Untracked => Some(ChangedFile {
                    path: path.clone(),
                    before: None,
                    now: FileFact::Text {
                        body: body.clone(),
                        session: false,
                    },
                    tracked: *git == GitState::Dirty,
                }),
                GitState::Clean | GitState::Ignored | GitState::None => None,
            },
            Node::Directory | Node::Link { .. } => None,
        });
        Changes {
            tracking: Tracking::Whole,
            files: changed.collect(),
        }
    }

    fn names(&self) -> Vec<&String> {
        self.nodes.keys().collect()
    }

    fn repository(&self, directory: &str) -> Option<RepoFact> {
        self.repos.get(directory).cloned()
    }
}
