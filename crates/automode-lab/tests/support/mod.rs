//! Cages for tests, and a clear line where none can be had.

use automode_lab::cage::{CageLimits, CageStep, CageTrial, Finished, RoomSetup, WorkerOrder};
use automode_lab::crowd::Crowd;

/// Some cages, or `None` with the reason printed.
pub fn crowd(count: usize) -> Option<Crowd> {
    let setup = RoomSetup {
        seed: 11,
        limits: CageLimits {
            step_millis: 20_000,
            cpu_seconds: 20,
            ..CageLimits::default()
        },
        automode: None,
        toolchain: None,
    };
    match Crowd::gather(env!("CARGO_BIN_EXE_automode-lab"), count, &setup) {
        Ok(crowd) => Some(crowd),
        Err(error) => {
            println!(
                "skipped: {error} (hint: run as root, or where user namespaces may mount overlays)"
            );
            None
        }
    }
}

/// Runs commands whatever automode would say.
pub fn undecided(crowd: &Crowd, commands: &[&str]) -> Vec<Finished> {
    let trials: Vec<CageTrial> = commands
        .iter()
        .zip(0..)
        .map(|(command, id)| CageTrial {
            id,
            source: "test".to_owned(),
            steps: vec![CageStep::Shell((*command).to_owned())],
            order: WorkerOrder::Undecided,
            traced: false,
            keep_output: 400,
        })
        .collect();
    crowd.run(&trials, &mut |_| {})
}
