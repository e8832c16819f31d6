//! One writer at a time, across processes, for a bounded time.
//!
//! The lock is the kernel's: it ends with the process that holds it, however that
//! ends. Waiting is bounded because a stopped process must not stop every other.

use std::fs::File;
use std::fs::TryLockError;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::append::open_in_place;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("somebody else holds it")]
    Busy,
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Lock {
    /// The file that is locked.
    #[must_use]
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// Takes the lock of a file, which is made where it is missing.
    ///
    /// # Errors
    /// [`LockError::Busy`] when the time is up.
    pub fn take(path: &Path, patience: Duration) -> Result<Self, LockError> {
        let file = open_in_place(path)?;
        let end = Instant::now().checked_add(patience);
        let mut pause = Duration::from_micros(50);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { file }),
                Err(TryLockError::Error(error)) => return Err(error.into()),
                Err(TryLockError::WouldBlock) => {}
            }
            if end.is_none_or(|end| Instant::now() >= end) {
                return Err(LockError::Busy);
            }
            thread::sleep(pause);
            pause = pause.saturating_mul(2).min(Duration::from_millis(5));
        }
    }
}
