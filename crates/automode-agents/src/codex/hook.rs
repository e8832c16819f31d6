//! Codex: Claude Code's schema, but it cannot ask and its own approval follows.
//!
//! A PreToolUse `ask` is ignored and the command runs, so ask is a denial that says
//! how a person permits the call. A PreToolUse allow does not skip Codex' approval,
//! so it is said by silence, or by words to the person alone; the answer that counts is the one to PermissionRequest.
//! A permission request left unanswered goes to Codex' reviewer, which is a model
//! and not a person: ask is a denial there too. A `continue` beside a denial makes
//! Codex drop the whole answer and run the command: it is never sent.

use automode_core::Verdict;

use super::record;
use crate::claude_code::hook::{self as claude_code, Interrupt, StopSupport};
use crate::event::{Event, EventKind, HookPhase, Malformed};
use crate::payload::Payload;
use crate::reply::{Answer, Reply};

pub(crate) fn parse(bytes: &[u8]) -> Result<Event, Malformed> {
    let payload = Payload::parse(bytes)?;
    let mut kind = claude_code::kind(&payload)?;
    // There is no event for a call that failed: the text of its result tells.
    if let (EventKind::AfterTool { outcome, .. }, Some(text)) =
        (&mut kind, payload.text("tool_response"))
    {
        *outcome = record::outcome(text);
    }
    payload.event("session_id", kind)
}

pub(crate) fn render(phase: HookPhase, answer: &Answer) -> Reply {
    let ruling = match (phase, answer) {
        (_, Answer::Ruling(ruling)) => ruling,
        (HookPhase::AfterTool, Answer::Remark(text)) => return claude_code::after_tool(text),
        (_, Answer::Remark(_) | Answer::Neutral) => return Reply::neutral(),
    };
    let ruling = ruling.without_ask();
    match (phase, ruling.verdict) {
        (HookPhase::BeforeTool, Verdict::Allow) if ruling.rewritten.is_some() => {
            claude_code::before_tool(&ruling, StopSupport::Ignored)
        }
        (HookPhase::BeforeTool, Verdict::Allow) => claude_code::told(&ruling),
        (HookPhase::AfterTool | HookPhase::Other, _) => Reply::neutral(),
        (HookPhase::BeforeTool, Verdict::Ask | Verdict::Deny) => {
            claude_code::before_tool(&ruling, StopSupport::Ignored)
        }
        (HookPhase::PermissionRequest, _) => {
            claude_code::permission_request(&ruling, Interrupt::Ignored)
        }
    }
}
