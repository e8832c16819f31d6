//! Where automode itself lies on this machine.
//!
//! The engine knows the usual places by name; these are the ones in use, wherever
//! the environment or the installation has put them, as named and as resolved.

use std::env;
use std::path::PathBuf;

use crate::canonical_paths::CanonicalPaths;
use crate::state::State;

/// The program, the user's settings, the state with its log, for [`Session::own`](crate::Session).
#[must_use]
pub fn paths() -> Vec<String> {
    find(|name| env::var(name).ok(), env::current_exe().ok())
}

fn find(variable: impl Fn(&str) -> Option<String>, program: Option<PathBuf>) -> Vec<String> {
    let absolute = |name: &str| {
        variable(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let settings = absolute("XDG_CONFIG_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".config")))
        .map(|base| base.join("automode"));
    let named = [
        State::place(&variable),
        settings,
        absolute("AUTOMODE_CONFIG"),
        program,
    ];
    let mut paths: Vec<String> = Vec::new();
    let mut canonical = CanonicalPaths::default();
    for path in named.into_iter().flatten() {
        let resolved = canonical.of(&path);
        for path in [Some(path), resolved].into_iter().flatten() {
            if let Some(path) = path.to_str()
                && !paths.iter().any(|known| known == path)
            {
                paths.push(path.to_owned());
            }
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn moved_places_are_found_as_named_and_as_resolved() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let (real, link) = (top.join("real"), top.join("link"));
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let shown = |path: &PathBuf| path.to_str().unwrap().to_owned();
        let variable = |name: &str| match name {
            "AUTOMODE_STATE_DIR" => Some(shown(&link)),
            "HOME" => Some("/home/dev".to_owned()),
            "AUTOMODE_CONFIG" => Some("relative.toml".to_owned()),
            _ => None,
        };
        assert_eq!(
            find(variable, Some(PathBuf::from("/opt/am/automode"))),
            [
                shown(&link),
                shown(&real),
                "/home/dev/.config/automode".to_owned(),
                "/opt/am/automode".to_owned(),
            ]
        );
    }
}
