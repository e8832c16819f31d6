//! One file per command.

pub mod approve;
pub mod dashboard;
pub mod fleet;
pub mod serve;

use std::process::{Command, Stdio};

use anyhow::Result;
use automode::state::State;

/// The state of this user.
pub fn state() -> Result<State> {
    Ok(State::locate(|name| std::env::var(name).ok())?)
}

/// Ends with a signal that means to end.
pub async fn stopped() {
    let interrupted = tokio::signal::ctrl_c();
    let Ok(mut terminated) =
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
    else {
        let _ = interrupted.await;
        return;
    };
    tokio::select! {
        _ = interrupted => {}
        _ = terminated.recv() => {}
    }
}

/// Opens a page in the person's browser. One that cannot be opened was printed anyway.
pub fn open_browser(address: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let _ = Command::new(program)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}
