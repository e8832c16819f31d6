//! A question to a model, in nobody's wire format.
//!
//! Two requests of one session share every byte up to the newest entry, and the
//! two passes of one decision differ in the last segment, the format and the
//! token limit alone. What a model cannot do (a temperature, a stop sequence, a
//! forced tool) is left out by the provider that knows the model.

use serde::{Deserialize, Serialize};

use super::JudgeStage;

/// One request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    pub stage: JudgeStage,
    pub system: Vec<Segment>,
    /// User turns, each a list of segments. There are no other turns.
    pub messages: Vec<Vec<Segment>>,
    pub format: Format,
    /// Tokens for the answer itself; a model that always thinks gets more.
    pub max_tokens: u32,
}

/// A stretch of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    pub text: String,
    #[serde(default)]
    pub cache: Cache,
}

/// Whether the provider should keep the request up to here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cache {
    #[default]
    None,
    /// The prefix up to and including this segment will be sent again.
    Mark,
}

/// The form of the answer that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Tags, free to run on after the verdict.
    Tags,
    /// Tags, cut at [`STOP`] where the model can be told to.
    TagsToStop,
    /// The tool [`super::tool::NAME`].
    Tool,
}

/// The stop sequence of the fast pass.
pub const STOP: &str = "</block>";

/// The most cache marks a request carries.
pub const MAX_MARKS: usize = 4;

impl Segment {
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            cache: Cache::None,
        }
    }

    #[must_use]
    pub fn marked(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            cache: Cache::Mark,
        }
    }
}

impl Request {
    /// All segments in the order a model reads them.
    pub fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.system.iter().chain(self.messages.iter().flatten())
    }

    /// Everything the model reads, as one string.
    #[must_use]
    pub fn text(&self) -> String {
        self.segments()
            .map(|segment| segment.text.as_str())
            .collect()
    }
}
