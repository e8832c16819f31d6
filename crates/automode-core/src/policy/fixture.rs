//! Policies, places and facts for tests.

use automode_shell::Context;

use super::{Layer, Origin, Policy, Scope, Sources, Written};
use crate::{Facts, GitState, PathFact, PathKind};

/// Rules on the first line of a file.
pub(crate) fn written(texts: &[&str]) -> Vec<Written> {
    let written = |text: &&str| Written {
        text: (*text).to_owned(),
        line: 1,
    };
    texts.iter().map(written).collect()
}

pub(crate) fn origin(scope: Scope) -> Origin {
    Origin {
        scope,
        file: "/file.toml".to_owned(),
        line: 0,
    }
}

/// A user's file with these rules.
pub(crate) fn sources(deny: &[&str], ask: &[&str], allow: &[&str]) -> Sources {
    Sources {
        layers: vec![Layer {
            deny: written(deny),
            ask: written(ask),
            allow: written(allow),
            ..Layer::empty(origin(Scope::User))
        }],
        ..Sources::default()
    }
}

/// The policy of a user's file with these rules.
pub(crate) fn policy(deny: &[&str], ask: &[&str], allow: &[&str]) -> Policy {
    let policy = Policy::new(sources(deny, ask, allow));
    assert_eq!(policy.failure(), None);
    policy
}

/// A project in a home.
pub(crate) fn context() -> Context {
    Context {
        cwd: "/home/dev/app".to_owned(),
        home: Some("/home/dev".to_owned()),
        roots: vec!["/home/dev/app".to_owned()],
        variables: Vec::new(),
    }
}

/// A file that is found at `canonical`.
pub(crate) fn fact(canonical: &str) -> PathFact {
    PathFact {
        kind: PathKind::File,
        canonical: Some(canonical.to_owned()),
        git: GitState::None,
        ignores_case: false,
        size: None,
        other_names: false,
    }
}

/// Paths, each with where it leads.
pub(crate) fn facts(links: &[(&str, &str)]) -> Facts {
    Facts {
        paths: links
            .iter()
            .map(|(path, canonical)| ((*path).to_owned(), fact(canonical)))
            .collect(),
        ..Facts::default()
    }
}
