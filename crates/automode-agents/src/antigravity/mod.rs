//! Antigravity. Known from its documentation; it could not be tried here.

use serde_json::json;

use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, Wire};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};

pub(crate) static CLIENT: Client = Client {
    name: "antigravity",
    title: "Antigravity editor",
    lets_through: &["faults, as far as its documentation does not say otherwise"],
    wire: Wire::Dialect(Dialect {
        event: &["/hookName"],
        events: &[("PreToolUse", "PreToolUse")],
        session: &["/conversationId"],
        cwd: &[
            "/toolCall/args/Cwd",
            "/toolCall/args/cwd",
            "/workspacePaths/0",
        ],
        tool: &["/toolCall/name"],
        input: &["/toolCall/args"],
        call_id: &["/stepIdx"],
        prompt: &[],
        tools: &[("run_command", "Bash")],
        answers: AnswerForms {
            allow: AnswerForm::Json(r#"{"decision":"allow","reason":"@REASON@"}"#),
            ask: Some(AnswerForm::Json(
                r#"{"decision":"ask","reason":"@REASON@"}"#,
            )),
            deny: AnswerForm::Json(r#"{"decision":"deny","reason":"@REASON@"}"#),
            ..AnswerForms::BLOCK
        },
        ..Dialect::CLAUDE_CODE
    }),
    presence: AssumedPresence::INTERACTIVE,
    program: Some(ClientProgram::untried("antigravity")),
    files: ClientFiles::protecting(&[".gemini/config"]),
    trial: |trial| json!({"toolCall": {"name": "run_command", "args": {"command": trial.command}}, "stepIdx": 3, "conversationId": trial.session, "workspacePaths": ["/"], "transcriptPath": "/t"}),
    ..Client::CAUTIOUS
};
