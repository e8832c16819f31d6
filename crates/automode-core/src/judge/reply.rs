//! What came back from a model, before it is believed.

use serde::{Deserialize, Serialize};

use super::Request;

/// A reply that arrived whole. Whether it is a verdict is for [`super::Answer`] to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The text of the answer, or the arguments of the tool call as JSON.
    pub text: String,
    pub finish: Finish,
    #[serde(default)]
    pub usage: Usage,
    /// The model that answered, as the service names it.
    #[serde(default)]
    pub model: String,
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Finish {
    /// It had said everything.
    Ended,
    /// It came to the stop sequence, which is not part of the text.
    Stopped,
    /// It called the tool.
    Called,
    /// It ran out of tokens: never a verdict that clears.
    Truncated,
    /// It, or a filter, refused to answer.
    Refused,
}

/// Tokens of one or more requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input that was not in the cache, without what was written to it.
    pub input: u64,
    /// Input read from the cache.
    pub cached: u64,
    /// Input written to the cache.
    #[serde(default)]
    pub written: u64,
    pub output: u64,
}

/// Text of few bytes a token: what is counted too high ends a budget early, never late.
const BYTES_PER_TOKEN: u64 = 3;

impl Usage {
    /// Tokens of a request and its reply where the service told none.
    #[must_use]
    pub fn estimate(request: &Request, reply: &Reply) -> Self {
        let sent = request.segments().map(|segment| segment.text.len()).sum();
        let tokens = |bytes: usize| {
            u64::try_from(bytes)
                .unwrap_or(u64::MAX)
                .div_ceil(BYTES_PER_TOKEN)
        };
        Self {
            input: tokens(sent),
            output: tokens(reply.text.len()),
            ..Self::default()
        }
    }

    /// All input, cached or not.
    #[must_use]
    pub const fn total_input(&self) -> u64 {
        self.input
            .saturating_add(self.cached)
            .saturating_add(self.written)
    }

    /// The sum of two.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            written: self.written.saturating_add(other.written),
            output: self.output.saturating_add(other.output),
        }
    }
}
