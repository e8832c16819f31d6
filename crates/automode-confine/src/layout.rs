//! The file system that a confined command sees, as a list of places.
//!
//! Only what is named is there: the system's own directories, toolchains, the project.
//! The home is empty, so a secret that is on nobody's list is hidden as well.
//! Nothing is ever put over a path that does not exist: that would leave an empty file behind.

use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::machine::Machine;
use crate::protected::Protected;
use crate::repository::Repository;
use crate::toolchain;
use automode_core::confine::{Confinement, Git, Home};

/// One place inside; later ones lie over earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Seen as it is outside, unwritable.
    Read(PathBuf),
    /// Seen and changed as it is outside.
    Write(PathBuf),
    /// A private directory that stands at another path.
    Private { from: PathBuf, at: PathBuf },
    /// Empty, and gone after the run.
    Empty(PathBuf),
    /// A link of the root directory.
    Link { to: PathBuf, at: PathBuf },
}

/// All places, and what must be mended afterwards.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) places: Vec<Place>,
    pub(crate) protected: Protected,
    /// Private directories of this session and project.
    pub(crate) temporary: PathBuf,
    pub(crate) caches: PathBuf,
}

/// Why no layout keeps the promise.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum LayoutError {
    #[error("`{0}` holds the home, which would then not be hidden")]
    TooWide(PathBuf),
    #[error("`{0}` does not exist")]
    Missing(PathBuf),
    #[error("automode's own files in `{0}` lie inside the project")]
    OwnFiles(PathBuf),
    #[error("cannot make a private directory: {0}")]
    Private(String),
}

/// What a machine needs to run programs at all.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/sys",
    "/snap",
    "/run/current-system",
    "/var/lib/gems",
    "/var/lib/dpkg",
];

/// Places of the home that [`Home::Hide`] hides.
const SECRETS: &[&str] = &[
    ".aws",
    ".azure",
    ".bash_history",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".config/gcloud",
    ".config/gh",
    ".config/git/credentials",
    ".config/op",
    ".docker",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".local/share/keyrings",
    ".local/state",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".netrc",
    ".npmrc",
    ".password-store",
    ".pgpass",
    ".pypirc",
    ".ssh",
    ".vault-token",
    ".zsh_history",
    ".claude",
    ".codex",
    ".gemini",
    ".copilot",
    ".qwen",
    ".config/automode",
    ".cache",
    ".gradle/gradle.properties",
    ".m2/settings.xml",
    ".python_history",
    ".node_repl_history",
    ".terraform.d",
    ".thunderbird",
];

impl Layout {
    /// Of one session's run on this machine.
    pub(crate) fn of(
        confinement: &Confinement,
        machine: &Machine,
        session: &str,
    ) -> Result<Self, LayoutError> {
        let project = checked(&confinement.project, machine)?;
        if machine.state.starts_with(&project) {
            return Err(LayoutError::OwnFiles(machine.state.clone()));
        }
        let session = machine.cache.join("session").join(plain(session));
        let temporary = private(&session.join("tmp"))?;
        let more_temporary = private(&session.join("var-tmp"))?;
        let caches = private(&machine.cache.join("project").join(name_of(&project)))?;
        let repository = Repository::of(&project);
        let protected = Protected::of(&project, &repository, confinement.git);

        let mut places = system();
        places.push(Place::Empty("/run".into()));
        places.push(Place::Private {
            from: temporary.clone(),
            at: "/tmp".into(),
        });
        places.push(Place::Private {
            from: more_temporary,
            at: "/var/tmp".into(),
        });
        match confinement.home {
            Home::Empty => places.push(Place::Empty(machine.home.clone())),
            Home::Hide => hide(&machine.home, &mut places),
        }
        let mut readable = toolchain::readable(machine, &project);
        readable.retain(|place| !is_system(place));
        for place in &confinement.read {
            // What a command names to read and is not there it does not find here either.
            match checked(place, machine) {
                Ok(place) => readable.push(place),
                Err(LayoutError::Missing(_)) => {}
                Err(error) => return Err(error),
            }
        }
        readable.sort();
        readable.dedup();
        places.extend(readable.into_iter().map(Place::Read));
        for directory in &repository.directories {
            places.push(Place::Read(directory.clone()));
        }
        let mut writable = vec![project];
        for place in &confinement.write {
            writable.push(checked(place, machine)?);
        }
        writable.sort();
        places.extend(writable.into_iter().map(Place::Write));
        places.push(Place::Write(caches.clone()));
        if confinement.git == Git::Commit {
            // A mount point of its own cannot be renamed away.
            places.extend(repository.directories.iter().cloned().map(Place::Write));
            let entries = repository.entries.iter().filter(|entry| entry.is_file());
            places.extend(entries.cloned().map(Place::Read));
        }
        places.extend(
            protected
                .present
                .iter()
                .filter_map(keepable)
                .map(Place::Read),
        );
        Ok(Self {
            places,
            protected,
            temporary,
            caches,
        })
    }

