//! The upper layer read as a list of changes.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use rustix::fs::lgetxattr;

use crate::world::{Inventory, InventoryKind};

/// The record of system calls is the lab's own.
const OWN: &str = "/tmp/.lab-trace";
/// A file larger than this is only looked at in its beginning.
const MOST: u64 = 48 << 20;

/// What happened at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Made,
    Changed,
    /// The same content with another mode.
    Attributes,
    Gone,
}

/// One path that is not as it was.
#[derive(Clone, Debug)]
pub struct WorldChange {
    pub path: String,
    pub what: What,
    pub is_directory: bool,
    /// The content now, of a regular file.
    pub bytes: Option<Vec<u8>>,
}

impl WorldChange {
    #[must_use]
    pub fn shown(&self) -> String {
        let sign = match self.what {
            What::Made => '+',
            What::Changed => '~',
            What::Attributes => '*',
            What::Gone => '-',
        };
        format!("{sign}{}", self.path)
    }
}

/// All changes of a case, by path.
#[derive(Clone, Debug, Default)]
pub struct WorldDifference {
    pub changes: Vec<WorldChange>,
    by_path: BTreeMap<String, usize>,
}

impl WorldDifference {
    /// Reads an upper layer.
    ///
    /// # Errors
    /// Where a directory of it cannot be read.
    pub fn read(upper: &str, inventory: &Inventory) -> Result<Self> {
        let mut difference = Self::default();
        difference.visit(Path::new(upper), "", inventory)?;
        Ok(difference)
    }

    #[must_use]
    pub fn at(&self, path: &str) -> Option<&WorldChange> {
        self.changes.get(*self.by_path.get(path)?)
    }

    /// The content of a file as it is now, whether or not it changed.
    #[must_use]
    pub fn content<'a>(&'a self, path: &str, inventory: &'a Inventory) -> Option<&'a [u8]> {
        match self.at(path) {
            Some(change) => change.bytes.as_deref(),
            None => match &inventory.get(path)?.kind {
                InventoryKind::File(bytes) => Some(bytes),
                InventoryKind::Directory | InventoryKind::Link(_) => None,
            },
        }
    }

    fn visit(&mut self, directory: &Path, path: &str, inventory: &Inventory) -> Result<()> {
        let entries = fs::read_dir(directory)
            .with_context(|| format!("`{}` could not be read", directory.display()))?;
        for entry in entries {
            let entry = entry?;
            let inner = format!("{path}/{}", entry.file_name().to_string_lossy());
            if inner == OWN {
                continue;
            }
            let found = fs::symlink_metadata(entry.path())?;
            self.enter(&entry.path(), inner, &found, inventory)?;
        }
        Ok(())
    }

    fn enter(
        &mut self,
        real: &Path,
        path: String,
        found: &Metadata,
        inventory: &Inventory,
    ) -> Result<()> {
        let known = inventory.get(&path);
        if found.file_type().is_char_device() && found.rdev() == 0 {
            for (lost, item) in inventory.below(&path) {
                self.gone(lost.to_owned(), item.kind == InventoryKind::Directory);
            }
            let was_directory = known.is_some_and(|item| item.kind == InventoryKind::Directory);
            self.gone(path, was_directory);
            return Ok(());
        }
        let mode = found.permissions().mode() & 0o7777;
        let same_mode = known.is_none_or(|item| item.mode == mode);
        if found.is_dir() {
            if is_opaque(real) {
                self.covered(real, &path, inventory);
            }
            match known {
                // Directories of the machine are copied up with what is made in them.
                None if Path::new(&path).is_dir()
                    && !path.starts_with("/home/")
                    && !path.starts_with("/tmp/") => {}
                None => self.add(path.clone(), What::Made, true, None),
                Some(item) if item.kind != InventoryKind::Directory => {
                    self.add(path.clone(), What::Changed, true, None)
                }
                Some(_) if !same_mode => self.add(path.clone(), What::Attributes, true, None),
                Some(_) => {}
            }
            return self.visit(real, &path, inventory);
        }
        if found.is_symlink() {
            let to = fs::read_link(real)?.to_string_lossy().into_owned();
            match known {
                Some(item) if item.kind == InventoryKind::Link(to) => {}
                Some(_) => self.add(path, What::Changed, false, None),
                None => self.add(path, What::Made, false, None),
            }
            return Ok(());
        }
        let bytes = found.is_file().then(|| read_some(real)).transpose()?;
        match (known, bytes) {
            (Some(item), Some(bytes)) => match &item.kind {
                InventoryKind::File(old) if *old == bytes && same_mode => {}
                InventoryKind::File(old) if *old == bytes => {
                    self.add(path, What::Attributes, false, Some(bytes))
                }
                InventoryKind::File(_) | InventoryKind::Directory | InventoryKind::Link(_) => {
                    self.add(path, What::Changed, false, Some(bytes))
                }
            },
            (Some(_), None) => self.add(path, What::Changed, false, None),
            (None, bytes) => self.add(path, What::Made, false, bytes),
        }
        Ok(())
    }

    /// An opaque directory hides everything that stood below it before.
    fn covered(&mut self, real: &Path, path: &str, inventory: &Inventory) {
        for (lost, item) in inventory.below(path) {
            let rest = lost.strip_prefix(path).unwrap_or_default();
            let still = real.join(rest.trim_start_matches('/'));
            if fs::symlink_metadata(still).is_err() {
                self.gone(lost.to_owned(), item.kind == InventoryKind::Directory);
            }
        }
    }

    fn gone(&mut self, path: String, was_directory: bool) {
        self.add(path, What::Gone, was_directory, None);
    }

    fn add(&mut self, path: String, what: What, is_directory: bool, bytes: Option<Vec<u8>>) {
        self.by_path.insert(path.clone(), self.changes.len());
        self.changes.push(WorldChange {
            path,
            what,
            is_directory,
            bytes,
        });
    }
}

fn is_opaque(directory: &Path) -> bool {
    ["trusted.overlay.opaque", "user.overlay.opaque"].iter().any(|name| {
        let mut value = [0_u8; 4];
        matches!(lgetxattr(directory, *name, &mut value), Ok(read) if value.get(..read) == Some(b"y"))
    })
}

fn read_some(path: &Path) -> Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(MOST).read_to_end(&mut bytes)?;
    Ok(bytes)
}
