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
    /// Replaces a part of a file.
    Edit {
        path: String,
        old: String,
        new: String,
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

impl Action {
    /// The file that an editing tool changes.
    #[must_use]
    pub fn edited_file(&self) -> Option<&str> {
        match self {
            Self::Edit { path, .. } | Self::Write { path, .. } | Self::Notebook { path, .. } => {
                Some(path)
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