    /// Puts a copy at the project's place. It is the trial's own, so nothing in it is kept.
    pub(crate) fn replace(&mut self, project: &Path, copy: &Path) -> Result<(), LayoutError> {
        let project =
            fs::canonicalize(project).map_err(|_| LayoutError::Missing(project.to_owned()))?;
        self.places.retain(|place| match place {
            Place::Read(path) | Place::Write(path) | Place::Empty(path) => {
                !path.starts_with(&project)
            }
            Place::Private { .. } | Place::Link { .. } => true,
        });
        self.places.push(Place::Private {
            from: copy.to_owned(),
            at: project,
        });
        self.protected = Protected {
            present: Vec::new(),
            absent: Vec::new(),
        };
        Ok(())
    }

    /// The trees that may be changed, as they are called outside.
    pub(crate) fn writable(&self) -> Vec<PathBuf> {
        self.places
            .iter()
            .filter_map(|place| match place {
                Place::Write(path) => Some(path.clone()),
                Place::Private { from, .. } => Some(from.clone()),
                Place::Read(_) | Place::Empty(_) | Place::Link { .. } => None,
            })
            .collect()
    }

    /// The trees that may be read, as they are called outside.
    pub(crate) fn readable(&self) -> Vec<PathBuf> {
        self.places
            .iter()
            .filter_map(|place| match place {
                Place::Read(path) => Some(path.clone()),
                Place::Write(_) | Place::Private { .. } | Place::Empty(_) | Place::Link { .. } => {
                    None
                }
            })
            .collect()
    }
}

/// A link is kept by keeping what it leads to; a link to nowhere holds nothing.
fn keepable(path: &PathBuf) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

fn system() -> Vec<Place> {
    let mut places = Vec::new();
    let links = fs::read_dir("/").into_iter().flatten().flatten();
    for entry in links {
        if entry.file_type().is_ok_and(|kind| kind.is_symlink())
            && let Ok(to) = fs::read_link(entry.path())
        {
            places.push(Place::Link {
                to,
                at: entry.path(),
            });
        }
    }
    for directory in SYSTEM {
        let directory = Path::new(directory);
        if directory
            .symlink_metadata()
            .is_ok_and(|found| found.is_dir())
        {
            places.push(Place::Read(directory.to_owned()));
        }
    }
    places
}

fn is_system(place: &Path) -> bool {
    SYSTEM.iter().any(|system| place.starts_with(system))
}

fn hide(home: &Path, places: &mut Vec<Place>) {
    places.push(Place::Read(home.to_owned()));
    for secret in SECRETS {
        let path = home.join(secret);
        let Ok(found) = path.symlink_metadata() else {
            continue;
        };
        if found.is_dir() {
            places.push(Place::Empty(path));
        } else if found.is_file() {
            places.push(Place::Private {
                from: "/dev/null".into(),
                at: path,
            });
        }
    }
}

