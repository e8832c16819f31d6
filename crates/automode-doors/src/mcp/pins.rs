//! Pins: what the tools of a server were when they were first seen.
//!
//! One file a server, under the state directory, which is the user's own and guarded. The
//! first list of a server is taken as it is; afterwards a tool that is new or changed is
//! quarantined until a person accepts it. A file that cannot be read quarantines
//! everything: what it held may have counted.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use automode::state::State;
use automode_core::redact::redact;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tool;

/// The longest description that is shown to a person.
const SHOWN: usize = 400;

/// Everything that is kept of one server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerPins {
    /// The name in rules.
    pub name: String,
    /// The command that starts it, without secrets.
    pub command: String,
    /// Its tools have been seen.
    pub seen: bool,
    /// Digests of the tools that may be used.
    pub tools: BTreeMap<String, String>,
    /// Tools that wait for a person.
    pub quarantined: BTreeMap<String, Quarantined>,
}

/// A tool that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quarantined {
    pub digest: String,
    pub why: Why,
    /// What the server now says of it.
    pub description: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Why {
    /// It was not there when the server was first seen.
    New,
    /// It is not as it was.
    Changed,
}

impl Why {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
        }
    }
}

impl ServerPins {
    /// Whether a tool of a list may be used. What is seen for the first time is pinned,
    /// where `first` says that the server is; otherwise it is quarantined.
    pub(super) fn admit(&mut self, tool: &Value, first: bool) -> bool {
        let Some(name) = tool::name(tool) else {
            return false;
        };
        let digest = tool::digest(tool);
        let why = match self.tools.get(name) {
            Some(pinned) if *pinned == digest => {
                self.quarantined.remove(name);
                return true;
            }
            Some(_) => Why::Changed,
            None if first => {
                self.tools.insert(name.to_owned(), digest);
                return true;
            }
            None => Why::New,
        };
        self.quarantine(tool, why);
        false
    }

    /// A tool waits for a person from now on.
    pub(super) fn quarantine(&mut self, tool: &Value, why: Why) {
        let Some(name) = tool::name(tool) else {
            return;
        };
        let description = tool.get("description").and_then(Value::as_str);
        let shown = description.unwrap_or_default().chars();
        let quarantined = Quarantined {
            digest: tool::digest(tool),
            why,
            description: shown.filter(|c| !c.is_control()).take(SHOWN).collect(),
        };
        self.quarantined.insert(name.to_owned(), quarantined);
    }

    /// Whether a tool may be called.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.tools.contains_key(name) && !self.quarantined.contains_key(name)
    }

    /// Takes over what is kept: a person may have accepted a tool meanwhile, and another door of
    /// this server may have seen it first. Where the two differ, what is kept counts.
    pub(super) fn meet(&mut self, kept: &Self) {
        for (name, digest) in &kept.tools {
            let waits = self.quarantined.get(name);
            if waits.is_some_and(|tool| tool.digest == *digest) {
                self.quarantined.remove(name);
                self.tools.insert(name.clone(), digest.clone());
                continue;
            }
            let own = self.tools.insert(name.clone(), digest.clone());
            if let Some(own) = own.filter(|own| own != digest) {
                let seen_here = Quarantined {
                    digest: own,
                    why: Why::Changed,
                    description: String::new(),
                };
                self.quarantined.entry(name.clone()).or_insert(seen_here);
            }
        }
        self.seen |= kept.seen;
    }

    /// A person has looked: the tools named, or all, are as they should be. Says which.
    pub fn accept(&mut self, named: &[String]) -> Vec<String> {
        let chosen: Vec<String> = self
            .quarantined
            .keys()
            .filter(|name| named.is_empty() || named.contains(name))
            .cloned()
            .collect();
        for name in &chosen {
            if let Some(tool) = self.quarantined.remove(name) {
                self.tools.insert(name.clone(), tool.digest);
            }
        }
        chosen
    }
}

/// Where the pins of servers lie.
#[derive(Clone, Debug)]
pub struct PinStore {
    directory: PathBuf,
}

impl PinStore {
    /// # Errors
    /// Where the directory cannot be made.
    pub fn open(state: &State) -> io::Result<Self> {
        Ok(Self {
            directory: state.directory("pins")?,
        })
    }

