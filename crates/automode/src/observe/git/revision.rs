//! The commits that a typed revision stands for.
//!
//! Names, digits, `HEAD~2`, `main^2`, `@{upstream}`, `stash@{1}`, `v1.2-3-gabc1234` and ranges
//! are read as git reads them. A name that nothing has brings nothing: git stops there. What has
//! a form that is not read here is unseen, and so is what could not be followed.

use std::collections::{BinaryHeap, HashMap};

use super::object::{self, Commit, Id, Objects};
use crate::observe::repo::ObservedRepository;

/// The most commits that a range is followed through.
const MOST_COMMITS: usize = 1000;
/// The fewest digits that stand for an object.
const FEWEST_DIGITS: usize = 4;

/// The commits of a revision or of a range. `None`: that could not be told.
pub(super) fn commits(
    repository: &ObservedRepository,
    objects: &Objects,
    typed: &str,
) -> Option<Vec<Commit>> {
    let reader = RevisionReader {
        repository,
        objects,
    };
    // `git pull` takes where to put it behind a colon; a `^` in front leaves something out.
    let typed = typed.trim_start_matches(['+', '^']);
    if typed.starts_with(':') {
        return None;
    }
    let typed = match typed.split_once(':') {
        Some((from, _)) if !from.contains('{') => from,
        Some(_) | None => typed,
    };
    match typed.split_once("..") {
        Some((from, to)) if !from.contains('{') || from.contains('}') => {
            let ends = |text: &str| match text {
                "" => reader.read("HEAD"),
                text => reader.read(text),
            };
            let to = to.trim_start_matches('.');
            reader.between(ends(from)?, ends(to)?)
        }
        Some(_) | None => reader.read(typed),
    }
}

struct RevisionReader<'a> {
    repository: &'a ObservedRepository,
    objects: &'a Objects,
}

