//! What a gate needs from the world, as traits.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use automode_core::{
    CallRecord, Changes, Facts, Failure, FolderFile, Outgoing, PathFact, Query, Replaced, RepoFact,
    Session, digest, judge, transcript,
};
use automode_shell::FileFact;
use automode_shell::place::has_secret_name;

use crate::session::{Memory, Note};

/// Somebody who judges what the analysis leaves open.
pub trait Judge: Send + Sync {
    /// Puts one request to the judge. Keeps its own deadline.
    ///
    /// # Errors
    /// Why there is no reply, in words that a person can act on.
    fn ask(&self, request: &judge::Request) -> Result<judge::Reply, judge::Trouble>;
}

/// Looks at the machine.
pub trait FileSystem: Send + Sync {
    /// Answers what it can; what is missing from the answer was not observed.
    fn observe(&self, queries: &[Query]) -> Facts;
}

/// Files that are nowhere but in a description, for the ones that are decided in one.
pub trait ImaginedFiles {
    fn look(&self, path: &str) -> PathFact;

    fn read(&self, path: &str) -> FileFact;

    /// A pattern with what it takes of the files that there are; `None`: nobody counts them.
    fn matches(&self, path: &str) -> Option<(String, Vec<String>)>;

    /// The files that there are.
    fn names(&self) -> Vec<&String>;

    fn repository(&self, directory: &str) -> Option<RepoFact>;

    /// What differs from the last commit.
    fn changes(&self) -> Changes;

    /// The files below a directory.
    fn folder(&self, directory: &str) -> Vec<FolderFile> {
        let below = format!("{}/", directory.trim_end_matches('/'));
        let names = self.names().into_iter();
        names
            .filter(|path| path.starts_with(&below))
            .map(|path| FolderFile {
                path: path.clone(),
                digest: match self.read(path) {
                    FileFact::Text { body, .. } => digest(body),
                    FileFact::Directory | FileFact::Absent | FileFact::Unreadable => String::new(),
                },
            })
            .collect()
    }

    /// Answers queries as [`FileSystem::observe`] must.
    fn answer(&self, queries: &[Query]) -> Facts {
        let mut facts = Facts::default();
        for query in queries {
            match query {
                Query::Path(path) | Query::GitState(path) => {
                    facts.paths.insert(path.clone(), self.look(path));
                }
                Query::Matches(path) => {
                    facts.matches.extend(self.matches(path));
                }
                Query::Folder(directory) => {
                    facts
                        .folders
                        .insert(directory.clone(), self.folder(directory));
                }
                // Nothing leads anywhere but where its name says.
                Query::Leads { directory, .. } => {
                    facts.leads.insert(directory.clone(), Vec::new());
                }
                Query::File(path) => {
                    facts.shell.files.insert(path.clone(), self.read(path));
                }
                Query::Tree(directory) => {
                    let files = &mut facts.shell.files;
                    let below = self.names().into_iter();
                    let below = below.filter(|path| path.starts_with(directory.as_str()));
                    for path in below.filter(|path| has_secret_name(path)) {
                        files.insert(path.clone(), self.read(path));
                    }
                    files.insert(directory.clone(), FileFact::Directory);
                }
                Query::Repo(directory) | Query::RepoState(directory) => {
                    let repository = self.repository(directory);
                    let known = repository.map(|fact| (directory.clone(), fact));
                    facts.repos.extend(known);
                }
                Query::Changes { directory, .. } => {
                    facts.changes.insert(directory.clone(), self.changes());
                }
                // No other commit is there.
                Query::Replaced { directory, .. } => {
                    let none = Replaced {
                        whole: true,
                        files: Vec::new(),
                    };
                    facts.replaced.insert(directory.clone(), none);
                }
                // Nothing was committed there that a push would hand out.
                Query::Outgoing { directory, .. } => {
                    let all = Outgoing {
                        whole: true,
                        parts: Vec::new(),
                    };
                    facts.outgoing.insert(directory.clone(), all);
                }
                Query::Transcript | Query::Permit => {}
            }
        }
        facts
    }
}

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Seconds since the epoch.
    fn now(&self) -> u64;
}

/// Remembers one session between processes.
pub trait Store: Send + Sync {
    /// What is remembered; of a session that is new, nothing.
    ///
    /// # Errors
    /// Where there is a record that cannot be read.
    fn read(&self) -> io::Result<Memory>;

    /// Adds notes to the record.
    ///
    /// # Errors
    /// Where they could not be kept.
    fn append(&self, notes: &[Note]) -> io::Result<()>;
}

/// What is left of a session's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionRecord {
    Whole,
    /// It is damaged or cannot be read.
    Lost,
}

/// Reads the agent's own record, when a judge is about to see it.
pub trait Recall {
    /// Whether what came before is all there.
    fn record(&self) -> SessionRecord {
        SessionRecord::Whole
    }

    /// User words and tool calls, oldest first; `None`: the session's record stands.
    ///
    /// # Errors
    /// There is a record, and the judge cannot be shown what it must see of it.
    fn transcript(&self) -> Result<Option<Vec<transcript::Entry>>, Failure> {
        Ok(None)
    }

    /// The calls so far with what became of them; `None`: the session's record stands.
    fn calls(&self) -> Option<Vec<CallRecord>> {
        None
    }

    /// The decision whose call a person permitted once, if this is that call. The answer
    /// uses the permit up.
    fn permit(&self) -> Option<String> {
        None
    }

    /// Files of standing instructions; none where nobody looks.
    fn instructions(&self, _session: &Session) -> Vec<transcript::Instruction> {
        Vec::new()
    }
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs())
    }
}

/// There is no record beyond the session's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRecall;

impl Recall for NoRecall {}
