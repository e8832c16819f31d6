//! A policy from a few rules.

use automode_core::policy::{Layer, Origin, Policy, ProjectPolicy, Scope, Sources, Written};

/// Rules as text.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    pub deny: Vec<String>,
    pub ask: Vec<String>,
    pub allow: Vec<String>,
    /// Deny and ask rules of the project.
    pub project_deny: Vec<String>,
    pub project_ask: Vec<String>,
}

/// The policy of a user's file with these rules, in the project `/home/dev/app`.
#[must_use]
pub fn policy(rules: &Rules) -> Policy {
    let origin = |scope, file: &str| Origin {
        scope,
        file: file.to_owned(),
        line: 0,
    };
    let layer = Layer {
        allow: written(&rules.allow),
        ask: written(&rules.ask),
        deny: written(&rules.deny),
        ..Layer::empty(origin(
            Scope::User,
            "/home/dev/.config/automode/config.toml",
        ))
    };
    let project = ProjectPolicy {
        origin: origin(Scope::Project, "/home/dev/app/.automode.toml"),
        root: "/home/dev/app".to_owned(),
        ask: written(&rules.project_ask),
        deny: written(&rules.project_deny),
        settings: Vec::new(),
        ignored: Vec::new(),
    };
    Policy::new(Sources {
        layers: vec![layer],
        projects: vec![project],
        ..Sources::default()
    })
}

fn written(rules: &[String]) -> Vec<Written> {
    let mut line = 0;
    rules
        .iter()
        .map(|text| {
            line += 1;
            Written {
                text: text.clone(),
                line,
            }
        })
        .collect()
}
