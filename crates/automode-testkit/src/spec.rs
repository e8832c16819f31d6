//! What the engine must answer, on a page that anyone can check.
//!
//! A [`Sheet`] says which stages have something to say about a call; it does
//! not say how they know. The engine must agree with [`verdict`] on every sheet.

use automode_core::policy::{AskRules, OnLimit, OnUnavailable};
use automode_core::{Failure, Mode, Presence, Verdict};

/// What is true of one call.
#[derive(Clone, Copy, Debug)]
pub struct Sheet {
    pub mode: Mode,
    pub presence: Presence,
    pub denied: bool,
    pub guarded: bool,
    pub vetoed: bool,
    /// By a person's rule.
    pub asked: bool,
    /// By a rule of the repository.
    pub project_asked: bool,
    pub ask_rules: AskRules,
    /// A tool that only changes things, which plan mode holds back.
    pub changes: bool,
    pub allowed: bool,
    /// Evidence that no exception clears.
    pub evidence: bool,
    pub fast: Fast,
    pub judge: SpecJudge,
    pub on_unavailable: OnUnavailable,
    /// The judge's denials so far are at the limit once this one is counted.
    pub at_limit: bool,
    pub on_limit: OnLimit,
}

/// What the fast paths have to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fast {
    /// Holds in every mode.
    Safe,
    /// An edit that can be taken back.
    Edit,
    /// PowerShell, which goes to a person in auto mode.
    Person,
    Silent,
}

/// What the judge has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecJudge {
    Absent,
    Clears,
    Blocks,
    Fails(Failure),
}

/// The answer, and whether the run ends.
#[must_use]
pub fn verdict(sheet: &Sheet) -> (Verdict, bool) {
    let (verdict, stop) = open(sheet);
    match verdict {
        Verdict::Ask if nobody(sheet) => (Verdict::Deny, stop),
        Verdict::Allow | Verdict::Ask | Verdict::Deny => (verdict, stop),
    }
}

fn nobody(sheet: &Sheet) -> bool {
    sheet.mode == Mode::DontAsk || sheet.presence == Presence::Headless
}

fn open(sheet: &Sheet) -> (Verdict, bool) {
    let to_judge = sheet.mode == Mode::Auto && sheet.ask_rules == AskRules::Judge;
    let plan = sheet.mode == Mode::Plan && sheet.changes;
    if sheet.denied || sheet.vetoed {
        return (Verdict::Deny, false);
    }
    if sheet.guarded || plan || (sheet.asked && !to_judge) {
        return (Verdict::Ask, false);
    }
    if sheet.project_asked && !to_judge {
        if nobody(sheet) {
            return (Verdict::Ask, false);
        }
        let (verdict, stop) = unvetoed(sheet);
        return (verdict.max(Verdict::Ask), stop);
    }
    unvetoed(sheet)
}

fn unvetoed(sheet: &Sheet) -> (Verdict, bool) {
    let auto = sheet.mode == Mode::Auto;
    let to_judge = auto && sheet.ask_rules == AskRules::Judge;
    let left_to_judge = to_judge && (sheet.asked || sheet.project_asked);
    if sheet.allowed && !left_to_judge {
        return (Verdict::Allow, false);
    }
    let edits = auto || sheet.mode == Mode::AcceptEdits;
    match sheet.fast {
        Fast::Safe if !sheet.evidence => return (Verdict::Allow, false),
        Fast::Edit if !sheet.evidence && edits => return (Verdict::Allow, false),
        Fast::Person if !sheet.evidence && auto => return (Verdict::Ask, false),
        Fast::Safe | Fast::Edit | Fast::Person | Fast::Silent => {}
    }
    match sheet.mode {
        Mode::BypassPermissions => (Verdict::Allow, false),
        Mode::Auto => judged(sheet),
        Mode::Default | Mode::AcceptEdits | Mode::Plan | Mode::DontAsk => (Verdict::Ask, false),
    }
}

fn judged(sheet: &Sheet) -> (Verdict, bool) {
    let headless = sheet.presence == Presence::Headless;
    match sheet.judge {
        SpecJudge::Absent => (Verdict::Ask, false),
        SpecJudge::Clears => (Verdict::Allow, false),
        SpecJudge::Blocks if sheet.at_limit && !headless => (Verdict::Ask, false),
        SpecJudge::Blocks => (
            Verdict::Deny,
            sheet.at_limit && sheet.on_limit == OnLimit::Stop,
        ),
        SpecJudge::Fails(Failure::Overlong) => (Verdict::Ask, headless),
        SpecJudge::Fails(Failure::Unreadable | Failure::Cancelled | Failure::Panic) => {
            (Verdict::Deny, false)
        }
        // A spent budget has a setting of its own, whose default asks.
        SpecJudge::Fails(Failure::Budget) => (Verdict::Ask, false),
        SpecJudge::Fails(_) => match sheet.on_unavailable {
            OnUnavailable::Ask => (Verdict::Ask, false),
            OnUnavailable::Deny => (Verdict::Deny, false),
        },
    }
}
