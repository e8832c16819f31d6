//! What to try next: ways that were worth it are tried more often, none is given up.
//!
//! A way is worth something when its cases are allowed and show something new, and most
//! when they do harm. Choices and lessons go round by round in a fixed order, so a seed
//! gives the same cases whatever the machine's load.

use std::collections::{BTreeMap, BTreeSet};

use super::{Draft, Installed, SEEDS, mutate, session::sessions};
use crate::cage::Finished;
use crate::crowd::Crowd;
use crate::dice::Dice;

/// The most commands that are kept to start from.
const POOL: usize = 4_000;
/// How many programs tell their options before each round.
const ASKED_A_ROUND: usize = 48;

#[derive(Clone, Copy, Debug, Default)]
struct Arm {
    tries: f64,
    worth: f64,
}

/// Chooses among the generators and learns from what became of the cases.
pub struct Bandit {
    installed: Installed,
    dice: Dice,
    arms: BTreeMap<String, Arm>,
    programs: BTreeMap<String, Arm>,
    /// Commands that showed something new, as seeds of further ones.
    pool: Vec<String>,
    seen: BTreeSet<String>,
    tried: BTreeSet<String>,
}

impl Bandit {
    /// Ways for which `wanted` says no to the generator's name are left out.
    #[must_use]
    pub fn new(
        installed: Installed,
        corpus: Vec<String>,
        seed: u64,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Self {
        let mutations = mutate::names().map(|name| format!("mutate:{name}"));
        let others = ["installed", "learned", "corpus", "session"].map(str::to_owned);
        let arms = mutations
            .chain(others)
            .filter(|name| wanted(name.split(':').next().unwrap_or_default()))
            .map(|name| (name, Arm::default()))
            .collect();
        Self {
            installed,
            dice: Dice::new(seed).fork("bandit"),
            arms,
            programs: BTreeMap::new(),
            pool: corpus,
            seen: BTreeSet::new(),
            tried: BTreeSet::new(),
        }
    }

    /// The next cases, none of which was tried before. Some more programs are asked for
    /// their options first.
    pub fn round(&mut self, count: usize, crowd: &Crowd) -> Vec<Draft> {
        self.installed.ask(crowd, ASKED_A_ROUND);
        let mut drafts = Vec::with_capacity(count);
        let mut throws = 0_usize;
        while drafts.len() < count && throws < count.saturating_mul(20) {
            throws = throws.saturating_add(1);
            if let Some(draft) = self.draft()
                && self.tried.insert(draft.shown())
            {
                drafts.push(draft);
            }
        }
        drafts
    }

    fn draft(&mut self) -> Option<Draft> {
        let arm = choose(&self.arms, &mut self.dice)?;
        // Counted when chosen, or one round would only ever take the best.
        self.arms.entry(arm.clone()).or_default().tries += 1.0;
        if let Some(name) = arm.strip_prefix("mutate:") {
            let seed = *self.dice.pick(SEEDS)?;
            return mutate::mutated(seed, Some(name), &mut self.dice, &self.installed);
        }
        match arm.as_str() {
            "installed" => {
                let program = if self.dice.one_in(2) {
                    choose(&self.programs, &mut self.dice)
                } else {
                    None
                };
                match program {
                    Some(program) => self.installed.draft_of(&program, &mut self.dice),
                    None => self.installed.draft(&mut self.dice),
                }
            }
            "session" => sessions(1, &mut self.dice).pop(),
            other => {
                let seed = self.dice.pick(&self.pool)?.clone();
                let mut draft = mutate::mutated(&seed, None, &mut self.dice, &self.installed)?;
                draft.source = draft.source.replace("mutate", other);
                Some(draft)
            }
        }
    }

    /// Learns from a round.
    pub fn learn(&mut self, drafts: &[Draft], finished: &[Finished]) {
        for (draft, one) in drafts.iter().zip(finished) {
            if !one.ran() {
                continue;
            }
            let fresh = self.seen.insert(sign(draft, one));
            let worth = match (one.harms.is_empty(), fresh) {
                (false, _) => 5.0,
                (true, true) => 1.0,
                (true, false) => 0.05,
            };
            let (kind, detail) = draft.source.split_once(':').unwrap_or((&draft.source, ""));
            let arm = if kind == "mutate" {
                draft.source.as_str()
            } else {
                kind
            };
            self.arms.entry(arm.to_owned()).or_default().worth += worth;
            if kind == "installed" {
                let program = self.programs.entry(detail.to_owned()).or_default();
                program.tries += 1.0;
                program.worth += worth;
            }
            if fresh && !draft.is_session() && self.pool.len() < POOL {
                self.pool.push(draft.shown());
            }
        }
    }

    /// Ways by their worth, best first: name, tries, worth a try.
    #[must_use]
    pub fn standing(&self) -> Vec<(String, f64, f64)> {
        let mut all: Vec<(String, f64, f64)> = self
            .arms
            .iter()
            .map(|(name, arm)| (name.clone(), arm.tries, arm.worth / arm.tries.max(1.0)))
            .collect();
        all.sort_by(|one, two| two.2.total_cmp(&one.2));
        all
    }
}

/// The arm with the best upper bound, or one by chance now and then.
fn choose(arms: &BTreeMap<String, Arm>, dice: &mut Dice) -> Option<String> {
    if dice.one_in(4) {
        let names: Vec<&String> = arms.keys().collect();
        return dice.pick(&names).map(|name| (*name).clone());
    }
    let total: f64 = arms.values().map(|arm| arm.tries).sum::<f64>() + 1.0;
    let bound = |arm: &Arm| {
        let tries = arm.tries + 1.0;
        arm.worth / tries + (2.0 * total.ln() / tries).sqrt()
    };
    let best = arms
        .iter()
        .max_by(|one, two| bound(one.1).total_cmp(&bound(two.1)))?;
    Some(best.0.clone())
}

/// What a case showed, in short: two cases with the same sign teach the same.
fn sign(draft: &Draft, one: &Finished) -> String {
    let command = draft.shown();
    let program: Vec<&str> = command.split(' ').take(2).collect();
    let mut kinds: Vec<String> = one
        .prediction
        .iter()
        .flat_map(|prediction| prediction.effects.iter())
        .map(|effect| format!("{}{}", effect.kind, effect.extent))
        .collect();
    kinds.sort();
    kinds.dedup();
    let mut changes: Vec<&str> = one
        .changes
        .iter()
        .filter_map(|change| change.get(..1))
        .collect();
    changes.sort_unstable();
    changes.dedup();
    let exit = one.steps.first().and_then(|step| step.exit);
    format!("{} {kinds:?} {changes:?} {exit:?}", program.join(" "))
}
