//! A session's record in memory.

use std::io;
use std::sync::Mutex;

use automode::ports::Store;
use automode::session::{Memory, Note};

/// Remembers until it is dropped, or fails as it is told to.
#[derive(Debug, Default)]
pub struct MemoryStore {
    notes: Mutex<Vec<Note>>,
    fault: Option<StoreFault>,
}

/// What does not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreFault {
    Read,
    Write,
}

impl MemoryStore {
    /// A store in which one thing does not work.
    #[must_use]
    pub fn broken(fault: StoreFault) -> Self {
        Self {
            fault: Some(fault),
            ..Self::default()
        }
    }

    fn fails(&self, fault: StoreFault) -> io::Result<()> {
        match self.fault == Some(fault) {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => Ok(()),
        }
    }
}

impl Store for MemoryStore {
    fn read(&self) -> io::Result<Memory> {
        self.fails(StoreFault::Read)?;
        let notes = self.notes.lock().map_err(|_| io::ErrorKind::Other)?;
        let mut memory = Memory::default();
        notes.iter().cloned().for_each(|note| memory.take(note));
        Ok(memory)
    }

    fn append(&self, notes: &[Note]) -> io::Result<()> {
        self.fails(StoreFault::Write)?;
        let mut own = self.notes.lock().map_err(|_| io::ErrorKind::Other)?;
        own.extend_from_slice(notes);
        Ok(())
    }
}
