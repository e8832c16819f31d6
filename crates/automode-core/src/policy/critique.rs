//! A review of a person's own sentences and rules, by the judge who will read them.

use super::{Policy, Prose};
use crate::escape::push_escaped;
use crate::judge::{Format, Guidance, JudgeStage, Request, Segment, bullets};

const CRITIQUE: &str = include_str!("../../prompts/critique.md");
const MAX_TOKENS: u32 = 2048;

/// The request for a review; `None` where the person wrote nothing to review.
#[must_use]
pub fn critique(policy: &Policy) -> Option<Request> {
    let lists = &policy.auto_mode;
    let mut own = String::new();
    for (name, list) in [
        ("environment", &lists.environment),
        ("hard_deny", &lists.hard_deny),
        ("soft_deny", &lists.soft_deny),
        ("allow", &lists.allow),
    ] {
        section(&mut own, name, list.iter().filter_map(written));
    }
    for (name, rules) in ["deny", "ask", "allow"].into_iter().zip(policy.rules()) {
        let name = format!("permissions.{name}");
        section(&mut own, &name, rules.iter().map(|rule| &*rule.text));
    }
    if own.is_empty() {
        return None;
    }
    let defaults = Guidance::defaults();
    let built_in = [defaults.hard, defaults.soft, defaults.allow].concat();
    Some(Request {
        stage: JudgeStage::Thinking,
        system: vec![Segment::marked(CRITIQUE)],
        messages: vec![vec![
            Segment::plain(format!("<builtin>\n{}</builtin>\n", bullets(&built_in))),
            Segment::plain(format!("<user>\n{own}</user>\n")),
        ]],
        format: Format::Tags,
        max_tokens: MAX_TOKENS,
    })
}

fn written(prose: &Prose) -> Option<&str> {
    match prose {
        Prose::Defaults => None,
        Prose::Entry { text, .. } => Some(text),
    }
}

fn section<'t>(out: &mut String, name: &str, texts: impl Iterator<Item = &'t str>) {
    let mut texts = texts.peekable();
    if texts.peek().is_none() {
        return;
    }
    out.push_str(name);
    out.push_str(":\n");
    for text in texts {
        out.push_str("- ");
        push_escaped(out, &crate::redact::redact(text));
        out.push('\n');
    }
}
