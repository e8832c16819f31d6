//! Amp. Known from its documentation; it could not be tried here.

use automode_core::Presence;
use serde_json::json;

use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Proof};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};
use crate::install::Installation;

static DIALECT: Dialect = Dialect {
    event: &["/event"],
    events: &[("tool.call", "PreToolUse")],
    unnamed: "PreToolUse",
    session: &["/session_id"],
    cwd: &["/cwd"],
    tool: &["/tool"],
    input: &["/input"],
    call_id: &["/id"],
    prompt: &[],
    tools: &[],
    answers: AnswerForms {
        allow: AnswerForm::Json(r#"{"action":"allow"}"#),
        ask: None,
        deny: AnswerForm::Json(r#"{"action":"reject-and-continue","message":"@REASON@"}"#),
    },
};

pub(crate) static CLIENT: Client = Client {
    name: "amp",
    title: "Amp agent",
    proof: Proof::Documented,
    parse: |bytes| DIALECT.parse(bytes),
    render: |phase, answer, presence| DIALECT.render(phase, answer, presence),
    rewriting: crate::client::Rewriting::Ignored,
    presence: AssumedPresence {
        usual: Presence::Headless,
        headless_when: None,
    },
    program: Some(ClientProgram {
        executable: "amp",
        tested: "",
    }),
    installation: Installation::ByTheHarness,
    record: None,
    marks: ProcessMarks {
        variables: &["AMP_HOME"],
        packages: &[],
    },
    files: ClientFiles {
        protected: &[".config/amp"],
        ..ClientFiles::NONE
    },
    trial: |trial| json!({"event": "tool.call", "session_id": trial.session, "cwd": "/", "tool": "Bash", "input": {"command": trial.command}, "id": "t"}),
};
