//! Whether a path, or what an effect does to one, falls under a file rule of a veto.
//!
//! Without case, at every place that the rule may count from, as typed and as
//! resolved. A pattern of the shell meets a rule if a name can satisfy both.

use automode_shell::{Extent, Target};

use super::{
    Subject,
    path::{Anchor, PathPattern, below},
    rule::{Rule, Specifier},
    veto::{Hit, VetoNote},
};
use crate::path::{Case, absolute, parts};
use crate::{GitState, PathKind};

/// File rules on paths as a tool was given them.
pub(super) fn files<'a>(
    rules: impl Iterator<Item = &'a Rule>,
    paths: &[&str],
    subject: &Subject<'_>,
    note: VetoNote<'_, 'a>,
) {
    let forms: Vec<String> = paths
        .iter()
        .flat_map(|path| typed_forms(path, subject))
        .collect();
    for rule in rules {
        match &rule.what {
            Specifier::Any => note(rule, Some(Hit::Sure)),
            Specifier::Path(pattern) => {
                let named = touch(rule, pattern, &forms, subject);
                let other = || {
                    forms
                        .iter()
                        .find_map(|path| second_name(rule, path, subject))
                };
                note(rule, named.or_else(other));
            }
            Specifier::Command(_) | Specifier::Host(_) | Specifier::Name(_) => {}
        }
    }
}

/// Whether a path as typed, or what it leads to, is matched.
pub(super) fn touches(
    rule: &Rule,
    pattern: &PathPattern,
    path: &str,
    subject: &Subject<'_>,
) -> Option<Hit> {
    touch(rule, pattern, &typed_forms(path, subject), subject)
}

fn touch(
    rule: &Rule,
    pattern: &PathPattern,
    forms: &[String],
    subject: &Subject<'_>,
) -> Option<Hit> {
    let hit = |path: &String| {
        within(rule, pattern, subject, path, |names| {
            pattern.matches(names, Case::Ignored)
        })
    };
    forms
        .iter()
        .filter(|path| pattern.could_match(path, Case::Ignored))
        .any(hit)
        .then_some(Hit::Sure)
}

/// Whether a file may be one that the rule names, under another name: both have several.
fn second_name(rule: &Rule, path: &str, subject: &Subject<'_>) -> Option<Hit> {
    let has_several = |path: &str| {
        let fact = subject.facts.paths.get(path);
        fact.is_some_and(|fact| fact.other_names)
    };
    let named = || places(rule, subject).into_iter();
    (has_several(path) && named().any(|place| has_several(&place))).then_some(Hit::Maybe)
}

/// A path as typed made absolute and, where it was observed, what it resolves to.
fn typed_forms(path: &str, subject: &Subject<'_>) -> Vec<String> {
    let path = absolute(path, &subject.context.cwd, subject.context.home.as_deref());
    forms(&path, subject)
}

/// How much of a target an effect takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleReach {
    Path,
    /// The path or, of a directory, what lies in it.
    Content,
    /// The path and everything below it.
    Tree,
}

/// Whether an effect on `target` falls under a file rule with a path.
pub(super) fn reached(
    rule: &Rule,
    target: &Target,
    reach: RuleReach,
    subject: &Subject<'_>,
) -> Option<Hit> {
    // A rule without a path speaks of the tool, not of what commands do.
    let Specifier::Path(pattern) = &rule.what else {
        return None;
    };
    let direct = || {
        let other = || second_name(rule, &target.path, subject);
        touches(rule, pattern, &target.path, subject).or_else(other)
    };
    match target.extent {
        Extent::Exact | Extent::Below => {
            let more = || match reach {
                RuleReach::Path => None,
                RuleReach::Content => touches(rule, pattern, &inside(&target.path), subject)
                    .or_else(|| holds(rule, &target.path, subject)),
                RuleReach::Tree => {
                    swallows(rule, pattern, &target.path, subject).then_some(Hit::Sure)
                }
            };
            direct().or_else(more)
        }
        Extent::Pattern => {
            let meets = within(rule, pattern, subject, &target.path, |names| {
                pattern.may_meet(names, Case::Ignored)
            });
            let last = parts(&target.path).last().unwrap_or_default();
            let names_something = last.chars().any(|c| c.is_alphanumeric());
            match (meets, names_something, pattern.names_one()) {
                (false, _, _) => None,
                (true, true, _) => Some(Hit::Sure),
                (true, false, true) => Some(Hit::Maybe),
                // `cat *` beside a rule on `*.pem`: only a rule on the whole directory decides.
                (true, false, false) => {
                    let directory = target
                        .path
                        .rsplit_once('/')
                        .map_or("/", |(directory, _)| directory);
                    touches(rule, pattern, &inside(directory), subject)
                        .or_else(|| holds(rule, before_wildcard(directory), subject))
                }
            }
        }
        Extent::Prefix if parts(&target.path).count() > 1 => {
            let open = format!("{}*", target.path);
            within(rule, pattern, subject, &open, |names| {
                pattern.may_meet(names, Case::Ignored)
            })
            .then_some(Hit::Maybe)
        }
        Extent::Unknown if reach == RuleReach::Content => {
            holds(rule, &subject.context.cwd, subject)
        }
        Extent::Prefix | Extent::Unknown => None,
    }
}

