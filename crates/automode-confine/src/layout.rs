//! The file system that a confined command sees, as a list of places.
//!
//! Only what is named is there: the system's own directories, toolchains, the project.
//! The home is empty, so a secret that is on nobody's list is hidden as well.
//! Nothing is ever put over a path that does not exist: that would leave an empty file behind.

use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::machine::Machine;
use crate::protected::ProtectedFiles;
use crate::repository::Repository;
use crate::shared_packages::SharedPackages;
use crate::toolchain;
use automode_core::confine::{Confinement, Git, Home};

/// One place inside; later ones lie over earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MountPlace {
    /// Seen as it is outside, unwritable.
    Read(PathBuf),
    /// Seen and changed as it is outside.
    Write(PathBuf),
    /// A private directory that stands at another path.
    Private { from: PathBuf, at: PathBuf },
    /// Empty, and gone after the run.
    Empty(PathBuf),
    /// A file that stands empty and unwritable.
    Hidden(PathBuf),
    /// A link of the root directory.
    Link { to: PathBuf, at: PathBuf },
}

/// All places, and what must be mended afterwards.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) places: Vec<MountPlace>,
    pub(crate) protected: ProtectedFiles,
    /// The project and the other trees that may be changed, and the repositories of each.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) repositories: Vec<Repository>,
    /// Folders in them that cannot be changed, since their files have other names elsewhere.
    pub(crate) shared: Vec<SharedPackages>,
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

