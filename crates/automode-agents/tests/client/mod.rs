//! What the real clients do with an answer, as measured: the oracle of the encoders.

use automode_agents::{Agent, Moment, Reply};
use serde_json::Value;

/// What becomes of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Runs,
    /// A person is asked; where nobody is there it is blocked.
    Asked,
    /// Asked in a way that hangs a run nobody watches.
    AskedOrHangs,
    Blocked,
    /// The client goes on as if there were no hook.
    Normal,
}

pub fn fate(agent: Agent, moment: Moment, reply: &Reply) -> Fate {
    if reply.exit == 2 {
        return Fate::Blocked;
    }
    let Ok(Value::Object(_)) = serde_json::from_str::<Value>(&reply.stdout) else {
        return Fate::Normal;
    };
    let answer: Value = serde_json::from_str(&reply.stdout).unwrap();
    let specific = &answer["hookSpecificOutput"];
    let nested = match (moment, specific["hookEventName"].as_str()) {
        (Moment::BeforeTool, Some("PreToolUse")) => specific["permissionDecision"].as_str(),
        (Moment::PermissionRequest, Some("PermissionRequest")) => {
            specific["decision"]["behavior"].as_str()
        }
        _ => None,
    };
    match agent {
        Agent::ClaudeCode | Agent::QwenCode => word(nested),
        // `continue` makes Codex drop the whole answer, a denial included.
        Agent::Codex if answer.get("continue").is_some() => Fate::Normal,
        Agent::Codex => match (moment, word(nested)) {
            (Moment::BeforeTool, Fate::Runs | Fate::Asked) => Fate::Normal,
            (_, fate) => fate,
        },
        Agent::GeminiCli => match (answer["continue"].as_bool(), answer["decision"].as_str()) {
            (Some(false), _) => Fate::Blocked,
            (_, Some("ask")) => Fate::AskedOrHangs,
            (_, decision) => word(decision),
        },
        Agent::Copilot => match moment {
            Moment::BeforeTool => word(answer["permissionDecision"].as_str()),
            Moment::PermissionRequest => word(answer["behavior"].as_str()),
            Moment::AfterTool | Moment::Other => Fate::Normal,
        },
        // The plugin runs a call on `allow` alone.
        Agent::Opencode => match specific["permissionDecision"].as_str() {
            Some("allow") => Fate::Runs,
            _ => Fate::Blocked,
        },
        Agent::Generic => word(answer["verdict"].as_str()),
    }
}

fn word(decision: Option<&str>) -> Fate {
    match decision {
        Some("allow") => Fate::Runs,
        Some("ask") => Fate::Asked,
        Some("deny" | "block") => Fate::Blocked,
        _ => Fate::Normal,
    }
}
