//! Whole lines at the end of a file.
//!
//! The caller holds the lock. A tail that a killed writer left without its line
//! break is closed first, so it costs that line alone; a write that fails half way
//! is taken back.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a file of this user for reading and appending, and makes it where it is missing. Links are refused.
///
/// # Errors
/// As the operating system says.
pub fn open_private(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().append(true))
}

/// The same for a file that is overwritten in place.
pub(super) fn open_in_place(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().write(true))
}

fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options
        .read(true)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    let file = options.create(true).open(path)?;
    // Whatever the mask of the process takes away, its user can read it again.
    file.set_permissions(Permissions::from_mode(0o600))?;
    Ok(file)
}

/// Appends text that ends in a line break. Says how many bytes stand behind the last whole line before it.
///
/// # Errors
/// As the operating system says; the file is then as it was, as far as that can be done.
pub fn append(file: &mut File, text: &str) -> io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut bytes = Vec::with_capacity(text.len().saturating_add(1));
    if length > 0 && last_byte(file, length)? != b'\n' {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(text.as_bytes());
    let written = file.write_all(&bytes);
    if written.is_err() {
        // Whatever part got in is a torn line now; the next writer closes it if this fails too.
        let _ = file.set_len(length);
    }
    written
}

fn last_byte(file: &mut File, length: u64) -> io::Result<u8> {
    file.seek(SeekFrom::Start(length.saturating_sub(1)))?;
    let mut byte = [0];
    file.read_exact(&mut byte)?;
    Ok(byte.first().copied().unwrap_or_default())
}
