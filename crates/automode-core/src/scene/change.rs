//! What an action would change, as named and with links resolved.

use std::borrow::Cow;

use automode_shell::{Context, Extent, Target, Touch};

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

/// Whether no link leads to the surroundings.
pub(super) fn is_resolved(context: &Context, facts: &Facts) -> bool {
    let is_own = |path: &String| {
        let fact = facts.paths.get(path);
        let canonical = fact.and_then(|fact| fact.canonical.as_ref());
        canonical.is_none_or(|canonical| canonical == path)
    };
    is_own(&context.cwd) && context.home.iter().chain(&context.roots).all(is_own)
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
