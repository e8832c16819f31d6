//! One decision, as it is written down.
//!
//! Text of the agent is redacted and cut before it gets here; the environment is
//! never part of it. Unknown fields of other versions are ignored when read.

use automode_core::confine::{Possible, Protection};
use automode_core::engine::Judged;
use automode_core::redact::redact;
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
    /// The line for a decision.
    #[must_use]
    pub fn new(decision: &Decision, about: &Circumstance<'_>) -> Self {
        let (ground, named) = ground(&decision.ground);
        let rule = named.or_else(|| first_finding(decision));
        Self {
            time: about.time,
            id: about.id.to_owned(),
            agent: about.agent.to_owned(),
            session: about.session.to_owned(),
            subagent: about.subagent.map(str::to_owned),
            tool: about.tool.to_owned(),
            brief: safe(about.brief, MAX_TEXT),
            cwd: about.cwd.to_owned(),
            verdict: decision.verdict,
            ground,
            rule: rule.map(|rule| safe(&rule, MAX_NOTE)),
            reason: safe(&decision.reason, MAX_TEXT),
            presence: about.presence,
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
            permission: about.permission.clone(),
            protection: protection(decision).map(str::to_owned),
            findings: findings(decision),
            trace: trace(decision),
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

fn findings(decision: &Decision) -> Vec<FindingEntry> {
    let findings = decision.findings.iter().take(MAX_FINDINGS);
    findings
        .map(|finding| FindingEntry {
            rule: finding.rule.to_owned(),
            weight: word(&finding.weight),
            evidence: safe(&finding.evidence, MAX_NOTE),
        })
        .collect()
}

fn trace(decision: &Decision) -> Vec<StageEntry> {
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

/// Redacted, on one line, bounded; the end of a long text is kept too.
fn safe(text: &str, limit: usize) -> String {
    let text = redact(text);
    let flat = text
        .chars()
        .map(|c| if c.is_control() && c != '\n' { ' ' } else { c });
    let all: Vec<char> = flat.collect();
    let Some(over) = all.len().checked_sub(limit).filter(|over| *over > 0) else {
        return all.into_iter().collect();
    };
    let head = limit.saturating_mul(3) / 4;
    let (Some(start), Some(end)) = (all.get(..head), all.get(head.saturating_add(over)..)) else {
        return String::new();
    };
    let start: String = start.iter().collect();
    let end: String = end.iter().collect();
    format!("{start}[… {over} characters …]{end}")
}
