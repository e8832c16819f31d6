//! What is written down of a session, one line each.
//!
//! Kinds that this version does not know are kept as they are: another version may
//! be running beside it.

use automode_core::engine::ProjectStep;
use automode_core::{Ledger, Outcome, RepoFact, SuspiciousResult, Verdict, WrittenFile};
use serde::{Deserialize, Serialize};

/// How the line begins to which older lines were folded.
pub(super) const FOLDED: &str = r#"{"note":"folded","#;

/// One line of a session's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "kebab-case")]
pub enum Note {
    /// Where the session began, and the repository as it was then.
    Start {
        agent: String,
        session: String,
        cwd: String,
        repo: Option<RepoFact>,
    },
    /// The user's own words.
    User {
        text: String,
    },
    Call(CallNote),
    /// A call has ended.
    Done {
        id: Option<String>,
        print: String,
        outcome: Outcome,
        /// Files as they are after the call.
        files: Vec<WrittenFile>,
    },
    /// How the ledger moved.
    Ledger(LedgerNote),
    /// A subagent came or went.
    Subagent {
        id: String,
        kind: String,
        phase: Phase,
    },
    /// A result spoke to the agent.
    Suspicious(SuspiciousResult),
    /// The commit up to which the project's code is the person's or was read, while not all of
    /// what came after it was; nothing: all of it was.
    Base {
        commit: Option<String>,
    },
    /// Asking the judge had a price.
    Cost(Cost),
    /// What older lines came to when they were folded.
    Folded {
        ledger: Ledger,
        cost: Cost,
        written: Vec<WrittenFile>,
        /// Entries that were left out.
        left_out: u64,
        /// The record had been damaged: something that counted may be missing.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        lost: bool,
        /// Results that spoke to the agent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        suspicious: Vec<SuspiciousResult>,
        /// The commit after which not everything was read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<String>,
    },
    End,
    #[serde(other)]
    Unknown,
}

/// The end of a call, as its line has it.
#[derive(Deserialize)]
struct DoneLine {
    id: Option<String>,
    print: String,
    outcome: Outcome,
    files: Vec<WrittenFile>,
}

impl Note {
    /// A line of a record. The two kinds that a long session is full of are read without the
    /// detour that finding out the kind costs.
    pub(super) fn read(line: &str) -> serde_json::Result<Self> {
        if line.starts_with(r#"{"note":"call","#) {
            return serde_json::from_str(line).map(Self::Call);
        }
        if line.starts_with(r#"{"note":"done","#) {
            return serde_json::from_str(line).map(|done: DoneLine| Self::Done {
                id: done.id,
                print: done.print,
                outcome: done.outcome,
                files: done.files,
            });
        }
        serde_json::from_str(line)
    }
}

/// A call and what was decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallNote {
    /// The agent's own name of the call.
    pub id: Option<String>,
    /// Digest of tool and input: finds the call again where the agent gives it no name.
    pub print: String,
    pub tool: String,
    pub brief: String,
    pub verdict: Verdict,
    /// The name of the decision in the audit log.
    pub decision: String,
    /// A person permitted it once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub permitted: bool,
    /// The subagent that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Files that it writes if it runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<WrittenFile>,
    /// What it has to do with the project's code if it runs.
    #[serde(default, skip_serializing_if = "ProjectStep::is_nothing")]
    pub project: ProjectStep,
}

/// How a ledger moved, so that movements of several processes add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerNote {
    pub denied: u32,
    /// The row of denials ended.
    pub row_ended: bool,
    pub outages: u32,
    /// The row of outages ended.
    pub outages_ended: bool,
    pub paused_until: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    Started,
    Stopped,
}

/// What judging has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    pub input: u64,
    pub cached: u64,
    pub output: u64,
    /// Millionths of a US dollar.
    pub price: u64,
}

impl LedgerNote {
    /// The movement between two states of one process; nothing where nothing moved.
    #[must_use]
    pub fn between(before: Ledger, after: Ledger) -> Option<Self> {
        (before != after).then(|| Self {
            denied: after.total.saturating_sub(before.total),
            row_ended: after.consecutive < before.consecutive,
            outages: after.unavailable.saturating_sub(before.unavailable),
            outages_ended: after.unavailable < before.unavailable,
            paused_until: after.paused_until,
        })
    }

    /// A ledger after this movement.
    #[must_use]
    pub const fn apply(self, ledger: Ledger) -> Ledger {
        Ledger {
            consecutive: if self.row_ended {
                0
            } else {
                ledger.consecutive.saturating_add(self.denied)
            },
            total: ledger.total.saturating_add(self.denied),
            unavailable: if self.outages_ended {
                0
            } else {
                ledger.unavailable.saturating_add(self.outages)
            },
            paused_until: self.paused_until,
        }
    }
}

impl Cost {
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            output: self.output.saturating_add(other.output),
            price: self.price.saturating_add(other.price),
        }
    }
}
