//! From a reply to a judgement: exact forms clear, nothing else does.
//!
//! A verdict counts only where it stands: first in a fast reply, directly after
//! one closed `<thinking>` in a thinking reply, last in both. A clearing word
//! inside a thought, a quote, a second verdict, or a reply that was cut off is
//! not one. A block is read more freely, because misreading one costs a prompt.

use super::{Finish, Format, Reply, reason, request::STOP, tool};

/// What a reply says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Clear,
    Block {
        /// The rule it names, if it names one.
        rule: Option<String>,
        reason: String,
    },
    /// Not a verdict.
    Unreadable,
}

impl Answer {
    /// Reads a reply to a request that wanted this format.
    #[must_use]
    pub fn read(reply: &Reply, format: Format) -> Self {
        let whole = match reply.finish {
            Finish::Ended | Finish::Stopped | Finish::Called => true,
            Finish::Truncated => false,
            Finish::Refused => return Self::Unreadable,
        };
        let answer = match format {
            Format::Tags => tags(&reply.text),
            Format::TagsToStop if reply.finish == Finish::Stopped => {
                tags(&format!("{}{STOP}", reply.text.trim_end()))
            }
            Format::TagsToStop => tags(&reply.text),
            Format::Tool => arguments(&reply.text),
        };
        match answer {
            Self::Clear if !whole => Self::Unreadable,
            Self::Clear | Self::Block { .. } | Self::Unreadable => answer,
        }
    }
}

fn tags(text: &str) -> Answer {
    let text = text.trim();
    let verdict = match text.strip_prefix("<thinking>") {
        // Two closing tags: which one ends the thought is anybody's guess.
        Some(rest) => match rest.split_once("</thinking>") {
            Some((_, after)) if !after.contains("</thinking>") => after.trim_start(),
            Some(_) | None => return Answer::Unreadable,
        },
        None => text,
    };
    if verdict == "<block>no</block>" {
        return Answer::Clear;
    }
    let Some(rest) = verdict.strip_prefix("<block>yes") else {
        return Answer::Unreadable;
    };
    let rest = rest.strip_prefix("</block>").unwrap_or(rest);
    if rest.contains("<block>") {
        return Answer::Unreadable;
    }
    Answer::Block {
        rule: between(rest, "<rule>", "</rule>").and_then(reason::rule_id),
        reason: between(rest, "<reason>", "</reason>")
            .map(reason::sanitise)
            .unwrap_or_default(),
    }
}

fn arguments(text: &str) -> Answer {
    match serde_json::from_str::<tool::Arguments>(text.trim()) {
        Ok(arguments) if arguments.should_block => Answer::Block {
            rule: reason::rule_id(&arguments.rule),
            reason: reason::sanitise(&arguments.reason),
        },
        Ok(_) => Answer::Clear,
        Err(_) => Answer::Unreadable,
    }
}

/// The text between two tags; to the end where the closing one was cut off.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    Some(rest.split_once(close).map_or(rest, |(inner, _)| inner))
}
