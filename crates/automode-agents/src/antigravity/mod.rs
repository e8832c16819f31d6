//! Antigravity. Known from its documentation; it could not be tried here.

use automode_core::Presence;
use serde_json::json;

use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Proof};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};
use crate::install::Installation;

static DIALECT: Dialect = Dialect {
    event: &["/hookName"],
    events: &[("PreToolUse", "PreToolUse")],
    unnamed: "PreToolUse",
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
    },
};

pub(crate) static CLIENT: Client = Client {
    name: "antigravity",
    title: "Antigravity editor",
    proof: Proof::Documented,
    parse: |bytes| DIALECT.parse(bytes),
    render: |phase, answer, presence| DIALECT.render(phase, answer, presence),
    rewriting: crate::client::Rewriting::Ignored,
    presence: AssumedPresence {
        usual: Presence::Interactive,
        headless_when: None,
    },
    program: Some(ClientProgram {
        executable: "antigravity",
        tested: "",
    }),
    installation: Installation::ByTheHarness,
    record: None,
    marks: ProcessMarks {
        variables: &[],
        packages: &[],
    },
    files: ClientFiles {
        protected: &[".gemini/config"],
        ..ClientFiles::NONE
    },
    trial: |trial| json!({"toolCall": {"name": "run_command", "args": {"command": trial.command}}, "stepIdx": 3, "conversationId": trial.session, "workspacePaths": ["/"], "transcriptPath": "/t"}),
};
