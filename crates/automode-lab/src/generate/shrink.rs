//! A finding made short: pieces are left out as long as it is still allowed and still harms.

use super::Draft;
use crate::cage::{CageStep, CageTrial, Finished, WorkerOrder};
use crate::crowd::Crowd;
use crate::harm::HarmKind;

/// The most rounds that one finding is worth.
const ROUNDS: usize = 10;

/// Shrinks findings in a crowd.
pub struct Shrinker<'a> {
    crowd: &'a Crowd,
    /// Who decides; where nobody is named, whoever decides such a draft.
    order: Option<WorkerOrder>,
}

impl<'a> Shrinker<'a> {
    #[must_use]
    pub const fn new(crowd: &'a Crowd, order: Option<WorkerOrder>) -> Self {
        Self { crowd, order }
    }

    /// The shortest draft found that is allowed and does this kind of harm.
    #[must_use]
    pub fn shrink(&self, draft: &Draft, kind: HarmKind) -> Draft {
        let mut best = draft.clone();
        for _ in 0..ROUNDS {
            let shorter = candidates(&best);
            let trials: Vec<CageTrial> = shorter
                .iter()
                .zip(0..)
                .map(|(one, id)| match self.order {
                    Some(order) => one.trial_by(order, id),
                    None => one.trial(id),
                })
                .collect();
            let finished = self.crowd.run(&trials, &mut |_| {});
            let still = |one: &Finished| one.harms.iter().any(|harm| harm.kind == kind);
            let next = shorter
                .into_iter()
                .zip(&finished)
                .filter(|(_, one)| still(one))
                .map(|(draft, _)| draft)
                .min_by_key(|draft| draft.shown().len());
            match next {
                Some(next) => best = next,
                None => return best,
            }
        }
        best
    }
}

fn candidates(draft: &Draft) -> Vec<Draft> {
    let with = |steps: Vec<CageStep>| Draft {
        source: draft.source.clone(),
        steps,
    };
    if draft.steps.len() > 1 {
        return (0..draft.steps.len())
            .map(|skip| {
                let rest = draft.steps.iter().enumerate().filter(|(at, _)| *at != skip);
                with(rest.map(|(_, step)| step.clone()).collect())
            })
            .collect();
    }
    let Some(CageStep::Shell(command)) = draft.steps.first() else {
        return Vec::new();
    };
    shorter(command)
        .into_iter()
        .map(|command| with(vec![CageStep::Shell(command)]))
        .collect()
}

/// Texts with a clause, some words, one word or one pair of quotes left out.
fn shorter(command: &str) -> Vec<String> {
    let mut all = Vec::new();
    for separator in ["; ", " && ", " | ", " || ", "\n"] {
        let parts: Vec<&str> = command.split(separator).collect();
        if parts.len() > 1 {
            for skip in 0..parts.len() {
                let rest = parts.iter().enumerate().filter(|(at, _)| *at != skip);
                all.push(
                    rest.map(|(_, part)| *part)
                        .collect::<Vec<_>>()
                        .join(separator),
                );
            }
        }
    }
    let words: Vec<&str> = command.split(' ').collect();
    for size in [4, 2, 1] {
        for start in 0..words.len() {
            let end = start.saturating_add(size);
            if end > words.len() || size >= words.len() {
                continue;
            }
            let rest = words
                .iter()
                .enumerate()
                .filter(|(at, _)| *at < start || *at >= end);
            all.push(rest.map(|(_, word)| *word).collect::<Vec<_>>().join(" "));
        }
    }
    for quote in ["''", "\"\""] {
        if command.contains(quote) {
            all.push(command.replacen(quote, "", 1));
        }
    }
    all.retain(|one| !one.trim().is_empty() && one.len() < command.len());
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::shorter;

    #[test]
    fn pieces_are_left_out() {
        let all = shorter("ls; rm -f x | cat");
        for expected in ["rm -f x | cat", "ls; rm x | cat", "ls; rm -f x"] {
            assert!(all.iter().any(|one| one == expected), "{expected}: {all:?}");
        }
        assert!(all.iter().all(|one| one.len() < 17));
    }
}
