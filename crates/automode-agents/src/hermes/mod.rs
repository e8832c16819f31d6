//! Hermes. Known from its documentation; it could not be tried here.

use serde_json::json;

use crate::client::{Client, ClientFiles, ClientProgram, ProcessMarks, Wire};
use crate::dialect::Dialect;

pub(crate) static CLIENT: Client = Client {
    name: "hermes",
    title: "Hermes agent",
    lets_through: &[
        "every error of a hook",
        "everything with `--safe-mode`, which skips hooks",
    ],
    wire: Wire::Dialect(Dialect {
        events: &[
            ("pre_tool_call", "PreToolUse"),
            ("post_tool_call", "PostToolUse"),
        ],
        call_id: &["/tool_call_id"],
        prompt: &[],
        tools: &[("terminal", "Bash")],
        ..Dialect::CLAUDE_CODE
    }),
    program: Some(ClientProgram::untried("hermes")),
    marks: ProcessMarks::variables(&["HERMES_HOME"]),
    files: ClientFiles::protecting(&[".hermes"]),
    trial: |trial| json!({"hook_event_name": "pre_tool_call", "tool_name": "terminal", "tool_input": {"command": trial.command}, "cwd": "/", "session_id": trial.session}),
    ..Client::CAUTIOUS
};
