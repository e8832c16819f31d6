//! What an action would change, as named and with links resolved.

use std::borrow::Cow;

use automode_shell::{Context, Extent, Target, Touch, place::Place};

use super::Scene;
use crate::{Facts, path};

/// How an action changes a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Write,
    Delete,
}

/// The targets an action would change.
pub fn changes<'a>(scene: &Scene<'a>) -> Vec<(Change, Cow<'a, Target>)> {
    if let Some(path) = scene.action.edited_file() {
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

/// What kind of place a target is, as named and with links resolved.
pub fn places(target: &Target, context: &Context, facts: &Facts) -> Vec<Place> {
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
pub fn resolve(context: &Context, facts: &Facts) -> Context {
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
