//! A tool that is a question to a person.

use super::{Guard, Stop};
use crate::{Action, scene::Scene};

pub(super) struct Interaction;

impl Guard for Interaction {
    fn id(&self) -> &'static str {
        "interaction"
    }

    fn page(&self) -> &'static str {
        include_str!("interaction.md")
    }

    fn check(&self, scene: &Scene<'_>) -> Option<Stop> {
        matches!(scene.action, Action::Interact).then(|| Stop {
            guard: self.id(),
            reason: "this tool is a question to a person".to_owned(),
        })
    }
}
