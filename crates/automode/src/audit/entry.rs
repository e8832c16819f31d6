//! One decision, as it is written down.
//!
//! Text of the agent is redacted and cut before it gets here; the environment is
//! never part of it. Unknown fields of other versions are ignored when read.

use std::borrow::Cow;

use automode_core::confine::{Possible, Protection};
use automode_core::engine::Judged;
use automode_core::redact::{FoundSecret, redact};
use automode_core::{Decision, Ground, Presence, Verdict};
use serde::{Deserialize, Serialize};

/// Longest brief and reason, in characters.
const MAX_TEXT: usize = 2_000;
/// Longest note of one stage.
const MAX_NOTE: usize = 400;
const MAX_FINDINGS: usize = 16;

/// A line of the audit log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Milliseconds since the epoch.
    pub time: u64,
    /// The short name a person uses for it.
    pub id: String,
    pub agent: String,
    pub session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    pub tool: String,
    /// The call in brief, redacted.
    pub brief: String,
    pub cwd: String,
    pub verdict: Verdict,
    /// The kind of ground: `rule`, `judge`, `policy`, …
    pub ground: String,
    /// The rule, guard, fast path, permission rule or failure behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    pub reason: String,
    pub presence: Presence,
    /// The client's own permission mode, where it told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The verdict was recorded and not enforced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
    /// Milliseconds from the hook's start to the decision.
    pub latency: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeEntry>,
    /// Digest of the policy in force.
    pub config: String,
    /// Digest of tool and input, by which a permit finds the call again.
    pub print: String,
    /// The narrowest permission rule that covers the call, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<String>,
    /// What was promised with it: `confined`, `undo`; or could have been: `could-confine`, `could-undo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protection: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingEntry>,
    /// What each stage said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<StageEntry>,
}

/// The judge's part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeEntry {
    pub stage: String,
    pub model: String,
    pub input: u64,
    pub cached: u64,
    pub output: u64,
    /// Millionths of a US dollar, where the model's price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingEntry {
    pub rule: String,
    pub weight: String,
    pub evidence: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageEntry {
    pub stage: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    pub note: String,
}

/// What an entry says beside the decision itself.
#[derive(Clone, Debug)]
pub struct Circumstance<'a> {
    pub time: u64,
    pub id: &'a str,
    pub agent: &'a str,
    pub session: &'a str,
    pub subagent: Option<&'a str>,
    pub tool: &'a str,
    pub brief: &'a str,
    pub cwd: &'a str,
    pub presence: Presence,
    pub shadow: bool,
    pub latency: f64,
    pub judged: Option<&'a Judged>,
    pub price: Option<u64>,
    pub config: &'a str,
    pub print: &'a str,
    pub permission: Option<String>,
}

impl Entry {
    /// What settled it, by the name a person knows it by: where a judge, its absence or its
    /// failure had the last word, the rule that found something; a permission rule without its place.
    #[must_use]
    pub fn settled_by(&self) -> &str {
        let open = matches!(self.ground.as_str(), "judge" | "failure" | "no-judge");
        let spoken_of = |finding: &&FindingEntry| self.reason.starts_with(&finding.rule);
        let found = match open && self.verdict != Verdict::Allow {
            true => self
                .findings
                .iter()
                .find(spoken_of)
                .or(self.findings.first()),
            false => None,
        };
        let named = found
            .map(|finding| finding.rule.as_str())
            .or(self.rule.as_deref());
        let name = named.unwrap_or(&self.ground);
        match self.ground.as_str() {
            "policy" => name.rsplit_once(" (").map_or(name, |(rule, _)| rule),
            _ => name,
        }
    }

    /// The line for a decision.
    #[must_use]
    pub fn new(decision: &Decision, about: &Circumstance<'_>) -> Self {
        let (ground, named) = ground(&decision.ground);
        let rule = named.or_else(|| first_finding(decision));
        // What is a secret in the call is one in every sentence about it.
        let clean = redact(about.brief);
        let secrets: Vec<FoundSecret> = match &clean {
            Cow::Borrowed(_) => Vec::new(),
            Cow::Owned(_) => FoundSecret::all(about.brief).collect(),
        };
        let safe = |text: &str, limit| safe(&hidden(&secrets, text), limit);
        Self {
            time: about.time,
            id: about.id.to_owned(),
            agent: about.agent.to_owned(),
            session: about.session.to_owned(),
            subagent: about.subagent.map(str::to_owned),
            tool: about.tool.to_owned(),
            brief: match &clean {
                Cow::Borrowed(brief) => bounded(brief, MAX_TEXT),
                Cow::Owned(_) => safe(about.brief, MAX_TEXT),
            },
            cwd: about.cwd.to_owned(),
            verdict: decision.verdict,
            ground,
            rule: rule.map(|rule| safe(&rule, MAX_NOTE)),
            reason: safe(&decision.reason, MAX_TEXT),
            presence: about.presence,
            mode: None,
            shadow: about.shadow,
            latency: about.latency,
            judge: about.judged.map(|judged| JudgeEntry {
                stage: word(&judged.stage),
                model: judged.model.clone(),
                input: judged.usage.input,
                cached: judged.usage.cached,
                output: judged.usage.output,
                price: about.price,
            }),
            config: about.config.to_owned(),
            print: about.print.to_owned(),
            permission: about
                .permission
                .as_deref()
                .map(|permission| safe(permission, MAX_TEXT)),
            protection: protection(decision).map(str::to_owned),
            findings: findings(decision, safe),
            trace: trace(decision, safe),
        }
    }
}

