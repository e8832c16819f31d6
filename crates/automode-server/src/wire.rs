//! What client and server say to each other, beside lines and bundles.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::key::{self, SigningKey};

/// A machine that wants to belong.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EnrolRequest {
    pub code: String,
    pub name: String,
    pub public_key: String,
    /// The code, signed: the key is the sender's own.
    pub proof: String,
}

impl EnrolRequest {
    #[must_use]
    pub fn new(code: &str, name: &str, key: &SigningKey) -> Self {
        Self {
            code: code.to_owned(),
            name: name.to_owned(),
            public_key: key.public(),
            proof: key.sign(format!("automode-enrol\n{code}").as_bytes()),
        }
    }

    #[must_use]
    pub fn is_proven(&self) -> bool {
        let message = format!("automode-enrol\n{}", self.code);
        key::verify(&self.public_key, message.as_bytes(), &self.proof)
    }
}

/// What it gets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EnrolReply {
    pub device: String,
    pub group: String,
    /// Pinned from now on: bundles and answers are believed under this key alone.
    pub organisation_key: String,
}

/// Lines, and the line they stand behind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AuditRequest {
    pub after: String,
    pub lines: Vec<String>,
}

/// How a machine stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StatusRequest {
    pub version: String,
    pub revision: u64,
    pub detail: Value,
}

/// What it is told in return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusReply {
    /// The group that it is in now; an administrator may have moved it.
    pub group: String,
}

/// A question for people elsewhere.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AskRequest {
    pub id: String,
    pub print: String,
    pub agent: String,
    pub session: String,
    pub tool: String,
    pub brief: String,
    /// The directory that it would run in.
    #[serde(default)]
    pub place: String,
    pub rule: String,
    pub reason: String,
    /// Milliseconds that the hook waits.
    pub patience: u64,
}

/// An answer, whose text is signed whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerText {
    pub ask: String,
    pub device: String,
    pub print: String,
    pub session: String,
    pub answer: String,
    pub by: String,
    /// The same call of the same session needs no question until then; 0 for this once.
    pub until: u64,
    /// After that the answer is worth nothing.
    pub deadline: u64,
}

impl AnswerText {
    /// What is signed, so that no other kind of text can pass for an answer.
    #[must_use]
    pub fn signed(text: &str) -> String {
        format!("automode-answer\n{text}")
    }
}
