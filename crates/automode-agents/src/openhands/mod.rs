//! OpenHands. Known from its documentation; it could not be tried here.

use automode_core::Presence;
use serde_json::json;

use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Proof};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};
use crate::install::Installation;

static DIALECT: Dialect = Dialect {
    event: &["/event_type"],
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
    call_id: &["/metadata/tool_call_id"],
    prompt: &["/message"],
    tools: &[("terminal", "Bash"), ("execute_bash", "Bash")],
    answers: AnswerForms {
        allow: AnswerForm::Json(r#"{"decision":"allow"}"#),
        ask: None,
        deny: AnswerForm::Exit2,
    },
};

pub(crate) static CLIENT: Client = Client {
    name: "openhands",
    title: "OpenHands agent",
    proof: Proof::Documented,
    parse: |bytes| DIALECT.parse(bytes),
    render: |phase, answer, presence| DIALECT.render(phase, answer, presence),
    rewriting: crate::client::Rewriting::Ignored,
    presence: AssumedPresence {
        usual: Presence::Headless,
        headless_when: None,
    },
    program: Some(ClientProgram {
        executable: "openhands",
        tested: "",
    }),
    installation: Installation::ByTheHarness,
    record: None,
    marks: ProcessMarks {
        variables: &[],
        packages: &[],
    },
    files: ClientFiles {
        protected: &[".openhands"],
        ..ClientFiles::NONE
    },
    trial: |trial| json!({"event_type": "PreToolUse", "tool_name": "terminal", "tool_input": {"command": trial.command}, "session_id": trial.session, "working_dir": "/", "metadata": {}}),
};
