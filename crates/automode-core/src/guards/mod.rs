//! What no judge may approve: a person decides, or nobody.
//!
//! A guard looks at what an action would change, never at who asks for it. Its
//! answer is to ask; where nobody can be asked the line makes that a denial.
//! Guards hold in every mode.

mod critical_removal;
mod interaction;
mod protected_path;

use std::borrow::Cow;

use automode_shell::{Context, Extent, Target, Touch, place::Place};

use crate::rules::Scene;
use crate::{Action, Facts, path};

/// Why a person is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    pub guard: &'static str,
    pub reason: String,
}

/// One guard.
pub trait Guard: Sync {
    fn id(&self) -> &'static str;
    /// Its page: what it stops, why, and examples that are run as tests.
    fn page(&self) -> &'static str;
    fn check(&self, scene: &Scene<'_>) -> Option<Stop>;
}

/// All guards.
pub const GUARDS: &[&dyn Guard] = &[
    &critical_removal::CriticalRemoval,
    &protected_path::ProtectedPath,
    &interaction::Interaction,
];

/// The first guard that stops the action.
#[must_use]
pub fn check(scene: &Scene<'_>) -> Option<Stop> {
    GUARDS.iter().find_map(|guard| guard.check(scene))
}

/// How an action changes a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Write,
    Delete,
}

/// The targets an action would change.
pub(crate) fn changes<'a>(scene: &Scene<'a>) -> Vec<(Change, Cow<'a, Target>)> {
    if let Some(path) = edited(scene.action) {
        return path::spellings(path, scene.context)
            .into_iter()
            .map(|absolute| {
                let target = Target {
                    path: absolute,
                    extent: Extent::Exact,
                    typed: path.to_owned(),
                };
                (Change::Write, Cow::Owned(target))
            })
            .collect();
    }
    let effects = scene.analysis.map_or(&[][..], |analysis| &analysis.effects);
    effects
        .iter()
        .filter_map(|effect| {
            let (touch, target) = effect.act.touches()?;
            let change = match touch {
                Touch::Write => Change::Write,
                Touch::Delete | Touch::DeleteTree => Change::Delete,
                Touch::List | Touch::Read | Touch::Run => return None,
            };
            Some((change, Cow::Borrowed(target)))
        })
        .collect()
}

/// The file that an editing tool changes.
#[must_use]
pub fn edited(action: &Action) -> Option<&str> {
    match action {
        Action::Edit { path, .. } | Action::Write { path, .. } | Action::Notebook { path, .. } => {
            Some(path)
        }
        Action::Shell { .. }
        | Action::PowerShell { .. }
        | Action::Read { .. }
        | Action::Search { .. }
        | Action::Fetch { .. }
        | Action::WebSearch { .. }
        | Action::Spawn { .. }
        | Action::Schedule { .. }
        | Action::Message { .. }
        | Action::Configure { .. }
        | Action::Mcp { .. }
        | Action::Interact
        | Action::Inert
        | Action::Opaque { .. } => None,
    }
}

/// What kind of place a target is, as named and with links resolved.
pub(crate) fn places(target: &Target, context: &Context, facts: &Facts) -> Vec<Place> {
    let mut places = vec![Place::of(target, context)];
    let canonical = facts
        .paths
        .get(&target.path)
        .and_then(|fact| fact.canonical.as_deref());
    if let Some(path) = canonical {
        let resolved = Target {
            path: path.to_owned(),
            ..target.clone()
        };
        places.push(Place::of(&resolved, context));
        places.push(Place::of(&resolved, &resolve(context, facts)));
    }
    places
}

/// The surroundings with links resolved, to hold resolved paths against.
pub(crate) fn resolve(context: &Context, facts: &Facts) -> Context {
    let canonical = |path: &String| {
        facts
            .paths
            .get(path)
            .and_then(|fact| fact.canonical.clone())
            .unwrap_or_else(|| path.clone())
    };
    Context {
        cwd: canonical(&context.cwd),
        home: context.home.as_ref().map(canonical),
        roots: context.roots.iter().map(canonical).collect(),
        variables: Vec::new(),
    }
}
