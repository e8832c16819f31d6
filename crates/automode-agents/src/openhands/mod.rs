//! OpenHands. Known from its documentation; it could not be tried here.

use serde_json::json;

use crate::client::{Client, ClientFiles, ClientProgram, Wire};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};

pub(crate) static CLIENT: Client = Client {
    name: "openhands",
    title: "OpenHands agent",
    lets_through: &["every fault that is not exit 2, and answers that are not valid"],
    wire: Wire::Dialect(Dialect {
        event: &["/event_type"],
        cwd: &["/working_dir"],
        call_id: &["/metadata/tool_call_id"],
        prompt: &["/message"],
        tools: &[("terminal", "Bash"), ("execute_bash", "Bash")],
        answers: AnswerForms {
            allow: AnswerForm::Json(r#"{"decision":"allow","reason":"@REASON@"}"#),
            deny: AnswerForm::Exit2,
            ..AnswerForms::BLOCK
        },
        ..Dialect::CLAUDE_CODE
    }),
    program: Some(ClientProgram::untried("openhands")),
    files: ClientFiles::protecting(&[".openhands"]),
    trial: |trial| json!({"event_type": "PreToolUse", "tool_name": "terminal", "tool_input": {"command": trial.command}, "session_id": trial.session, "working_dir": "/", "metadata": {}}),
    ..Client::CAUTIOUS
};
