//! Kiro CLI. Known from its documentation; it could not be tried here.

use automode_core::Presence;
use serde_json::json;

use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Proof};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};
use crate::install::Installation;

static DIALECT: Dialect = Dialect {
    event: &["/hook_event_name"],
    events: &[
        ("PreToolUse", "PreToolUse"),
        ("preToolUse", "PreToolUse"),
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
    tools: &[
        ("execute_bash", "Bash"),
        ("shell", "Bash"),
        ("fs_read", "Read"),
        ("fs_write", "Write"),
        ("str_replace", "Edit"),
    ],
    answers: AnswerForms {
        allow: AnswerForm::Json(r#"{}"#),
        ask: None,
        deny: AnswerForm::Exit2,
    },
};

pub(crate) static CLIENT: Client = Client {
    name: "kiro",
    title: "Kiro CLI",
    proof: Proof::Documented,
    parse: |bytes| DIALECT.parse(bytes),
    render: |phase, answer, presence| DIALECT.render(phase, answer, presence),
    rewriting: crate::client::Rewriting::Ignored,
    presence: AssumedPresence {
        usual: Presence::Headless,
        headless_when: None,
    },
    program: Some(ClientProgram {
        executable: "kiro-cli",
        tested: "",
    }),
    installation: Installation::ByTheHarness,
    record: None,
    marks: ProcessMarks {
        variables: &["KIRO"],
        packages: &[],
    },
    files: ClientFiles {
        protected: &[".kiro"],
        ..ClientFiles::NONE
    },
    trial: |trial| json!({"hook_event_name": "PreToolUse", "cwd": "/", "tool_name": "execute_bash", "tool_input": {"command": trial.command}, "session_id": trial.session}),
};
