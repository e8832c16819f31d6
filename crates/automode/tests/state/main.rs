//! What automode keeps: sessions and the audit log, under kills, crowds, full and foreign disks.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod audit;
mod directory;
mod faults;
mod session;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use automode::state::State;

const PATIENCE: Duration = Duration::from_secs(20);

fn state() -> (tempfile::TempDir, State) {
    let directory = tempfile::tempdir().unwrap();
    let state = State::at(directory.path().join("automode")).unwrap();
    (directory, state)
}

fn files(directory: &Path, kind: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|own| own == kind))
        .collect();
    files.sort();
    files
}

fn only_file(directory: &Path, kind: &str) -> PathBuf {
    let files = files(directory, kind);
    assert_eq!(files.len(), 1);
    files.into_iter().next().unwrap()
}
