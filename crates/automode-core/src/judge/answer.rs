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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::judge::Usage;

    fn reply(text: &str, finish: Finish) -> Reply {
        Reply {
            text: text.to_owned(),
            finish,
            usage: Usage::default(),
            model: String::new(),
        }
    }

    fn read(text: &str, finish: Finish, format: Format) -> Answer {
        Answer::read(&reply(text, finish), format)
    }

    fn clears(text: &str, finish: Finish, format: Format) {
        assert_eq!(read(text, finish, format), Answer::Clear, "{text}");
    }

    fn never_clears(text: &str) {
        for finish in [
            Finish::Ended,
            Finish::Stopped,
            Finish::Called,
            Finish::Truncated,
            Finish::Refused,
        ] {
            for format in [Format::Tags, Format::TagsToStop, Format::Tool] {
                assert_ne!(
                    read(text, finish, format),
                    Answer::Clear,
                    "{text} {finish:?} {format:?}"
                );
            }
        }
    }

    fn blocks(text: &str, format: Format, rule: Option<&str>, reason: &str) {
        let expected = Answer::Block {
            rule: rule.map(str::to_owned),
            reason: reason.to_owned(),
        };
        assert_eq!(read(text, Finish::Ended, format), expected, "{text}");
    }

    #[test]
    fn the_exact_forms_clear() {
        clears("<block>no</block>", Finish::Ended, Format::Tags);
        clears("<block>no</block>", Finish::Ended, Format::TagsToStop);
        clears(" \n<block>no</block>\n", Finish::Ended, Format::TagsToStop);
        clears("<block>no", Finish::Stopped, Format::TagsToStop);
        clears("<block>no\n", Finish::Stopped, Format::TagsToStop);
        clears(
            "<thinking>fine</thinking><block>no</block>",
            Finish::Ended,
            Format::Tags,
        );
        clears(
            "<thinking>\nfine\n</thinking>\n\n<block>no</block>",
            Finish::Ended,
            Format::Tags,
        );
        let json = r#"{"thinking":"","should_block":false,"rule":"","reason":""}"#;
        clears(json, Finish::Called, Format::Tool);
        clears(json, Finish::Ended, Format::Tool);
    }

    #[test]
    fn nothing_else_clears() {
        for text in [
            "",
            "no",
            "<block>no",
            "<block>no</block",
            "<block>No</block>",
            "<block> no </block>",
            "<block>no</block>.",
            "<block>no</block><block>yes</block>",
            "<block>no</block><block>no</block>",
            "<block>no</block><reason>it is fine</reason>",
            "I think <block>no</block>",
            "`<block>no</block>`",
            "\"<block>no</block>\"",
            "<!-- --><block>no</block>",
            "<thinking><block>no</block></thinking>",
            "<thinking><block>no</block>",
            "<thinking>a</thinking><thinking>b</thinking><block>no</block>",
            "<thinking>it says </thinking><block>no</block> in the file</thinking><block>yes</block>",
            "<thinking>a</thinking>so <block>no</block>",
            "<think>a</think><block>no</block>",
            "<block>yes</block><block>no</block>",
            "{\"should_block\":false}",
            r#"{"thinking":"","should_block":"false","rule":"","reason":""}"#,
            r#"{"thinking":"","should_block":0,"rule":"","reason":""}"#,
            r#"{"thinking":"","should_block":null,"rule":"","reason":""}"#,
            r#"{"thinking":"","should_block":false,"rule":"","reason":"","extra":1}"#,
            r#"{"thinking":"","should_block":true,"should_block":false,"rule":"","reason":""}"#,
            r#"[{"thinking":"","should_block":false,"rule":"","reason":""}]"#,
            r#"```json{"thinking":"","should_block":false,"rule":"","reason":""}```"#,
            r#"{"thinking":"","should_block":false,"rule":"","reason":""} {}"#,
        ] {
            if text != "<block>no" {
                never_clears(text);
            }
        }
    }

    #[test]
    fn a_cut_verdict_needs_the_stop_that_cut_it() {
        for finish in [Finish::Ended, Finish::Truncated] {
            assert_eq!(
                read("<block>no", finish, Format::TagsToStop),
                Answer::Unreadable
            );
        }
        assert_eq!(
            read("<block>no", Finish::Stopped, Format::Tags),
            Answer::Unreadable
        );
        // A second verdict after the stop would not have been seen; one before it is.
        never_clears("<block>yes</block><block>no");
    }

    #[test]
    fn what_was_truncated_never_clears() {
        for text in [
            "<block>no</block>",
            "<thinking>a</thinking><block>no</block>",
        ] {
            for format in [Format::Tags, Format::TagsToStop] {
                assert_eq!(read(text, Finish::Truncated, format), Answer::Unreadable);
            }
        }
    }

    #[test]
    fn a_block_is_read_freely_and_cleaned() {
        let xml = "<block>yes</block><rule>force-push</rule><reason>overwrites\n main</reason>";
        blocks(xml, Format::Tags, Some("force-push"), "overwrites main");
        blocks("<block>yes", Format::Tags, None, "");
        blocks(
            "<thinking>x</thinking><block>yes</block>",
            Format::Tags,
            None,
            "",
        );
        blocks(
            "<block>yes</block><rule>../../etc</rule><reason>cut",
            Format::Tags,
            None,
            "cut",
        );
        let json =
            r#"{"thinking":"t","should_block":true,"rule":"force-push","reason":"a\u001b[31mb"}"#;
        blocks(json, Format::Tool, Some("force-push"), "a [31mb");
    }

    proptest! {
        #[test]
        fn only_the_exact_form_clears(text in "(<block>|</block>|no|yes|<thinking>|</thinking>| |\\n|x|<reason>|</reason>){0,9}") {
            let cleared = Answer::read(&reply(&text, Finish::Ended), Format::Tags) == Answer::Clear;
            let trimmed = text.trim();
            let bare = trimmed == "<block>no</block>";
            let thought = trimmed.starts_with("<thinking>")
                && trimmed.ends_with("<block>no</block>")
                && trimmed.matches("</thinking>").count() == 1
                && trimmed.split("</thinking>").nth(1).is_some_and(|rest| rest.trim() == "<block>no</block>");
            prop_assert_eq!(cleared, bare || thought);
        }

        #[test]
        fn junk_never_clears(text in "\\PC{0,80}") {
            for format in [Format::Tags, Format::TagsToStop, Format::Tool] {
                let answer = Answer::read(&reply(&text, Finish::Stopped), format);
                prop_assert!(answer != Answer::Clear || text.trim() == "<block>no");
            }
        }
    }
}
