//! The directory: whose it is, who may write, where it lies.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::path::Path;

use automode::state::{State, Unusable};

use crate::state;

#[test]
fn a_missing_directory_is_made_private() {
    let (_directory, state) = state();
    let mode = fs::metadata(state.root()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_directory_that_others_may_write_is_not_used() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("automode");
    fs::create_dir(&root).unwrap();
    fs::set_permissions(&root, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(matches!(State::at(root), Err(Unusable::Shared(_))));
}

#[test]
fn a_link_of_somebody_else_is_not_followed() {
    let directory = tempfile::tempdir().unwrap();
    let (real, link) = (
        directory.path().join("real"),
        directory.path().join("automode"),
    );
    fs::create_dir(&real).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o700)).unwrap();
    symlink(&real, &link).unwrap();
    assert!(State::at(link.clone()).is_ok());
    // Only root may give things away.
    if lchown(&link, Some(65_534), None).is_ok() {
        assert!(matches!(State::at(link), Err(Unusable::Foreign(_))));
        lchown(&real, Some(65_534), None).unwrap();
        assert!(matches!(State::at(real), Err(Unusable::Foreign(_))));
    }
}

#[test]
fn a_file_in_its_place_is_not_a_state() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("automode");
    fs::write(&root, "x").unwrap();
    assert!(State::at(root).is_err());
}

#[test]
fn a_full_disk_fails_the_log_and_nothing_else() {
    // `/dev/full` says what a full disk says.
    if !Path::new("/dev/full").exists() {
        return;
    }
    let mut full = OpenOptions::new()
        .write(true)
        .read(true)
        .open("/dev/full")
        .unwrap();
    assert!(automode::state::append(&mut full, "x\n").is_err());
}

#[test]
fn the_place_follows_the_environment() {
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path().to_str().unwrap().to_owned();
    let at =
        |name: &'static str| State::locate(|asked| (asked == name).then(|| base.clone())).unwrap();
    assert!(at("XDG_STATE_HOME").root().ends_with("automode"));
    assert!(at("HOME").root().ends_with(".local/state/automode"));
    assert!(matches!(State::locate(|_| None), Err(Unusable::Homeless)));
}
