//! What the runtime observed, and what the engine asks it to look at.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crate::git_credential::GitCredential;
use crate::{CallRecord, transcript};

/// Something to look at. The runtime answers into [`Facts`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Query {
    /// Kind and canonical form of an absolute path (which may not exist).
    Path(String),
    /// The same with its git state, which costs more.
    GitState(String),
    /// The paths that a pattern of names takes in its directory, as far as they are few.
    Matches(String),
    /// Every file below a directory with its digest, as far as they are few: asked for only
    /// when the directory is about to go.
    Folder(String),
    /// Names that lead from a directory to somewhere else than they say.
    Leads { directory: String, depth: LeadDepth },
    /// The text of a file, bounded.
    File(String),
    /// The files of a secret's usual name below a directory, as far as they are found soon.
    Tree(String),
    /// The repository around a directory.
    Repo(String),
    /// The same with whether it has uncommitted work, which costs more.
    RepoState(String),
    /// What differs from a commit in the repository around a directory, with its text:
    /// asked for only when code of the project is about to run.
    Changes {
        directory: String,
        /// The commit to compare with; `None`: the last one.
        since: Option<String>,
    },
    /// What the commits hold that a push would hand out: asked for only before a push.
    Outgoing {
        directory: String,
        /// The remote by its name, `-` for an address; `None`: any.
        remote: Option<String>,
        /// Revisions, `--branches` or `--tags`.
        names: Vec<String>,
    },
    /// Files that git does not follow and that a commit would replace: asked for only before
    /// that commit is brought into the working tree.
    Replaced {
        directory: String,
        /// A branch, a tag or a commit, as it was typed.
        revision: String,
    },
    /// The session's user words and calls: asked for only when a judge is about to see them.
    Transcript,
    /// A person's permit for this one call, which the answer uses up: asked for only
    /// when the call would not run otherwise.
    Permit,
}

/// How far names are looked at for where they lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LeadDepth {
    /// Second names of secrets alone, wherever below the directory.
    SecondNames,
    /// Links in the directory too.
    Here,
    /// Links below the directory too.
    Below,
}

/// A name, and what it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lead {
    pub name: String,
    /// With all links resolved.
    pub to: String,
}

/// A file below a directory that is about to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderFile {
    pub path: String,
    /// SHA-256 of its content, hex; empty where it was too large to be looked at.
    pub digest: String,
}

/// Observations. Absent means not observed, which never counts in favour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub paths: BTreeMap<String, PathFact>,
    /// What patterns take, by the pattern: absolute paths.
    pub matches: BTreeMap<String, Vec<String>>,
    /// The files below a directory, by the directory; links are no files. Absent: not looked
    /// at, or more than are looked at.
    pub folders: BTreeMap<String, Vec<FolderFile>>,
    /// Names that lead elsewhere, by the directory that was asked about.
    pub leads: BTreeMap<String, Vec<Lead>>,
    /// File contents for the shell analysis.
    pub shell: automode_shell::Facts,
    /// Repositories by the directory that was asked about.
    pub repos: BTreeMap<String, RepoFact>,
    /// What changed, by the directory that was asked about.
    pub changes: BTreeMap<String, Changes>,
    /// What a push would hand out, by the directory that was asked about.
    pub outgoing: BTreeMap<String, Outgoing>,
    /// What another commit would replace, by the directory that was asked about.
    pub replaced: BTreeMap<String, Replaced>,
    /// The agent's own record, where the runtime reads one; the session's stands in for it.
    pub transcript: Option<Vec<transcript::Entry>>,
    /// The calls so far with what became of them, where the session does not carry them.
    pub calls: Option<Vec<CallRecord>>,
    /// The decision that a person permitted once, if it is this call's.
    pub permit: Option<String>,
    /// Files of standing instructions, looked for with the transcript.
    pub instructions: Vec<transcript::Instruction>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFact {
    pub kind: PathKind,
    /// With all links resolved; for a path that does not exist, its nearest
    /// existing parent resolved and the rest appended. `None`: could not be resolved.
    pub canonical: Option<String>,
    pub git: GitState,
    /// The file system around it ignores case.
    pub ignores_case: bool,
    /// Size in bytes where it is a file.
    pub size: Option<u64>,
    /// It is a file with further names (hard links), which may lie anywhere.
    pub other_names: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathKind {
    Absent,
    File,
    Directory,
    /// A link, whatever it points to; `canonical` is the target.
    Link,
    Other,
    Unreadable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GitState {
    /// Tracked, no uncommitted change (for a directory: everything in it).
    Clean,
    /// Tracked with uncommitted changes.
    Dirty,
    Untracked,
    Ignored,
    /// Not in a repository, git could not tell, or nobody looked.
    None,
}

/// A repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepoFact {
    /// Its root; `None`: there is no repository here.
    pub root: Option<String>,
    pub branch: Option<String>,
    pub default_branch: Option<String>,
    pub remotes: Vec<Remote>,
    /// Uncommitted changes or untracked files exist, or nobody looked.
    pub dirty: bool,
    /// The commit that is checked out, where that could be read.
    #[serde(default)]
    pub head: Option<String>,
    /// Its configuration makes git run programs (`core.fsmonitor`, `core.hooksPath`, filters, …): the keys.
    pub helpers: Vec<String>,
    /// Credentials that stand in its settings or in the user's.
    #[serde(default)]
    pub credentials: Vec<GitCredential>,
}

/// Stands among the helpers of a repository that has hooks in their usual place.
pub const HOOKS: &str = "hooks";

/// What the commits hold that no remote has yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outgoing {
    /// Everything was looked through.
    pub whole: bool,
    pub parts: Vec<OutgoingPart>,
}

impl Outgoing {
    /// What either hands out.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.whole &= other.whole;
        self.parts.extend(other.parts);
        self
    }
}

/// Files that are not followed and that another commit has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replaced {
    /// Everything was looked through.
    pub whole: bool,
    /// Absolute.
    pub files: Vec<String>,
}

impl Replaced {
    /// What either replaces.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.whole &= other.whole;
        self.files.extend(other.files);
        self
    }
}

/// Something that was added in a commit, whether or not a later one took it away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutgoingPart {
    /// The file, absolute; `None`: names and messages of commits.
    pub path: Option<String>,
    /// The lines that were added.
    pub text: String,
    /// The file was not there before.
    pub added: bool,
    /// It is no text.
    pub binary: bool,
}

/// What differs from a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    pub tracking: Tracking,
    /// Changed and untracked files that git does not ignore.
    pub files: Vec<ChangedFile>,
}

/// How much of what changed is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracking {
    /// No repository: nothing tells what changed but the session.
    Absent,
    /// Everything that changed is listed.
    Whole,
    /// Git could not tell, or there is more than fits.
    Partial,
}

/// One file that differs from a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Absolute and canonical.
    pub path: String,
    /// Its text in that commit; `None`: it was not there, or was not read.
    pub before: Option<String>,
    pub now: automode_shell::FileFact,
    /// git follows it, so that the next commit may hold it.
    pub tracked: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remote {
    pub name: String,
    pub url: String,
}
