//! What is said about one decision: one text for the model, one for the person.
//!
//! The model reads what was stopped, why, what to do instead, and that another way to
//! the same end is not wanted. The person reads who stopped what, in which part of the
//! command, under which name, and what to type next. Both are bounded and free of
//! control characters; a person's text may have several lines.

use automode_core::escape::is_invisible;
use automode_core::{Decision, Failure, Finding, Ground, Verdict};

/// Longest text; clients cap or drop what is longer.
const MAX_TEXT: usize = 4_000;
/// Longest part of a command that is shown to a person.
const MAX_PART: usize = 160;

/// The texts of one decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub model: String,
    /// Where the person is asked.
    pub prompt: String,
    /// Beside the answer, where the person is told.
    pub notice: Option<String>,
}

/// Who may let pass what was stopped, and how.
enum WayOut<'a> {
    /// A permit for this one call, under the decision's name.
    Permit(&'a str),
    /// A rule that somebody wrote: they can change it.
    Rule(&'a str),
    /// Nothing but another call.
    None,
}

impl Message {
    /// `text` is the command or content that the findings point into.
    pub fn of(decision: &Decision, id: Option<&str>, text: &str) -> Self {
        let reason = decision.reason.trim_end_matches('.');
        let way_out = way_out(decision, id);
        let told = for_person(decision, reason);
        let part = part(decision, text).map_or_else(String::new, |part| format!("\n  in: {part}"));
        let more = id.map_or_else(String::new, |id| format!("\n  why?  automode why {id}"));
        let step = next_step(&way_out);
        Self {
            model: match decision.verdict {
                Verdict::Allow => one_line(&decision.reason),
                Verdict::Ask | Verdict::Deny => one_line(&format!(
                    "automode stopped this: {reason}. Do not try to reach the same end another way. {}",
                    advice(&way_out)
                )),
            },
            prompt: lines(&format!("automode asks: {told}{part}{more}")),
            notice: match decision.verdict {
                Verdict::Allow => permitted(decision, id),
                Verdict::Ask | Verdict::Deny => Some(lines(&format!(
                    "automode stopped this: {told}{part}{step}{more}"
                ))),
            },
        }
    }

    /// A denial that no decision stands behind: the input or the process failed.
    pub fn failure(why: &str) -> Self {
        Self {
            model: one_line(&format!(
                "automode could not decide and denies: {why}. Do not try to reach the same end another way; tell the user."
            )),
            prompt: one_line(&format!("automode could not decide: {why}")),
            notice: Some(lines(&format!(
                "automode failed and denied a tool call: {why}\n  see: automode doctor"
            ))),
        }
    }
}

/// What the person reads when their own word let a call pass: that it counted, and only once.
fn permitted(decision: &Decision, id: Option<&str>) -> Option<String> {
    let Ground::Permit(_) = decision.ground else {
        return None;
    };
    let more = id.map_or_else(String::new, |id| format!("\n  why?  automode why {id}"));
    Some(lines(&format!(
        "automode let this pass: {}{more}",
        decision.reason.trim_end_matches('.')
    )))
}

fn way_out<'a>(decision: &'a Decision, id: Option<&'a str>) -> WayOut<'a> {
    if let Ground::Policy { origin, .. } = &decision.ground
        && decision.verdict == Verdict::Deny
    {
        return WayOut::Rule(origin);
    }
    // What was not understood cannot have been permitted.
    let is_understood = !matches!(decision.ground, Ground::Failure(Failure::Parse));
    id.filter(|_| is_understood)
        .map_or(WayOut::None, WayOut::Permit)
}

/// What the model may do.
fn advice(way_out: &WayOut<'_>) -> String {
    match way_out {
        WayOut::Permit(id) => format!(
            "If it is needed, tell the user what for: they can permit it once with `automode allow-once {id}` in a terminal of their own."
        ),
        WayOut::Rule(_) => {
            "A permission rule says so, and only a person can change it: if it is needed, tell the user what for.".to_owned()
        }
        WayOut::None => "If it is needed, tell the user what for.".to_owned(),
    }
}

/// What the person may do, on a line of its own: it is to be copied.
fn next_step(way_out: &WayOut<'_>) -> String {
    match way_out {
        WayOut::Permit(id) => {
            format!(
                "\n  fine? automode allow-once {id}   (in another terminal, then let it try again)"
            )
        }
        WayOut::Rule(origin) => format!("\n  the rule is in {origin}"),
        WayOut::None => String::new(),
    }
}

/// The reason as a person reads it: without what the model should do instead, the rule behind
/// what it found, the place of a permission rule in its own line, and so what failed.
fn for_person(decision: &Decision, reason: &str) -> String {
    let mut told = reason.to_owned();
    for finding in &decision.findings {
        if !finding.instead.is_empty() {
            told = told.replace(&format!("; {}", finding.instead), "");
        }
        let found = format!("{}: {}", finding.rule, finding.evidence);
        if let Some(rest) = told.strip_prefix(&found) {
            told = format!("{} ({}){rest}", finding.evidence, finding.rule);
        }
    }
    if let (Ground::Policy { origin, .. }, Verdict::Deny) = (&decision.ground, decision.verdict) {
        told = told.replace(&format!(" ({origin})"), "");
    }
    if let Ground::Failure(failure) = decision.ground {
        let what = failure.describe();
        told = told.replace(&format!("; {what}"), &format!("\n  {what}"));
    }
    told
}

/// The part of the command that the reason is about, where that is not all of it and the reason
/// does not show it.
fn part(decision: &Decision, text: &str) -> Option<String> {
    let named = |finding: &&Finding| decision.reason.starts_with(finding.rule);
    let finding = decision.findings.iter().find(named)?;
    let part = finding.span.of(text).trim();
    let new = !part.is_empty() && part != text.trim() && !decision.reason.contains(part);
    new.then(|| {
        let short: String = part.chars().take(MAX_PART).collect();
        let more = if short.len() < part.len() { "…" } else { "" };
        one_line(&format!("{short}{more}"))
    })
}

/// One bounded line without control characters: a terminal shows it, a model reads it.
pub(crate) fn one_line(text: &str) -> String {
    if is_plain(text, |byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    bounded(text.chars().map(|c| if c == '\n' { ' ' } else { c }))
}

/// The same with its line breaks.
fn lines(text: &str) -> String {
    if is_plain(text, |byte| matches!(byte, b' '..=b'~' | b'\n')) {
        return text.to_owned();
    }
    bounded(text.chars())
}

/// Whether a text may stay as it is: nearly all of them may.
fn is_plain(text: &str, holds: impl Fn(u8) -> bool) -> bool {
    text.len() <= MAX_TEXT && text.bytes().all(holds)
}

fn bounded(text: impl Iterator<Item = char>) -> String {
    let mut kept: String = text
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|c| *c == '\n' || !c.is_control() && !is_invisible(*c))
        .take(MAX_TEXT.saturating_add(1))
        .collect();
    if kept.chars().count() > MAX_TEXT {
        kept.pop();
        kept.push('…');
    }
    kept
}
