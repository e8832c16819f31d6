//! A tool call as ACP tells it, in pieces, and what it means.
//!
//! `toolCall` of a request may hold nothing but the id: everything else was said in
//! earlier updates, and the latest word counts. What has no `rawInput` is opaque, because
//! a title is prose; an agent for which the title was seen to be the command is in the
//! table of agents.

use automode::ToolCall;
use serde_json::{Map, Value, json};

use super::agent::AcpAgent;

/// Fields that are kept of a call.
const KEPT: [&str; 6] = ["title", "kind", "content", "rawInput", "name", "_meta"];

/// What was said about one call so far.
#[derive(Clone, Debug, Default)]
pub(super) struct ToldCall {
    fields: Map<String, Value>,
}

impl ToldCall {
    /// Takes in what an update or a request says.
    pub(super) fn merge(&mut self, said: &Map<String, Value>) {
        for name in KEPT {
            if let Some(value) = said.get(name).filter(|value| !value.is_null()) {
                self.fields.insert(name.to_owned(), value.clone());
            }
        }
    }

    /// The call as the engine reads it.
    pub(super) fn call(&self, agent: Option<&AcpAgent>, cwd: &str) -> ToolCall {
        let (tool, input) = self
            .named()
            .or_else(|| self.shell())
            .or_else(|| self.told_by_title(agent, cwd))
            .unwrap_or_else(|| self.opaque());
        ToolCall {
            tool,
            input,
            cwd: cwd.to_owned(),
        }
    }

    fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.as_str()
    }

    fn raw_input(&self) -> Option<&Map<String, Value>> {
        self.fields.get("rawInput")?.as_object()
    }

    /// The agent names the tool, in its own words or among its notes.
    fn named(&self) -> Option<(String, Map<String, Value>)> {
        let meta = self.fields.get("_meta");
        let noted = meta.and_then(|meta| {
            let own = meta.get("toolName");
            own.or_else(|| meta.pointer("/claudeCode/toolName"))?
                .as_str()
        });
        let name = self.text("name").or(noted)?;
        Some((name.to_owned(), self.raw_input()?.clone()))
    }

    /// A command of a shell, with nothing beside it that is not understood.
    fn shell(&self) -> Option<(String, Map<String, Value>)> {
        let input = self.raw_input()?;
        let command = input.get("command")?.as_str()?;
        let plain = input.iter().all(|(name, value)| match name.as_str() {
            "command" | "description" | "cwd" | "timeout" => true,
            // The parts of one command.
            "commands" => *value == json!([command]),
            _ => false,
        });
        if self.text("kind") != Some("execute") || !plain {
            return None;
        }
        let mut input = input.clone();
        input.remove("commands");
        Some(("Bash".to_owned(), input))
    }

    /// No input, but an agent that is known to say all of it otherwise.
    fn told_by_title(
        &self,
        agent: Option<&AcpAgent>,
        cwd: &str,
    ) -> Option<(String, Map<String, Value>)> {
        if self.fields.contains_key("rawInput") || !agent.is_some_and(|a| a.title_is_command) {
            return None;
        }
        let [shown] = self.fields.get("content")?.as_array()?.as_slice() else {
            return None;
        };
        match (self.text("kind")?, shown.get("type")?.as_str()?) {
            ("execute", "content") => {
                // Tools of other servers have their command for a title too, and no such note.
                let note = shown.pointer("/content/text")?.as_str()?;
                let here = format!("[current working directory {cwd}]");
                let rest = note.strip_prefix(&here)?;
                (rest.is_empty() || rest.starts_with(' ')).then_some(())?;
                let command = self.text("title")?;
                let input = Map::from_iter([("command".to_owned(), Value::from(command))]);
                Some(("Bash".to_owned(), input))
            }
            ("edit", "diff") => {
                let path = shown.get("path")?.as_str()?;
                let content = shown.get("newText")?.as_str()?;
                let input = Map::from_iter([
                    ("file_path".to_owned(), Value::from(path)),
                    ("content".to_owned(), Value::from(content)),
                ]);
                Some(("Write".to_owned(), input))
            }
            _ => None,
        }
    }

    /// Nobody knows what it is: everything that was said goes to the judge.
    fn opaque(&self) -> (String, Map<String, Value>) {
        let kind = self.text("kind").unwrap_or("other");
        (format!("acp_{kind}"), self.fields.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acp::agent;

    fn call(agent: &str, said: &[Value]) -> ToolCall {
        let mut told = ToldCall::default();
        said.iter()
            .for_each(|said| told.merge(said.as_object().unwrap()));
        told.call(agent::find(agent), "/w")
    }

    fn check(agent: &str, said: &[Value], tool: &str, input: Value) {
        let call = call(agent, said);
        assert_eq!(
            (call.tool.as_str(), Value::Object(call.input)),
            (tool, input)
        );
    }

    fn check_opaque(agent: &str, said: &[Value]) {
        let call = call(agent, said);
        assert!(call.tool.starts_with("acp_"), "{call:?}");
    }

    #[test]
    fn six_agents_say_a_command_in_their_ways() {
        let ls = || json!({"command": "ls", "description": "d"});
        check(
            "claude-agent-acp",
            &[json!({"name": "Bash", "kind": "execute", "rawInput": ls()})],
            "Bash",
            ls(),
        );
        check(
            "codex-acp",
            &[
                json!({"kind": "execute", "title": "x", "rawInput": {"command": "ls", "cwd": "/w/a"}}),
            ],
            "Bash",
            json!({"command": "ls", "cwd": "/w/a"}),
        );
        check(
            "Copilot",
            &[
                json!({"kind": "execute", "title": "d", "rawInput": {"command": "ls", "commands": ["ls"]}}),
            ],
            "Bash",
            json!({"command": "ls"}),
        );
        check(
            "OpenCode",
            &[json!({"kind": "execute", "rawInput": {"command": "ls"}})],
            "Bash",
            json!({"command": "ls"}),
        );
        check(
            "qwen-code",
            &[
                json!({"kind": "execute", "rawInput": ls(), "_meta": {"toolName": "run_shell_command"}}),
            ],
            "run_shell_command",
            ls(),
        );
        let gemini = |kind: &str, note: &str| json!({"kind": kind, "title": "ls", "content": [{"type": "content", "content": {"type": "text", "text": note}}]});
        let note = "[current working directory /w] (d)";
        check(
            "gemini-cli",
            &[gemini("execute", note)],
            "Bash",
            json!({"command": "ls"}),
        );
        check_opaque("gemini-cli", &[gemini("other", note)]);
        check_opaque("gemini-cli", &[gemini("execute", "[in sub] (d)")]);
        check_opaque(
            "gemini-cli",
            &[gemini("execute", "[current working directory /w/x]")],
        );
        check_opaque("gemini-cli", &[gemini("execute", "{\"command\":\"ls\"}")]);
        check_opaque("somebody", &[gemini("execute", note)]);
    }

    #[test]
    fn an_edit_that_is_shown_as_a_whole_is_a_write() {
        let diff = json!({"kind": "edit", "title": "a: x => y", "content": [{"type": "diff", "path": "/w/a", "oldText": "x", "newText": "y"}]});
        check(
            "gemini-cli",
            std::slice::from_ref(&diff),
            "Write",
            json!({"file_path": "/w/a", "content": "y"}),
        );
        check_opaque("codex-acp", &[diff]);
    }

    #[test]
    fn pieces_are_put_together_and_the_latest_counts() {
        check(
            "codex-acp",
            &[
                json!({"kind": "execute", "title": "x", "rawInput": {}}),
                json!({"rawInput": {"command": "ls"}, "status": "in_progress"}),
                json!({"toolCallId": "1", "rawInput": null}),
            ],
            "Bash",
            json!({"command": "ls"}),
        );
    }

    #[test]
    fn what_is_not_understood_is_opaque() {
        check_opaque("codex-acp", &[json!({"kind": "execute", "title": "ls"})]);
        check_opaque(
            "codex-acp",
            &[json!({"kind": "edit", "rawInput": {"command": "ls"}})],
        );
        check_opaque(
            "codex-acp",
            &[json!({"kind": "execute", "rawInput": {"command": ["ls"]}})],
        );
        check_opaque(
            "codex-acp",
            &[json!({"kind": "execute", "rawInput": {"command": "ls", "env": {}}})],
        );
        check_opaque(
            "Copilot",
            &[
                json!({"kind": "execute", "rawInput": {"command": "ls", "commands": ["ls", "rm x"]}}),
            ],
        );
        check_opaque(
            "claude-agent-acp",
            &[json!({"name": "Bash", "kind": "execute"})],
        );
    }
}
