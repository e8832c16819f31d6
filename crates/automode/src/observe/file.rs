//! The text of a file, bounded.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use automode_core::{PathFact, PathKind};
use automode_shell::FileFact;

/// The largest file that is read.
pub(super) const MOST: u64 = 256 * 1024;

pub(super) fn read(path: &Path) -> FileFact {
    // Asked before opening: opening a pipe would wait for a writer.
    let size = match fs::metadata(path) {
        // What lies above it is not what its name says.
        Ok(found) if found.is_dir() && path.is_symlink() => return FileFact::Unreadable,
        Ok(found) if found.is_dir() => return FileFact::Directory,
        Ok(found) if found.is_file() && found.len() <= MOST => found.len(),
        Ok(_) => return FileFact::Unreadable,
        // Nothing lies below what is no directory.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return FileFact::Absent;
        }
        Err(_) => return FileFact::Unreadable,
    };
    // Room for one more byte, so that the end shows at once.
    let room = usize::try_from(size).unwrap_or_default().saturating_add(32);
    let mut body = Vec::with_capacity(room);
    let read = File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut body));
    let fits = read.is_ok_and(|length| length as u64 <= MOST);
    match String::from_utf8(body) {
        Ok(body) if fits && !body.contains('\0') => FileFact::Text {
            body,
            session: false,
        },
        Ok(_) | Err(_) => FileFact::Unreadable,
    }
}

/// The program of the system that a path leads to, over a link on its way or at its end.
pub(super) fn linked_program(path: &Path, known: Option<&PathFact>) -> Option<String> {
    const SYSTEM: [&str; 3] = ["/usr", "/bin", "/sbin"];
    let real = match known {
        Some(fact) if fact.kind == PathKind::Absent => return None,
        Some(fact) => PathBuf::from(fact.canonical.as_ref()?),
        None => fs::canonicalize(path).ok()?,
    };
    let systems = SYSTEM.iter().any(|top| real.starts_with(top));
    let leads_there = systems && real != path && real.is_file();
    leads_there.then(|| real.to_str().map(str::to_owned))?
}

/// The bytes of a regular file, up to a bound; `None` where it cannot be read.
#[must_use]
pub fn first_bytes(path: &Path, most: u64) -> Option<Vec<u8>> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path)
        .ok()?
        .take(most)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_a_program_of_the_system_is_followed() {
        let tree = tempfile::tempdir().expect("a directory");
        let check = |name: &str, to: &Path, expected: bool| {
            let link = tree.path().join(name);
            std::os::unix::fs::symlink(to, &link).expect("a link");
            let found = linked_program(&link, None);
            assert_eq!(found.is_some(), expected, "{name}: {found:?}");
        };
        check("tool", Path::new("/bin/sh"), true);
        check("twice", &tree.path().join("tool"), true);
        check("folder", Path::new("/usr/bin"), false);
        check("nowhere", Path::new("/usr/bin/no-such-program"), false);
        fs::write(tree.path().join("own"), "x").expect("written");
        check("beside", &tree.path().join("own"), false);
        assert_eq!(linked_program(&tree.path().join("own"), None), None);
        // A folder on the way may be the link.
        assert!(linked_program(&tree.path().join("folder/env"), None).is_some());
    }

    #[test]
    fn only_text_of_a_sane_size_is_read() {
        let tree = tempfile::tempdir().expect("a directory");
        let check = |name: &str, content: &[u8], expected: FileFact| {
            let path = tree.path().join(name);
            fs::write(&path, content).expect("written");
            assert_eq!(read(&path), expected, "{name}");
        };
        let text = FileFact::Text {
            body: "echo hi\n".to_owned(),
            session: false,
        };
        check("script", b"echo hi\n", text);
        check("binary", b"\x7fELF\0\0", FileFact::Unreadable);
        check("latin", b"caf\xe9", FileFact::Unreadable);
        check("huge", &vec![b'x'; 300 * 1024], FileFact::Unreadable);
        assert_eq!(read(tree.path()), FileFact::Directory);
        let link = tree.path().join("link");
        std::os::unix::fs::symlink(std::env::temp_dir(), &link).unwrap();
        assert_eq!(read(&link), FileFact::Unreadable);
        assert_eq!(read(&tree.path().join("none")), FileFact::Absent);
        assert_eq!(read(&tree.path().join("binary/.env")), FileFact::Absent);
        assert_eq!(read(Path::new("/dev/zero")), FileFact::Unreadable);
    }
}
