//! From a case to a request.
//!
//! The order never changes: system prompt, instruction files, transcript with
//! the pending call last, facts, and the question of the pass as the final
//! segment. Everything before the facts is append-only over a session, but for a secret
//! in the user's words that a later call gives away.

use super::guidance::bullets;
use super::{
    Case, Format, Guidance, JudgeStage, Mode, Protocol, Redaction, Request, Segment, Settings,
};
use crate::Failure;
use crate::escape::push_escaped;
use crate::redact::{FoundSecret, redact};
use crate::transcript::{Entry, Log, Window, line};

const BASE: &str = include_str!("../../prompts/base.md");
const INTENT: &str = include_str!("../../prompts/intent.md");
const PERMISSIONS: &str = include_str!("../../prompts/permissions.md");
const EVALUATION: &str = include_str!("../../prompts/evaluation.md");
const PROCESS: &str = include_str!("../../prompts/process.md");
const OUTPUT_XML: &str = include_str!("../../prompts/output_xml.md");
const OUTPUT_TOOL: &str = include_str!("../../prompts/output_tool.md");
const INSTRUCTIONS: &str = include_str!("../../prompts/instructions.md");

/// The most text of instruction files, in bytes.
const MAX_INSTRUCTIONS: usize = 40_000;
/// Entries between two anchors. Providers look back twenty blocks from a mark for
/// something they have kept, so an anchor must never be further away than that.
const ANCHOR: usize = 16;

/// The request of a pass.
pub(super) fn request(
    case: &Case<'_>,
    settings: &Settings,
    stage: JudgeStage,
) -> Result<Request, Failure> {
    let mut messages = Vec::new();
    if let Some(text) = instructions(case, settings.redaction) {
        messages.push(vec![Segment::marked(text)]);
    }
    messages.push(transcript(case, settings)?);
    let mut request = Request {
        stage,
        system: vec![Segment::marked(system(
            &Guidance::of(case.auto_mode),
            settings.protocol,
        ))],
        messages,
        format: Format::Tags,
        max_tokens: 0,
    };
    set_stage(&mut request, settings.protocol, stage, settings.mode);
    Ok(request)
}

/// Turns a request into that of another pass: the last segment, the format and the limit change.
pub(super) fn set_stage(request: &mut Request, protocol: Protocol, stage: JudgeStage, mode: Mode) {
    request.stage = stage;
    (request.format, request.max_tokens) = match (protocol, stage, mode) {
        (Protocol::Xml, JudgeStage::Fast, Mode::Both | Mode::Thinking) => (Format::TagsToStop, 64),
        (Protocol::Xml, JudgeStage::Fast, Mode::Fast) => (Format::Tags, 256),
        (Protocol::Xml, JudgeStage::Thinking, _) => (Format::Tags, 4096),
        (Protocol::Tool, JudgeStage::Fast, _) => (Format::Tool, 256),
        (Protocol::Tool, JudgeStage::Thinking, _) => (Format::Tool, 4096),
    };
    if let Some(question) = request.messages.last_mut().and_then(|turn| turn.last_mut()) {
        *question = Segment::plain(suffix(protocol, stage, mode));
    }
}

/// The system prompt with these lists.
#[must_use]
pub fn system(guidance: &Guidance, protocol: Protocol) -> String {
    let permissions = fill(PERMISSIONS, |name| match name {
        "environment" => Some(bullets(&guidance.environment)),
        "hard" => Some(bullets(&guidance.hard)),
        "soft" => Some(bullets(&guidance.soft)),
        "allow" => Some(bullets(&guidance.allow)),
        _ => None,
    });
    let output = match protocol {
        Protocol::Xml => OUTPUT_XML,
        Protocol::Tool => OUTPUT_TOOL,
    };
    [BASE, INTENT, &permissions, EVALUATION, PROCESS, output].join("\n")
}

fn suffix(protocol: Protocol, stage: JudgeStage, mode: Mode) -> &'static str {
    match (protocol, stage, mode) {
        (Protocol::Xml, JudgeStage::Fast, Mode::Fast) => include_str!("../../prompts/only_xml.md"),
        (Protocol::Xml, JudgeStage::Fast, _) => include_str!("../../prompts/fast_xml.md"),
        (Protocol::Xml, JudgeStage::Thinking, _) => include_str!("../../prompts/thinking_xml.md"),
        (Protocol::Tool, JudgeStage::Fast, Mode::Fast) => {
            include_str!("../../prompts/only_tool.md")
        }
        (Protocol::Tool, JudgeStage::Fast, _) => include_str!("../../prompts/fast_tool.md"),
        (Protocol::Tool, JudgeStage::Thinking, _) => include_str!("../../prompts/thinking_tool.md"),
    }
}

