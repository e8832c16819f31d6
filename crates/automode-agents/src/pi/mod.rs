//! Pi.

mod hook;

use crate::client::{Client, ClientFiles, ClientProgram, ProcessMarks, Proof, Wire};
use crate::install::{DEADLINE, Installation, Place, Plugin, Request, Scope, TIMEOUT};
use crate::reply::Enforcement;

pub(crate) static CLIENT: Client = Client {
    name: "pi",
    title: "Pi coding agent",
    proof: Proof::Proven,
    wire: Wire::Own {
        parse: hook::parse,
        render: hook::render,
    },
    program: Some(ClientProgram::tried("pi", "1.5.0")),
    installation: Installation::Plugin(Plugin::new(
        path,
        extension,
        &[
            "`pi -ne` loads no extension: then nothing is decided",
            "Pi asks for nothing by itself: what automode does not stop, runs",
        ],
    )),
    marks: ProcessMarks {
        variables: &["PI_CODING_AGENT"],
        packages: &["pi-coding-agent"],
    },
    files: ClientFiles {
        protected: &[".pi"],
        ..ClientFiles::NONE
    },
    trial: |trial| Client::common_trial(trial, "bash"),
    ..Client::CAUTIOUS
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
