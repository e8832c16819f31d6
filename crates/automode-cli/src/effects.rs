//! What a call would do, for people and programs.
//!
//! Each command with what brought it in, under it its effects in the notation of
//! the knowledge and the part of the text they come from; then the coverage with
//! its gaps; then the same for code that the call would leave behind.

use std::fmt::Write as _;

use automode::ToolCall;
use automode_core::effects::{Content, Effects, Runs};
use automode_shell::{Analysis, Certainty, Effect, Gap, Invocation, Span};
use serde_json::{Map, Value, json};

use crate::output::clean;

/// The most of a text that is quoted on one line, in characters.
const QUOTE: usize = 60;

/// The text that spans point into: the command, where there is one.
pub fn text_of(call: &ToolCall) -> &str {
    let command = call.input.get("command");
    command.and_then(Value::as_str).unwrap_or_default()
}

/// The effects for a person.
pub fn prose(text: &str, effects: &Effects) -> String {
    let mut told = analysis_prose(text, &effects.analysis);
    for content in &effects.content {
        let when = match content.runs {
            Runs::WhenStarted => "when somebody starts it",
            Runs::ByItself => "by itself",
        };
        told.push_str(&format!(
            "\nleft behind, to run {when}: {}\n",
            quote(&content.text)
        ));
        for line in analysis_prose(&content.text, &content.analysis).lines() {
            told.push_str(&format!("  {line}\n"));
        }
    }
    told
}

/// The effects as one JSON object.
pub fn json(text: &str, effects: &Effects) -> Value {
    let content = effects.content.iter().map(content_json).collect();
    let mut object = analysis_json(text, &effects.analysis);
    object.insert("left_behind".to_owned(), content);
    Value::Object(object)
}

fn analysis_prose(text: &str, analysis: &Analysis) -> String {
    let mut told = String::new();
    let by_nobody = |effect: &&Effect| effect.by >= analysis.invocations.len();
    for effect in analysis.effects.iter().filter(by_nobody) {
        effect_prose(&mut told, text, effect);
    }
    for (index, invocation) in analysis.invocations.iter().enumerate() {
        invocation_prose(&mut told, invocation);
        let own = analysis.effects.iter().filter(|effect| effect.by == index);
        own.for_each(|effect| effect_prose(&mut told, text, effect));
    }
    line(
        &mut told,
        &format!("coverage: {}", analysis.coverage.name()),
    );
    for gap in analysis.coverage.gaps() {
        let shown = format!("  {}{}", clean(&gap.kind.to_string()), from(text, gap.span));
        line(&mut told, &shown);
    }
    told
}

fn invocation_prose(told: &mut String, invocation: &Invocation) {
    let words: Vec<String> = invocation.argv.iter().map(|word| word.shown()).collect();
    let layers: Vec<String> = invocation.layers.iter().map(ToString::to_string).collect();
    let through = match layers.as_slice() {
        [] => String::new(),
        layers => format!("  (through {})", layers.join(", ")),
    };
    line(told, &clean(&format!("{}{through}", words.join(" "))));
}

fn effect_prose(told: &mut String, text: &str, effect: &Effect) {
    let certainty = match effect.certainty {
        Certainty::Always => "",
        Certainty::Sometimes => "  (sometimes)",
    };
    let act = clean(&effect.act.to_string());
    line(
        told,
        &format!("  {act}{certainty}{}", from(text, effect.span)),
    );
}

fn line(told: &mut String, shown: &str) {
    // Writing to a string does not fail.
    writeln!(told, "{shown}").unwrap_or_default();
}

/// The part of the text, unless it is all of it or none.
fn from(text: &str, span: Span) -> String {
    match span.of(text).trim() {
        "" => String::new(),
        part if part == text.trim() => String::new(),
        part => format!("  from {}", quote(part)),
    }
}

fn quote(text: &str) -> String {
    let shown = clean(text);
    match shown.char_indices().nth(QUOTE) {
        Some((at, _)) => format!("`{}…`", shown.get(..at).unwrap_or_default()),
        None => format!("`{shown}`"),
    }
}

fn analysis_json(text: &str, analysis: &Analysis) -> Map<String, Value> {
    let invocations = analysis.invocations.iter();
    let effects = analysis.effects.iter();
    let gaps = analysis.coverage.gaps().iter();
    let part = |name: &str, value| (name.to_owned(), value);
    Map::from_iter([
        part("coverage", json!(analysis.coverage.name())),
        part(
            "commands",
            invocations.map(|one| invocation_json(text, one)).collect(),
        ),
        part(
            "effects",
            effects
                .map(|one| effect_json(text, one, analysis))
                .collect(),
        ),
        part("gaps", gaps.map(|one| gap_json(text, one)).collect()),
    ])
}

fn invocation_json(text: &str, invocation: &Invocation) -> Value {
    let words = invocation.argv.iter().map(|word| word.shown());
    let layers = invocation.layers.iter().map(ToString::to_string);
    json!({
        "words": words.collect::<Vec<_>>(),
        "through": layers.collect::<Vec<_>>(),
        "directory": invocation.cwd,
        "certainty": certainty(invocation.certainty),
        "from": invocation.span.of(text).trim(),
    })
}

fn effect_json(text: &str, effect: &Effect, analysis: &Analysis) -> Value {
    json!({
        "effect": effect.act.to_string(),
        "command": (effect.by < analysis.invocations.len()).then_some(effect.by),
        "certainty": certainty(effect.certainty),
        "from": effect.span.of(text).trim(),
    })
}

fn gap_json(text: &str, gap: &Gap) -> Value {
    json!({ "gap": gap.kind.to_string(), "from": gap.span.of(text).trim() })
}

fn content_json(content: &Content) -> Value {
    let runs = match content.runs {
        Runs::WhenStarted => "when-started",
        Runs::ByItself => "by-itself",
    };
    let mut object = analysis_json(&content.text, &content.analysis);
    object.insert("runs".to_owned(), json!(runs));
    object.insert("text".to_owned(), json!(content.text));
    Value::Object(object)
}

const fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Always => "always",
        Certainty::Sometimes => "sometimes",
    }
}
