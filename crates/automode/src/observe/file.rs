//! The text of a file, bounded.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use automode_shell::FileFact;

/// The largest file that is read.
pub(super) const MOST: u64 = 256 * 1024;

pub(super) fn read(path: &Path) -> FileFact {
    // Asked before opening: opening a pipe would wait for a writer.
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return FileFact::Directory,
        Ok(found) if found.is_file() && found.len() <= MOST => {}
        Ok(_) => return FileFact::Unreadable,
        Err(error) if error.kind() == ErrorKind::NotFound => return FileFact::Absent,
        Err(_) => return FileFact::Unreadable,
    }
    let mut body = Vec::new();
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

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(read(&tree.path().join("none")), FileFact::Absent);
        assert_eq!(read(Path::new("/dev/zero")), FileFact::Unreadable);
    }
}
