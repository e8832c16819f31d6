//! goose. Known from its documentation; it could not be tried here.

use serde_json::json;

use crate::client::{Client, ClientFiles, ClientProgram, ProcessMarks, Wire};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};

pub(crate) static CLIENT: Client = Client {
    name: "goose",
    title: "goose agent",
    lets_through: &["any fault, where `on_failure` is not `block`"],
    wire: Wire::Dialect(Dialect {
        event: &["/event"],
        cwd: &["/working_dir"],
        call_id: &["/tool_call_id"],
        tools: &[("developer__shell", "Bash")],
        answers: AnswerForms {
            allow: AnswerForm::Json(r#"{"decision":"allow"}"#),
            ..AnswerForms::BLOCK
        },
        ..Dialect::CLAUDE_CODE
    }),
    program: Some(ClientProgram::untried("goose")),
    marks: ProcessMarks::variables(&["GOOSE_TERMINAL"]),
    files: ClientFiles::protecting(&[".agents/plugins", ".config/goose"]),
    trial: |trial| json!({"event": "PreToolUse", "session_id": trial.session, "matcher_context": "developer__shell", "tool_name": "developer__shell", "tool_input": {"command": trial.command, "timeout_secs": 5}, "working_dir": "/", "tool_call_id": "t"}),
    ..Client::CAUTIOUS
};
