//! Cline CLI.

mod hook;

use serde_json::json;

use crate::client::{Client, ClientFiles, ClientProgram, ProcessMarks, Proof, Wire};
use crate::install::{Installation, Place, Plugin, Scope, plugin_text};

pub(crate) static CLIENT: Client = Client {
    name: "cline",
    title: "Cline CLI",
    proof: Proof::Proven,
    wire: Wire::Own {
        parse: hook::parse,
        render: hook::render,
    },
    lets_through: &[
        "a plugin file that does not load, or takes longer than four seconds to on a busy machine: set CLINE_PLUGIN_IMPORT_TIMEOUT_MS=60000 where Cline is started",
        "every fault of a hook file, where one stands in place of the plugin",
    ],
    program: Some(ClientProgram::tried("cline", "3.0.65")),
    installation: Installation::Plugin(Plugin::new(
        path,
        |request| plugin_text(include_str!("plugin.js"), request),
        &[
            "Cline gives a plugin three seconds: what a judge takes longer for is denied",
            "set CLINE_PLUGIN_IMPORT_TIMEOUT_MS=60000 where Cline is started: after four seconds of loading it goes on without a plugin, and commands run",
            "a repository's own `.cline/plugins` and hooks are loaded without a question: look at them before you work in it",
        ],
    )),
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
    ..Client::CAUTIOUS
};

fn path(place: &Place, scope: Scope) -> String {
    format!("{}/.cline/plugins/automode.js", place.base(scope))
}