/// Places of the system that hold keys and passwords, where this person may read them: one who
/// is the machine's owner may.
const SYSTEM_SECRETS: &[&str] = &[
    "/etc/NetworkManager/system-connections",
    "/etc/docker/key.json",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/krb5.keytab",
    "/etc/kubernetes",
    "/etc/letsencrypt",
    "/etc/openvpn",
    "/etc/rancher",
    "/etc/security/opasswd",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssl/private",
    "/etc/wireguard",
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
        let roots = roots(confinement, machine)?;
        let name = name_of(roots.first().map_or(Path::new("/"), PathBuf::as_path));
        let session = machine.cache.join("session").join(plain(session));
        let temporary = private(&session.join("tmp"))?;
        let more_temporary = private(&session.join("var-tmp"))?;
        let caches = private(&machine.cache.join("project").join(name))?;
        let repositories: Vec<Repository> = roots
            .iter()
            .map(|root| {
                let mut found = Repository::of(root);
                found.add_settings_of(root, &machine.home);
                found
            })
            .collect();
        let mut layout = Self {
            places: system(),
            protected: ProtectedFiles::default(),
            shared: roots.iter().map(|root| SharedPackages::of(root)).collect(),
            roots,
            repositories,
            temporary,
            caches,
        };
        layout.protected = layout.protected_under(confinement.git, machine);
        layout.place_private(more_temporary);
        match confinement.home {
            Home::Empty => layout.places.push(MountPlace::Empty(machine.home.clone())),
            Home::Hide => hide(machine, &mut layout.places),
        }
        layout.place_readable(confinement, machine)?;
        // One that has moved since would be seen under its new name.
        if let Some(moved) = confinement.hide.iter().find(|path| !path.is_file()) {
            return Err(LayoutError::Missing(moved.clone()));
        }
        layout.place_writable(confinement.git, &confinement.hide);
        let hidden = confinement.hide.iter().cloned();
        layout.places.extend(hidden.map(MountPlace::Hidden));
        Ok(layout)
    }

    /// What may not change in any of the trees, where the repository may be changed or not.
    pub(crate) fn protected_under(&self, git: Git, machine: &Machine) -> ProtectedFiles {
        let mut protected = ProtectedFiles::default();
        for (root, repository) in self.roots.iter().zip(&self.repositories) {
            protected.add(root, repository, git);
        }
        // Whoever can replace this program decides the next call.
        if self
            .roots
            .iter()
            .any(|root| machine.program.starts_with(root))
        {
            protected.keep(machine.program.clone());
        }
        protected
    }

    fn place_private(&mut self, more_temporary: PathBuf) {
        self.places.push(MountPlace::Empty("/run".into()));
        self.places.push(MountPlace::Private {
            from: self.temporary.clone(),
            at: "/tmp".into(),
        });
        self.places.push(MountPlace::Private {
            from: more_temporary,
            at: "/var/tmp".into(),
        });
    }

    fn place_readable(
        &mut self,
        confinement: &Confinement,
        machine: &Machine,
    ) -> Result<(), LayoutError> {
        let mut readable = toolchain::readable(machine, &self.roots);
        readable.retain(|place| !is_system(place));
        for place in &confinement.read {
            // What a command names to read and is not there it does not find here either.
            match checked(place, machine) {
                Ok(place) if !is_around_own_files(&place, machine) => readable.push(place),
                Ok(_) | Err(LayoutError::Missing(_)) => {}
                Err(error) => return Err(error),
            }
        }
        // What lies in a place follows it, and needs no mount of its own: mounts are what a
        // start costs.
        readable.sort();
        readable.dedup_by(|inner, outer| inner.starts_with(outer));
        self.places
            .extend(readable.into_iter().map(MountPlace::Read));
        Ok(())
    }

    fn place_writable(&mut self, git: Git, hidden: &[PathBuf]) {
        let repositories = &self.repositories;
        let directories = || repositories.iter().flat_map(|found| &found.directories);
        self.places
            .extend(directories().cloned().map(MountPlace::Read));
        let mut writable = self.roots.clone();
        writable.sort();
        self.places
            .extend(writable.into_iter().map(MountPlace::Write));
        for packages in &self.shared {
            let unwritable = packages.unwritable.iter().cloned();
            self.places.extend(unwritable.map(MountPlace::Read));
            let caches = packages.caches.iter().cloned();
            self.places.extend(caches.map(MountPlace::Write));
        }
        // A mount point cannot be renamed, and a secret keeps the names it is known by.
        let mut above: Vec<PathBuf> = hidden
            .iter()
            .flat_map(|path| path.ancestors().skip(1))
            .filter(|above| {
                let mut roots = self.roots.iter();
                roots.any(|root| above.starts_with(root) && *above != root)
            })
            .map(Path::to_owned)
            .collect();
        above.sort();
        above.dedup();
        self.places.extend(above.into_iter().map(MountPlace::Write));
        self.places.push(MountPlace::Write(self.caches.clone()));
        if git == Git::Commit {
            // A mount point of its own cannot be renamed away.
            self.places
                .extend(directories().cloned().map(MountPlace::Write));
            let entries = repositories.iter().flat_map(|found| &found.entries);
            let files = entries.filter(|entry| entry.is_file());
            self.places.extend(files.cloned().map(MountPlace::Read));
        }
        // A link is kept by keeping what it leads to. Where that cannot be written anyway it
        // is not shown either: a link is no reason to see what it leads to.
        let writable = self.writable();
        let kept = self.protected.present.iter();
        let kept = kept.filter_map(|name| fs::canonicalize(name).ok());
        let kept = kept.filter(|real| writable.iter().any(|tree| real.starts_with(tree)));
        let kept: Vec<PathBuf> = kept.collect();
        self.places.extend(kept.into_iter().map(MountPlace::Read));
    }

    /// Puts a copy at the project's place. It is the trial's own, so nothing in it is kept.
    pub(crate) fn replace(&mut self, project: &Path, copy: &Path) -> Result<(), LayoutError> {
        let project =
            fs::canonicalize(project).map_err(|_| LayoutError::Missing(project.to_owned()))?;
        self.places.retain(|place| match place {
            MountPlace::Read(path)
            | MountPlace::Write(path)
            | MountPlace::Empty(path)
            | MountPlace::Hidden(path) => !path.starts_with(&project),
            MountPlace::Private { .. } | MountPlace::Link { .. } => true,
        });
        self.places.push(MountPlace::Private {
            from: copy.to_owned(),
            at: project,
        });
        self.protected = ProtectedFiles::default();
        self.roots = Vec::new();
        self.repositories = Vec::new();
        self.shared = Vec::new();
        Ok(())
    }

    /// The trees that may be changed, as they are called outside.
    pub(crate) fn writable(&self) -> Vec<PathBuf> {
        self.places
            .iter()
            .filter_map(|place| match place {
                MountPlace::Write(path) => Some(path.clone()),
                MountPlace::Private { from, .. } => Some(from.clone()),
                MountPlace::Read(_)
                | MountPlace::Empty(_)
                | MountPlace::Hidden(_)
                | MountPlace::Link { .. } => None,
            })
            .collect()
    }

    /// The trees that may be read, as they are called outside.
    pub(crate) fn readable(&self) -> Vec<PathBuf> {
        self.places
            .iter()
            .filter_map(|place| match place {
                MountPlace::Read(path) => Some(path.clone()),
                MountPlace::Write(_)
                | MountPlace::Private { .. }
                | MountPlace::Empty(_)
                | MountPlace::Hidden(_)
                | MountPlace::Link { .. } => None,
            })
            .collect()
    }
}