impl RevisionReader<'_> {
    /// The commits that one revision may stand for.
    fn read(&self, typed: &str) -> Option<Vec<Commit>> {
        let typed = match typed {
            "-" => "@{-1}",
            typed => typed,
        };
        let end = typed.find(['~', '^']);
        let end = [end, typed.find("@{")].into_iter().flatten().min();
        let (name, mut steps) = typed.split_at_checked(end.unwrap_or(typed.len()))?;
        let mut found = match steps.strip_prefix("@{") {
            Some(rest) => {
                let (what, rest) = rest.split_once('}')?;
                steps = rest;
                self.looked_up(name, what)?
            }
            None => self.named(name)?,
        };
        while let Some(kind) = steps.chars().next() {
            let rest = steps.get(1..)?;
            (found, steps) = match kind {
                '~' => self.back(found, rest)?,
                '^' => self.peeled_or_parent(found, rest)?,
                _ => return None,
            };
        }
        Some(found)
    }

    /// A branch, a tag, a branch of a remote, or the digits of an object.
    fn named(&self, name: &str) -> Option<Vec<Commit>> {
        let name = match name {
            "" | "@" => "HEAD",
            name => name,
        };
        let mut ids: Vec<Id> = Vec::new();
        for full in self.repository.refs_named(name) {
            let Some(value) = self.repository.commit_of(&full) else {
                continue;
            };
            ids.push(object::id(&value)?);
        }
        let described = name.rsplit_once("-g").map(|(_, digits)| digits);
        for digits in [Some(name), described].into_iter().flatten() {
            let is_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_digits && (FEWEST_DIGITS..=40).contains(&digits.len()) {
                ids.extend(self.objects.beginning(digits)?);
                // What is not here yet, git may fetch when it is named in full.
                ids.extend(object::id(digits));
            }
        }
        ids.sort_unstable();
        ids.dedup();
        let only = ids.len() == 1;
        let commits = ids.iter().map(|id| (id, self.objects.commit(id)));
        let mut found = Vec::new();
        for (id, commit) in commits {
            match commit {
                Some(commit) => found.push(commit),
                // Files and trees are no commits; what could not be read may be one.
                None if only || !self.objects.is_other(id) => return None,
                None => {}
            }
        }
        Some(found)
    }

    /// What stands in braces behind an `@`.
    fn looked_up(&self, name: &str, what: &str) -> Option<Vec<Commit>> {
        if let Some(back) = what.strip_prefix('-') {
            let before = self.repository.branch_before(back.parse().ok()?);
            return before.map_or(Some(Vec::new()), |branch| self.named(&branch));
        }
        let branch = || match name {
            "" | "@" | "HEAD" => self.repository.branch(),
            name => Some(name.to_owned()),
        };
        match what.to_ascii_lowercase().as_str() {
            "u" | "upstream" => match self.repository.upstream(&branch()?) {
                Some(followed) => self.named(&followed),
                None => Some(Vec::new()),
            },
            number => self.logged(name, number.parse().ok()?),
        }
    }

    /// Where a ref stood some changes ago.
    fn logged(&self, name: &str, back: usize) -> Option<Vec<Commit>> {
        let name = match name {
            "" => self
                .repository
                .branch()
                .unwrap_or_else(|| "HEAD".to_owned()),
            "@" => "HEAD".to_owned(),
            name => name.to_owned(),
        };
        let mut found = Vec::new();
        for full in self.repository.refs_named(&name) {
            let Some(log) = self.repository.log_of(&full) else {
                continue;
            };
            let Some(line) = log.lines().rev().nth(back) else {
                continue;
            };
            let id = object::id(line.split(' ').nth(1)?)?;
            found.push(self.objects.commit(&id)?);
        }
        Some(found)
    }

    /// `~3`, and what stands behind it.
    fn back<'t>(&self, found: Vec<Commit>, rest: &'t str) -> Option<(Vec<Commit>, &'t str)> {
        let (count, rest) = number(rest, 1)?;
        (count <= MOST_COMMITS).then_some(())?;
        let first = |mut commit: Commit| {
            for _ in 0..count {
                commit = match commit.parents.first() {
                    Some(parent) => self.objects.commit(parent)?,
                    None => return Some(None),
                };
            }
            Some(Some(commit))
        };
        let found: Option<Vec<Option<Commit>>> = found.into_iter().map(first).collect();
        Some((found?.into_iter().flatten().collect(), rest))
    }

    /// `^2`, `^{commit}` or all parents `^@`, and what stands behind it.
    fn peeled_or_parent<'t>(
        &self,
        found: Vec<Commit>,
        rest: &'t str,
    ) -> Option<(Vec<Commit>, &'t str)> {
        if let Some(peeled) = rest.strip_prefix('{') {
            let (kind, rest) = peeled.split_once('}')?;
            return matches!(kind, "" | "commit" | "tree" | "object").then_some((found, rest));
        }
        let parents = |of: &dyn Fn(&Commit) -> Vec<Id>| {
            let ids = found.iter().flat_map(of);
            ids.map(|id| self.objects.commit(&id))
                .collect::<Option<Vec<_>>>()
        };
        if let Some(rest) = rest.strip_prefix('@') {
            return Some((parents(&|commit| commit.parents.clone())?, rest));
        }
        let (which, rest) = number(rest, 1)?;
        match which.checked_sub(1) {
            None => Some((found, rest)),
            Some(at) => {
                let own = |commit: &Commit| commit.parents.get(at).copied().into_iter().collect();
                Some((parents(&own)?, rest))
            }
        }
    }

    /// The ends of a range and the commits that lead from the one to the other.
    fn between(&self, from: Vec<Commit>, to: Vec<Commit>) -> Option<Vec<Commit>> {
        // git stops where an end is not there.
        if from.is_empty() || to.is_empty() {
            return Some(Vec::new());
        }
        let mut waiting: BinaryHeap<(u64, Id)> = BinaryHeap::new();
        let mut known: HashMap<Id, (Commit, bool)> = HashMap::new();
        let mut ends = Vec::new();
        let marked = to.into_iter().map(|commit| (commit, false));
        let marked = marked.chain(from.into_iter().map(|commit| (commit, true)));
        for (commit, left_out) in marked {
            ends.push(commit.name);
            waiting.push((commit.time, commit.name));
            let entry = known.entry(commit.name);
            entry.or_insert((commit, left_out)).1 |= left_out;
        }
        for _ in 0..MOST_COMMITS {
            let open = waiting
                .iter()
                .any(|(_, id)| known.get(id).is_some_and(|(_, left_out)| !left_out));
            // What is left out may still lead to what was taken; commits of one second have no order.
            let taken = known.values().filter(|(_, left_out)| !left_out);
            let oldest = taken.map(|(commit, _)| commit.time).min();
            let newest = waiting.peek().map(|(time, _)| *time);
            let goes_on = open
                || newest
                    .zip(oldest)
                    .is_some_and(|(newest, oldest)| newest >= oldest);
            let Some((_, name)) = waiting.pop().filter(|_| goes_on) else {
                let taken = |(commit, left_out): (Commit, bool)| {
                    (!left_out || ends.contains(&commit.name)).then_some(commit)
                };
                return Some(known.into_values().filter_map(taken).collect());
            };
            let (commit, left_out) = known.get(&name)?;
            let (parents, left_out) = (commit.parents.clone(), *left_out);
            for parent in parents {
                match known.get_mut(&parent) {
                    Some((commit, own)) if left_out && !*own => {
                        *own = true;
                        waiting.push((commit.time, parent));
                    }
                    Some(_) => {}
                    None => {
                        let commit = self.objects.commit(&parent)?;
                        waiting.push((commit.time, parent));
                        known.insert(parent, (commit, left_out));
                    }
                }
            }
        }
        None
    }
}

/// Digits at the beginning, or what they are where there are none.
fn number(text: &str, otherwise: usize) -> Option<(usize, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit());
    let (digits, rest) = text.split_at_checked(end.unwrap_or(text.len()))?;
    match digits {
        "" => Some((otherwise, rest)),
        digits => Some((digits.parse().ok()?, rest)),
    }
}
