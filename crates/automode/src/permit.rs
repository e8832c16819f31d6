//! One-time permits: a person said "that was fine" about one call.
//!
//! A permit is a file named after the call's digest. Whoever removes it uses it, so
//! it serves once, however many hooks run. It lives for a quarter of an hour. The
//! directory is the user's own and guarded: an agent that writes there is vetoed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use automode_core::{ToolCall, tool};
use sha2::{Digest, Sha256};

use crate::state::{State, open_private};

/// How long a permit lives.
pub const LIFE: Duration = Duration::from_secs(15 * 60);

/// The digest of what a call means and where: a permit for it fits no other call.
#[must_use]
pub fn print(call: &ToolCall) -> String {
    let (name, action) = tool::normalize(call);
    let meaning = format!("{name}\0{action:?}\0{}", call.cwd);
    Sha256::digest(meaning)
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Permits the next call with this digest.
///
/// # Errors
/// Where the permit cannot be written.
pub fn grant(state: &State, print: &str, decision: &str) -> io::Result<()> {
    let path = place(state, print).ok_or(io::ErrorKind::InvalidInput)?;
    state.directory("permits")?;
    let _ = fs::remove_file(&path);
    let mut file: File = open_private(&path)?;
    file.write_all(decision.as_bytes())
}

/// Uses the permit of this digest up. Says which decision it was given for.
#[must_use]
pub fn redeem(state: &State, print: &str, now: SystemTime) -> Option<String> {
    let path = place(state, print)?;
    let given = fs::symlink_metadata(&path).ok()?;
    let decision = fs::read_to_string(&path).ok()?;
    fs::remove_file(&path).ok()?;
    let age = now.duration_since(given.modified().ok()?).ok()?;
    (given.is_file() && age <= LIFE).then_some(decision)
}

fn place(state: &State, print: &str) -> Option<PathBuf> {
    let plain = !print.is_empty() && print.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain.then(|| state.path("permits").join(print))
}