/// Whether a tree that is read whole holds a place that nobody may read. What is hidden is
/// passed over by what searches trees, and what is not there is not read.
pub(super) fn holds(rule: &Rule, path: &str, subject: &Subject<'_>) -> Option<Hit> {
    let names_only = matches!(subject.tool, "Glob" | "List");
    let is_there = |place: &String| {
        let fact = subject.facts.paths.get(place);
        fact.is_none_or(|fact| fact.kind != PathKind::Absent)
    };
    let held = !names_only
        && places(rule, subject)
            .iter()
            .any(|place| below(place, path, Case::Ignored).is_some() && is_there(place));
    held.then_some(Hit::Maybe)
}

/// The part of a pattern's directory that is certain.
fn before_wildcard(directory: &str) -> &str {
    match directory.find(['*', '?', '[', '{']) {
        Some(at) => directory
            .get(..at)
            .and_then(|start| start.rsplit_once('/'))
            .map_or("/", |(start, _)| start),
        None => directory,
    }
}

/// The places that a rule on reading names outright, wherever it may count from.
pub(super) fn places(rule: &Rule, subject: &Subject<'_>) -> Vec<String> {
    let Specifier::Path(pattern) = &rule.what else {
        return Vec::new();
    };
    let base = pattern.outright();
    if base.is_empty() || base.iter().any(|name| name.starts_with('.')) {
        return Vec::new();
    }
    let base = base.join("/");
    anchors(rule, pattern, subject)
        .iter()
        .map(|anchor| format!("{}/{base}", anchor.trim_end_matches('/')))
        .collect()
}

/// The places that a rule on editing names outright, hidden ones too: git and what unpacks
/// an archive write those as well.
pub(super) fn named_places(rule: &Rule, subject: &Subject<'_>) -> Vec<String> {
    let Specifier::Path(pattern) = &rule.what else {
        return Vec::new();
    };
    let base = pattern.outright().join("/");
    anchors(rule, pattern, subject)
        .iter()
        .map(|anchor| {
            let place = format!("{}/{base}", anchor.trim_end_matches('/'));
            place.trim_end_matches('/').to_owned()
        })
        .collect()
}

/// Whether what git has may be changed at a place that the rule names. What git does not
/// have there it does not change.
pub(super) fn tracked(rule: &Rule, subject: &Subject<'_>) -> Option<Hit> {
    let is_tracked = |place: &String| {
        let fact = subject.facts.paths.get(place);
        fact.is_none_or(|fact| matches!(fact.git, GitState::Clean | GitState::Dirty))
    };
    let roots = &subject.context.roots;
    let inside = |place: &String| {
        let mut roots = roots.iter();
        roots.any(|root| below(place, root, Case::Ignored).is_some())
    };
    named_places(rule, subject)
        .iter()
        .any(|place| inside(place) && is_tracked(place))
        .then_some(Hit::Maybe)
}

/// Whether a folder that is written as a whole holds a place that the rule names.
pub(super) fn filled(rule: &Rule, folder: &str, subject: &Subject<'_>) -> Option<Hit> {
    let is_there = |place: &String| {
        let fact = subject.facts.paths.get(place);
        fact.is_none_or(|fact| fact.kind != PathKind::Absent)
    };
    named_places(rule, subject)
        .iter()
        .any(|place| below(place, folder, Case::Ignored).is_some() && is_there(place))
        .then_some(Hit::Maybe)
}

/// Something in a directory: what is done to all of it is done to that.
pub(super) fn inside(directory: &str) -> String {
    format!("{}/\u{1}", directory.trim_end_matches('/'))
}

/// Whether a tree at `path` holds the place that the rule names.
fn swallows(rule: &Rule, pattern: &PathPattern, path: &str, subject: &Subject<'_>) -> bool {
    anchors(rule, pattern, subject).iter().any(|anchor| {
        let base = pattern.base();
        let place = format!("{anchor}/{}", base.join("/"));
        (!base.is_empty() || anchor_is_below(anchor, path))
            && below(&place, path, Case::Ignored).is_some()
    })
}

fn anchor_is_below(anchor: &str, path: &str) -> bool {
    below(anchor, path, Case::Ignored).is_some()
}

/// Asks `test` about the names of `path` below each anchor of the rule.
fn within(
    rule: &Rule,
    pattern: &PathPattern,
    subject: &Subject<'_>,
    path: &str,
    test: impl Fn(&[&str]) -> bool,
) -> bool {
    anchors(rule, pattern, subject)
        .iter()
        .any(|anchor| below(path, anchor, Case::Ignored).is_some_and(|names| test(&names)))
}

/// A path and, where it was observed, what it resolves to.
fn forms(path: &str, subject: &Subject<'_>) -> Vec<String> {
    let mut forms = vec![path.to_owned()];
    let canonical = subject
        .facts
        .paths
        .get(path)
        .and_then(|fact| fact.canonical.as_ref());
    forms.extend(canonical.filter(|canonical| *canonical != path).cloned());
    forms
}

/// Every directory that the pattern may count from.
fn anchors(rule: &Rule, pattern: &PathPattern, subject: &Subject<'_>) -> Vec<String> {
    let context = subject.context;
    let here = || {
        context
            .roots
            .iter()
            .map(String::as_str)
            .chain([context.cwd.as_str()])
    };
    let places: Vec<&str> = match pattern.anchor {
        Anchor::Root => vec!["/"],
        Anchor::Home => context.home.as_deref().into_iter().collect(),
        Anchor::Settings => match &rule.root {
            Some(root) => vec![root],
            None => here().collect(),
        },
        Anchor::Here => here().collect(),
    };
    places
        .into_iter()
        .flat_map(|place| forms(place, subject))
        .collect()
}