/// Resolved, existing, and not around the home.
fn checked(path: &Path, machine: &Machine) -> Result<PathBuf, LayoutError> {
    let resolved = fs::canonicalize(path).map_err(|_| LayoutError::Missing(path.to_owned()))?;
    if machine.home.starts_with(&resolved) {
        return Err(LayoutError::TooWide(resolved));
    }
    Ok(resolved)
}

/// A directory that only this person can enter.
pub(crate) fn private(path: &Path) -> Result<PathBuf, LayoutError> {
    use std::os::unix::fs::DirBuilderExt;
    let failed =
        |error: std::io::Error| LayoutError::Private(format!("`{}`: {error}", path.display()));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(failed)?;
    fs::canonicalize(path).map_err(failed)
}

/// A word that names one directory, whatever it is made of.
pub(crate) fn plain(word: &str) -> String {
    let mut name: String = word
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() || letter == '-' {
                letter
            } else {
                '_'
            }
        })
        .take(80)
        .collect();
    if name.is_empty() {
        name.push('_');
    }
    name
}

fn name_of(project: &Path) -> String {
    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(project.as_os_str().as_encoded_bytes());
    digest
        .iter()
        .take(12)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn machine(top: &Path) -> Machine {
        let home = top.join("home");
        fs::create_dir_all(home.join("app/.git/hooks")).unwrap();
        fs::create_dir_all(home.join(".ssh")).unwrap();
        Machine {
            variables: BTreeMap::new(),
            state: top.join("state"),
            cache: top.join("cache"),
            program: top.join("automode"),
            home,
        }
    }

    #[test]
    fn the_home_is_empty_and_the_project_lies_over_it() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let machine = machine(&top);
        let project = machine.home.join("app");
        let layout = Layout::of(&Confinement::of_project(&project), &machine, "a session").unwrap();
        let position = |wanted: &Place| layout.places.iter().position(|place| place == wanted);
        let home = position(&Place::Empty(machine.home.clone())).unwrap();
        let written = position(&Place::Write(project.clone())).unwrap();
        let git = layout
            .places
            .iter()
            .rposition(|place| *place == Place::Read(project.join(".git")))
            .unwrap();
        assert!(home < written && written < git);
        assert!(
            !layout
                .places
                .contains(&Place::Read(machine.home.join(".ssh")))
        );
    }

    #[test]
    fn no_place_is_made_up() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let machine = machine(&top);
        let confinement = Confinement::of_project(machine.home.join("app"));
        let layout = Layout::of(&confinement, &machine, "s").unwrap();
        for place in &layout.places {
            if let Place::Read(path) | Place::Write(path) = place {
                assert!(path.exists(), "{}", path.display());
            }
        }
    }

    #[test]
    fn a_promise_that_cannot_be_kept_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let machine = machine(&top);
        let check = |confinement: Confinement, expected: LayoutError| {
            assert_eq!(
                Layout::of(&confinement, &machine, "s").unwrap_err(),
                expected
            );
        };
        let home = machine.home.clone();
        check(
            Confinement::of_project(&home),
            LayoutError::TooWide(home.clone()),
        );
        check(
            Confinement::of_project("/"),
            LayoutError::TooWide("/".into()),
        );
        check(
            Confinement {
                read: vec![top.clone()],
                ..Confinement::of_project(home.join("app"))
            },
            LayoutError::TooWide(top.clone()),
        );
        check(
            Confinement::of_project(home.join("gone")),
            LayoutError::Missing(home.join("gone")),
        );
        fs::create_dir(home.join("app/state")).unwrap();
        let inside = Machine {
            state: home.join("app/state"),
            ..machine.clone()
        };
        assert!(Layout::of(&Confinement::of_project(home.join("app")), &inside, "s").is_err());
    }
}
