//! Pi.

mod hook;

use automode_core::Presence;

use crate::client::{AssumedPresence, Client, ClientFiles, ClientProgram, ProcessMarks, Proof};
use crate::install::{DEADLINE, Installation, Place, Plugin, Request, Scope, TIMEOUT};
use crate::reply::Enforcement;

pub(crate) static CLIENT: Client = Client {
    name: "pi",
    title: "Pi coding agent",
    proof: Proof::Proven,
    parse: hook::parse,
    render: hook::render,
    rewriting: crate::client::Rewriting::Ignored,
    presence: AssumedPresence {
        usual: Presence::Headless,
        headless_when: None,
    },
    program: Some(ClientProgram {
        executable: "pi",
        tested: "1.5.0",
    }),
    installation: Installation::Plugin(Plugin {
        path,
        text: extension,
        trial_event: "PreToolUse",
        shadow_mark: "\"--mode\", \"shadow\"",
        advice: &[
            "`pi -ne` loads no extension: then nothing is decided",
            "Pi asks for nothing by itself: what automode does not stop, runs",
        ],
    }),
    record: None,
    marks: ProcessMarks {
        variables: &["PI_CODING_AGENT"],
        packages: &["pi-coding-agent"],
    },
    files: ClientFiles {
        protected: &[".pi"],
        ..ClientFiles::NONE
    },
    trial: |trial| Client::common_trial(trial, "bash"),
};

fn path(place: &Place, scope: Scope) -> String {
    match scope {
        Scope::User => format!("{}/.pi/agent/extensions/automode.ts", place.home),
        Scope::Project => format!("{}/.pi/extensions/automode.ts", place.project),
    }
}

fn extension(request: &Request<'_>) -> String {
    let mode = match request.enforcement {
        Enforcement::Enforce => "enforce",
        Enforcement::Shadow => "shadow",
    };
    let program = serde_json::Value::from(request.program).to_string();
    include_str!("extension.ts")
        .replace("\"@PROGRAM@\"", &program)
        .replace("@DEADLINE@", &DEADLINE.to_string())
        .replace("@TIMEOUT@", &TIMEOUT.to_string())
        .replace("@MODE@", mode)
}
