//! A tool that declares itself irrelevant to security.

use super::{Answer, FastPath, View};
use crate::{
    Action,
    tool::{self, ToolTrust},
};

pub(super) struct Irrelevant;

impl FastPath for Irrelevant {
    fn id(&self) -> &'static str {
        "irrelevant"
    }

    fn page(&self) -> &'static str {
        include_str!("irrelevant.md")
    }

    fn consider(&self, view: &View<'_>) -> Answer {
        let declared = tool::trust(view.tool) == ToolTrust::Irrelevant;
        if declared && matches!(view.scene.action, Action::Inert) {
            Answer::allow(format!("{} touches nothing outside the session", view.tool))
        } else {
            Answer::open()
        }
    }
}
