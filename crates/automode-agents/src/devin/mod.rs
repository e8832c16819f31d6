//! Devin CLI. Known from its documentation; it could not be tried here.

use automode_core::Presence;
use serde_json::json;

use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Proof};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};
use crate::install::Installation;

static DIALECT: Dialect = Dialect {
    event: &["/hook_event_name"],
    events: &[
        ("PreToolUse", "PreToolUse"),
        ("PostToolUse", "PostToolUse"),
        ("UserPromptSubmit", "UserPromptSubmit"),
    ],
    unnamed: "PreToolUse",
    session: &["/session_id"],
    cwd: &["/cwd"],
    tool: &["/tool_name"],
    input: &["/tool_input"],
    call_id: &["/tool_use_id"],
    prompt: &["/prompt"],
    tools: &[("exec", "Bash")],
    answers: AnswerForms {
        allow: AnswerForm::Json(r#"{}"#),
        ask: None,
        deny: AnswerForm::Json(r#"{"decision":"block","reason":"@REASON@"}"#),
    },
};

pub(crate) static CLIENT: Client = Client {
    name: "devin",
    title: "Devin CLI",
    proof: Proof::Documented,
    parse: |bytes| DIALECT.parse(bytes),
    render: |phase, answer, presence| DIALECT.render(phase, answer, presence),
    rewriting: crate::client::Rewriting::Ignored,
    presence: AssumedPresence {
        usual: Presence::Headless,
        headless_when: None,
    },
    program: Some(ClientProgram {
        executable: "devin",
        tested: "",
    }),
    installation: Installation::ByTheHarness,
    record: None,
    marks: ProcessMarks {
        variables: &[],
        packages: &[],
    },
    files: ClientFiles {
        protected: &[".config/devin"],
        ..ClientFiles::NONE
    },
    trial: |trial| json!({"hook_event_name": "PreToolUse", "cwd": "/", "tool_name": "exec", "tool_input": {"command": trial.command}, "session_id": trial.session}),
};
