//! A folder of the state that keeps its newest files.
//!
//! Dumps and diagnostics are for people who look for a mistake. They are
//! redacted, they are this user's alone, and losing one changes no verdict.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use automode_core::redact::redact;
use serde_json::Value;

use crate::state::{State, open_private};

/// Where files are kept, and how many.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    most: usize,
}

impl Folder {
    /// Requests and replies, whole.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn dumps(state: &State) -> std::io::Result<Self> {
        Ok(Self {
            path: state.directory("judge/dumps")?,
            most: 200,
        })
    }

    /// What went wrong with a judge.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn errors(state: &State) -> std::io::Result<Self> {
        Ok(Self {
            path: state.directory("judge/errors")?,
            most: 50,
        })
    }

    /// Keeps a document under a name that sorts by time, and drops the oldest.
    ///
    /// # Errors
    /// As the operating system says.
    pub fn keep(&self, label: &str, document: &Value) -> std::io::Result<()> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_micros());
        let path = self
            .path
            .join(format!("{now:020}-{}-{label}.json", std::process::id()));
        let text = serde_json::to_string_pretty(&cleaned(document))?;
        open_private(&path)?.write_all(text.as_bytes())?;
        self.rotate();
        Ok(())
    }

    /// The document that was kept last, and when: in milliseconds since the epoch.
    #[must_use]
    pub fn newest(&self) -> Option<(u64, Value)> {
        let files = fs::read_dir(&self.path).ok()?.flatten();
        let path = files.map(|entry| entry.path()).max()?;
        let micros = path.file_name()?.to_str()?.split('-').next()?;
        let micros: u64 = micros.parse().ok()?;
        let document = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
        Some((micros / 1_000, document))
    }

    fn rotate(&self) {
        let Ok(entries) = fs::read_dir(&self.path) else {
            return;
        };
        let mut files: Vec<_> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|kind| kind == "json"))
            .collect();
        files.sort();
        let spare = files.len().saturating_sub(self.most);
        for path in files.into_iter().take(spare) {
            // Another process may have been faster.
            let _ = fs::remove_file(path);
        }
    }
}

/// The document with every text redacted.
fn cleaned(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(text).into_owned()),
        Value::Array(items) => items.iter().map(cleaned).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), cleaned(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_newest_stay_and_secrets_do_not() {
        let directory = tempfile::tempdir().unwrap();
        let state = State::at(directory.path().join("state")).unwrap();
        let folder = Folder {
            most: 3,
            ..Folder::errors(&state).unwrap()
        };
        let secret = format!("ghp_{}", "a1B2".repeat(9));
        for index in 0..5 {
            folder
                .keep("x", &json!({"n": index, "deep": [{"text": secret}]}))
                .unwrap();
        }
        let mut files: Vec<_> = fs::read_dir(&folder.path)
            .unwrap()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        files.sort();
        let texts: Vec<_> = files
            .iter()
            .map(|path| fs::read_to_string(path).unwrap())
            .collect();
        assert_eq!(texts.len(), 3);
        assert!(texts[0].contains("\"n\": 2") && texts[2].contains("\"n\": 4"));
        assert!(texts.iter().all(|text| !text.contains(&secret)));
    }
}
