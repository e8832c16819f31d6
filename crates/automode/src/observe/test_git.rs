//! The real git, for tests that compare with it.

use std::path::Path;
use std::process::Command;

/// Runs git in a repository of a test.
pub(super) fn run(root: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .current_dir(root)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(arguments)
        .output()
        .expect("git runs");
    assert!(done.status.success(), "{arguments:?}: {done:?}");
}
