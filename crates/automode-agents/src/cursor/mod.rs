//! Cursor, the editor and its command line. Known from its documentation; it could not be tried here.

use automode_core::Presence;
use serde_json::json;

use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Proof};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};
use crate::install::{HookEvent, HookFile, Installation, Place, Scope, TimeoutUnit};

static DIALECT: Dialect = Dialect {
    event: &["/hook_event_name"],
    events: &[
        ("preToolUse", "PreToolUse"),
        ("beforeShellExecution", "PreToolUse"),
        ("beforeMCPExecution", "PreToolUse"),
        ("beforeReadFile", "PreToolUse"),
        ("beforeSubmitPrompt", "UserPromptSubmit"),
        ("sessionStart", "SessionStart"),
        ("sessionEnd", "SessionEnd"),
    ],
    unnamed: "PreToolUse",
    session: &["/conversation_id"],
    cwd: &[
        "/tool_input/working_directory",
        "/cwd",
        "/workspace_roots/0",
    ],
    tool: &["/tool_name"],
    input: &["/tool_input"],
    call_id: &["/generation_id"],
    prompt: &["/prompt"],
    tools: &[("Shell", "Bash")],
    answers: AnswerForms {
        allow: AnswerForm::Json(r#"{"permission":"allow"}"#),
        ask: Some(AnswerForm::Json(
            r#"{"permission":"ask","user_message":"@REASON@","agent_message":"@REASON@"}"#,
        )),
        deny: AnswerForm::Json(
            r#"{"permission":"deny","user_message":"@REASON@","agent_message":"@REASON@"}"#,
        ),
    },
};

pub(crate) static CLIENT: Client = Client {
    name: "cursor",
    title: "Cursor editor",
    proof: Proof::Documented,
    parse: |bytes| DIALECT.parse(bytes),
    render: |phase, answer, presence| DIALECT.render(phase, answer, presence),
    rewriting: crate::client::Rewriting::Ignored,
    presence: AssumedPresence {
        usual: Presence::Interactive,
        headless_when: None,
    },
    program: Some(ClientProgram {
        executable: "cursor-agent",
        tested: "",
    }),
    installation: Installation::Hooks(HookFile {
        path,
        events: &[
            HookEvent::GateTool("preToolUse"),
            HookEvent::Record("beforeSubmitPrompt"),
        ],
        entry: |hook| json!({"command": hook.command, "timeout": hook.timeout, "failClosed": true}),
        version: Some(1),
        timeout_unit: TimeoutUnit::Seconds,
        off_switch: None,
        trust: None,
        advice: &["this client could not be tried here: the hook follows its documentation"],
    }),
    record: None,
    marks: ProcessMarks {
        variables: &["CURSOR_AGENT"],
        packages: &[],
    },
    files: ClientFiles {
        protected: &[".cursor"],
        ..ClientFiles::NONE
    },
    trial: |trial| json!({"conversation_id": trial.session, "generation_id": "g", "model": "m", "hook_event_name": "preToolUse", "cursor_version": "1", "workspace_roots": ["/"], "tool_name": "Shell", "tool_input": {"command": trial.command, "working_directory": "/"}, "cwd": "/"}),
};

fn path(place: &Place, scope: Scope) -> String {
    match scope {
        Scope::User => format!("{}/.cursor/hooks.json", place.home),
        Scope::Project => format!("{}/.cursor/hooks.json", place.project),
    }
}
