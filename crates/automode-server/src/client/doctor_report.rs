//! What `automode doctor` says of this machine, at most once an hour.
//!
//! Doctor runs the registered hooks as their clients would, which takes a moment: it is
//! run by the process that stays and by the timer's, never on the way of a round.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use automode::state::State;
use serde::{Deserialize, Serialize};

use super::Enrolment;
use super::enrolment::write_private;
use crate::clock;
use crate::policy_review::program;

/// How long a report is believed, in milliseconds.
const LASTS: u64 = 3_600_000;
/// How long doctor may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// Faults that are told.
const MOST: usize = 5;

/// A report that was kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorReport {
    pub time: u64,
    /// The clients that are registered, and where.
    pub agents: Vec<String>,
    /// What is wrong.
    pub faults: Vec<String>,
}

impl DoctorReport {
    /// The report that is kept, where there is one.
    #[must_use]
    pub fn load(state: &State) -> Option<Self> {
        let text = fs::read_to_string(state.path("fleet/doctor.json")).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Makes a new one where there is none of the last hour. Without doctor there is none.
    pub async fn renew(state: &State) {
        let now = clock::now();
        if Self::load(state).is_some_and(|known| now.saturating_sub(known.time) < LASTS) {
            return;
        }
        let root = state.root().to_owned();
        let run = tokio::task::spawn_blocking(move || {
            Command::new(program())
                .arg("doctor")
                .env("AUTOMODE_STATE_DIR", root)
                .stdin(Stdio::null())
                .output()
        });
        let Ok(Ok(Ok(output))) = tokio::time::timeout(PATIENCE, run).await else {
            return;
        };
        let report = Self::read(&String::from_utf8_lossy(&output.stdout), now);
        let kept = Enrolment::folder(state).and_then(|folder| {
            let text = serde_json::to_string(&report)?;
            write_private(&folder.join("doctor.json"), &text)
        });
        if let Err(error) = kept {
            eprintln!("automode fleet: {error:#}");
        }
    }

    /// Titles stand at the margin, findings are indented: `ok`, `note` or `wrong`.
    fn read(text: &str, time: u64) -> Self {
        let titles = text.lines().filter(|line| !line.starts_with(' '));
        let agents = titles.filter(|line| line.ends_with(')') && !line.contains("hint:"));
        let faults = text
            .lines()
            .filter_map(|line| line.strip_prefix("  wrong "));
        Self {
            time,
            agents: agents.map(str::to_owned).collect(),
            faults: faults.take(MOST).map(str::to_owned).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read() {
        let told = "automode\n  ok    state can be written\n  note  no judge\nclaude-code (user)\n  wrong the hook does not answer\n        hint: automode install claude-code\n";
        assert_eq!(
            DoctorReport::read(told, 7),
            DoctorReport {
                time: 7,
                agents: vec!["claude-code (user)".to_owned()],
                faults: vec!["the hook does not answer".to_owned()],
            }
        );
        let none = DoctorReport::read(
            "automode\nno agent is registered (hint: automode setup)\n",
            0,
        );
        assert_eq!(none, DoctorReport::default());
    }
}
