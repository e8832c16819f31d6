//! The judge: a pure two-stage protocol around somebody else's model.

use serde::{Deserialize, Serialize};

/// Which pass of the judge spoke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// A quick look: yes or no.
    Fast,
    /// Careful reasoning, with consent as an explicit step.
    Thinking,
}

use crate::policy::AutoMode;
use crate::{Failure, Finding, transcript};

#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    pub tool: &'a str,
    pub brief: &'a str,
    pub entries: &'a [transcript::Entry],
    pub instructions: &'a [Instruction],
    pub facts: &'a [String],
    pub findings: &'a [Finding],
    pub auto_mode: &'a AutoMode,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub path: String,
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub stage: Stage,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct Judging {
    stage: Stage,
    text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    Ask(Request),
    Done(Result<Judgement, Failure>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Clear,
    Block {
        rule: Option<String>,
        reason: String,
    },
}

impl Judging {
    pub fn begin(case: &Case<'_>, _settings: &Settings) -> Result<(Self, Request), Failure> {
        let text = format!("{}: {}", case.tool, case.brief);
        let judging = Self {
            stage: Stage::Fast,
            text: text.clone(),
        };
        Ok((
            judging,
            Request {
                stage: Stage::Fast,
                text,
            },
        ))
    }

    pub fn resume(&mut self, reply: Result<Reply, Failure>) -> Next {
        let reply = match reply {
            Ok(reply) => reply,
            Err(failure) => return Next::Done(Err(failure)),
        };
        match (reply.text.as_str(), self.stage) {
            ("<block>no</block>", _) => Next::Done(Ok(Judgement::Clear)),
            (_, Stage::Fast) => {
                self.stage = Stage::Thinking;
                Next::Ask(Request {
                    stage: Stage::Thinking,
                    text: self.text.clone(),
                })
            }
            ("<block>yes</block>", Stage::Thinking) => Next::Done(Ok(Judgement::Block {
                rule: None,
                reason: String::new(),
            })),
            (_, Stage::Thinking) => Next::Done(Err(Failure::Unreadable)),
        }
    }

    pub const fn stage(&self) -> Stage {
        self.stage
    }
    pub const fn usage(&self) -> Usage {
        Usage {}
    }
    pub fn model(&self) -> &str {
        ""
    }
}