/// Replaces `{{name}}` in one pass, so that what is filled in is never filled again.
fn fill(template: &str, mut value: impl FnMut(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(template.len().saturating_mul(4));
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        match after.split_once("}}") {
            Some((name, tail)) => {
                out.push_str(value(name).unwrap_or_default().trim_end());
                rest = tail;
            }
            None => {
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn instructions(case: &Case<'_>, redaction: Redaction) -> Option<String> {
    if case.instructions.is_empty() {
        return None;
    }
    let mut left = MAX_INSTRUCTIONS;
    let mut out = format!("{INSTRUCTIONS}<instructions>\n");
    for file in case.instructions {
        let (text, cut) = head(&file.text, left);
        left = left.saturating_sub(text.len());
        out.push_str("{\"file\":\"");
        push_shown(&mut out, &file.path, redaction);
        out.push_str("\",\"text\":\"");
        push_shown(&mut out, text, redaction);
        out.push_str(if cut { "\",\"cut\":true}\n" } else { "\"}\n" });
    }
    out.push_str("</instructions>\n");
    Some(out)
}

fn transcript(case: &Case<'_>, settings: &Settings) -> Result<Vec<Segment>, Failure> {
    let pending = Entry::Call {
        tool: case.tool.to_owned(),
        brief: case.brief.to_owned(),
    };
    let entries = window(case, settings, &pending)?;
    let (form, redaction) = (settings.transcript.form, settings.redaction);
    // The same secret is the same token on both sides: in what was asked for and in what is done.
    let secrets = secrets_of(entries.iter().map(AsRef::as_ref), &pending, redaction);
    let written = |entry: &Entry| {
        let mut text = String::new();
        match entry {
            Entry::User(said) if !secrets.is_empty() => {
                let hidden = secrets
                    .iter()
                    .fold(said.clone(), |said, secret| secret.hide(&said));
                line(&mut text, &Entry::User(hidden), form, redaction);
            }
            Entry::User(_) | Entry::Call { .. } => line(&mut text, entry, form, redaction),
        }
        text
    };

    let mut segments = Vec::with_capacity(entries.len().saturating_add(4));
    segments.push(Segment::plain("<transcript>\n"));
    let anchor = entries.len() / ANCHOR * ANCHOR;
    for (index, entry) in entries.iter().enumerate() {
        let text = written(entry.as_ref());
        segments.push(if index.saturating_add(1) == anchor {
            Segment::marked(text)
        } else {
            Segment::plain(text)
        });
    }
    segments.push(Segment::marked(written(&pending)));
    segments.push(Segment::plain(facts(case, redaction)));
    // The question of the pass; see `set_stage`.
    segments.push(Segment::plain(""));
    Ok(segments)
}

/// The entries to show, without the pending call.
fn window<'a>(
    case: &Case<'a>,
    settings: &Settings,
    pending: &Entry,
) -> Result<Vec<std::borrow::Cow<'a, Entry>>, Failure> {
    use std::borrow::Cow;
    let pending = match pending {
        Entry::Call { brief, .. } | Entry::User(brief) => brief.len(),
    };
    let Some(budget) = settings.transcript.budget.checked_sub(pending) else {
        return Err(Failure::Overlong);
    };
    match settings.transcript.window {
        Window::Full => {
            // The pending call must fit beside what is kept, but must not move the
            // point where old calls are shed: that would change the prefix each time.
            let mut log = Log::new(settings.transcript.budget);
            for entry in case.entries {
                log.push(entry);
            }
            let kept = log.into_entries()?;
            let users: usize = kept.iter().map(|entry| user_bytes(entry)).sum();
            if users > budget {
                return Err(Failure::Overlong);
            }
            Ok(kept.into_iter().map(Cow::Borrowed).collect())
        }
        Window::Recent { entries, chars } => {
            let from = case.entries.len().saturating_sub(entries);
            let recent = case.entries.get(from..).unwrap_or_default();
            Ok(recent
                .iter()
                .map(|entry| Cow::Owned(shortened(entry, chars)))
                .collect())
        }
    }
}

fn user_bytes(entry: &Entry) -> usize {
    match entry {
        Entry::User(text) => text.len(),
        Entry::Call { .. } => 0,
    }
}

fn shortened(entry: &Entry, chars: usize) -> Entry {
    let short = |text: &str| text.chars().take(chars).collect::<String>();
    match entry {
        Entry::User(text) => Entry::User(short(text)),
        Entry::Call { tool, brief } => Entry::Call {
            tool: tool.clone(),
            brief: short(brief),
        },
    }
}

/// The end of the transcript and what the permission system itself has to say.
fn facts(case: &Case<'_>, redaction: Redaction) -> String {
    let mut out = "</transcript>\n".to_owned();
    if case.facts.is_empty() && case.findings.is_empty() {
        return out;
    }
    out.push_str("<facts>\n");
    for fact in case.facts {
        out.push_str("{\"fact\":\"");
        push_shown(&mut out, fact, redaction);
        out.push_str("\"}\n");
    }
    for finding in case.findings {
        out.push_str("{\"finding\":\"");
        push_escaped(&mut out, finding.rule);
        out.push_str("\",\"evidence\":\"");
        push_shown(&mut out, &finding.evidence, redaction);
        out.push_str("\"}\n");
    }
    out.push_str("</facts>\n");
    out
}

fn push_shown(out: &mut String, text: &str, redaction: Redaction) {
    match redaction {
        Redaction::On => push_escaped(out, &redact(text)),
        Redaction::Off => push_escaped(out, text),
    }
}

/// Secrets that calls hold, for the words of the user: there no name may stand beside them.
fn secrets_of<'a>(
    entries: impl Iterator<Item = &'a Entry>,
    pending: &'a Entry,
    redaction: Redaction,
) -> Vec<FoundSecret> {
    if redaction == Redaction::Off {
        return Vec::new();
    }
    let mut secrets: Vec<FoundSecret> = Vec::new();
    for entry in entries.chain([pending]) {
        if let Entry::Call { brief, .. } = entry {
            for secret in FoundSecret::all(brief) {
                if !secrets.contains(&secret) {
                    secrets.push(secret);
                }
            }
        }
    }
    secrets
}

/// The first bytes of a text at a character's border, and whether something was cut.
fn head(text: &str, bytes: usize) -> (&str, bool) {
    if text.len() <= bytes {
        return (text, false);
    }
    let mut end = bytes;
    while end > 0 && !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    (text.get(..end).unwrap_or_default(), true)
}
