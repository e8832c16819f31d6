//! Questions of the hook, carried to the server and back through a folder.
//!
//! The hook leaves `asks/ID.json` and looks for `asks/ID.answer`. The answer is passed
//! on as the server signed it; the hook checks the signature itself, so nobody who can
//! write here can answer.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use automode::state::State;
use serde::Deserialize;

use super::ServerConnection;
use super::enrolment::write_private;
use crate::clock;
use crate::wire::AskRequest;

/// How often the folder is looked at.
const LOOKS: Duration = Duration::from_millis(100);
/// Questions and answers older than this are swept away, in milliseconds.
const OLD: u64 = 15 * 60_000;

/// A question as the hook left it.
#[derive(Deserialize)]
struct Left {
    #[serde(flatten)]
    ask: AskRequest,
    /// When the hook gives up, in milliseconds since the epoch.
    deadline: u64,
}

pub async fn carry_questions(state: State, connection: ServerConnection) {
    let Ok(folder) = state.directory("fleet/asks") else {
        eprintln!("automode fleet: the folder for questions cannot be made");
        return;
    };
    let mut known = std::collections::HashSet::new();
    let mut beat = 0_u32;
    loop {
        // The hook waits only where somebody carries: a beat that is fresh says so.
        if beat.is_multiple_of(20) {
            let _ = write_private(&folder.join("carrier"), &clock::now().to_string());
            sweep(&folder);
        }
        beat = beat.wrapping_add(1);
        for (id, path) in questions(&folder) {
            if known.insert(id.clone()) {
                tokio::spawn(carry(folder.clone(), path, id, connection.clone()));
            }
        }
        if known.len() > 10_000 {
            known.clear();
        }
        tokio::time::sleep(LOOKS).await;
    }
}

fn questions(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().to_str()?.to_owned();
            let id = name.strip_suffix(".json")?.to_owned();
            Some((id, entry.path()))
        })
        .collect()
}

async fn carry(folder: PathBuf, path: PathBuf, id: String, connection: ServerConnection) {
    let Ok(text) = fs::read_to_string(&path) else {
        return;
    };
    let Ok(left) = serde_json::from_str::<Left>(&text) else {
        return;
    };
    let carried = async {
        connection.ask(&left.ask).await?;
        loop {
            let now = clock::now();
            if left.deadline <= now {
                return anyhow::Ok(());
            }
            let wait = (left.deadline.saturating_sub(now) / 1_000).clamp(1, 50);
            if let Some(answer) = connection.answer(&id, wait).await? {
                write_private(&folder.join(format!("{id}.answer")), &answer)?;
                return Ok(());
            }
        }
    };
    if let Err(error) = carried.await {
        eprintln!("automode fleet: question {id}: {error:#}");
    }
}

fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let age = entry
            .metadata()
            .and_then(|about| about.modified())
            .ok()
            .and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| u64::try_from(age.as_millis()).unwrap_or(u64::MAX) > OLD) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
