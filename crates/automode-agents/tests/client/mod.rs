//! What the real clients do with an answer, as measured: the oracle of the encoders.

use automode_agents::{Agent, HookPhase, Reply};
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

pub fn fate(agent: Agent, phase: HookPhase, reply: &Reply) -> Fate {
    if reply.exit == 2 {
        return Fate::Blocked;
    }
    let Ok(Value::Object(_)) = serde_json::from_str::<Value>(&reply.stdout) else {
        return Fate::Normal;
    };
    let answer: Value = serde_json::from_str(&reply.stdout).unwrap();
    let specific = &answer["hookSpecificOutput"];
    let nested = match (phase, specific["hookEventName"].as_str()) {
        (HookPhase::BeforeTool, Some("PreToolUse")) => specific["permissionDecision"].as_str(),
        (HookPhase::PermissionRequest, Some("PermissionRequest")) => {
            specific["decision"]["behavior"].as_str()
        }
        _ => None,
    };
    match agent.name() {
        "claude-code" | "qwen-code" => word(nested),
        // `continue` makes Codex drop the whole answer, a denial included.
        "codex" if answer.get("continue").is_some() => Fate::Normal,
        "codex" => match (phase, word(nested)) {
            (HookPhase::BeforeTool, Fate::Runs | Fate::Asked) => Fate::Normal,
            (_, fate) => fate,
        },
        "gemini-cli" => match (answer["continue"].as_bool(), answer["decision"].as_str()) {
            (Some(false), _) => Fate::Blocked,
            (_, Some("ask")) => Fate::AskedOrHangs,
            (_, decision) => word(decision),
        },
        "copilot" => match phase {
            HookPhase::BeforeTool => word(answer["permissionDecision"].as_str()),
            HookPhase::PermissionRequest => word(answer["behavior"].as_str()),
            HookPhase::AfterTool | HookPhase::Other => Fate::Normal,
        },
        // The plugin runs a call on `allow` alone.
        "opencode" => match specific["permissionDecision"].as_str() {
            Some("allow") => Fate::Runs,
            _ => Fate::Blocked,
        },
        "generic" => word(answer["verdict"].as_str()),
        // A question is not heard there, and the command runs.
        "droid" => match word(specific["permissionDecision"].as_str()) {
            Fate::Asked => Fate::Runs,
            fate => fate,
        },
        "vscode" => word(specific["permissionDecision"].as_str()),
        "pi" => match specific["permissionDecision"].as_str() {
            Some("allow") => Fate::Runs,
            Some("ask") => Fate::Asked,
            _ => Fate::Blocked,
        },
        // A hook file runs whatever input is left; a plugin reads the word.
        "cline" => match (
            specific["permissionDecision"].as_str(),
            answer.get("overrideInput"),
        ) {
            (Some("allow"), None) => Fate::Runs,
            (Some("ask"), Some(_)) => Fate::Asked,
            (Some("deny"), Some(_)) => Fate::Blocked,
            _ => Fate::Runs,
        },
        "cursor" => word(answer["permission"].as_str()),
        "crush" | "antigravity" => word(answer["decision"].as_str()),
        // Only a block is heard.
        "goose" | "devin" | "hermes" => match answer["decision"].as_str() {
            Some("block") => Fate::Blocked,
            _ => Fate::Runs,
        },
        "amp" => match answer["action"].as_str() {
            Some("reject-and-continue") => Fate::Blocked,
            _ => Fate::Runs,
        },
        // How it reads an answer is not said here: take it for the worst.
        _ => Fate::Runs,
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
