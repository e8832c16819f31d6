//! How a path is, in enough detail to tell whether it changed.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use automode_core::Digester;
use serde::{Deserialize, Serialize};

/// A path and how it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub path: PathBuf,
    pub kind: EntryKind,
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    Absent,
    File {
        mode: u32,
        size: u64,
        content: String,
    },
    Link {
        to: PathBuf,
    },
    Directory {
        mode: u32,
    },
    /// A device, a pipe, a socket: never copied.
    Other,
}

impl EntryKind {
    /// As it is now; a file is read through.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        Self::read(path, &mut io::sink())
    }

    /// As it is now, with a file's content written to `copy`.
    pub(crate) fn read(path: &Path, copy: &mut impl Write) -> io::Result<Self> {
        let found = match path.symlink_metadata() {
            Ok(found) => found,
            Err(error) if is_absence(&error) => return Ok(Self::Absent),
            Err(error) => return Err(error),
        };
        let mode = found.permissions().mode() & 0o7777;
        if found.is_symlink() {
            return Ok(Self::Link {
                to: fs::read_link(path)?,
            });
        }
        if found.is_dir() {
            return Ok(Self::Directory { mode });
        }
        if !found.is_file() {
            return Ok(Self::Other);
        }
        let mut file = File::open(path)?;
        let (size, content) = copy_hashed(&mut file, copy)?;
        let after = file.metadata()?;
        let moved = after.ino() != found.ino() || after.len() != size;
        if moved || after.modified()? != found.modified()? {
            return Err(io::Error::other("it changes while it is read"));
        }
        Ok(Self::File {
            mode,
            size,
            content,
        })
    }
}

/// A path below a file is as absent as one below nothing.
fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn copy_hashed(from: &mut impl Read, to: &mut impl Write) -> io::Result<(u64, String)> {
    let mut digest = Digester::default();
    let mut size = 0_u64;
    let mut buffer = vec![0_u8; 64 * 1024];
    loop {
        let count = from.read(&mut buffer)?;
        let Some(part) = buffer.get(..count).filter(|part| !part.is_empty()) else {
            break;
        };
        digest.add(part);
        to.write_all(part)?;
        size += count as u64;
    }
    Ok((size, digest.hex()))
}
