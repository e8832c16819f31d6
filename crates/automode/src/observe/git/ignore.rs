//! What a repository leaves out: `.gitignore` files, its own list and the user's.
//!
//! The last pattern that matches decides, the nearest file first; nothing inside a
//! directory that is left out can be taken back in. A list that is there and cannot be
//! read might take something back in, so then nothing counts as left out.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The largest list that is read.
const MOST: u64 = 1024 * 1024;
/// Steps that matching one name may take.
const STEPS: usize = 20_000;

/// The lists of one working tree, read as they are needed.
pub(super) struct Ignores {
    root: PathBuf,
    /// Lists for the whole tree, the more important one first.
    everywhere: Vec<Option<Rc<[IgnorePattern]>>>,
    folders: HashMap<Vec<u8>, Option<Rc<[IgnorePattern]>>>,
}

/// One line of a list.
#[derive(Debug)]
struct IgnorePattern {
    text: Vec<u8>,
    takes_back: bool,
    directories_only: bool,
    /// It is held against the path below its list, not against the name.
    anchored: bool,
}

impl Ignores {
    pub(super) fn new(root: &Path, lists: &[PathBuf]) -> Self {
        Self {
            root: root.to_owned(),
            everywhere: lists.iter().map(|path| read(path)).collect(),
            folders: HashMap::new(),
        }
    }

    /// Whether a path below the root is left out.
    pub(super) fn leave_out(&mut self, path: &[u8], is_directory: bool) -> bool {
        let ends = path
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'/')
            .map(|(at, _)| at);
        for end in ends {
            if self.decides(path.get(..end).unwrap_or_default(), true) == Some(true) {
                return true;
            }
        }
        self.decides(path, is_directory) == Some(true)
    }

    /// What the lists say of one path, not of those above it.
    fn decides(&mut self, path: &[u8], is_directory: bool) -> Option<bool> {
        let mut folder = path;
        while let Some(end) = folder.iter().rposition(|byte| *byte == b'/') {
            folder = folder.get(..end).unwrap_or_default();
            let below = path.get(end.saturating_add(1)..).unwrap_or_default();
            let list = self.list(folder)?;
            if let Some(decided) = decide(&list, below, is_directory) {
                return Some(decided);
            }
        }
        let list = self.list(b"")?;
        decide(&list, path, is_directory).or_else(|| {
            self.everywhere.iter().find_map(|list| match list {
                Some(list) => decide(list, path, is_directory),
                None => Some(false),
            })
        })
    }

    fn list(&mut self, folder: &[u8]) -> Option<Rc<[IgnorePattern]>> {
        use std::os::unix::ffi::OsStrExt;
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let path = self
            .root
            .join(std::ffi::OsStr::from_bytes(folder))
            .join(".gitignore");
        let list = read(&path);
        self.folders.insert(folder.to_vec(), list.clone());
        list
    }
}

fn read(path: &Path) -> Option<Rc<[IgnorePattern]>> {
    match fs::symlink_metadata(path) {
        // Git follows no link here either.
        Ok(about) if about.is_file() && about.len() <= MOST => {}
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Some(Rc::new([]));
        }
        Ok(_) | Err(_) => return None,
    }
    let bytes = fs::read(path).ok()?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    Some(
        bytes
            .split(|byte| *byte == b'\n')
            .filter_map(pattern)
            .collect(),
    )
}

fn pattern(line: &[u8]) -> Option<IgnorePattern> {
    let mut text = line.strip_suffix(b"\r").unwrap_or(line);
    while let Some(shorter) = text.strip_suffix(b" ") {
        if shorter.ends_with(b"\\") {
            break;
        }
        text = shorter;
    }
    if text.is_empty() || text.starts_with(b"#") {
        return None;
    }
    let takes_back = text.starts_with(b"!");
    text = text.strip_prefix(b"!").unwrap_or(text);
    let directories_only = text.ends_with(b"/");
    text = text.strip_suffix(b"/").unwrap_or(text);
    let anchored = text.contains(&b'/');
    text = text.strip_prefix(b"/").unwrap_or(text);
    (!text.is_empty()).then(|| IgnorePattern {
        text: text.to_vec(),
        takes_back,
        directories_only,
        anchored,
    })
}

/// The last pattern that matches decides.
fn decide(list: &[IgnorePattern], below: &[u8], is_directory: bool) -> Option<bool> {
    let name = below.rsplit(|byte| *byte == b'/').next().unwrap_or(below);
    list.iter()
        .rev()
        .filter(|pattern| is_directory || !pattern.directories_only)
        .find(|pattern| {
            let text = if pattern.anchored { below } else { name };
            matches_anywhere(&pattern.text, text, &mut STEPS.clone())
        })
        .map(|pattern| !pattern.takes_back)
}

