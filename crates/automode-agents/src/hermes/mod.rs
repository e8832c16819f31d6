//! Hermes. Known from its documentation; it could not be tried here.

use automode_core::Presence;
use serde_json::json;

use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Proof};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};
use crate::install::Installation;

static DIALECT: Dialect = Dialect {
    event: &["/hook_event_name"],
    events: &[
        ("pre_tool_call", "PreToolUse"),
        ("post_tool_call", "PostToolUse"),
    ],
    unnamed: "PreToolUse",
    session: &["/session_id"],
    cwd: &["/cwd"],
    tool: &["/tool_name"],
    input: &["/tool_input"],
    call_id: &["/tool_call_id"],
    prompt: &[],
    tools: &[("terminal", "Bash")],
    answers: AnswerForms {
        allow: AnswerForm::Json(r#"{}"#),
        ask: None,
        deny: AnswerForm::Json(r#"{"decision":"block","reason":"@REASON@"}"#),
    },
};

pub(crate) static CLIENT: Client = Client {
    name: "hermes",
    title: "Hermes agent",
    proof: Proof::Documented,
    parse: |bytes| DIALECT.parse(bytes),
    render: |phase, answer, presence| DIALECT.render(phase, answer, presence),
    rewriting: crate::client::Rewriting::Ignored,
    presence: AssumedPresence {
        usual: Presence::Headless,
        headless_when: None,
    },
    program: Some(ClientProgram {
        executable: "hermes",
        tested: "",
    }),
    installation: Installation::ByTheHarness,
    record: None,
    marks: ProcessMarks {
        variables: &["HERMES_HOME"],
        packages: &[],
    },
    files: ClientFiles {
        protected: &[".hermes"],
        ..ClientFiles::NONE
    },
    trial: |trial| json!({"hook_event_name": "pre_tool_call", "tool_name": "terminal", "tool_input": {"command": trial.command}, "cwd": "/", "session_id": trial.session}),
};
