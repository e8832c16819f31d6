//! How three agents tell of a call before and after it, and how they read the answer.

use serde_json::{Value, json};

use crate::script::{Deed, Ending};
use crate::world::{HookReply, World};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    ClaudeCode,
    Codex,
    GeminiCli,
}

pub const AGENTS: [Agent; 3] = [Agent::ClaudeCode, Agent::Codex, Agent::GeminiCli];

/// One call as an agent names it.
pub struct Call {
    pub tool: String,
    pub input: Value,
    pub id: String,
}

impl Agent {
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
        }
    }

    /// The call for a step; nothing where the agent has no such tool.
    pub fn call(self, deed: &Deed, world: &World, id: String) -> Option<Call> {
        let path = |path: &str| match self {
            // Claude Code spells paths out; Gemini CLI sends what the model said.
            Self::ClaudeCode | Self::Codex => world.path(path).to_str().unwrap().to_owned(),
            Self::GeminiCli => world.filled(path),
        };
        let (tool, input) = match (self, deed) {
            (Self::ClaudeCode | Self::Codex, Deed::Shell { command, .. }) => {
                ("Bash", json!({"command": world.filled(command)}))
            }
            (Self::GeminiCli, Deed::Shell { command, .. }) => (
                "run_shell_command",
                json!({"command": world.filled(command), "description": "x"}),
            ),
            (Self::ClaudeCode, Deed::Write { path: file, text }) => (
                "Write",
                json!({"file_path": path(file), "content": world.filled(text)}),
            ),
            (Self::GeminiCli, Deed::Write { path: file, text }) => (
                "write_file",
                json!({"file_path": path(file), "content": world.filled(text)}),
            ),
            (Self::Codex, Deed::Write { path: file, text }) => {
                let added: String = world
                    .filled(text)
                    .lines()
                    .map(|line| format!("+{line}\n"))
                    .collect();
                let file = world.filled(file);
                (
                    "apply_patch",
                    json!({"command": format!("*** Begin Patch\n*** Add File: {file}\n{added}*** End Patch\n")}),
                )
            }
            (
                Self::ClaudeCode,
                Deed::Edit {
                    path: file,
                    all,
                    edits,
                },
            ) => match edits.as_slice() {
                [(old, new)] => (
                    "Edit",
                    json!({"file_path": path(file), "old_string": world.filled(old), "new_string": world.filled(new), "replace_all": all}),
                ),
                _ => {
                    let edits: Vec<Value> = edits.iter().map(|(old, new)| json!({"old_string": world.filled(old), "new_string": world.filled(new), "replace_all": all})).collect();
                    (
                        "MultiEdit",
                        json!({"file_path": path(file), "edits": edits}),
                    )
                }
            },
            (
                Self::GeminiCli,
                Deed::Edit {
                    path: file,
                    all,
                    edits,
                },
            ) => match edits.as_slice() {
                [(old, new)] => {
                    let mut input = json!({"file_path": path(file), "instruction": "x", "old_string": world.filled(old), "new_string": world.filled(new)});
                    if *all {
                        input["allow_multiple"] = true.into();
                    }
                    ("replace", input)
                }
                _ => return None,
            },
            (
                Self::Codex,
                Deed::Edit {
                    path: file,
                    all: false,
                    edits,
                },
            ) => {
                let mark = |mark: char, text: &str| -> String {
                    world
                        .filled(text)
                        .split('\n')
                        .filter(|_| !text.is_empty())
                        .map(|line| format!("{mark}{line}\n"))
                        .collect()
                };
                let hunks: String = edits
                    .iter()
                    .map(|(old, new)| format!("@@\n{}{}", mark('-', old), mark('+', new)))
                    .collect();
                let file = world.filled(file);
                (
                    "apply_patch",
                    json!({"command": format!("*** Begin Patch\n*** Update File: {file}\n{hunks}*** End Patch\n")}),
                )
            }
            (Self::Codex, Deed::Edit { .. }) => return None,
            (Self::ClaudeCode, Deed::Read(file)) => ("Read", json!({"file_path": path(file)})),
            (Self::GeminiCli, Deed::Read(file)) => ("read_file", json!({"file_path": path(file)})),
            (Self::Codex, Deed::Read(file)) => (
                "Bash",
                json!({"command": format!("cat {}", world.filled(file))}),
            ),
            (Self::ClaudeCode, Deed::Tool { name, input }) => {
                let input = serde_json::from_str(&world.filled(input)).unwrap();
                return Some(Call {
                    tool: name.clone(),
                    input,
                    id,
                });
            }
            (_, _) => return None,
        };
        Some(Call {
            tool: tool.to_owned(),
            input,
            id,
        })
    }

    fn event(self, name: &str, session: &str, world: &World) -> Value {
        json!({"session_id": session, "cwd": world.root().to_str().unwrap(), "hook_event_name": name,
            "transcript_path": world.home().join("none.jsonl").to_str().unwrap()})
    }

    pub fn before(self, call: &Call, session: &str, world: &World) -> Value {
        let name = match self {
            Self::ClaudeCode | Self::Codex => "PreToolUse",
            Self::GeminiCli => "BeforeTool",
        };
        let mut event = self.event(name, session, world);
        event["tool_name"] = call.tool.as_str().into();
        event["tool_input"] = call.input.clone();
        if self != Self::GeminiCli {
            event["tool_use_id"] = call.id.as_str().into();
        }
        event
    }

    pub fn after(self, call: &Call, ending: Ending, session: &str, world: &World) -> Value {
        let failed = ending != Ending::Succeeds;
        let mut event = self.before(call, session, world);
        event["hook_event_name"] = match (self, failed) {
            (Self::ClaudeCode, true) => "PostToolUseFailure",
            (Self::ClaudeCode | Self::Codex, _) => "PostToolUse",
            (Self::GeminiCli, _) => "AfterTool",
        }
        .into();
        match (self, failed) {
            (Self::ClaudeCode, true) => event["error"] = "it failed".into(),
            (Self::ClaudeCode, false) => event["tool_response"] = json!({"stdout": "ok"}),
            (Self::Codex, true) => event["tool_response"] = "Process exited with code 1\nno".into(),
            (Self::Codex, false) => {
                event["tool_response"] = "Process exited with code 0\nok".into()
            }
            (Self::GeminiCli, true) => {
                event["tool_response"] = json!({"llmContent": "no", "error": {"message": "no"}})
            }
            (Self::GeminiCli, false) => {
                event["tool_response"] = json!({"llmContent": "ok", "returnDisplay": "ok"})
            }
        }
        event
    }

    pub fn prompt(self, words: &str, session: &str, world: &World) -> Value {
        let name = match self {
            Self::ClaudeCode | Self::Codex => "UserPromptSubmit",
            Self::GeminiCli => "BeforeAgent",
        };
        let mut event = self.event(name, session, world);
        event["prompt"] = words.into();
        event
    }

    pub fn start(self, session: &str, world: &World) -> Value {
        let mut event = self.event("SessionStart", session, world);
        event["source"] = "startup".into();
        event
    }

    /// Whether the client runs the call after this answer.
    pub fn runs(self, reply: &HookReply) -> bool {
        if reply.code != Some(0) {
            return reply.code != Some(2);
        }
        let text = |pointer: &str| reply.json.pointer(pointer).and_then(Value::as_str);
        match self {
            Self::ClaudeCode => text("/hookSpecificOutput/permissionDecision") == Some("allow"),
            Self::Codex => !matches!(text("/hookSpecificOutput/permissionDecision"), Some("deny")),
            Self::GeminiCli => !matches!(text("/decision"), Some("deny" | "block" | "ask")),
        }
    }
}
