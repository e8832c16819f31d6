//! One file per command.

pub mod approve;
pub mod dashboard;
pub mod fleet;
pub mod serve;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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

/// Opens a page in the person's browser: the one that `BROWSER` names, else the system's.
/// The address was printed; where no browser takes it, that is said.
pub fn open_browser(address: &str) {
    let named = std::env::var("BROWSER").unwrap_or_default();
    let lines = browser_lines(&named, address);
    // Some end only with their last window.
    std::thread::spawn(move || {
        if !lines.iter().any(|line| took(line)) {
            eprintln!("no browser could be started\nhint: open the address above by hand");
        }
    });
}

/// What may be started, the best first. `BROWSER` is a list with colons between, where `%s`
/// stands for the address.
fn browser_lines(named: &str, address: &str) -> Vec<Vec<String>> {
    let system = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    named
        .split(':')
        .chain([system])
        .filter(|entry| !entry.trim().is_empty())
        .map(|entry| {
            let mut words: Vec<String> = entry
                .split_whitespace()
                .map(|word| word.replace("%s", address))
                .collect();
            if !entry.contains("%s") {
                words.push(address.to_owned());
            }
            words
        })
        .collect()
}

/// A browser that was there for a while had the page, however it ended.
fn took(line: &[String]) -> bool {
    const A_WHILE: Duration = Duration::from_secs(5);
    let Some((program, words)) = line.split_first() else {
        return false;
    };
    let started = Instant::now();
    Command::new(program)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success() || started.elapsed() > A_WHILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_that_a_person_names_comes_first() {
        let lines = browser_lines("chromium --app=%s:firefox", "http://127.0.0.1:1/x");
        let lines: Vec<String> = lines.iter().map(|line| line.join(" ")).collect();
        assert_eq!(lines[0], "chromium --app=http://127.0.0.1:1/x");
        assert_eq!(lines[1], "firefox http://127.0.0.1:1/x");
        assert_eq!(lines.len(), 3, "the system's own comes last: {lines:?}");
        assert_eq!(browser_lines("", "a").len(), 1);
    }

    #[test]
    fn a_browser_that_fails_gives_way_to_the_next() {
        let line = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(!took(&line("/nowhere/browser a")));
        assert!(!took(&line("false a")));
        assert!(took(&line("true a")));
    }
}
