//! Crush. Known from its documentation; it could not be tried here.

use automode_core::Presence;
use serde_json::json;

use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Proof};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};
use crate::install::{HookEvent, HookFile, Installation, Place, Scope, TimeoutUnit};

static DIALECT: Dialect = Dialect {
    event: &["/event"],
    events: &[("PreToolUse", "PreToolUse")],
    unnamed: "PreToolUse",
    session: &["/session_id"],
    cwd: &["/cwd"],
    tool: &["/tool_name"],
    input: &["/tool_input"],
    call_id: &["/tool_call_id"],
    prompt: &[],
    tools: &[],
    answers: AnswerForms {
        allow: AnswerForm::Json(r#"{"version":1,"decision":"allow","reason":"@REASON@"}"#),
        ask: None,
        deny: AnswerForm::Json(r#"{"version":1,"decision":"deny","reason":"@REASON@"}"#),
    },
};

pub(crate) static CLIENT: Client = Client {
    name: "crush",
    title: "Crush agent",
    proof: Proof::Documented,
    parse: |bytes| DIALECT.parse(bytes),
    render: |phase, answer, presence| DIALECT.render(phase, answer, presence),
    rewriting: crate::client::Rewriting::Ignored,
    presence: AssumedPresence {
        usual: Presence::Headless,
        headless_when: None,
    },
    program: Some(ClientProgram {
        executable: "crush",
        tested: "",
    }),
    installation: Installation::Hooks(HookFile {
        path,
        events: &[HookEvent::GateTool("PreToolUse")],
        entry: |hook| json!({"name": "automode", "matcher": ".*", "command": hook.command, "timeout": hook.timeout}),
        version: None,
        timeout_unit: TimeoutUnit::Seconds,
        off_switch: None,
        trust: None,
        advice: &["this client could not be tried here: the hook follows its documentation"],
    }),
    record: None,
    marks: ProcessMarks {
        variables: &["CRUSH"],
        packages: &[],
    },
    files: ClientFiles {
        protected: &[".config/crush"],
        ..ClientFiles::NONE
    },
    trial: |trial| json!({"event": "PreToolUse", "session_id": trial.session, "cwd": "/", "tool_name": "bash", "tool_input": {"command": trial.command}}),
};

fn path(place: &Place, scope: Scope) -> String {
    match scope {
        Scope::User => format!("{}/.config/crush/crush.json", place.home),
        Scope::Project => format!("{}/.crush.json", place.project),
    }
}
