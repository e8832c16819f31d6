//! Qwen Code: a fork of Gemini CLI with Claude Code's event names and answers.
//!
//! UserPromptSubmit fires after every tool result with an empty prompt; only the
//! real one carries `submitted_prompt`. A headless `ask` is denied with its reason.
//! `continue: false` does not end the run, so a stop is a plain denial.

use automode_core::Presence;

use crate::claude_code::{self, Interrupt, Stop};
use crate::event::{Event, Happening, Malformed, Moment};
use crate::gemini_cli;
use crate::payload::Payload;
use crate::reply::{Answer, Reply};
use crate::words;

pub(crate) fn parse(bytes: &[u8]) -> Result<Event, Malformed> {
    let payload = Payload::parse(bytes)?;
    let happening = match claude_code::happening(&payload)? {
        Happening::Prompt { .. } => Happening::Prompt {
            words: payload.text("submitted_prompt").and_then(words::own),
        },
        Happening::AfterTool {
            call, id, report, ..
        } => Happening::AfterTool {
            call,
            id,
            outcome: gemini_cli::outcome(&payload),
            report,
        },
        other => other,
    };
    payload.event("session_id", happening)
}

pub(crate) fn render(moment: Moment, answer: &Answer, presence: Presence) -> Reply {
    let Answer::Ruling(ruling) = answer else {
        return Reply::neutral();
    };
    let ruling = ruling.for_presence(presence);
    match moment {
        Moment::BeforeTool => claude_code::before_tool(&ruling, Stop::Ignored),
        Moment::PermissionRequest => claude_code::permission_request(&ruling, Interrupt::Ignored),
        Moment::AfterTool | Moment::Other => Reply::neutral(),
    }
}
