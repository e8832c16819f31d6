//! Amp. Known from its documentation; it could not be tried here.

use serde_json::json;

use crate::client::{Client, ClientFiles, ClientProgram, ProcessMarks, Wire};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};

pub(crate) static CLIENT: Client = Client {
    name: "amp",
    title: "Amp agent",
    lets_through: &["a plugin file that does not load"],
    wire: Wire::Dialect(Dialect {
        event: &["/event"],
        events: &[("tool.call", "PreToolUse")],
        tool: &["/tool"],
        input: &["/input"],
        call_id: &["/id"],
        prompt: &[],
        answers: AnswerForms {
            allow: AnswerForm::Json(r#"{"action":"allow"}"#),
            ask: None,
            deny: AnswerForm::Json(r#"{"action":"reject-and-continue","message":"@REASON@"}"#),
            ..AnswerForms::BLOCK
        },
        ..Dialect::CLAUDE_CODE
    }),
    program: Some(ClientProgram::untried("amp")),
    marks: ProcessMarks::variables(&["AMP_HOME"]),
    files: ClientFiles::protecting(&[".config/amp"]),
    trial: |trial| json!({"event": "tool.call", "session_id": trial.session, "cwd": "/", "tool": "Bash", "input": {"command": trial.command}, "id": "t"}),
    ..Client::CAUTIOUS
};
