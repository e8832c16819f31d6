//! goose. Known from its documentation; it could not be tried here.

use serde_json::{Value, json};

use crate::client::{Client, ClientFiles, ClientProgram, ProcessMarks, Wire};
use crate::dialect::{AnswerForm, AnswerForms, Dialect};
use crate::install::{Hook, HookEvent, HookFile, HookManifest, Installation, Place, Scope};

pub(crate) static CLIENT: Client = Client {
    name: "goose",
    title: "goose agent",
    lets_through: &["any fault, where `on_failure` is not `block`, as the installation has it"],
    wire: Wire::Dialect(Dialect {
        event: &["/event"],
        cwd: &["/working_dir"],
        call_id: &["/tool_call_id"],
        prompt: &["/message"],
        tools: &[
            ("developer__shell", "Bash"),
            ("developer__write", "Write"),
            ("developer__tree", "LS"),
        ],
        answers: AnswerForms {
            allow: AnswerForm::Json(r#"{"decision":"allow"}"#),
            ..AnswerForms::BLOCK
        },
        ..Dialect::CLAUDE_CODE
    }),
    program: Some(ClientProgram::untried("goose")),
    installation: Installation::Hooks(HookFile {
        manifest: Some(HookManifest {
            name: "plugin.json",
            text: "{\n  \"name\": \"automode\",\n  \"version\": \"1.0.0\",\n  \"description\": \"Asks automode before every tool call\"\n}\n",
        }),
        ..HookFile::documented(
            path,
            &[
                HookEvent::GateTool("PreToolUse"),
                HookEvent::Record("UserPromptSubmit"),
            ],
            entry,
        )
    }),
    marks: ProcessMarks::variables(&["GOOSE_TERMINAL"]),
    files: ClientFiles::protecting(&[".agents/plugins", ".config/goose"]),
    trial: |trial| json!({"event": "PreToolUse", "session_id": trial.session, "matcher_context": "developer__shell", "tool_name": "developer__shell", "tool_input": {"command": trial.command, "timeout_secs": 5}, "working_dir": "/", "tool_call_id": "t"}),
    ..Client::CAUTIOUS
};

/// Without a matcher, which is a rule for every call; a hook that says nothing blocks.
fn entry(hook: &Hook) -> Value {
    let mut handler = json!({"type": "command", "command": hook.command, "timeout": hook.timeout});
    if let (true, Value::Object(handler)) = (hook.matches_tools, &mut handler) {
        handler.insert("on_failure".to_owned(), "block".into());
    }
    json!({"hooks": [handler]})
}

fn path(place: &Place, scope: Scope) -> String {
    let folder = match scope {
        Scope::User => &place.home,
        Scope::Project => &place.project,
    };
    format!("{folder}/.agents/plugins/automode/hooks/hooks.json")
}
