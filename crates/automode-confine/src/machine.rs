//! What a confined run needs to know of this machine.
//!
//! Read once at the edge; the layout and the environment inside are computed from it.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::backend::Backend;

/// The person's home, the environment, and where our own files lie.
#[derive(Debug, Clone)]
pub struct Machine {
    pub home: PathBuf,
    pub variables: BTreeMap<String, String>,
    /// Private and lasting: tickets, results, undo.
    pub state: PathBuf,
    /// Private and disposable: caches and temporary directories of confined runs.
    pub cache: PathBuf,
    /// This program, which is started again inside.
    pub program: PathBuf,
}

impl Machine {
    /// This process's, with the directory that holds automode's state.
    ///
    /// `None` where there is no home: nothing could be hidden.
    #[must_use]
    pub fn here(state: PathBuf) -> Option<Self> {
        let variables: BTreeMap<String, String> = env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let home = absolute(&variables, "HOME")?;
        let home = fs::canonicalize(home).ok()?;
        let cache = absolute(&variables, "XDG_CACHE_HOME")
            .unwrap_or_else(|| home.join(".cache"))
            .join("automode/confined");
        Some(Self {
            cache,
            state,
            program: env::current_exe().ok()?,
            home,
            variables,
        })
    }

    /// The directories of the search path, as named and resolved, those that exist.
    ///
    /// None that lies below `outside_of`: what can be changed there could lead anywhere.
    #[must_use]
    pub fn search_path(&self, outside_of: &[PathBuf]) -> Vec<PathBuf> {
        let path = self.variables.get("PATH").map_or("", String::as_str);
        let mut found: Vec<PathBuf> = Vec::new();
        let inside = |entry: &Path| outside_of.iter().any(|root| entry.starts_with(root));
        for entry in env::split_paths(path).filter(|entry| entry.is_absolute()) {
            let real = fs::canonicalize(&entry).ok();
            if inside(&entry) || real.as_deref().is_some_and(inside) {
                continue;
            }
            for entry in [Some(entry), real].into_iter().flatten() {
                if entry.is_dir() && !found.contains(&entry) {
                    found.push(entry);
                }
            }
        }
        found
    }

    /// A program on the search path that does not lie below `outside_of`.
    #[must_use]
    pub fn find_program(&self, name: &str, outside_of: &[PathBuf]) -> Option<PathBuf> {
        self.search_path(outside_of)
            .into_iter()
            .filter_map(|directory| fs::canonicalize(directory.join(name)).ok())
            .find(|program| {
                program.is_file() && !outside_of.iter().any(|root| program.starts_with(root))
            })
    }

    /// The program that is to confine others: one that only the machine's owner can replace.
    ///
    /// A project on the search path, or anything a confined command could once write, must
    /// not bring it.
    #[must_use]
    pub fn bubblewrap(&self) -> Option<PathBuf> {
        let programs = self.search_path(&[]);
        programs
            .into_iter()
            .filter_map(|directory| fs::canonicalize(directory.join("bwrap")).ok())
            .find(|program| is_owners(program))
    }

    /// Whether a backend that was written down may be started: files can be made up.
    #[must_use]
    pub(crate) fn may_use(&self, backend: &Backend) -> bool {
        match backend {
            Backend::Bubblewrap(program) => {
                fs::canonicalize(program).is_ok_and(|real| real == *program && is_owners(&real))
            }
            Backend::Landlock => true,
        }
    }
}

/// Where a machine keeps its own programs. A person who is its owner has others as well, and
/// whatever runs as that person could have put them there.
const SYSTEM: [&str; 7] = [
    "/usr",
    "/bin",
    "/sbin",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
];

/// A program that nobody but the machine's owner can replace.
fn is_owners(program: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owned = |path: &Path| {
        path.metadata()
            .is_ok_and(|found| found.uid() == 0 && found.mode() & 0o022 == 0)
    };
    let stored = program.starts_with("/nix/store");
    let systems = SYSTEM.iter().any(|place| program.starts_with(place));
    systems && program.is_file() && (stored || program.ancestors().all(owned))
}

fn absolute(variables: &BTreeMap<String, String>, name: &str) -> Option<PathBuf> {
    variables
        .get(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}
