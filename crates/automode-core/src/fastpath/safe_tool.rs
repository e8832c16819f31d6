//! A tool that only reads, keeps lists, or talks inside the session.

use super::{Answer, FastPath, View};
use crate::{
    Action, exceptions,
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
        // Names tell no secret; what a search or a read shows may be one.
        let shows = matches!(view.scene.action, Action::Search { .. })
            && !matches!(view.tool, "Glob" | "List");
        let plain = || {
            view.scene
                .effects()
                .all(|effect| exceptions::is_plain_read(&view.scene, effect))
        };
        // All names of a home are too many to tell.
        let all = matches!(view.scene.action, Action::Search { pattern, .. } if view.tool == "Glob" && pattern.contains("**"));
        if safe && fits && all && !plain() {
            return Answer::Open(
                "it lists everything of a place that is not the project".to_owned(),
            );
        }
        // What a device holds is nobody's file.
        let raw = || matches!(view.scene.action, Action::Read { path } if path.starts_with("/dev/") && !path.starts_with("/dev/null"));
        if safe && fits && raw() {
            return Answer::Open("it reads a device".to_owned());
        }
        if safe && fits && shows && !plain() {
            return Answer::Open("what it reads may hold secrets".to_owned());
        }
        if safe && fits {
            Answer::allow(format!("{} is on the list of safe tools", view.tool))
        } else {
            Answer::open()
        }
    }
}
