//! Cursor, the editor and its command line. Known from its documentation; it could not be tried here.

use serde_json::json;

use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Wire};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};
use crate::install::{HookEvent, HookFile, Installation, Place, Scope};

pub(crate) static CLIENT: Client = Client {
    name: "cursor",
    title: "Cursor editor",
    lets_through: &["prompts and servers' tools in cloud agents, which skip these hooks"],
    wire: Wire::Dialect(Dialect {
        events: &[
            ("preToolUse", "PreToolUse"),
            ("beforeShellExecution", "PreToolUse"),
            ("beforeMCPExecution", "PreToolUse"),
            ("beforeReadFile", "PreToolUse"),
            ("beforeSubmitPrompt", "UserPromptSubmit"),
            ("sessionStart", "SessionStart"),
            ("sessionEnd", "SessionEnd"),
        ],
        session: &["/conversation_id"],
        cwd: &[
            "/tool_input/working_directory",
            "/cwd",
            "/workspace_roots/0",
        ],
        call_id: &["/generation_id"],
        tools: &[("Shell", "Bash")],
        answers: AnswerForms {
            allow: AnswerForm::Json(r#"{"permission":"allow"}"#),
            allow_told: Some(AnswerForm::Json(
                r#"{"permission":"allow","user_message":"@PERSON@"}"#,
            )),
            ask: Some(AnswerForm::Json(
                r#"{"permission":"ask","user_message":"@REASON@","agent_message":"@REASON@"}"#,
            )),
            deny: AnswerForm::Json(
                r#"{"permission":"deny","user_message":"@PERSON@","agent_message":"@REASON@"}"#,
            ),
        },
        ..Dialect::CLAUDE_CODE
    }),
    presence: AssumedPresence::INTERACTIVE,
    program: Some(ClientProgram::untried("cursor-agent")),
    installation: Installation::Hooks(HookFile {
        version: Some(1),
        ..HookFile::documented(
            path,
            &[
                HookEvent::GateTool("preToolUse"),
                HookEvent::Record("beforeSubmitPrompt"),
            ],
            |hook| json!({"command": hook.command, "timeout": hook.timeout, "failClosed": true}),
        )
    }),
    marks: ProcessMarks::variables(&["CURSOR_AGENT"]),
    files: ClientFiles::protecting(&[".cursor"]),
    trial: |trial| json!({"conversation_id": trial.session, "generation_id": "g", "model": "m", "hook_event_name": "preToolUse", "cursor_version": "1", "workspace_roots": ["/"], "tool_name": "Shell", "tool_input": {"command": trial.command, "working_directory": "/"}, "cwd": "/"}),
    ..Client::CAUTIOUS
};

fn path(place: &Place, scope: Scope) -> String {
    match scope {
        Scope::User => format!("{}/.cursor/hooks.json", place.home),
        Scope::Project => format!("{}/.cursor/hooks.json", place.project),
    }
}
