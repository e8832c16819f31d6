//! A name for a session that nobody else names.

use std::time::{SystemTime, UNIX_EPOCH};

/// Another one every time.
#[must_use]
pub fn session_id() -> String {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    format!("{}-{}", since.as_nanos(), std::process::id())
}
