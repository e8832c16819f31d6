//! A tool call as meant: what kind of thing it does, to what.

use serde_json::{Map, Value};

/// The normal form of a tool call. A tool nobody knows is `Opaque` and is judged.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Shell {
        command: String,
    },
    PowerShell {
        command: String,
    },
    /// Reads one file.
    Read {
        path: String,
    },
    /// Looks for names or text.
    Search {
        pattern: String,
        path: Option<String>,
    },
    /// Replaces parts of a file.
    Edit {
        path: String,
        /// All that is replaced; empty where the whole file is.
        old: String,
        /// All that takes its place.
        new: String,
        /// One replacement after the other.
        steps: Vec<Replacement>,
    },
    /// Writes a whole file.
    Write {
        path: String,
        content: String,
    },
    /// A cell of a notebook.
    Notebook {
        path: String,
        mode: String,
        source: String,
    },
    Fetch {
        url: String,
        prompt: Option<String>,
    },
    WebSearch {
        query: String,
    },
    /// Starts a subagent.
    Spawn {
        kind: Option<String>,
        mode: Option<String>,
        prompt: String,
    },
    /// Something that runs later.
    Schedule {
        cron: String,
        prompt: String,
    },
    Message {
        to: String,
        text: String,
    },
    Configure {
        setting: String,
        value: String,
    },
    Mcp {
        server: String,
        tool: String,
        input: Map<String, Value>,
    },
    /// Needs a person by nature (a question, leaving plan mode).
    Interact,
    /// A tool declared irrelevant to security.
    Inert,
    Opaque {
        tool: String,
        input: Map<String, Value>,
    },
}

/// A text in place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    pub old: String,
    pub new: String,
    /// Everywhere, not only where it is found first.
    pub all: bool,
}

impl Replacement {
    /// A text after this; `None`: what is replaced is not there.
    #[must_use]
    pub fn apply(&self, body: &str) -> Option<String> {
        if self.old.is_empty() || !body.contains(&self.old) {
            return None;
        }
        Some(if self.all {
            body.replace(&self.old, &self.new)
        } else {
            body.replacen(&self.old, &self.new, 1)
        })
    }

    /// Whether it can be taken back by what it says itself: where the new text stands is
    /// then where the old one stood.
    #[must_use]
    pub fn can_be_taken_back(&self, body: Option<&str>) -> bool {
        !self.all || (!self.new.is_empty() && body.is_some_and(|body| !body.contains(&self.new)))
    }
}

/// A file that an editing tool changes, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileEdit<'a> {
    /// [`Action::Edit`]
    Replace {
        path: &'a str,
        old: &'a str,
        new: &'a str,
        steps: &'a [Replacement],
    },
    Write {
        path: &'a str,
        content: &'a str,
    },
    Notebook {
        path: &'a str,
        mode: &'a str,
        source: &'a str,
    },
}

impl Action {
    /// An edit by replacements. One that replaces nothing writes the whole file, and then
    /// so do all.
    #[must_use]
    pub fn edit(path: String, steps: Vec<Replacement>) -> Self {
        let joined =
            |side: fn(&Replacement) -> &str| steps.iter().map(side).collect::<Vec<_>>().join("\n");
        let whole = steps.iter().any(|step| step.old.is_empty());
        Self::Edit {
            path,
            old: if whole {
                String::new()
            } else {
                joined(|step| &step.old)
            },
            new: joined(|step| &step.new),
            steps,
        }
    }

    /// The file that an editing tool changes.
    #[must_use]
    pub fn edited_file(&self) -> Option<&str> {
        self.file_edit().map(|edit| match edit {
            FileEdit::Replace { path, .. }
            | FileEdit::Write { path, .. }
            | FileEdit::Notebook { path, .. } => path,
        })
    }

    /// What an editing tool does to a file; the one place that lists every action for this
    /// question.
    #[must_use]
    pub fn file_edit(&self) -> Option<FileEdit<'_>> {
        match self {
            Self::Edit {
                path,
                old,
                new,
                steps,
            } => Some(FileEdit::Replace {
                path,
                old,
                new,
                steps,
            }),
            Self::Write { path, content } => Some(FileEdit::Write { path, content }),
            Self::Notebook { path, mode, source } => {
                Some(FileEdit::Notebook { path, mode, source })
            }
            Self::Shell { .. }
            | Self::PowerShell { .. }
            | Self::Read { .. }
            | Self::Search { .. }
            | Self::Fetch { .. }
            | Self::WebSearch { .. }
            | Self::Spawn { .. }
            | Self::Schedule { .. }
            | Self::Message { .. }
            | Self::Configure { .. }
            | Self::Mcp { .. }
            | Self::Interact
            | Self::Inert
            | Self::Opaque { .. } => None,
        }
    }
}
