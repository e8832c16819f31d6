//! What keeps a text from being clean, and what a change of the text makes of it.

use automode_shell::{Effect, Gap, GapKind};

use super::library_call::is_run_by_name;
use crate::scene::{SuspicionOrigin, report};

/// One thing that keeps a text from being clean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReadMark {
    pub why: String,
    pub origin: SuspicionOrigin,
    pub reach: MarkReach,
}

/// What the same mark on the committed text says of the one on the text as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkReach {
    /// It is about one thing, which was there before.
    Part,
    /// It is about code that starts whatever it is given, and may be given something else now.
    Start,
    /// It is about text that was not read: what stands there now is anybody's guess.
    Beyond,
}

pub(super) fn unread(why: impl Into<String>) -> ReadMark {
    ReadMark {
        why: why.into(),
        origin: SuspicionOrigin::Unread,
        reach: MarkReach::Part,
    }
}

pub(super) fn unread_beyond(why: impl Into<String>) -> ReadMark {
    ReadMark {
        reach: MarkReach::Beyond,
        ..unread(why)
    }
}

pub(super) fn found(why: String) -> ReadMark {
    ReadMark {
        why,
        origin: SuspicionOrigin::Found,
        reach: MarkReach::Part,
    }
}

pub(super) fn not_understood(gap: &Gap) -> ReadMark {
    let reach = match &gap.kind {
        // What comes after, nobody read.
        GapKind::Budget | GapKind::Syntax(_) | GapKind::Refused(_) => MarkReach::Beyond,
        GapKind::DynamicProgram | GapKind::DynamicWord { .. } => MarkReach::Start,
        GapKind::Call { .. } if is_run_by_name(gap) => MarkReach::Start,
        GapKind::Call { .. }
        | GapKind::Unseen(_)
        | GapKind::Program(_)
        | GapKind::Argument { .. } => MarkReach::Part,
    };
    let why = format!(
        "holds code that is not understood: {}",
        report::gap(&gap.kind)
    );
    ReadMark {
        reach,
        ..unread(why)
    }
}

pub(super) fn beyond_routine(effect: &Effect) -> ReadMark {
    unread(format!(
        "does more than is routine: {}",
        report::line(&effect.act.to_string())
    ))
}
