//! Files of other programs, changed as a whole or not at all.
//!
//! A change is written beside the file and put in its place in one step; the file as
//! it was is kept. A link is followed, so that settings kept elsewhere stay there.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use automode_agents::Agent;
use automode_agents::install;

/// What a kept file's name has behind the file's own, before the time.
const BEFORE: &str = "before-automode-";

/// Where the file as it was has gone; nothing where there was none.
pub type Backup = Option<PathBuf>;

/// The text of a file, if it exists.
pub fn read(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("`{}` cannot be read", path.display())),
    }
}

/// Puts a text in the place of a file.
pub fn replace(path: &Path, text: &str) -> Result<Backup> {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let directory = real.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(directory)
        .with_context(|| format!("`{}` cannot be made", directory.display()))?;
    let backup = keep(&real)?;
    let beside = name(&real, "new");
    let mut file = File::create(&beside)
        .with_context(|| format!("`{}` cannot be written", beside.display()))?;
    if let Ok(about) = fs::metadata(&real) {
        file.set_permissions(about.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, &real)
        .with_context(|| format!("`{}` cannot be written", real.display()))?;
    Ok(backup)
}

/// Takes a file away, keeping it as it was.
pub fn remove(path: &Path) -> Result<Backup> {
    let backup = keep(path)?;
    fs::remove_file(path).with_context(|| format!("`{}` cannot be removed", path.display()))?;
    Ok(backup)
}

/// The file that has a client look at its hooks, where it needs one, and its text.
pub fn manifest(agent: Agent, hooks: &Path) -> Option<(PathBuf, &'static str)> {
    let manifest = install::hook_file(agent)?.manifest.as_ref()?;
    let folder = hooks.parent()?.parent()?;
    Some((folder.join(manifest.name), manifest.text))
}

/// The file as it was at earlier times, the youngest first.
pub fn backups(path: &Path) -> Vec<String> {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let begins = name(&real, BEFORE);
    let directory = real.parent().unwrap_or(Path::new("/"));
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut found: Vec<(u64, PathBuf)> = entries
        .map(|entry| entry.path())
        .filter_map(|path| {
            let seconds = path
                .to_str()?
                .strip_prefix(begins.to_str()?)?
                .parse()
                .ok()?;
            Some((seconds, path))
        })
        .collect();
    found.sort();
    let texts = found.iter().rev();
    texts
        .filter_map(|(_, path)| fs::read_to_string(path).ok())
        .collect()
}

fn keep(path: &Path) -> Result<Backup> {
    if !path.exists() {
        return Ok(None);
    }
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    // Two changes in one second keep both.
    let backup = (seconds..)
        .map(|number| name(path, &format!("{BEFORE}{number}")))
        .find(|backup| !backup.exists())
        .unwrap_or_else(|| name(path, BEFORE));
    fs::copy(path, &backup).with_context(|| format!("`{}` cannot be kept", path.display()))?;
    Ok(Some(backup))
}

fn name(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(suffix);
    path.with_file_name(name)
}
