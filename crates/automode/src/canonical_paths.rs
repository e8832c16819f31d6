//! Canonical forms of paths that have directories in common, each looked at once.
//!
//! The library resolves every path from the root on. What is asked here lies under a few
//! directories, and is asked before every tool call.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

/// Resolves paths as [`fs::canonicalize`] does, as they are when they are first asked for.
#[derive(Debug, Default)]
pub(crate) struct CanonicalPaths {
    known: Vec<(PathBuf, Option<PathBuf>)>,
}

impl CanonicalPaths {
    /// The canonical form; nothing where the path leads nowhere.
    pub(crate) fn of(&mut self, path: &Path) -> Option<PathBuf> {
        if is_plain(path) {
            self.plain(path)
        } else {
            fs::canonicalize(path).ok()
        }
    }

    fn plain(&mut self, path: &Path) -> Option<PathBuf> {
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Some(path.to_owned());
        };
        let mut known = self.known.iter();
        if let Some((_, known)) = known.find(|(own, _)| own.as_os_str() == path.as_os_str()) {
            return known.clone();
        }
        let within = self.plain(above).map(|above| above.join(name));
        let found = within.and_then(|within| match fs::symlink_metadata(&within) {
            Ok(about) if about.is_symlink() => fs::canonicalize(&within).ok(),
            Ok(_) => Some(within),
            Err(_) => None,
        });
        self.known.push((path.to_owned(), found.clone()));
        found
    }
}

/// Absolute, without `..`, and without a slash at the end, which would follow a link.
fn is_plain(path: &Path) -> bool {
    let is_name = |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
    path.is_absolute()
        && !path.as_os_str().as_bytes().ends_with(b"/")
        && path.components().all(is_name)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn paths_are_resolved_as_the_library_does() {
        let tree = tempfile::tempdir().unwrap();
        let root = tree.path();
        fs::create_dir_all(root.join("real/deep")).unwrap();
        fs::write(root.join("real/file"), "").unwrap();
        symlink(root.join("real"), root.join("link")).unwrap();
        symlink("link/deep", root.join("further")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let mut paths = CanonicalPaths::default();
        for name in [
            "",
            "real",
            "real/",
            "real/deep",
            "real/file",
            "real/file/",
            "real/file/x",
            "link",
            "link/",
            "link/deep",
            "link/file",
            "link/none",
            "link/none/x",
            "further",
            "further/../file",
            "real/../link/./deep",
            "real//deep",
            "dangling",
            "dangling/x",
            "loop",
            "loop/x",
            ".none",
            "none/..",
            "..",
        ] {
            for path in [root.join(name), PathBuf::from(name)] {
                let expected = fs::canonicalize(&path).ok();
                assert_eq!(paths.of(&path), expected, "{}", path.display());
            }
        }
        for path in [
            "/",
            "//",
            "/.",
            "/..",
            "/etc",
            "/proc/self/exe",
            "/none/at/all",
        ] {
            let expected = fs::canonicalize(path).ok();
            assert_eq!(paths.of(Path::new(path)), expected, "{path}");
        }
    }
}
