//! The two-stage protocol as a state machine.
//!
//! It asks, is told what came back, and asks again or is done. It does no IO:
//! a list of scripted replies drives the whole protocol. Only [`Answer::Clear`]
//! of a whole reply clears; a failure ends the judging as that failure.

use super::{
    Answer, Case, Format, JudgeStage, Mode, Protocol, Reply, Request, Settings, Usage, prompt,
};
use crate::Failure;

/// A judging under way.
#[derive(Clone, Debug)]
pub struct Judging {
    mode: Mode,
    /// The request that was asked last.
    asked: Request,
    usage: Usage,
    model: String,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    Ask(Request),
    Done(Result<Judgement, Failure>),
}

/// What the judge found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Clear,
    Block {
        rule: Option<String>,
        /// One clean line; empty where the judge gave none.
        reason: String,
    },
}

impl Judging {
    /// Prepares the first request.
    ///
    /// # Errors
    /// [`Failure::Overlong`]: the pending call and the user's words do not fit the window.
    pub fn begin(case: &Case<'_>, settings: &Settings) -> Result<(Self, Request), Failure> {
        let stage = match settings.mode {
            Mode::Both | Mode::Fast => JudgeStage::Fast,
            Mode::Thinking => JudgeStage::Thinking,
        };
        let request = prompt::request(case, settings, stage)?;
        let judging = Self {
            mode: settings.mode,
            asked: request.clone(),
            usage: Usage::default(),
            model: String::new(),
        };
        Ok((judging, request))
    }

    /// Takes what came back for the last request.
    pub fn resume(&mut self, reply: Result<Reply, Failure>) -> Next {
        let reply = match reply {
            Ok(reply) => reply,
            Err(failure) => return Next::Done(Err(failure)),
        };
        self.usage = self.usage.plus(reply.usage);
        self.model.clone_from(&reply.model);
        if reply.finish == super::Finish::Refused {
            return Next::Done(Err(Failure::Refused));
        }
        let answer = Answer::read(&reply, self.asked.format);
        match (answer, self.asked.stage, self.mode) {
            (Answer::Clear, _, _) => Next::Done(Ok(Judgement::Clear)),
            (Answer::Block { .. } | Answer::Unreadable, JudgeStage::Fast, Mode::Both) => {
                self.think()
            }
            (Answer::Block { rule, reason }, _, _) => {
                Next::Done(Ok(Judgement::Block { rule, reason }))
            }
            (Answer::Unreadable, _, _) => Next::Done(Err(Failure::Unreadable)),
        }
    }

    /// The pass that was asked last.
    #[must_use]
    pub const fn stage(&self) -> JudgeStage {
        self.asked.stage
    }

    /// Tokens of all passes so far.
    #[must_use]
    pub const fn usage(&self) -> Usage {
        self.usage
    }

    /// The model that answered last.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    fn think(&mut self) -> Next {
        let protocol = match self.asked.format {
            Format::Tags | Format::TagsToStop => Protocol::Xml,
            Format::Tool => Protocol::Tool,
        };
        prompt::set_stage(&mut self.asked, protocol, JudgeStage::Thinking, self.mode);
        Next::Ask(self.asked.clone())
    }
}
