//! goose. Known from its documentation; it could not be tried here.

use automode_core::Presence;
use serde_json::json;

use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Proof};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};
use crate::install::Installation;

static DIALECT: Dialect = Dialect {
    event: &["/event"],
    events: &[
        ("PreToolUse", "PreToolUse"),
        ("PostToolUse", "PostToolUse"),
        ("UserPromptSubmit", "UserPromptSubmit"),
        ("SessionStart", "SessionStart"),
        ("SessionEnd", "SessionEnd"),
    ],
    unnamed: "PreToolUse",
    session: &["/session_id"],
    cwd: &["/working_dir"],
    tool: &["/tool_name"],
    input: &["/tool_input"],
    call_id: &["/tool_call_id"],
    prompt: &["/prompt"],
    tools: &[("developer__shell", "Bash")],
    answers: AnswerForms {
        allow: AnswerForm::Json(r#"{"decision":"allow"}"#),
        ask: None,
        deny: AnswerForm::Json(r#"{"decision":"block","reason":"@REASON@"}"#),
    },
};

pub(crate) static CLIENT: Client = Client {
    name: "goose",
    title: "goose agent",
    proof: Proof::Documented,
    parse: |bytes| DIALECT.parse(bytes),
    render: |phase, answer, presence| DIALECT.render(phase, answer, presence),
    rewriting: crate::client::Rewriting::Ignored,
    presence: AssumedPresence {
        usual: Presence::Headless,
        headless_when: None,
    },
    program: Some(ClientProgram {
        executable: "goose",
        tested: "",
    }),
    installation: Installation::ByTheHarness,
    record: None,
    marks: ProcessMarks {
        variables: &["GOOSE_TERMINAL"],
        packages: &[],
    },
    files: ClientFiles {
        protected: &[".agents/plugins", ".config/goose"],
        ..ClientFiles::NONE
    },
    trial: |trial| json!({"event": "PreToolUse", "session_id": trial.session, "matcher_context": "developer__shell", "tool_name": "developer__shell", "tool_input": {"command": trial.command, "timeout_secs": 5}, "working_dir": "/", "tool_call_id": "t"}),
};
