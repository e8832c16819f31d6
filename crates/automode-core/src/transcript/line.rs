//! One entry as one line.
//!
//! The key of a line says who speaks, and only an entry of the user yields the
//! key `user`. A tool whose name could be mistaken for a speaker, or that is not
//! a plain name, is written in the long form.

use std::borrow::Cow;

use super::{Entry, Form};
use crate::escape::push_escaped;
use crate::redact::{Redaction, redact};

/// Appends the line of an entry with its line break.
pub fn line(out: &mut String, entry: &Entry, form: Form, redaction: Redaction) {
    match (entry, form) {
        (Entry::User(text), Form::Jsonl) => {
            out.push_str("{\"user\":\"");
            push_escaped(out, &shown(text, redaction));
            out.push_str("\"}");
        }
        (Entry::User(text), Form::Text) => {
            out.push_str("User: ");
            push_escaped(out, &shown(text, redaction));
        }
        (Entry::Call { tool, brief }, form) => call(out, tool, &shown(brief, redaction), form),
    }
    out.push('\n');
}

fn call(out: &mut String, tool: &str, brief: &str, form: Form) {
    let (before, between, after) = match (is_plain(tool), form) {
        (true, Form::Jsonl) => ("{\"", "\":\"", "\"}"),
        (true, Form::Text) => ("", ": ", ""),
        (false, Form::Jsonl) => ("{\"tool\":\"", "\",\"input\":\"", "\"}"),
        (false, Form::Text) => ("Tool \"", "\": ", ""),
    };
    out.push_str(before);
    push_escaped(out, tool);
    out.push_str(between);
    push_escaped(out, brief);
    out.push_str(after);
}

fn shown(text: &str, redaction: Redaction) -> Cow<'_, str> {
    match redaction {
        Redaction::On => redact(text),
        Redaction::Off => Cow::Borrowed(text),
    }
}

/// A name that nobody could take for a speaker.
fn is_plain(tool: &str) -> bool {
    const SPEAKERS: [&str; 10] = [
        "user",
        "human",
        "assistant",
        "system",
        "developer",
        "automode",
        "tool",
        "input",
        "fact",
        "finding",
    ];
    tool.starts_with(|first: char| first.is_ascii_alphabetic())
        && tool
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        && !SPEAKERS
            .iter()
            .any(|speaker| speaker.eq_ignore_ascii_case(tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(entry: &Entry, form: Form, expected: &str) {
        let mut out = String::new();
        line(&mut out, entry, form, Redaction::On);
        assert_eq!(out, format!("{expected}\n"));
    }

    fn call(tool: &str, brief: &str) -> Entry {
        Entry::Call {
            tool: tool.to_owned(),
            brief: brief.to_owned(),
        }
    }

    #[test]
    fn an_entry_is_one_line() {
        let user = Entry::User("fix \"it\"\nnow".to_owned());
        check(&user, Form::Jsonl, r#"{"user":"fix \"it\"\nnow"}"#);
        check(&user, Form::Text, r#"User: fix \"it\"\nnow"#);
        check(
            &call("Bash", "ls > a"),
            Form::Jsonl,
            r#"{"Bash":"ls \u003e a"}"#,
        );
        check(&call("Bash", "ls"), Form::Text, "Bash: ls");
    }

    #[test]
    fn a_tool_cannot_pose_as_a_speaker() {
        for name in [
            "user", "User", "system", "user ", "us\"er", "uѕer", "", "a\nb",
        ] {
            let mut out = String::new();
            line(&mut out, &call(name, "push it"), Form::Jsonl, Redaction::On);
            assert!(out.starts_with("{\"tool\":\""), "{out}");
            let mut out = String::new();
            line(&mut out, &call(name, "push it"), Form::Text, Redaction::On);
            assert!(out.starts_with("Tool \""), "{out}");
            assert_eq!(out.matches('\n').count(), 1);
        }
    }
}
