//! Everything that can go wrong on the way to a verdict.

use serde::Serialize;

use crate::{Presence, Verdict};

/// A failure. None of them allows; `failure` x `presence` gives the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// The judge's service answered with an error or not at all.
    Unavailable,
    Timeout,
    /// The money for the judge is spent.
    Budget,
    /// The judge's service refused to answer (policy, content filter).
    Refused,
    /// The judge's answer was not a verdict.
    Unreadable,
    /// What the judge must see does not fit.
    Overlong,
    Cancelled,
    /// The session store or the log failed.
    Store,
    /// The input could not be understood.
    Parse,
    Panic,
}

impl Failure {
    pub const ALL: [Self; 10] = [
        Self::Unavailable,
        Self::Timeout,
        Self::Budget,
        Self::Refused,
        Self::Unreadable,
        Self::Overlong,
        Self::Cancelled,
        Self::Store,
        Self::Parse,
        Self::Panic,
    ];
}

/// The verdict when the judge cannot answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnUnavailable {
    /// The closed gate.
    Deny,
    /// A person who is there is asked, with what was found.
    #[default]
    Ask,
}

/// What a failure is answered with. There is no way to spell an allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    Ask,
    Deny,
    /// Deny and end the run: the failure will not go away.
    Stop,
}

impl Fallback {
    #[must_use]
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Ask => Verdict::Ask,
            Self::Deny | Self::Stop => Verdict::Deny,
        }
    }
}

impl Failure {
    /// The table: failure x presence x setting.
    ///
    /// Outages follow the setting where somebody can be asked. An answer that is
    /// no verdict, a cancelled question and a failure inside are denied whatever the
    /// setting: a person would be asked about nothing.
    /// A transcript only grows, so one that is too long ends a headless run.
    #[must_use]
    pub const fn fallback(self, presence: Presence, setting: OnUnavailable) -> Fallback {
        match self {
            Self::Unreadable | Self::Cancelled | Self::Panic => Fallback::Deny,
            Self::Overlong => match presence {
                Presence::Interactive => Fallback::Ask,
                Presence::Headless => Fallback::Stop,
            },
            Self::Unavailable
            | Self::Timeout
            | Self::Budget
            | Self::Refused
            | Self::Store
            | Self::Parse => match (presence, setting) {
                (Presence::Interactive, OnUnavailable::Ask) => Fallback::Ask,
                (Presence::Interactive, OnUnavailable::Deny)
                | (Presence::Headless, OnUnavailable::Ask | OnUnavailable::Deny) => Fallback::Deny,
            },
        }
    }

    /// What happened, in words.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Unavailable => "the judge could not be asked",
            Self::Timeout => "time ran out before there was an answer",
            Self::Budget => "the budget for the judge is spent",
            Self::Refused => "the judge's service refused to answer",
            Self::Unreadable => "the judge's answer was not a verdict",
            Self::Overlong => "the conversation is too long for the judge",
            Self::Cancelled => "the question was cancelled",
            Self::Store => "the session's state could not be read or kept",
            Self::Parse => "the input could not be understood",
            Self::Panic => "automode failed inside",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One row: interactive with `deny`, interactive with `ask`, headless with each.
    fn check(failure: Failure, row: [Fallback; 4]) {
        let cells = [
            (Presence::Interactive, OnUnavailable::Deny),
            (Presence::Interactive, OnUnavailable::Ask),
            (Presence::Headless, OnUnavailable::Deny),
            (Presence::Headless, OnUnavailable::Ask),
        ];
        for ((presence, setting), expected) in cells.into_iter().zip(row) {
            let cell = failure.fallback(presence, setting);
            assert_eq!(cell, expected, "{failure:?} {presence:?} {setting:?}");
            assert_ne!(cell.verdict(), Verdict::Allow);
        }
    }

    #[test]
    fn every_cell_of_the_table() {
        use Fallback::{Ask, Deny, Stop};
        check(Failure::Unavailable, [Deny, Ask, Deny, Deny]);
        check(Failure::Timeout, [Deny, Ask, Deny, Deny]);
        check(Failure::Budget, [Deny, Ask, Deny, Deny]);
        check(Failure::Refused, [Deny, Ask, Deny, Deny]);
        check(Failure::Unreadable, [Deny, Deny, Deny, Deny]);
        check(Failure::Overlong, [Ask, Ask, Stop, Stop]);
        check(Failure::Cancelled, [Deny, Deny, Deny, Deny]);
        check(Failure::Store, [Deny, Ask, Deny, Deny]);
        check(Failure::Parse, [Deny, Ask, Deny, Deny]);
        check(Failure::Panic, [Deny, Deny, Deny, Deny]);
    }
}
