//! Qwen Code: a fork of Gemini CLI with Claude Code's event names and answers.
//!
//! UserPromptSubmit fires after every tool result with an empty prompt; only the
//! real one carries `submitted_prompt`. A headless `ask` is denied with its reason.
//! `continue: false` does not end the run, so a stop is a plain denial.

use automode_core::Presence;

use crate::claude_code::hook::{self as claude_code, Interrupt, StopSupport};
use crate::event::{Event, EventKind, HookPhase, Malformed};
use crate::gemini_cli::hook as gemini_cli;
use crate::payload::Payload;
use crate::reply::{Answer, Reply, Ruling};
use crate::words;

pub(crate) fn parse(bytes: &[u8]) -> Result<Event, Malformed> {
    let payload = Payload::parse(bytes)?;
    let kind = match claude_code::kind(&payload)? {
        EventKind::Prompt { .. } => EventKind::Prompt {
            words: payload.text("submitted_prompt").and_then(words::own),
        },
        EventKind::AfterTool {
            call,
            id,
            report,
            brought,
            ..
        } => EventKind::AfterTool {
            call,
            id,
            outcome: gemini_cli::outcome(&payload),
            report,
            brought,
        },
        other => other,
    };
    payload.event("session_id", kind)
}

pub(crate) fn render(phase: HookPhase, answer: &Answer, presence: Presence) -> Reply {
    let ruling = match (phase, answer) {
        (_, Answer::Ruling(ruling)) => ruling,
        (HookPhase::AfterTool, Answer::Remark(text)) => return claude_code::after_tool(text),
        (_, Answer::Remark(_) | Answer::Neutral) => return Reply::neutral(),
    };
    // It would run the original whatever stands here, so nothing is ever rewritten.
    let ruling = Ruling {
        rewritten: None,
        ..ruling.for_presence(presence)
    };
    match phase {
        HookPhase::BeforeTool => claude_code::before_tool(&ruling, StopSupport::Ignored),
        HookPhase::PermissionRequest => {
            claude_code::permission_request(&ruling, Interrupt::Ignored)
        }
        HookPhase::AfterTool | HookPhase::Other => Reply::neutral(),
    }
}
