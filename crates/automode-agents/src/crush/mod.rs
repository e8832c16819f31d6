//! Crush. Known from its documentation; it could not be tried here.

use serde_json::json;

use crate::client::{Client, ClientFiles, ClientProgram, ProcessMarks, Wire};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};
use crate::install::{HookEvent, HookFile, Installation, Place, Scope};

pub(crate) static CLIENT: Client = Client {
    name: "crush",
    title: "Crush agent",
    lets_through: &[
        "every exit but 2 and 49, and a timeout",
        "calls of subagents, which have no hooks",
    ],
    wire: Wire::Dialect(Dialect {
        event: &["/event"],
        events: &[("PreToolUse", "PreToolUse")],
        call_id: &["/tool_call_id"],
        prompt: &[],
        answers: AnswerForms {
            allow: AnswerForm::Json(r#"{"version":1,"decision":"allow","reason":"@REASON@"}"#),
            ask: None,
            deny: AnswerForm::Json(r#"{"version":1,"decision":"deny","reason":"@REASON@"}"#),
            ..AnswerForms::BLOCK
        },
        ..Dialect::CLAUDE_CODE
    }),
    program: Some(ClientProgram::untried("crush")),
    installation: Installation::Hooks(HookFile::documented(
        path,
        &[HookEvent::GateTool("PreToolUse")],
        |hook| json!({"name": "automode", "matcher": ".*", "command": hook.command, "timeout": hook.timeout}),
    )),
    marks: ProcessMarks::variables(&["CRUSH"]),
    files: ClientFiles::protecting(&[".config/crush"]),
    trial: |trial| json!({"event": "PreToolUse", "session_id": trial.session, "cwd": "/", "tool_name": "bash", "tool_input": {"command": trial.command}}),
    ..Client::CAUTIOUS
};

fn path(place: &Place, scope: Scope) -> String {
    match scope {
        Scope::User => format!("{}/.config/crush/crush.json", place.home),
        Scope::Project => format!("{}/.crush.json", place.project),
    }
}
