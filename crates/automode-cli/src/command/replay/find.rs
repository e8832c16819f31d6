//! Where recorded sessions are, and whose they are.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use automode_agents::Agent;
use automode_agents::transcript::RecordFormat;
use serde_json::Value;

/// How deep directories are searched.
const DEPTH: usize = 8;
/// How many lines are looked at to tell whose a recording is.
const LINES: usize = 20;

/// How a recording is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordForm {
    Lines,
    /// One object, read as a whole.
    Document,
}

/// One recorded session.
pub struct Recording {
    pub agent: Agent,
    pub form: RecordForm,
    pub path: PathBuf,
    pub bytes: u64,
    /// Where the session worked, where the recording itself does not say so.
    pub cwd: String,
}

/// All recordings under the paths, or where the clients keep them.
pub fn recordings(paths: &[PathBuf], home: Option<&str>) -> Vec<Recording> {
    let usual = formats().filter_map(|(_, format)| format.folder);
    let places: Vec<PathBuf> = match (paths, home) {
        ([], Some(home)) => usual.map(|name| Path::new(home).join(name)).collect(),
        (paths, _) => paths.to_vec(),
    };
    let mut found = Vec::new();
    for place in places {
        search(&place, DEPTH, &mut found);
    }
    found
}

fn search(path: &Path, depth: usize, found: &mut Vec<Recording>) {
    let Ok(about) = fs::metadata(path) else {
        return;
    };
    if about.is_file() {
        let kind = path.extension().and_then(|kind| kind.to_str());
        let (agent, form) = match kind {
            Some("jsonl") => (agent(path), RecordForm::Lines),
            Some("json") => (document(path), RecordForm::Document),
            Some(_) | None => (None, RecordForm::Lines),
        };
        found.extend(agent.map(|agent| Recording {
            agent,
            form,
            cwd: project(path),
            path: path.to_owned(),
            bytes: about.len(),
        }));
        return;
    }
    let Some(deeper) = depth.checked_sub(1) else {
        return;
    };
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut inside: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    inside.sort();
    for entry in inside {
        search(&entry, deeper, found);
    }
}

/// The agents that record sessions, each with how it does.
fn formats() -> impl Iterator<Item = (Agent, &'static RecordFormat)> {
    Agent::all().filter_map(|agent| Some((agent, agent.client().record?)))
}

/// Whose format the first lines are in.
fn agent(path: &Path) -> Option<Agent> {
    let file = File::open(path).ok()?;
    let lines = BufReader::new(file.take(8 * 1024 * 1024)).lines();
    lines.map_while(Result::ok).take(LINES).find_map(|line| {
        let line: Value = serde_json::from_str(&line).ok()?;
        let mut formats = formats();
        formats.find_map(|(agent, format)| (format.is_line)(&line).then_some(agent))
    })
}

/// Whose a file is that holds a whole session as one object.
fn document(path: &Path) -> Option<Agent> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut head = Vec::new();
    File::open(path)
        .and_then(|file| file.take(4096).read_to_end(&mut head))
        .ok()?;
    let head = String::from_utf8_lossy(&head);
    formats().find_map(|(agent, format)| (format.is_document?)(&name, &head).then_some(agent))
}

/// Where recordings do not say where they worked, the project's root stands in a file beside them.
fn project(path: &Path) -> String {
    let above = path.parent().and_then(Path::parent);
    let root = above.and_then(|above| fs::read_to_string(above.join(".project_root")).ok());
    root.map(|root| root.trim().to_owned())
        .filter(|root| root.starts_with('/'))
        .unwrap_or_else(|| "/".to_owned())
}
