//! What the packages for other languages share: a session and a call made of plain values,
//! and a decision as plain values.
//!
//! Each package only says how its language spells them. Errors are sentences for the caller.

use automode::judge::InstructionFiles;
use automode::{Finding, Gate, Here as _, Mode, Presence, Session, ToolCall, Verdict};
use automode_core::{SuspiciousResult, TraceEntry, probe};
use serde_json::Value;

/// The answer to one tool call.
pub struct PlainDecision {
    /// allow, ask or deny.
    pub verdict: String,
    /// One line for the model and the person.
    pub reason: String,
    /// What decided, as JSON.
    pub ground: String,
    /// The run must end.
    pub stop: bool,
    /// What every stage said.
    pub trace: Vec<String>,
    /// What the rules saw.
    pub findings: Vec<String>,
    /// What the call would do, as far as it is known.
    pub effects: Vec<String>,
}

/// A directory as the gate takes it.
///
/// # Errors
/// Where it cannot be made absolute, or is no text.
pub fn absolute(path: impl AsRef<std::path::Path>) -> Result<String, String> {
    let path = std::path::absolute(path).map_err(|error| error.to_string())?;
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| "the directory is not valid UTF-8".to_owned())
}

/// A session in a directory, with what the program itself knows of the machine.
///
/// # Errors
/// Where the directory is none, or nobody knows the mode.
pub fn session(
    cwd: impl AsRef<std::path::Path>,
    headless: bool,
    mode: &str,
) -> Result<Session, String> {
    let mode = Mode::ALL
        .into_iter()
        .find(|known| known.name() == mode)
        .ok_or_else(|| format!("`{mode}` is no permission mode"))?;
    let presence = if headless {
        Presence::Headless
    } else {
        Presence::Interactive
    };
    Ok(Session {
        mode,
        presence,
        ..Session::here(&absolute(cwd)?)
    })
}

/// A call, given as its name and its input as JSON.
///
/// # Errors
/// Where the input is no object, or the call is not well formed.
pub fn call(tool: String, input: &str, cwd: String) -> Result<ToolCall, String> {
    let Ok(Value::Object(input)) = serde_json::from_str(input) else {
        return Err("the input is not a JSON object".to_owned());
    };
    let call = ToolCall { tool, input, cwd };
    call.check()?;
    Ok(call)
}

/// Decides a call and records it in the session.
#[must_use]
pub fn decide(gate: &Gate, call: &ToolCall, session: &mut Session) -> PlainDecision {
    let settlement = gate.decide(call, session, &InstructionFiles);
    settlement.record(session);
    let effects = settlement.effects.iter().flat_map(|effects| {
        let all = effects.analysis.effects.iter();
        all.map(|effect| format!("{:?}", effect.act))
    });
    let effects = effects.collect();
    let decision = settlement.decision;
    let stage = |entry: &TraceEntry| {
        let verdict = entry.verdict.map_or("-", Verdict::name);
        format!("{:?}: {verdict}: {}", entry.stage, entry.note)
    };
    let finding = |finding: &Finding| format!("{}: {}", finding.rule, finding.evidence);
    PlainDecision {
        verdict: decision.verdict.name().to_owned(),
        reason: decision.reason,
        ground: serde_json::to_string(&decision.ground).unwrap_or_default(),
        stop: decision.stop,
        trace: decision.trace.entries.iter().map(stage).collect(),
        findings: decision.findings.iter().map(finding).collect(),
        effects,
    }
}

/// Looks at what a tool brought in. Where it speaks to the agent the session is marked,
/// and the warning for the model comes back.
pub fn probe(session: &mut Session, tool: String, result: &str) -> Option<String> {
    let found = probe::scan(result);
    let warning = probe::warning(&found)?;
    let kinds = probe::kinds(&found).into_iter().map(str::to_owned);
    session.suspicious.push(SuspiciousResult {
        tool,
        kinds: kinds.collect(),
    });
    Some(warning)
}
