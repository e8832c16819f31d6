//! A tool that only reads, keeps lists, or talks inside the session.

use super::{Answer, FastPath, View};
use crate::{
    Action,
    tool::{self, ToolTrust},
};

pub(super) struct SafeTool;

impl FastPath for SafeTool {
    fn id(&self) -> &'static str {
        "safe-tool"
    }

    fn page(&self) -> &'static str {
        include_str!("safe_tool.md")
    }

    fn consider(&self, view: &View<'_>) -> Answer {
        let safe = tool::trust(view.tool) == ToolTrust::Safe;
        let fits = matches!(
            view.scene.action,
            Action::Read { .. } | Action::Search { .. } | Action::Message { .. } | Action::Inert
        );
        if safe && fits {
            Answer::allow(format!("{} is on the list of safe tools", view.tool))
        } else {
            Answer::open()
        }
    }
}
