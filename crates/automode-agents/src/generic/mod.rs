//! Any other harness.

mod hook;

use automode_core::Presence;
use serde_json::json;

use crate::client::{AssumedPresence, Client, ClientFiles, ProcessMarks, Proof};
use crate::install::Installation;

pub(crate) static CLIENT: Client = Client {
    name: "generic",
    title: "any other harness",
    proof: Proof::Proven,
    parse: hook::parse,
    render: hook::render,
    rewriting: crate::client::Rewriting::Honoured,
    presence: AssumedPresence {
        usual: Presence::Headless,
        headless_when: None,
    },
    program: None,
    installation: Installation::ByTheHarness,
    record: None,
    marks: ProcessMarks {
        variables: &[],
        packages: &[],
    },
    files: ClientFiles::NONE,
    trial: |trial| {
        json!({
            "event": trial.event, "session": trial.session, "cwd": "/",
            "tool": "Bash", "input": {"command": trial.command},
        })
    },
};