/// The rule behind a question that nobody judged: what was found is why it was asked.
fn first_finding(decision: &Decision) -> Option<String> {
    let findings = decision.findings.iter();
    findings
        .min_by_key(|finding| std::cmp::Reverse(finding.weight))
        .filter(|_| decision.verdict != Verdict::Allow)
        .map(|finding| finding.rule.to_owned())
}

fn protection(decision: &Decision) -> Option<&'static str> {
    let Protection {
        confinement,
        snapshot,
        possible,
    } = &decision.protection;
    match (confinement, snapshot, possible) {
        (Some(_), _, _) => Some("confined"),
        (None, Some(_), _) => Some("undo"),
        (None, None, Some(Possible::Confined)) => Some("could-confine"),
        (None, None, Some(Possible::Undo)) => Some("could-undo"),
        (None, None, None) => None,
    }
}

fn findings(decision: &Decision, safe: impl Fn(&str, usize) -> String) -> Vec<FindingEntry> {
    let findings = decision.findings.iter().take(MAX_FINDINGS);
    findings
        .map(|finding| FindingEntry {
            rule: finding.rule.to_owned(),
            weight: word(&finding.weight),
            evidence: safe(&finding.evidence, MAX_NOTE),
        })
        .collect()
}

fn trace(decision: &Decision, safe: impl Fn(&str, usize) -> String) -> Vec<StageEntry> {
    let entries = decision.trace.entries.iter();
    entries
        .map(|entry| StageEntry {
            stage: word(&entry.stage),
            verdict: entry.verdict,
            note: safe(&entry.note, MAX_NOTE),
        })
        .collect()
}

/// A ground as its kind and the name behind it.
fn ground(ground: &Ground) -> (String, Option<String>) {
    let (kind, name) = match ground {
        Ground::Policy { rule, origin } => ("policy", Some(format!("{rule} ({origin})"))),
        Ground::Guard(id) => ("guard", Some((*id).to_owned())),
        Ground::FastPath(id) => ("fast-path", Some((*id).to_owned())),
        Ground::Rule(id) => ("rule", Some((*id).to_owned())),
        Ground::Permit(name) => ("permit", Some(name.clone())),
        Ground::Judge(stage) => ("judge", Some(word(stage))),
        Ground::Mode(mode) => ("mode", Some(mode.name().to_owned())),
        Ground::Limit => ("limit", None),
        Ground::NoJudge => ("no-judge", None),
        Ground::Failure(failure) => ("failure", Some(word(failure))),
    };
    (kind.to_owned(), name)
}

/// The name that a unit variant has in JSON.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(_) | Err(_) => String::new(),
    }
}

/// A text without the secrets of the call that it speaks of.
fn hidden<'t>(secrets: &[FoundSecret], text: &'t str) -> Cow<'t, str> {
    secrets.iter().fold(Cow::Borrowed(text), |text, secret| {
        Cow::Owned(secret.hide(&text))
    })
}

/// Redacted, on one line, bounded.
fn safe(text: &str, limit: usize) -> String {
    bounded(&redact(text), limit)
}

/// On one line, bounded; the end of a long text is kept too.
fn bounded(text: &str, limit: usize) -> String {
    let is_odd = |c: char| c.is_control() && c != '\n';
    // Beyond ASCII a control character begins with this byte.
    let may_be_odd = |byte: u8| byte < b' ' && byte != b'\n' || byte == 0x7f || byte == 0xc2;
    let flat: String = if text.bytes().fold(false, |odd, byte| odd | may_be_odd(byte)) {
        text.replace(is_odd, " ")
    } else {
        text.to_owned()
    };
    // No text has more characters than bytes, and in ASCII it has as many.
    let is_ascii = flat.is_ascii();
    let over = match flat.len() > limit {
        true if is_ascii => flat.len().saturating_sub(limit),
        true => flat.chars().count().saturating_sub(limit),
        false => 0,
    };
    if over == 0 {
        return flat;
    }
    let head = limit.saturating_mul(3) / 4;
    let place = |at: usize| match is_ascii {
        true => Some(at),
        false => flat.char_indices().nth(at).map(|(place, _)| place),
    };
    let (start, end) = (place(head), place(head.saturating_add(over)));
    let (Some(start), Some(end)) = (
        start.and_then(|start| flat.get(..start)),
        end.and_then(|end| flat.get(end..)),
    ) else {
        return String::new();
    };
    format!("{start}[… {over} characters …]{end}")
}
