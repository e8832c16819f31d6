//! The policy in force.

use super::{AutoMode, Match, Settings, Subject};
use crate::Mode;

/// All layers put together. The default is built-in settings and no rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    pub settings: Settings,
    pub auto_mode: AutoMode,
    failure: Option<String>,
}

impl Policy {
    /// The first deny rule that matches any part of the call.
    #[must_use]
    pub fn denies(&self, _subject: &Subject<'_>) -> Option<Match> {
        None
    }

    /// The first ask rule that matches any part of the call.
    #[must_use]
    pub fn asks(&self, _subject: &Subject<'_>) -> Option<Match> {
        None
    }

    /// An allow rule that covers the whole call, in auto mode one that survived stripping.
    #[must_use]
    pub fn allows(&self, _subject: &Subject<'_>, _mode: Mode) -> Option<Match> {
        None
    }

    /// Why the policy cannot be relied on: a layer that may hold vetoes is broken.
    /// With a failure no call may be allowed.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}
