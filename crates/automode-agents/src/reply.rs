//! What a client is told, and what is left of it on its wire.
//!
//! An [`Answer`] is one of a decision, a remark after a tool, or nothing to say.
//! Each agent's module encodes it; a form that a client ignores would let the
//! command run, so no encoder is shared between clients that differ. Text that goes
//! to a model or a terminal is bounded and free of control characters here, once.

use automode_core::escape::is_invisible;
use automode_core::{Decision, Ground, Presence, Verdict};
use serde_json::{Map, Value};

/// Longest reason or notice; clients cap or drop what is longer.
const MAX_TEXT: usize = 4_000;

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
    /// For the person, where something failed that they should know of.
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
        Self {
            verdict: Verdict::Deny,
            reason: clean(&format!("automode could not decide and denies: {why}")),
            notice: Some(clean(&format!(
                "automode failed and denied a tool call: {why}"
            ))),
            id: None,
            stop: false,
            rewritten: None,
        }
    }

    /// The reason for a client that cannot ask, or where nobody is there to be asked.
    pub(crate) fn unasked(&self) -> String {
        match &self.id {
            Some(id) => clean(&format!(
                "{} (needs a person's yes: they can run `automode allow-once {id}` in their own terminal, then retry)",
                self.reason
            )),
            None => clean(&format!("{} (needs a person's yes)", self.reason)),
        }
    }

    /// Deny is deny; ask is deny where nobody can be asked.
    pub(crate) fn without_ask(&self) -> Self {
        match self.verdict {
            Verdict::Allow | Verdict::Deny => self.clone(),
            Verdict::Ask => Self {
                verdict: Verdict::Deny,
                reason: self.unasked(),
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
        match enforcement {
            Enforcement::Shadow => Self::Neutral,
            Enforcement::Enforce => Self::Ruling(Ruling {
                verdict: decision.verdict,
                reason: reason(decision, id),
                notice: notice(decision),
                id: id.map(str::to_owned),
                stop: decision.stop,
                rewritten: None,
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

/// What the model reads. Where a person's word would settle it, they are told how to give it.
fn reason(decision: &Decision, id: Option<&str>) -> String {
    let open = match &decision.ground {
        Ground::Judge(_) | Ground::Limit | Ground::NoJudge | Ground::Failure(_) => true,
        Ground::Policy { .. }
        | Ground::Guard(_)
        | Ground::FastPath(_)
        | Ground::Permit(_)
        | Ground::Rule(_)
        | Ground::Mode(_) => false,
    };
    match (decision.verdict, id) {
        (Verdict::Deny, Some(id)) if open => clean(&format!(
            "{} (a person can permit it once: `automode allow-once {id}` in their own terminal, then retry)",
            decision.reason
        )),
        (Verdict::Allow | Verdict::Ask | Verdict::Deny, _) => clean(&decision.reason),
    }
}

fn notice(decision: &Decision) -> Option<String> {
    match &decision.ground {
        Ground::Failure(_) => Some(clean(&format!(
            "automode: {} ({})",
            decision.reason,
            decision.verdict.name()
        ))),
        Ground::Limit => Some(clean(&format!("automode: {}", decision.reason))),
        Ground::Policy { .. }
        | Ground::Guard(_)
        | Ground::FastPath(_)
        | Ground::Permit(_)
        | Ground::Rule(_)
        | Ground::Judge(_)
        | Ground::Mode(_)
        | Ground::NoJudge => None,
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

/// One bounded text without control characters: a terminal shows it, a model reads it.
pub(crate) fn clean(text: &str) -> String {
    let mut kept: String = text
        .chars()
        .map(|c| if c == '\n' || c == '\t' { ' ' } else { c })
        .filter(|c| !c.is_control() && !is_invisible(*c))
        .take(MAX_TEXT.saturating_add(1))
        .collect();
    if kept.chars().count() > MAX_TEXT {
        kept.pop();
        kept.push('…');
    }
    kept
}
