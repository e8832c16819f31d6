//! What a replay adds up to.

use std::collections::BTreeMap;

use automode::engine::Settlement;
use automode::{Ground, Session, Verdict};
use automode_core::confine::Possible;
use automode_core::judge::{self, Usage, default_model, price_of};
use automode_core::transcript::Entry;
use serde_json::{Value, json};

use crate::command::stats::bar;
use crate::command::why::dollars;
use crate::output;
use crate::prompts::{self, PromptChange};

/// Examples kept of each kind.
const EXAMPLES: usize = 3;
/// Kinds shown.
const ROWS: usize = 15;
/// Characters a token has, roughly.
const CHARACTERS: usize = 4;
/// What a judge answers, in tokens, roughly.
const ANSWER: u64 = 40;

/// The names of promises, as in the log.
const CONFINED: &str = "could-confine";
const UNDO: &str = "could-undo";

#[derive(Default)]
pub struct ReplayTally {
    pub sessions: u64,
    /// Sessions or calls that could not be replayed.
    pub failed: u64,
    pub unreadable: u64,
    /// Somebody judges what the analysis leaves open.
    has_judge: bool,
    calls: u64,
    verdicts: BTreeMap<&'static str, u64>,
    /// Allowed calls that an agent asks about by itself.
    saved: u64,
    /// Calls that the analysis leaves to a judge.
    judged: u64,
    /// Calls that ask, and that would run confined or with their files kept where the machine
    /// and the client do their part.
    promises: BTreeMap<&'static str, u64>,
    price: u64,
    stopped: BTreeMap<String, CallKind>,
    open: BTreeMap<String, CallKind>,
}

#[derive(Default)]
struct CallKind {
    count: u64,
    examples: Vec<String>,
}

impl CallKind {
    fn count(&mut self, brief: &str) {
        self.count = self.count.saturating_add(1);
        let brief: String = brief.chars().take(120).collect();
        if self.examples.len() < EXAMPLES && !self.examples.contains(&brief) {
            self.examples.push(brief);
        }
    }
}

impl ReplayTally {
    /// Nothing yet, with or without somebody who judges what the analysis leaves open.
    pub fn beside(has_judge: bool) -> Self {
        Self {
            has_judge,
            ..Self::default()
        }
    }

    pub fn count(&mut self, settlement: &Settlement, session: &Session) {
        let decision = &settlement.decision;
        let call = &settlement.call;
        self.calls = self.calls.saturating_add(1);
        let possible = decision.protection.possible.map(|possible| match possible {
            Possible::Confined => CONFINED,
            Possible::Undo => UNDO,
        });
        if let Some(name) = possible {
            let count = self.promises.entry(name).or_default();
            *count = count.saturating_add(1);
        }
        if decision.ground == Ground::NoJudge {
            self.judged = self.judged.saturating_add(1);
            self.price = self.price.saturating_add(estimate(&call.brief, session));
            self.open
                .entry(call.tool.clone())
                .or_default()
                .count(&call.brief);
            return;
        }
        let count = self.verdicts.entry(decision.verdict.name()).or_default();
        *count = count.saturating_add(1);
        match decision.verdict {
            Verdict::Allow => {
                let change = prompts::of_call(None, Verdict::Allow, &call.tool, &call.brief);
                let saved = u64::from(change == PromptChange::Saved);
                self.saved = self.saved.saturating_add(saved);
            }
            Verdict::Ask | Verdict::Deny => {
                let by = format!(
                    "{}: {}",
                    decision.verdict.name(),
                    output::ground(&decision.ground)
                );
                self.stopped.entry(by).or_default().count(&call.brief);
            }
        }
    }

    pub fn add(&mut self, other: Self) {
        self.sessions = self.sessions.saturating_add(other.sessions);
        self.failed = self.failed.saturating_add(other.failed);
        self.unreadable = self.unreadable.saturating_add(other.unreadable);
        self.calls = self.calls.saturating_add(other.calls);
        self.saved = self.saved.saturating_add(other.saved);
        self.judged = self.judged.saturating_add(other.judged);
        self.price = self.price.saturating_add(other.price);
        for (mine, theirs) in [
            (&mut self.verdicts, other.verdicts),
            (&mut self.promises, other.promises),
        ] {
            for (name, count) in theirs {
                let own = mine.entry(name).or_default();
                *own = own.saturating_add(count);
            }
        }
        for (mine, theirs) in [
            (&mut self.stopped, other.stopped),
            (&mut self.open, other.open),
        ] {
            for (name, kind) in theirs {
                let own = mine.entry(name).or_default();
                own.count = own.count.saturating_add(kind.count);
                for example in kind.examples {
                    if own.examples.len() < EXAMPLES && !own.examples.contains(&example) {
                        own.examples.push(example);
                    }
                }
            }
        }
    }