/// A leading `**/` stands for any number of directories.
fn matches_anywhere(pattern: &[u8], text: &[u8], steps: &mut usize) -> bool {
    match pattern.strip_prefix(b"**/") {
        None => matches(pattern, text, steps),
        Some(rest) => {
            matches_anywhere(rest, text, steps)
                || slashes(text).any(|at| {
                    let below = text.get(at.saturating_add(1)..).unwrap_or_default();
                    matches_anywhere(rest, below, steps)
                })
        }
    }
}

/// git's own matching of names: `*` and `?` stop at a slash, `**` between slashes does not.
fn matches(pattern: &[u8], text: &[u8], steps: &mut usize) -> bool {
    let Some(left) = steps.checked_sub(1) else {
        return false;
    };
    *steps = left;
    match pattern {
        [] => text.is_empty(),
        [b'/', b'*', b'*'] => text.len() > 1 && text.starts_with(b"/"),
        [b'/', b'*', b'*', b'/', rest @ ..] => {
            text.starts_with(b"/")
                && slashes(text).any(|at| {
                    matches(
                        rest,
                        text.get(at.saturating_add(1)..).unwrap_or_default(),
                        steps,
                    )
                })
        }
        [b'*', rest @ ..] => {
            let rest = rest
                .iter()
                .position(|byte| *byte != b'*')
                .map_or(rest.get(rest.len()..).unwrap_or_default(), |at| {
                    rest.get(at..).unwrap_or_default()
                });
            let end = text
                .iter()
                .position(|byte| *byte == b'/')
                .unwrap_or(text.len());
            (0..=end).any(|at| matches(rest, text.get(at..).unwrap_or_default(), steps))
        }
        [b'?', rest @ ..] => match text {
            [first, after @ ..] if *first != b'/' => matches(rest, after, steps),
            _ => false,
        },
        [b'[', rest @ ..] => match (class(rest, text.first().copied()), text) {
            (Some((true, after)), [_, text @ ..]) => matches(after, text, steps),
            (Some(_), _) | (None, _) => false,
        },
        [b'\\', literal, rest @ ..] | [literal, rest @ ..] => match text {
            [first, after @ ..] if first == literal => matches(rest, after, steps),
            _ => false,
        },
    }
}

fn slashes(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    text.iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'/')
        .map(|(at, _)| at)
}

/// Whether a byte is in a class, and the pattern behind it. Nothing where the class does not end
/// or is one of the named ones, which nobody writes in such lists.
fn class(pattern: &[u8], byte: Option<u8>) -> Option<(bool, &[u8])> {
    let byte = byte.filter(|byte| *byte != b'/')?;
    let (negated, mut rest) = match pattern {
        [b'!' | b'^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut found = false;
    let mut first = true;
    loop {
        match rest {
            [b']', after @ ..] if !first => return Some((found != negated, after)),
            [b'[', b':', ..] | [] => return None,
            [b'\\', low, after @ ..] => {
                found |= *low == byte;
                rest = after;
            }
            [low, b'-', high, after @ ..] if *high != b']' => {
                found |= (*low..=*high).contains(&byte);
                rest = after;
            }
            [low, after @ ..] => {
                found |= *low == byte;
                rest = after;
            }
        }
        first = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, path: &str, expected: bool) {
        let list: Vec<IgnorePattern> = pattern
            .split('\n')
            .filter_map(|line| super::pattern(line.as_bytes()))
            .collect();
        let decided = decide(&list, path.as_bytes(), path.ends_with('x'));
        assert_eq!(decided, Some(true).filter(|_| expected), "{pattern} {path}");
    }

    #[test]
    fn names_match_as_git_matches_them() {
        check("*.o", "a/b.o", true);
        check("*.o", "a/b.oo", false);
        check("/b", "b", true);
        check("/b", "a/b", false);
        check("a/b", "a/b", true);
        check("a/b", "c/a/b", false);
        check("**/b", "c/a/b", true);
        check("a/**", "a/b/c", true);
        check("a/**/c", "a/c", true);
        check("a/**/c", "a/b/b/c", true);
        check("a**/c", "a/b/c", false);
        check("a*c", "abbc", true);
        check("a/*c", "a/b/c", false);
        check("?", "ab", false);
        check("[a-c]d", "bd", true);
        check("[!a-c]d", "bd", false);
        check("dx/", "dx", true);
        check("d/", "d", false);
        check("\\#a", "#a", true);
        check("# a", "# a", false);
        check("a\\ ", "a ", true);
        check("a  ", "a", true);
    }
}
