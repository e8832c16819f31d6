//! How much of a session the judge sees, and in which form.

use serde::{Deserialize, Serialize};

/// The window on a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub window: Window,
    pub form: Form,
    /// The most text of a session in one request, in bytes.
    pub budget: usize,
}

/// Which entries are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Window {
    /// All, within the budget.
    #[default]
    Full,
    /// The last few, each cut short.
    Recent { entries: usize, chars: usize },
}

/// How an entry is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// `{"user":"fix the bug"}`
    #[default]
    Jsonl,
    /// `User: fix the bug`
    Text,
}

impl Window {
    /// The recent window with its usual size.
    pub const RECENT: Self = Self::Recent {
        entries: 20,
        chars: 200,
    };
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            window: Window::default(),
            form: Form::default(),
            budget: 240_000,
        }
    }
}
