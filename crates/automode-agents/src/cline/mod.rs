//! Cline CLI.

mod hook;

use automode_core::Presence;
use serde_json::json;

use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Proof};
use crate::install::{Installation, Place, Plugin, Request, Scope};
use crate::reply::Enforcement;

pub(crate) static CLIENT: Client = Client {
    name: "cline",
    title: "Cline CLI",
    proof: Proof::Proven,
    parse: hook::parse,
    render: hook::render,
    rewriting: crate::client::Rewriting::Ignored,
    presence: AssumedPresence {
        usual: Presence::Headless,
        headless_when: None,
    },
    program: Some(ClientProgram {
        executable: "cline",
        tested: "3.0.65",
    }),
    installation: Installation::Plugin(Plugin {
        path,
        text: plugin,
        trial_event: "PreToolUse",
        shadow_mark: "\"--mode\", \"shadow\"",
        advice: &[
            "Cline gives a plugin three seconds: what a judge takes longer for is denied",
            "a repository's own `.cline/plugins` and hooks are loaded without a question: look at them before you work in it",
        ],
    }),
    record: None,
    marks: ProcessMarks {
        variables: &["CLINE_SESSION_BACKEND_MODE"],
        packages: &["cline"],
    },
    files: ClientFiles {
        protected: &[".cline", "Documents/Cline/Hooks"],
        ..ClientFiles::NONE
    },
    trial: |trial| {
        json!({
            "hook_event_name": trial.event, "session_id": trial.session, "cwd": "/",
            "tool_name": "run_commands", "tool_input": {"commands": [trial.command]},
        })
    },
};

fn path(place: &Place, scope: Scope) -> String {
    format!("{}/.cline/plugins/automode.js", place.base(scope))
}

fn plugin(request: &Request<'_>) -> String {
    let mode = match request.enforcement {
        Enforcement::Enforce => "enforce",
        Enforcement::Shadow => "shadow",
    };
    let program = serde_json::Value::from(request.program).to_string();
    include_str!("plugin.js")
        .replace("\"@PROGRAM@\"", &program)
        .replace("@MODE@", mode)
}
