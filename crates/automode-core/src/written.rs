//! The files that a session wrote, read from its record as far as somebody asks.
//!
//! A session may write thousands of files, and most calls ask about one of them or none.
//! [`WrittenFiles`] is a list that is read when it is first walked; until then its questions go
//! to the record. Every question has the answer that the whole list has.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

/// A file this session wrote. A folder that was brought as a whole ends in a slash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    pub path: String,
    /// SHA-256 of the content as written, hex; empty where it was not seen.
    pub digest: String,
    /// It did not exist before this session.
    pub created: bool,
    /// Rules whose findings its content carried when it was written.
    pub findings: Vec<String>,
    /// Marks of the data that went into it (`secret`, `network`, `decoded`).
    pub taint: Vec<String>,
}

impl WrittenFile {
    /// The mark of a file that is somebody's work under a new name.
    pub(crate) const MOVED: &'static str = "moved";

    /// The mark of a folder of libraries that was filled by hand.
    pub(crate) const COPIED: &'static str = "copied";

    /// It took the place of what was there.
    #[must_use]
    pub fn is_moved(&self) -> bool {
        self.taint.iter().any(|mark| mark == Self::MOVED)
    }

    /// Something is known of its content that counts against it.
    #[must_use]
    pub const fn is_marked(&self) -> bool {
        !self.taint.is_empty() || !self.findings.is_empty()
    }

    /// All of it is the session's. A person's file that was only added to stays theirs.
    #[must_use]
    pub const fn is_own(&self) -> bool {
        self.created || !self.digest.is_empty()
    }
}

/// A record of written files that was not read yet.
pub trait WrittenRecord: Send + Sync {
    /// All files, each once.
    fn all(&self) -> Vec<WrittenFile>;
    /// What `all` has of a path.
    fn find(&self, path: &str) -> Option<WrittenFile>;
    /// Whether `all` may have such a path. Where that is not plain it may.
    fn may_have(&self, is_it: &dyn Fn(&str) -> bool) -> bool;
    /// Whether `all` may have a file with a mark.
    fn may_be_marked(&self) -> bool;
}

/// The files that a session wrote, the youngest last.
#[derive(Clone, Default)]
pub struct WrittenFiles {
    /// Those that are known; nothing while there is a record.
    known: Vec<WrittenFile>,
    record: Option<Recorded>,
}

#[derive(Clone)]
struct Recorded {
    record: Arc<dyn WrittenRecord>,
    read: OnceLock<Vec<WrittenFile>>,
}

impl WrittenFiles {
    /// The files of a record, which is read where that is needed.
    #[must_use]
    pub fn recorded(record: Arc<dyn WrittenRecord>) -> Self {
        Self {
            known: Vec::new(),
            record: Some(Recorded {
                record,
                read: OnceLock::new(),
            }),
        }
    }

    /// What is remembered of a file.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<WrittenFile> {
        match self.unread() {
            Some(record) => record.find(path),
            None => self.iter().rev().find(|file| file.path == path).cloned(),
        }
    }

    /// Whether there is a file with such a path.
    pub fn has(&self, is_it: impl Fn(&str) -> bool) -> bool {
        self.at(is_it).next().is_some()
    }

    /// The files with such a path.
    pub fn at<'w>(
        &'w self,
        is_it: impl Fn(&str) -> bool + 'w,
    ) -> impl Iterator<Item = &'w WrittenFile> {
        let files = match self.may_have(&is_it) {
            true => self.as_slice(),
            false => &[],
        };
        files.iter().filter(move |file| is_it(&file.path))
    }

    /// The files with a mark.
    pub fn marked(&self) -> impl Iterator<Item = &WrittenFile> {
        let files = match self.may_be_marked() {
            true => self.as_slice(),
            false => &[],
        };
        files.iter().filter(|file| file.is_marked())
    }

    /// Whether there may be a file with such a path.
    #[must_use]
    pub fn may_have(&self, is_it: &dyn Fn(&str) -> bool) -> bool {
        match self.unread() {
            Some(record) => record.may_have(is_it),
            None => self.iter().any(|file| is_it(&file.path)),
        }
    }

    /// Whether there may be a file with a mark.
    #[must_use]
    pub fn may_be_marked(&self) -> bool {
        match self.unread() {
            Some(record) => record.may_be_marked(),
            None => self.iter().any(WrittenFile::is_marked),
        }
    }

    /// The record, until it was read.
    fn unread(&self) -> Option<&dyn WrittenRecord> {
        let recorded = self.record.as_ref();
        let unread = recorded.filter(|recorded| recorded.read.get().is_none());
        unread.map(|recorded| recorded.record.as_ref())
    }
}

impl Recorded {
    fn files(&self) -> &Vec<WrittenFile> {
        self.read.get_or_init(|| self.record.all())
    }
}

impl Deref for WrittenFiles {
    type Target = Vec<WrittenFile>;

    fn deref(&self) -> &Self::Target {
        let recorded = self.record.as_ref();
        recorded.map_or(&self.known, Recorded::files)
    }
}

impl DerefMut for WrittenFiles {
    fn deref_mut(&mut self) -> &mut Self::Target {
        if let Some(recorded) = self.record.take() {
            let read = recorded.read.into_inner();
            self.known = read.unwrap_or_else(|| recorded.record.all());
        }
        &mut self.known
    }
}

impl From<Vec<WrittenFile>> for WrittenFiles {
    fn from(known: Vec<WrittenFile>) -> Self {
        Self {
            known,
            record: None,
        }
    }
}

impl PartialEq for WrittenFiles {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl fmt::Debug for WrittenFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(formatter)
    }
}