    pub fn json(&self) -> Value {
        let kinds = |kinds: &BTreeMap<String, CallKind>| -> Value {
            kinds
                .iter()
                .map(|(name, kind)| json!({"by": name, "count": kind.count, "examples": kind.examples}))
                .collect()
        };
        json!({
            "sessions": self.sessions,
            "calls": self.calls,
            "verdicts": self.verdicts,
            "prompts_saved": self.saved,
            "promises": self.promises,
            "judge": {"configured": self.has_judge, "calls": self.judged, "price_micros": self.price},
            "stopped": kinds(&self.stopped),
            "left_to_judge": kinds(&self.open),
            "unreadable": self.unreadable,
            "failed": self.failed,
        })
    }

    /// The figures alone.
    pub fn show_counts(&self) {
        println!("{} sessions, {} tool calls", self.sessions, self.calls);
        let of = |verdict: Verdict| {
            self.verdicts
                .get(verdict.name())
                .copied()
                .unwrap_or_default()
        };
        let open = if self.has_judge {
            "to a judge"
        } else {
            "left to you"
        };
        let rows = [
            ("allowed", of(Verdict::Allow)),
            (open, self.judged),
            ("asked", of(Verdict::Ask)),
            ("denied", of(Verdict::Deny)),
        ];
        for (name, count) in rows {
            let percent = count
                .saturating_mul(100)
                .checked_div(self.calls)
                .unwrap_or_default();
            let bar = if count == 0 {
                String::new()
            } else {
                bar(count, self.calls)
            };
            println!("  {name:<11} {count:>8}  {percent:>3}%  {bar}");
        }
        println!(
            "prompts saved, against the client's default mode: {}",
            self.saved
        );
        let [confined, kept] =
            [CONFINED, UNDO].map(|name| self.promises.get(name).copied().unwrap_or_default());
        if confined.saturating_add(kept) > 0 {
            println!(
                "of those that ask, {confined} would run confined and {kept} with their files kept first, without a question (`confine.mode`, `undo`)"
            );
        }
        if self.has_judge {
            println!("asking the judge would cost about {}", dollars(self.price));
        } else {
            println!(
                "no judge is configured: {} of these would be prompts; a judge would take {} of them for about {}",
                self.judged.saturating_add(of(Verdict::Ask)),
                self.judged,
                dollars(self.price)
            );
        }
    }

    pub fn show(&self) {
        self.show_counts();
        table("would have been stopped", &self.stopped);
        let title = if self.has_judge {
            "would have gone to the judge"
        } else {
            "would have been left to you"
        };
        table(title, &self.open);
        if self.failed.saturating_add(self.unreadable) > 0 {
            println!(
                "\n{} could not be read, {} could not be replayed",
                self.unreadable, self.failed
            );
        }
    }
}

fn table(title: &str, kinds: &BTreeMap<String, CallKind>) {
    if kinds.is_empty() {
        return;
    }
    let mut rows: Vec<_> = kinds.iter().collect();
    rows.sort_by_key(|(_, kind)| std::cmp::Reverse(kind.count));
    println!("\n{title}");
    for (name, kind) in rows.iter().take(ROWS) {
        println!("  {:>7}  {}", kind.count, output::clean(name));
        for example in &kind.examples {
            println!("           {}", output::clean(example));
        }
    }
    if let Some(more) = rows.len().checked_sub(ROWS).filter(|more| *more > 0) {
        println!("           and {more} more kinds");
    }
}

/// What one question to the usual judge costs: the prompt and the session so far from its cache, the call anew.
fn estimate(brief: &str, session: &Session) -> u64 {
    let price = default_model(judge::Kind::Anthropic).and_then(price_of);
    let tokens = |characters: usize| u64::try_from(characters / CHARACTERS).unwrap_or(u64::MAX);
    let entries = session.transcript.iter().map(|entry| match entry {
        Entry::User(words) => words.len(),
        Entry::Call { brief, .. } => brief.len().min(400),
    });
    let usage = Usage {
        input: tokens(brief.len()).saturating_add(50),
        cached: tokens(entries.sum::<usize>()).saturating_add(PROMPT),
        written: 0,
        output: ANSWER,
    };
    price.map_or(0, |price| price.of(&usage))
}

/// The judge's instructions, in tokens, roughly.
const PROMPT: u64 = 6_000;
