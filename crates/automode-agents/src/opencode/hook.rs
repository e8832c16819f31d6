//! opencode: no command hooks; our plugin speaks for it in Claude Code's shape.
//!
//! The plugin throws on anything but an allow, so a denial holds whatever the
//! session's permissions are. It cannot ask. A child session is opened by the
//! parent's model: what is said there is not the user.

use crate::claude_code::hook as claude_code;
pub(crate) use crate::claude_code::hook::render_without_ask as render;
use crate::event::{Event, EventKind, Malformed, Subagent};
use crate::payload::Payload;

pub(crate) fn parse(bytes: &[u8]) -> Result<Event, Malformed> {
    let payload = Payload::parse(bytes)?;
    let kind = claude_code::kind(&payload)?;
    let mut event = payload.event("session_id", kind)?;
    let parent = payload
        .text("parent_session_id")
        .filter(|id| !id.is_empty());
    if let Some(parent) = parent {
        if let EventKind::Prompt { words } = &mut event.kind {
            *words = None;
        }
        let child = std::mem::replace(&mut event.session, parent.to_owned());
        event.subagent = Some(Subagent {
            id: child,
            kind: String::new(),
        });
    }
    Ok(event)
}
