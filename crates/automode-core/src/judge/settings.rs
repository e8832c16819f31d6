//! How the judge is asked: protocol, passes, window, and who may be asked.
//!
//! Plain data. The runtime reads it from a person's configuration or from the
//! environment; a project can set none of it.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::redact::Redaction;
use serde::{Deserialize, Serialize};

use crate::transcript;

/// What the engine needs to know to put a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub protocol: Protocol,
    pub mode: Mode,
    pub transcript: transcript::Settings,
    pub redaction: Redaction,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// `<block>yes</block>` or `<block>no</block>`.
    #[default]
    Xml,
    /// One call of the tool `classify_result`, or a JSON document of its shape.
    Tool,
}

/// Which passes are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// A fast pass; what it does not clear gets a thinking pass.
    #[default]
    Both,
    Fast,
    Thinking,
}

/// Who is asked, for how long, and for how much money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Asked in this order; an outage of one goes to the next. Empty: there is no judge.
    pub chain: Vec<Provider>,
    /// For the whole decision, all passes and retries together.
    pub deadline: Duration,
    /// For one request of the fast pass.
    pub fast_timeout: Duration,
    /// For one request of the thinking pass.
    pub thinking_timeout: Duration,
    pub budget: Budget,
    /// Keep each request and reply, redacted, in a file.
    pub dump: bool,
    /// Use a model although it failed its canaries.
    pub insist: bool,
    /// Where an organisation's policy may have a judge asked.
    pub hosts: Vec<String>,
}

impl Default for Service {
    fn default() -> Self {
        Self {
            chain: Vec::new(),
            deadline: Duration::from_secs(18),
            fast_timeout: Duration::from_secs(6),
            thinking_timeout: Duration::from_secs(15),
            budget: Budget::default(),
            dump: false,
            insist: false,
            hosts: Vec::new(),
        }
    }
}

impl Service {
    /// What a model costs: as the chain says, else as the table does.
    /// A service may call its model by another name; with one in the chain it is that one.
    #[must_use]
    pub fn price(&self, model: &str) -> Option<super::Price> {
        let named = |provider: &&Provider| provider.model.as_deref() == Some(model);
        let only = match self.chain.as_slice() {
            [only] => Some(only),
            [] | [_, _, ..] => None,
        };
        self.chain
            .iter()
            .find(named)
            .or(only)
            .and_then(|provider| provider.price)
            .or_else(|| super::price_of(model))
    }
}

/// One judge that can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    pub kind: Kind,
    /// `None`: the agent's own model where it is known and of this kind, else the default of the kind.
    pub model: Option<String>,
    /// `None`: the vendor's address.
    pub base_url: Option<String>,
    pub headers: BTreeMap<String, String>,
    pub key: KeySource,
    /// The program and its arguments, for [`Kind::Command`].
    pub command: Vec<String>,
    /// The file of replies: played back by [`Kind::Cassette`], written by every other kind.
    pub cassette: Option<String>,
    /// What is known about this model beyond the table.
    pub capabilities: super::Overrides,
    /// What it costs, where that is not what the table says.
    pub price: Option<super::Price>,
}

impl Provider {
    /// A provider of this kind with everything else left to the defaults.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            model: None,
            base_url: None,
            headers: BTreeMap::new(),
            key: KeySource::Vendor,
            command: Vec::new(),
            cassette: None,
            capabilities: super::Overrides::default(),
            price: None,
        }
    }
}

/// The wire a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Responses.
    #[serde(rename = "openai")]
    OpenAi,
    /// Chat Completions as Ollama, llama.cpp, vLLM, LM Studio and OpenRouter speak it.
    #[serde(rename = "openai-compatible")]
    OpenAiCompatible,
    /// Any program: the request as JSON on its stdin, the reply on its stdout.
    Command,
    /// Recorded replies.
    Cassette,
}

impl Kind {
    pub const ALL: [Self; 5] = [
        Self::Anthropic,
        Self::OpenAi,
        Self::OpenAiCompatible,
        Self::Command,
        Self::Cassette,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::OpenAiCompatible => "openai-compatible",
            Self::Command => "command",
            Self::Cassette => "cassette",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Where a key is found when it is needed. The key itself is never a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KeySource {
    /// `AUTOMODE_API_KEY`, else the vendor's own variable.
    #[default]
    Vendor,
    Env(String),
    File(String),
    Command(Vec<String>),
    /// The service wants none.
    None,
}

/// Money per session and per day, in millionths of a dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    pub session: Option<u64>,
    pub day: Option<u64>,
    pub over: OverBudget,
}

/// What happens when the money is spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OverBudget {
    #[default]
    Ask,
    Deny,
    /// The verdict of the failure table, as if there were no judge.
    Local,
}
