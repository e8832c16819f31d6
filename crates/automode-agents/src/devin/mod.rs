//! Devin CLI. Known from its documentation; it could not be tried here.

use crate::client::{Client, ClientFiles, ClientProgram, Wire};
use crate::dialect::Dialect;

pub(crate) static CLIENT: Client = Client {
    name: "devin",
    title: "Devin CLI",
    lets_through: &["faults, as far as its documentation does not say otherwise"],
    wire: Wire::Dialect(Dialect {
        tools: &[("exec", "Bash")],
        ..Dialect::CLAUDE_CODE
    }),
    program: Some(ClientProgram::untried("devin")),
    files: ClientFiles::protecting(&[".config/devin"]),
    trial: |trial| Client::common_trial(trial, "exec"),
    ..Client::CAUTIOUS
};
