//! A call in one line, as the judge and the record see it.
//!
//! Each kind of action shows what decides about it and nothing else. Long text
//! keeps its beginning and its end, with the cut marked, so that the length is
//! bounded and a person can see that something is missing.

use serde_json::{Map, Value};

use crate::{Action, tool::input::plain};

/// The longest brief, in characters.
pub const LIMIT: usize = 16_000;

/// The action in brief; empty for what is irrelevant to security.
#[must_use]
pub fn brief(action: &Action) -> String {
    bounded(action, LIMIT)
}

/// The action in at most about `limit` characters.
#[must_use]
pub fn bounded(action: &Action, limit: usize) -> String {
    cut(whole(action), limit)
}

fn whole(action: &Action) -> String {
    match action {
        Action::Shell { command } | Action::PowerShell { command } => command.clone(),
        Action::Read { path } => path.clone(),
        Action::Search { pattern, path } => match path {
            Some(path) => format!("{pattern} in {path}"),
            None => pattern.clone(),
        },
        Action::Edit { path, new, .. } => format!("{path}: {new}"),
        Action::Write { path, content } => format!("{path}: {content}"),
        Action::Notebook { path, mode, source } => format!("{path} {mode}: {source}"),
        Action::Fetch { url, prompt } => match prompt {
            Some(prompt) => format!("{url}: {prompt}"),
            None => url.clone(),
        },
        Action::WebSearch { query } => query.clone(),
        Action::Spawn { kind, mode, prompt } => spawn(kind.as_deref(), mode.as_deref(), prompt),
        Action::Schedule { cron, prompt } => format!("{cron}: {prompt}"),
        Action::Message { to, text } => format!("to {to}: {text}"),
        Action::Configure { setting, value } => format!("{setting} = {value}"),
        Action::Mcp { input, .. } | Action::Opaque { input, .. } => pairs(input),
        Action::Interact | Action::Inert => String::new(),
    }
}

fn spawn(kind: Option<&str>, mode: Option<&str>, prompt: &str) -> String {
    match (kind, mode) {
        (None, None) => prompt.to_owned(),
        (Some(kind), None) => format!("({kind}): {prompt}"),
        (None, Some(mode)) => format!("(mode={mode}): {prompt}"),
        (Some(kind), Some(mode)) => format!("({kind}, mode={mode}): {prompt}"),
    }
}

fn pairs(input: &Map<String, Value>) -> String {
    let pairs: Vec<_> = input
        .iter()
        .map(|(key, value)| format!("{key}={}", plain(value)))
        .collect();
    pairs.join(" ")
}

/// Keeps two thirds of the limit from the beginning and the rest from the end.
fn cut(text: String, limit: usize) -> String {
    if text.len() <= limit {
        return text;
    }
    let length = text.chars().count();
    let Some(missing) = length.checked_sub(limit).filter(|missing| *missing > 0) else {
        return text;
    };
    let tail = limit / 3;
    let head: String = text.chars().take(limit.saturating_sub(tail)).collect();
    let end: String = text.chars().skip(length.saturating_sub(tail)).collect();
    format!("{head} […{missing} characters cut…] {end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ToolCall, tool};
    use serde_json::json;

    fn check(tool: &str, input: Value, expected: &str) {
        let call = ToolCall {
            tool: tool.to_owned(),
            input: input.as_object().cloned().unwrap_or_default(),
            cwd: "/".to_owned(),
        };
        let (_, action) = tool::normalize(&call);
        assert_eq!(brief(&action), expected, "{tool} {input}");
    }

    #[test]
    #[rustfmt::skip]
    fn every_tool_shows_what_decides_about_it() {
        check("Bash", json!({"command": "npm test", "description": "harmless"}), "npm test");
        check("PowerShell", json!({"command": "Get-Process"}), "Get-Process");
        check("Edit", json!({"file_path": "src/main.py", "old_string": "a", "new_string": "fixed_code"}), "src/main.py: fixed_code");
        check("Write", json!({"file_path": "src/new.py", "content": "new_code"}), "src/new.py: new_code");
        check("NotebookEdit", json!({"notebook_path": "nb.ipynb", "edit_mode": "replace", "new_source": "cell_code"}), "nb.ipynb replace: cell_code");
        check("Agent", json!({"subagent_type": "worker", "mode": "default", "prompt": "Fix bug..."}), "(worker, mode=default): Fix bug...");
        check("Agent", json!({"subagent_type": "worker", "prompt": "Fix bug..."}), "(worker): Fix bug...");
        check("Agent", json!({"prompt": "Fix bug..."}), "Fix bug...");
        check("WebFetch", json!({"url": "https://api.com", "prompt": "extract data"}), "https://api.com: extract data");
        check("WebFetch", json!({"url": "https://api.com"}), "https://api.com");
        check("WebSearch", json!({"query": "python security best practices"}), "python security best practices");
        check("Grep", json!({"pattern": "password", "path": "src/"}), "password in src/");
        check("Grep", json!({"pattern": "password"}), "password");
        check("Config", json!({"setting": "model", "value": "opus"}), "model = opus");
        check("Config", json!({"setting": "verbose", "value": true}), "verbose = true");
        check("CronCreate", json!({"cron": "*/5 * * * *", "prompt": "check deploys"}), "*/5 * * * *: check deploys");
        check("mcp__chat__post", json!({"channel": "general", "message": "hello"}), "channel=general message=hello");
        check("SendMessage", json!({"to": "worker-1", "message": "continue fixing"}), "to worker-1: continue fixing");
        check("Read", json!({"file_path": "src/main.py"}), "src/main.py");
        check("Teleport", json!({"to": "mars"}), "to=mars");
        check("TodoWrite", json!({"todos": [1]}), "");
        check("AskUserQuestion", json!({"question": "?"}), "");
    }

    #[test]
    fn long_text_is_cut_in_the_middle_with_a_mark() {
        let command = format!("{}{}{}", "a".repeat(60), "b".repeat(100), "z".repeat(30));
        let short = bounded(&Action::Shell { command }, 90);
        let expected = format!(
            "{} […100 characters cut…] {}",
            "a".repeat(60),
            "z".repeat(30)
        );
        assert_eq!(short, expected);
    }

    #[test]
    fn the_limit_counts_characters() {
        let command = "é".repeat(100);
        let action = Action::Shell {
            command: command.clone(),
        };
        assert_eq!(bounded(&action, 100), command);
    }
}
