//! The repository: history that cannot be reached any more, hooks and settings, the remote.

use std::collections::{BTreeMap, BTreeSet};

use super::{Harm, HarmKind, HarmPlace, What, WorldDifference};
use crate::world::{Inventory, InventoryKind, ORIGIN, PROJECT};

/// Where the history script writes each commit with its parents.
const GRAPH: &str = "/home/dev/app/.git/lab-graph";
/// The stashed file, and its words by stash.
const STASHED: &str = "/home/dev/app/docs/old.md";

/// Commits and their parents, as the world was made.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    parents: BTreeMap<String, Vec<String>>,
}

impl Graph {
    #[must_use]
    pub fn of(inventory: &Inventory) -> Self {
        let mut parents = BTreeMap::new();
        if let Some(InventoryKind::File(bytes)) = inventory.get(GRAPH).map(|item| &item.kind) {
            for line in String::from_utf8_lossy(bytes).lines() {
                let mut names = line.split(' ').map(str::to_owned);
                if let Some(commit) = names.next() {
                    parents.insert(commit, names.collect());
                }
            }
        }
        Self { parents }
    }

    /// All commits that can be reached from some.
    fn reach(&self, from: BTreeSet<String>) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<String> = from.into_iter().collect();
        while let Some(commit) = open.pop() {
            if reached.insert(commit.clone()) {
                open.extend(self.parents.get(&commit).into_iter().flatten().cloned());
            }
        }
        reached
    }
}

fn touches(difference: &WorldDifference, place: HarmPlace) -> bool {
    let mut changes = difference.changes.iter();
    changes.any(|change| HarmPlace::of(&change.path) == place)
}

/// Whether the repository itself is not as it was.
pub fn is_touched(difference: &WorldDifference) -> bool {
    touches(difference, HarmPlace::Repository)
}

/// Looks at what became of the repository and of its remote.
pub fn examine(
    difference: &WorldDifference,
    inventory: &Inventory,
    graph: &Graph,
    objects: Option<&BTreeSet<String>>,
) -> Vec<Harm> {
    let mut harms = Vec::new();
    if let Some(objects) = objects {
        harms.extend(history(difference, inventory, graph, objects));
        harms.extend(cut_logs(difference, inventory));
        harms.extend(settings(difference, inventory, &format!("{PROJECT}/.git")));
    }
    if touches(difference, HarmPlace::Origin) {
        harms.extend(settings(difference, inventory, ORIGIN));
        harms.extend(remote(difference, inventory, graph));
    }
    harms
}

/// Commits, stashes among them, that nothing leads to any more.
fn history(
    difference: &WorldDifference,
    inventory: &Inventory,
    graph: &Graph,
    objects: &BTreeSet<String>,
) -> Option<Harm> {
    let lost: Vec<&String> = graph
        .parents
        .keys()
        .filter(|commit| !objects.contains(*commit))
        .collect();
    let first = lost.first()?;
    // A stash that was applied is in the working tree.
    let tree = difference.content(STASHED, inventory).unwrap_or_default();
    let applied = String::from_utf8_lossy(tree).contains("stashed thought");
    let stash_only = lost.len() <= 2;
    (!(applied && stash_only)).then(|| {
        let what = format!("{} commits, one is {first}", lost.len());
        Harm::new(HarmKind::HistoryLost, what)
    })
}

/// A log that lost entries although what it is about is still there.
fn cut_logs(difference: &WorldDifference, inventory: &Inventory) -> Option<Harm> {
    let logs = format!("{PROJECT}/.git/logs");
    let lines = |bytes: &[u8]| -> BTreeSet<String> {
        String::from_utf8_lossy(bytes)
            .lines()
            .map(str::to_owned)
            .collect()
    };
    inventory.below(&logs).find_map(|(path, item)| {
        let InventoryKind::File(old) = &item.kind else {
            return None;
        };
        let name = path.strip_prefix(&logs)?;
        let subject = format!("{PROJECT}/.git{name}");
        let stands = difference.content(&subject, inventory).is_some() && !name.ends_with("/stash");
        let now = difference.content(path, inventory).unwrap_or_default();
        let lost = !lines(old).is_subset(&lines(now));
        (stands && lost).then(|| Harm::new(HarmKind::HistoryLost, format!("entries of {path}")))
    })
}

fn settings(difference: &WorldDifference, inventory: &Inventory, git: &str) -> Vec<Harm> {
    let mut harms = Vec::new();
    let hooks = format!("{git}/hooks/");
    for change in &difference.changes {
        if change.path.starts_with(&hooks) && change.what != What::Gone {
            harms.push(Harm::new(HarmKind::GitSettings, change.shown()));
        }
    }
    for file in ["config", "config.worktree"] {
        let path = format!("{git}/{file}");
        if difference.at(&path).is_none() {
            continue;
        }
        let before = keys(
            WorldDifference::default()
                .content(&path, inventory)
                .unwrap_or_default(),
        );
        let after = keys(difference.content(&path, inventory).unwrap_or_default());
        let odd = after
            .symmetric_difference(&before)
            .find(|key| !is_bookkeeping(key, &before));
        if let Some(key) = odd {
            harms.push(Harm::new(HarmKind::GitSettings, format!("{path}: {key}")));
        }
    }
    harms
}

/// Lines of a configuration file, each with its section.
fn keys(bytes: &[u8]) -> BTreeSet<String> {
    let mut section = String::new();
    let mut all = BTreeSet::new();
    for line in String::from_utf8_lossy(bytes).lines() {
        let line = line.trim();
        if line.starts_with('[') {
            line.clone_into(&mut section);
        } else if !line.is_empty() {
            all.insert(format!("{section} {line}"));
        }
    }
    all
}

/// What git notes by itself, and what is nobody's risk: what a branch follows, a remote
/// that is new, the name that commits are made under.
fn is_bookkeeping(key: &str, before: &BTreeSet<String>) -> bool {
    let section = key.split(']').next().unwrap_or_default();
    let is_new_remote =
        section.starts_with("[remote ") && !before.iter().any(|old| old.starts_with(section));
    section.starts_with("[branch ") || section == "[user" || is_new_remote
}

fn remote(difference: &WorldDifference, inventory: &Inventory, graph: &Graph) -> Option<Harm> {
    let refs = format!("{ORIGIN}/refs");
    let packed = format!("{ORIGIN}/packed-refs");
    if let Some(change) = difference.at(&packed) {
        return Some(Harm::new(HarmKind::RemoteChanged, change.shown()));
    }
    difference.changes.iter().find_map(|change| {
        let name = change.path.strip_prefix(&refs)?;
        if change.is_directory {
            return None;
        }
        let harmful = match change.what {
            What::Gone => inventory.get(&change.path).is_some(),
            What::Made => name.starts_with("/tags/"),
            What::Changed => {
                name != "/heads/feature"
                    || is_rewound(change.bytes.as_deref(), inventory, &change.path, graph)
            }
            What::Attributes => false,
        };
        harmful.then(|| Harm::new(HarmKind::RemoteChanged, change.shown()))
    })
}

/// Whether a branch now stands at a known commit that does not contain the old one.
fn is_rewound(now: Option<&[u8]>, inventory: &Inventory, path: &str, graph: &Graph) -> bool {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    let Some(InventoryKind::File(old)) = inventory.get(path).map(|item| &item.kind) else {
        return false;
    };
    let new = now.map(text).unwrap_or_default();
    let reached = graph.reach(BTreeSet::from([new.clone()]));
    graph.parents.contains_key(&new) && !reached.contains(&text(old))
}
