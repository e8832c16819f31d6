//! What people and programs read.
//!
//! Data goes to stdout, errors to stderr. Colour is used on a terminal only and
//! never says anything that the words do not. Text that comes from a command is
//! shown without control characters, so that it cannot move the cursor.

use std::io::{self, IsTerminal, Write};
use std::{env, fmt, process};

use automode::{Decision, Ground, ToolCall, Verdict};
use automode_core::escape::is_invisible;
use serde_json::{Map, Value, json};

/// How much a JSON answer tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Answer,
    Trace,
}

/// Verdict, reason and ground.
pub fn answer(decision: &Decision) -> String {
    let verdict = paint(decision.verdict);
    let reason = folded(&clean(&decision.reason), decision.verdict.name().len() + 2);
    let ground = folded(&clean(&ground(&decision.ground)), 8);
    let end = if decision.stop {
        "the run must end\n"
    } else {
        ""
    };
    format!("{verdict}  {reason}\nground: {ground}\n{end}")
}

/// Every stage and what it said.
pub fn trace(decision: &Decision) -> String {
    let mut told = "\n".to_owned();
    for entry in &decision.trace.entries {
        let stage = json!(entry.stage);
        let stage = stage.as_str().unwrap_or_default();
        let verdict = entry.verdict.map_or("-", Verdict::name);
        let note = folded(&clean(&entry.note), 21);
        told.push_str(&format!("{stage:<13} {verdict:<6} {note}\n"));
    }
    for finding in &decision.findings {
        let weight = json!(finding.weight);
        let weight = weight.as_str().unwrap_or_default();
        let (rule, evidence) = (finding.rule, folded(&clean(&finding.evidence), 14));
        told.push_str(&format!("{weight:<13} {rule}  {evidence}\n"));
    }
    told
}

/// One JSON object on one line.
pub fn json(call: &ToolCall, decision: &Decision, detail: Detail) -> String {
    let findings: Vec<_> = decision
        .findings
        .iter()
        .map(|finding| {
            json!({
                "rule": finding.rule,
                "weight": finding.weight,
                "evidence": finding.evidence,
                "instead": finding.instead,
            })
        })
        .collect();
    let mut object = Map::from_iter([
        ("tool".to_owned(), json!(call.tool)),
        ("verdict".to_owned(), json!(decision.verdict)),
        ("reason".to_owned(), json!(decision.reason)),
        ("ground".to_owned(), json!(decision.ground)),
        ("findings".to_owned(), json!(findings)),
        ("stop".to_owned(), json!(decision.stop)),
    ]);
    if detail == Detail::Trace {
        object.insert("trace".to_owned(), json!(decision.trace.entries));
    }
    format!("{}\n", Value::Object(object))
}

/// Data on stdout. A reader that went away has seen enough.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// One line of data on stdout, for `println!`. What cannot be written is an error.
pub fn line(text: fmt::Arguments<'_>) {
    if let Err(error) = print(&format!("{text}\n")) {
        complain(&format!("stdout could not be written: {error}"));
        process::exit(i32::from(crate::ERROR));
    }
}

/// A mistake of somebody's file, on stderr.
pub fn complain(fault: &str) {
    writeln!(io::stderr(), "error: {fault}").unwrap_or_default();
}

/// An error with its causes, on stderr.
pub fn error(error: &anyhow::Error) {
    // Nothing is left to tell where stderr is closed.
    writeln!(io::stderr(), "error: {error:#}").unwrap_or_default();
}

/// The ground in words.
pub fn ground(ground: &Ground) -> String {
    match ground {
        Ground::Policy { rule, origin } => format!("permission rule `{rule}` ({origin})"),
        Ground::Guard(id) => format!("guard {id}"),
        Ground::FastPath(id) => format!("fast path {id}"),
        Ground::Rule(id) => format!("rule {id}"),
        Ground::Permit(name) => format!("a person's permit after decision {name}"),
        Ground::Judge(stage) => format!("judge, {} pass", json!(stage).as_str().unwrap_or("?")),
        Ground::Mode(mode) => format!("mode {}", mode.name()),
        Ground::Limit => "denial limit".to_owned(),
        Ground::NoJudge => "no judge is configured (hint: automode setup)".to_owned(),
        Ground::Failure(failure) => {
            format!("failure {}", json!(failure).as_str().unwrap_or("?"))
        }
    }
}

fn paint(verdict: Verdict) -> String {
    painted(verdict, verdict.name())
}

/// The columns of the terminal, or 80.
pub fn width() -> usize {
    let told = env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    told.or_else(|| {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
        Some(usize::from(size.ws_col))
    })
    .filter(|columns| *columns >= 40)
    .unwrap_or(80)
}

/// A line that begins so many columns to the right, broken between words where a terminal would
/// break it in the middle of one. What reads a pipe gets it whole.
pub fn folded(text: &str, indent: usize) -> String {
    if io::stdout().is_terminal() {
        folded_to(text, indent, width())
    } else {
        text.to_owned()
    }
}

fn folded_to(text: &str, indent: usize, width: usize) -> String {
    let room = width.saturating_sub(indent).max(20);
    let margin = " ".repeat(indent);
    let (mut folded, mut column) = (String::new(), 0_usize);
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > 0 && column.saturating_add(length).saturating_add(1) > room {
            folded.push('\n');
            folded.push_str(&margin);
            column = 0;
        } else if column > 0 {
            folded.push(' ');
            column = column.saturating_add(1);
        }
        folded.push_str(word);
        column = column.saturating_add(length);
    }
    folded
}

/// A text in the colour of a verdict, where colour is wanted.
pub fn painted(verdict: Verdict, text: &str) -> String {
    let colour = match verdict {
        Verdict::Allow => "32",
        Verdict::Ask => "33",
        Verdict::Deny => "31",
    };
    let plain = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if plain || !io::stdout().is_terminal() {
        text.to_owned()
    } else {
        format!("\u{1b}[1;{colour}m{text}\u{1b}[0m")
    }
}

/// Characters that control or hide text as their escapes; the line stays one line.
pub fn clean(text: &str) -> String {
    text.chars().fold(String::new(), |mut shown, character| {
        if character.is_control() || is_invisible(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
        shown
    })
}

/// Text inside an element or a quoted attribute of HTML or XML.
pub fn escape(raw: &str) -> String {
    raw.chars().fold(String::new(), |mut escaped, character| {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            plain => escaped.push(plain),
        }
        escaped
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_broken_between_words() {
        let check = |text: &str, expected: &str| assert_eq!(folded_to(text, 4, 26), expected);
        check("short", "short");
        check(
            "one two three four five six",
            "one two three four\n    five six",
        );
        check(
            "a-word-that-is-longer-than-a-line x",
            "a-word-that-is-longer-than-a-line\n    x",
        );
        check("", "");
    }

    #[test]
    fn a_reason_cannot_move_the_cursor() {
        assert_eq!(
            clean("a\u{1b}[2Jb\nc\u{9b}d é\u{202e}"),
            "a\\u{1b}[2Jb\\nc\\u{9b}d é\\u{202e}"
        );
    }
}
