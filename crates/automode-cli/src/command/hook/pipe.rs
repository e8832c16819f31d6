//! Writing to whoever may not read.
//!
//! A pipe that nobody empties would hold the process past every deadline, and a
//! standard stream that was closed at the start has been given to `/dev/null`, where
//! an answer is lost in silence. Both are errors here.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat, major, minor};

/// As much as a pipe takes at once when it takes anything.
const PIECE: usize = 4096;

/// Writes all bytes within a time.
pub fn write(to: impl AsFd, bytes: &[u8], patience: Duration) -> io::Result<()> {
    if is_nowhere(&to)? {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    let end = Instant::now().checked_add(patience);
    let mut rest = bytes;
    while !rest.is_empty() {
        let left = end.map_or(Duration::ZERO, |end| {
            end.saturating_duration_since(Instant::now())
        });
        wait(&to, left)?;
        let piece = rest.get(..PIECE).unwrap_or(rest);
        match rustix::io::write(&to, piece) {
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Waits until something can be written.
fn wait(to: &impl AsFd, patience: Duration) -> io::Result<()> {
    let mut polled = [PollFd::new(to, PollFlags::OUT)];
    let time = Timespec::try_from(patience).map_err(io::Error::other)?;
    match poll(&mut polled, Some(&time)) {
        Ok(0) => Err(io::ErrorKind::TimedOut.into()),
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Whether the stream was closed when the process began: the runtime then opens `/dev/null` in its
/// place for reading and writing, which no shell does for an output.
fn is_nowhere(to: &impl AsFd) -> io::Result<bool> {
    let about = fstat(to)?;
    let is_null = FileType::from_raw_mode(about.st_mode) == FileType::CharacterDevice
        && (major(about.st_rdev), minor(about.st_rdev)) == (1, 3);
    Ok(is_null && fcntl_getfl(to)?.contains(OFlags::RDWR))
}
