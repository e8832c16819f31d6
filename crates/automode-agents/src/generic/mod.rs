//! Any other harness.

mod hook;

use serde_json::json;

use crate::client::{Client, Proof, Wire};

pub(crate) static CLIENT: Client = Client {
    name: "generic",
    title: "any other harness",
    proof: Proof::Proven,
    wire: Wire::Own {
        parse: hook::parse,
        render: hook::render,
    },
    rewriting: crate::client::Rewriting::Honoured,
    lets_through: &["whatever the harness does not take for a denial"],
    trial: |trial| {
        json!({
            "event": trial.event, "session": trial.session, "cwd": "/",
            "tool": "Bash", "input": {"command": trial.command},
        })
    },
    ..Client::CAUTIOUS
};
