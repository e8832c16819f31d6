//! The lists a judge is given: surroundings, blocks and exceptions.
//!
//! The built-in lists come from the rule pages. A user's list replaces the
//! built-in one, except where its entry `"$defaults"` splices that in.
//! Nothing here is read unless a judge is asked or a person looks.

use super::{AutoMode, Prose};
use crate::escape::push_escaped;

/// Rules that no consent in a transcript lifts.
const HARD: [&str; 3] = ["classifier-bypass", "open-backdoor", "audit-tampering"];

const ENVIRONMENT: &str = include_str!("../../prompts/environment.md");

/// The four lists, one line each entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guidance {
    pub environment: Vec<String>,
    pub hard: Vec<String>,
    pub soft: Vec<String>,
    pub allow: Vec<String>,
}

impl Guidance {
    /// The built-in lists.
    #[must_use]
    pub fn defaults() -> Self {
        let (hard, soft) = super::catalogue::blocks()
            .into_iter()
            .partition::<Vec<_>, _>(|(id, _)| HARD.contains(id));
        Self {
            environment: ENVIRONMENT.lines().map(str::to_owned).collect(),
            hard: hard.into_iter().map(entry).collect(),
            soft: soft.into_iter().map(entry).collect(),
            allow: super::catalogue::exceptions()
                .into_iter()
                .map(entry)
                .collect(),
        }
    }

    /// The user's lists, with the built-in ones where the user left or named them.
    #[must_use]
    pub fn of(lists: &AutoMode) -> Self {
        let defaults = Self::defaults();
        Self {
            environment: splice(&lists.environment, &defaults.environment),
            hard: splice(&lists.hard_deny, &defaults.hard),
            soft: splice(&lists.soft_deny, &defaults.soft),
            allow: splice(&lists.allow, &defaults.allow),
        }
    }
}

fn entry((id, prose): (&str, String)) -> String {
    format!("{id}: {prose}")
}

fn splice(list: &[Prose], defaults: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    for prose in list {
        match prose {
            Prose::Defaults => lines.extend_from_slice(defaults),
            Prose::Entry { text, .. } => lines.push(text.clone()),
        }
    }
    lines
}

/// A list as Markdown, each entry on one line that cannot become a heading or a tag.
pub(crate) fn bullets(lines: &[String]) -> String {
    if lines.is_empty() {
        return "- (none)\n".to_owned();
    }
    let mut out = String::new();
    for line in lines {
        out.push_str("- ");
        push_escaped(&mut out, line.trim());
        out.push('\n');
    }
    out
}