fn system() -> Vec<MountPlace> {
    let mut places = Vec::new();
    let links = fs::read_dir("/").into_iter().flatten().flatten();
    for entry in links {
        if entry.file_type().is_ok_and(|kind| kind.is_symlink())
            && let Ok(to) = fs::read_link(entry.path())
        {
            places.push(MountPlace::Link {
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
            places.push(MountPlace::Read(directory.to_owned()));
        }
    }
    let readable = |path: &&&str| rustix::fs::access(**path, rustix::fs::Access::READ_OK).is_ok();
    for secret in SYSTEM_SECRETS.iter().filter(readable).map(Path::new) {
        match secret.symlink_metadata() {
            Ok(found) if found.is_dir() => places.push(MountPlace::Empty(secret.to_owned())),
            Ok(found) if found.is_file() => places.push(MountPlace::Hidden(secret.to_owned())),
            Ok(_) | Err(_) => {}
        }
    }
    places
}

fn is_system(place: &Path) -> bool {
    SYSTEM.iter().any(|system| place.starts_with(system))
}

fn hide(machine: &Machine, places: &mut Vec<MountPlace>) {
    let home = &machine.home;
    places.push(MountPlace::Read(home.clone()));
    let own = [machine.state.clone(), machine.cache.clone()];
    for path in SECRETS.iter().map(|secret| home.join(secret)).chain(own) {
        let Ok(found) = path.symlink_metadata() else {
            continue;
        };
        if !path.starts_with(home) {
            continue;
        }
        if found.is_dir() {
            places.push(MountPlace::Empty(path));
        } else if found.is_file() {
            places.push(MountPlace::Private {
                from: "/dev/null".into(),
                at: path,
            });
        }
    }
}

/// The project, then the other trees that may be changed; none may hold our own files.
fn roots(confinement: &Confinement, machine: &Machine) -> Result<Vec<PathBuf>, LayoutError> {
    let mut roots: Vec<PathBuf> = Vec::new();
    for path in std::iter::once(&confinement.project).chain(&confinement.write) {
        let root = checked(path, machine)?;
        if is_around_own_files(&root, machine) {
            return Err(LayoutError::OwnFiles(machine.state.clone()));
        }
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    Ok(roots)
}

/// Whether a tree holds automode's own files, or lies among them.
fn is_around_own_files(tree: &Path, machine: &Machine) -> bool {
    // The self-test has its own project among the disposable files.
    let disposable = ["run", "session", "project"].map(|part| machine.cache.join(part));
    std::iter::once(machine.state.clone())
        .chain(disposable)
        .any(|own| {
            let own = fs::canonicalize(&own).unwrap_or(own);
            own.starts_with(tree) || tree.starts_with(&own)
        })
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
    let mut name = automode_core::digest(project.as_os_str().as_encoded_bytes());
    name.truncate(24);
    name
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
        let position = |wanted: &MountPlace| layout.places.iter().position(|place| place == wanted);
        let home = position(&MountPlace::Empty(machine.home.clone())).unwrap();
        let written = position(&MountPlace::Write(project.clone())).unwrap();
        let git = layout
            .places
            .iter()
            .rposition(|place| *place == MountPlace::Read(project.join(".git")))
            .unwrap();
        assert!(home < written && written < git);
        assert!(
            !layout
                .places
                .contains(&MountPlace::Read(machine.home.join(".ssh")))
        );
    }

    #[test]
    fn a_place_inside_another_is_not_mounted_again() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let machine = machine(&top);
        for place in ["data/in/deep", "data-x"] {
            fs::create_dir_all(machine.home.join(place)).unwrap();
        }
        let read = ["data", "data/in/deep", "data-x", "data/in"];
        let confinement = Confinement {
            read: read.map(|place| machine.home.join(place)).to_vec(),
            ..Confinement::of_project(machine.home.join("app"))
        };
        let layout = Layout::of(&confinement, &machine, "s").unwrap();
        let mut shown = layout.readable();
        shown.retain(|place| place.starts_with(&machine.home) && !place.ends_with(".git"));
        assert_eq!(
            shown,
            ["data", "data-x"].map(|place| machine.home.join(place))
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
            if let MountPlace::Read(path) | MountPlace::Write(path) = place {
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
