//! The agents of VS Code with its local harness. Known from its documentation; it could not be tried here.

use automode_core::Presence;
use serde_json::json;

use crate::client::{AssumedPresence, Client, ClientFiles, ProcessMarks, Proof};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};
use crate::install::Installation;

static DIALECT: Dialect = Dialect {
    event: &["/hook_event_name", "/hookEventName"],
    events: &[
        ("PreToolUse", "PreToolUse"),
        ("PostToolUse", "PostToolUse"),
        ("UserPromptSubmit", "UserPromptSubmit"),
        ("SessionStart", "SessionStart"),
        ("Stop", "Stop"),
    ],
    unnamed: "PreToolUse",
    session: &["/session_id", "/sessionId"],
    cwd: &["/cwd"],
    tool: &["/tool_name"],
    input: &["/tool_input"],
    call_id: &["/tool_use_id"],
    prompt: &["/prompt"],
    tools: &[
        ("runInTerminal", "Bash"),
        ("run_in_terminal", "Bash"),
        ("readFile", "Read"),
        ("createFile", "Write"),
    ],
    answers: AnswerForms {
        allow: AnswerForm::Json(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"@REASON@"}}"#,
        ),
        ask: Some(AnswerForm::Json(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"@REASON@"}}"#,
        )),
        deny: AnswerForm::Json(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"@REASON@"}}"#,
        ),
    },
};

pub(crate) static CLIENT: Client = Client {
    name: "vscode",
    title: "VS Code agents",
    proof: Proof::Documented,
    parse: |bytes| DIALECT.parse(bytes),
    render: |phase, answer, presence| DIALECT.render(phase, answer, presence),
    rewriting: crate::client::Rewriting::Ignored,
    presence: AssumedPresence {
        usual: Presence::Interactive,
        headless_when: None,
    },
    program: None,
    installation: Installation::ByTheHarness,
    record: None,
    marks: ProcessMarks {
        variables: &[],
        packages: &[],
    },
    files: ClientFiles {
        protected: &[],
        ..ClientFiles::NONE
    },
    trial: |trial| json!({"session_id": trial.session, "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "run_in_terminal", "tool_input": {"command": trial.command}, "tool_use_id": "t"}),
};