    /// The pins of a server, known by the words that start it or by its address.
    ///
    /// # Errors
    /// Where there are pins that cannot be read.
    pub fn read(&self, name: &str, command: &[String]) -> io::Result<ServerPins> {
        match fs::read(self.path(&key(command))) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(ServerPins {
                name: name.to_owned(),
                command: redact(&command.join(" ")).into_owned(),
                ..ServerPins::default()
            }),
            Err(error) => Err(error),
        }
    }

    /// # Errors
    /// Where they could not be kept.
    pub fn write(&self, command: &[String], pins: &ServerPins) -> io::Result<()> {
        self.put(&key(command), pins)
    }

    fn put(&self, key: &str, pins: &ServerPins) -> io::Result<()> {
        let path = self.path(key);
        let new = path.with_extension(format!("new-{}", std::process::id()));
        let mut file = fs::File::create(&new)?;
        file.write_all(&serde_json::to_vec_pretty(pins)?)?;
        file.sync_all()?;
        fs::rename(new, path)
    }

    /// Every server that was seen, by its key.
    ///
    /// # Errors
    /// Where the directory cannot be read.
    pub fn all(&self) -> io::Result<Vec<(String, ServerPins)>> {
        let mut all = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let path = entry?.path();
            let key = path.file_stem().and_then(|stem| stem.to_str());
            if path.extension().is_some_and(|kind| kind == "json")
                && let Some(key) = key
                && let Ok(pins) = serde_json::from_slice::<ServerPins>(&fs::read(&path)?)
            {
                all.push((key.to_owned(), pins));
            }
        }
        all.sort_by(|one, other| one.1.name.cmp(&other.1.name));
        Ok(all)
    }

    /// Keeps the pins of a server that [`PinStore::all`] told of.
    ///
    /// # Errors
    /// Where they could not be kept.
    pub fn keep(&self, key: &str, pins: &ServerPins) -> io::Result<()> {
        self.put(key, pins)
    }

    /// Forgets a server: its next list is its first.
    ///
    /// # Errors
    /// Where the file could not be removed.
    pub fn forget(&self, key: &str) -> io::Result<()> {
        fs::remove_file(self.path(key))
    }

    fn path(&self, key: &str) -> PathBuf {
        self.directory.join(format!("{key}.json"))
    }
}

/// A server is known by every word that starts it.
fn key(command: &[String]) -> String {
    let mut key = automode_core::digest(command.join("\0"));
    key.truncate(24);
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(name: &str, description: &str) -> Value {
        json!({"name": name, "description": description})
    }

    #[test]
    fn what_is_new_or_changed_waits_for_a_person() {
        let mut pins = ServerPins::default();
        assert!(pins.admit(&tool("a", "x"), true));
        assert!(pins.admit(&tool("a", "x"), false));
        assert!(!pins.admit(&tool("a", "evil"), false));
        assert!(!pins.holds("a"));
        assert!(!pins.admit(&tool("b", "x"), false));
        assert!(!pins.admit(&json!({"description": "no name"}), true));
        assert!(!pins.holds("c"), "nobody has seen it");
        assert_eq!(pins.accept(&["b".to_owned()]), ["b"]);
        assert!(pins.holds("b") && !pins.holds("a"));
        assert!(pins.admit(&tool("a", "x"), false), "as it was");
        assert!(pins.holds("a"));
        assert!(
            !pins.admit(&tool("a", "evil"), true),
            "a first list does not change a pin"
        );
        assert_eq!(pins.accept(&[]), ["a"]);
        assert!(pins.admit(&tool("a", "evil"), false));
    }

    #[test]
    fn what_was_accepted_or_seen_first_elsewhere_counts() {
        let mut here = ServerPins::default();
        here.admit(&tool("a", "x"), true);
        here.seen = true;
        let mut kept = here.clone();
        here.admit(&tool("a", "y"), false);
        here.meet(&kept);
        assert!(!here.holds("a"), "nobody has accepted it");
        kept.admit(&tool("a", "y"), false);
        kept.admit(&tool("b", "x"), false);
        kept.accept(&[]);
        here.meet(&kept);
        assert!(here.holds("a") && here.holds("b") && here.admit(&tool("a", "y"), false));

        let mut first = ServerPins::default();
        first.admit(&tool("a", "EVIL"), true);
        first.meet(&kept);
        assert!(first.seen && !first.holds("a"), "another door saw it first");
        assert!(first.admit(&tool("a", "y"), false) && first.holds("a"));
    }

    #[test]
    fn pins_are_kept_by_the_whole_command() {
        let directory = tempfile::tempdir().unwrap();
        let state = State::at(directory.path().join("automode")).unwrap();
        let store = PinStore::open(&state).unwrap();
        let command = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut pins = store.read("x", &command("npx x")).unwrap();
        pins.admit(&tool("a", "x"), true);
        store.write(&command("npx x"), &pins).unwrap();
        assert_eq!(store.read("x", &command("npx x")).unwrap(), pins);
        assert!(
            store
                .read("x", &command("npx x y"))
                .unwrap()
                .tools
                .is_empty()
        );
        let all = store.all().unwrap();
        assert_eq!(all.len(), 1);
        fs::write(store.path(&all[0].0), "{").unwrap();
        assert!(store.read("x", &command("npx x")).is_err());
        store.forget(&all[0].0).unwrap();
        assert!(store.all().unwrap().is_empty());
    }
}
