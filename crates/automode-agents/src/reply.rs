//! What a client is told, and what is left of it on its wire.
//!
//! An [`Answer`] is one of a decision, a remark after a tool, or nothing to say.
//! Each agent's module encodes it; a form that a client ignores would let the
//! command run, so no encoder is shared between clients that differ. What is said to
//! whom is settled in [`crate::message`], once.

use automode_core::{Decision, Presence, Verdict};
use serde_json::{Map, Value};

use crate::message::Message;

/// Whether verdicts bite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Enforcement {
    #[default]
    Enforce,
    /// Decide and record, answer neutrally.
    Shadow,
}

/// What automode says to a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing: the client goes on as if there were no hook.
    Neutral,
    /// A remark for the model after a tool has run.
    Remark(String),
    Ruling(Ruling),
}

/// A decision as a client needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    pub verdict: Verdict,
    /// For the model.
    pub reason: String,
    /// For the person, where they are asked.
    pub prompt: String,
    /// For the person, beside the answer: who stopped what, and the next step.
    pub notice: Option<String>,
    /// The name of the decision in the log, with which a person can permit it once.
    pub id: Option<String>,
    /// The run must end.
    pub stop: bool,
    /// The tool's input that must run in place of the call's own; only with an allow.
    pub rewritten: Option<Map<String, Value>>,
}

impl Ruling {
    /// A denial that no decision stands behind: the input or the process failed.
    #[must_use]
    pub fn failure(why: &str) -> Self {
        Self::new(Verdict::Deny, Message::failure(why))
    }

    fn new(verdict: Verdict, message: Message) -> Self {
        Self {
            verdict,
            reason: message.model,
            prompt: message.prompt,
            notice: message.notice,
            id: None,
            stop: false,
            rewritten: None,
        }
    }

    /// The text that goes with the verdict: a question is read by a person, the rest by the model.
    pub(crate) fn spoken(&self) -> &str {
        match self.verdict {
            Verdict::Allow | Verdict::Deny => &self.reason,
            Verdict::Ask => &self.prompt,
        }
    }

    /// Adds what the person should know beside the decision.
    pub fn remark(&mut self, text: &str) {
        self.prompt = format!("{}\n{text}", self.prompt);
        self.notice = Some(match self.notice.take() {
            Some(notice) => format!("{notice}\n{text}"),
            None => text.to_owned(),
        });
    }

    /// What the person is told beside the answer. A question tells them itself.
    pub(crate) fn beside(&self) -> Option<&str> {
        match self.verdict {
            Verdict::Allow | Verdict::Deny => self.notice.as_deref(),
            Verdict::Ask => None,
        }
    }

    /// Deny is deny; ask is deny where nobody can be asked.
    pub(crate) fn without_ask(&self) -> Self {
        match self.verdict {
            Verdict::Allow | Verdict::Deny => self.clone(),
            Verdict::Ask => Self {
                verdict: Verdict::Deny,
                rewritten: None,
                ..self.clone()
            },
        }
    }

    /// For a client that asks by itself when somebody is there.
    pub(crate) fn for_presence(&self, presence: Presence) -> Self {
        match presence {
            Presence::Interactive => self.clone(),
            Presence::Headless => self.without_ask(),
        }
    }
}

impl Answer {
    /// The answer to a decision, under the name it has in the log.
    #[must_use]
    pub fn decided(decision: &Decision, id: Option<&str>, enforcement: Enforcement) -> Self {
        Self::decided_about(decision, id, enforcement, "")
    }

    /// The same, with the command or content that the findings point into.
    #[must_use]
    pub fn decided_about(
        decision: &Decision,
        id: Option<&str>,
        enforcement: Enforcement,
        text: &str,
    ) -> Self {
        match enforcement {
            Enforcement::Shadow => Self::Neutral,
            Enforcement::Enforce => Self::Ruling(Ruling {
                id: id.map(str::to_owned),
                stop: decision.stop,
                ..Ruling::new(decision.verdict, Message::of(decision, id, text))
            }),
        }
    }

    /// The denial for a failure of the process itself. Shadow mode stays neutral: it must not change what runs.
    #[must_use]
    pub fn failure(why: &str, enforcement: Enforcement) -> Self {
        match enforcement {
            Enforcement::Shadow => Self::Neutral,
            Enforcement::Enforce => Self::Ruling(Ruling::failure(why)),
        }
    }
}

/// The bytes and the exit code of a hook process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// One JSON object.
    pub stdout: String,
    pub exit: u8,
}

impl Reply {
    pub(crate) fn json(value: &Value) -> Self {
        Self {
            stdout: value.to_string(),
            exit: 0,
        }
    }

    /// The object that says nothing, understood by every client.
    #[must_use]
    pub fn neutral() -> Self {
        Self {
            stdout: "{}".to_owned(),
            exit: 0,
        }
    }
}
