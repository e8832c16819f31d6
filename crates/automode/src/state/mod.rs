//! The directory where automode remembers: sessions, the audit log, one-time permits.
//!
//! It belongs to this user alone. A directory that is somebody else's, a link that
//! somebody else made, or one that others may write to is not used: what stands in it
//! could be theirs. Nothing here decides: without a state there is no memory and no
//! log, and the verdict stands.

mod append;
mod lock;

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

pub use append::{append, open_private};
pub use lock::{Lock, LockError};

/// A state directory that may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    root: PathBuf,
}

/// Why a state directory may not be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    #[error("the state directory `{0}` belongs to somebody else")]
    Foreign(PathBuf),
    #[error("the state directory `{0}` may be written by others (hint: chmod go-w)")]
    Shared(PathBuf),
    #[error("`{0}` is not a directory")]
    NotADirectory(PathBuf),
    #[error("the state directory `{0}` cannot be used: {1}")]
    Io(PathBuf, io::Error),
    #[error("there is no place for the state (hint: set HOME or XDG_STATE_HOME)")]
    Homeless,
}

impl State {
    /// Where the state lies: `AUTOMODE_STATE_DIR`, or `automode` under `XDG_STATE_HOME`.
    ///
    /// # Errors
    /// [`Unusable`] where there is no such place or it cannot be trusted.
    pub fn locate(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Unusable> {
        Self::at(Self::place(variable).ok_or(Unusable::Homeless)?)
    }

    /// The directory that [`State::locate`] would use; nothing is made or checked.
    #[must_use]
    pub fn place(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
        let absolute = |name: &str| {
            variable(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        absolute("AUTOMODE_STATE_DIR")
            .or_else(|| absolute("XDG_STATE_HOME").map(|base| base.join("automode")))
            .or_else(|| absolute("HOME").map(|home| home.join(".local/state/automode")))
    }

    /// The state in this directory, which is made where it is missing.
    ///
    /// # Errors
    /// [`Unusable`] where it cannot be made or trusted.
    pub fn at(root: PathBuf) -> Result<Self, Unusable> {
        let found = match fs::symlink_metadata(&root) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make(&root).map_err(|error| Unusable::Io(root.clone(), error))?;
                fs::symlink_metadata(&root).map_err(|error| Unusable::Io(root.clone(), error))?
            }
            Err(error) => return Err(Unusable::Io(root, error)),
        };
        check(&root, &found)?;
        if found.is_symlink() {
            let target = fs::metadata(&root).map_err(|error| Unusable::Io(root.clone(), error))?;
            check(&root, &target)?;
        }
        Ok(Self { root })
    }

    /// A directory of the state, made where it is missing.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn directory(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.root.join(name);
        // Nearly always it is there, and to look is cheaper than to try.
        if !path.is_dir() {
            make(&path)?;
        }
        Ok(path)
    }

    /// The path of something in the state; it need not exist.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }
}

/// Makes a directory and what is missing above it, for its user alone whatever the mask.
fn make(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => fs::set_permissions(path, Permissions::from_mode(0o700)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let is_directory = fs::metadata(path)?.is_dir();
            is_directory.then_some(()).ok_or(error)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => match path.parent() {
            Some(above) if !above.is_dir() => {
                make(above)?;
                make(path)
            }
            Some(_) | None => Err(error),
        },
        Err(error) => Err(error),
    }
}

fn check(root: &Path, found: &Metadata) -> Result<(), Unusable> {
    if found.uid() != rustix::process::getuid().as_raw() {
        return Err(Unusable::Foreign(root.to_owned()));
    }
    if found.is_symlink() {
        return Ok(());
    }
    if !found.is_dir() {
        return Err(Unusable::NotADirectory(root.to_owned()));
    }
    if found.mode() & 0o022 != 0 {
        return Err(Unusable::Shared(root.to_owned()));
    }
    Ok(())
}
