//! What every door needs from this process: settings, a judge, a state.

use std::path::PathBuf;

use automode_doors::{DoorSession, GateDecider};

use crate::{judge, setup};

/// The arguments that all doors have.
#[derive(clap::Args)]
pub struct DoorArgs {
    /// A configuration file, beside those that are found
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Decides with the settings of the session's directory and the judge that they name.
pub fn decider(args: &DoorArgs) -> GateDecider {
    let config = args.config.clone();
    let make = move |root: &str, session: &DoorSession| {
        let gate = setup::judgeless_gate(root, config.clone());
        judge::with_configured_judge(gate, &session.id, || None)
    };
    GateDecider::new(
        Box::new(make),
        judge::state(),
        setup::home(),
        setup::variables(),
    )
}
