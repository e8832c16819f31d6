//! From arguments to cages.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use anyhow::{Context as _, Result};
use automode_lab::cage::{CageError, CageLimits, RoomSetup};
use automode_lab::crowd::Crowd;

/// What all commands that run cases share.
#[derive(clap::Args)]
pub struct CageArgs {
    /// The seed of the world and of all chance
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
    /// Cages at work at the same time [default: three for each core]
    #[arg(long, value_name = "NUMBER")]
    pub cages: Option<usize>,
    /// Wall clock for one step of a case
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 2000)]
    pub time_limit: u64,
    /// The automode binary for whole sessions [default: the one beside this program]
    #[arg(long, value_name = "FILE")]
    pub automode: Option<PathBuf>,
}

impl CageArgs {
    /// Starts the cages; `None`: there can be none here, and a line said why.
    pub fn gather(&self) -> Result<Option<Crowd>> {
        let setup = RoomSetup {
            seed: self.seed,
            limits: CageLimits {
                step_millis: self.time_limit,
                ..CageLimits::default()
            },
            automode: self.binary()?,
            toolchain: toolchain(),
        };
        let cores = thread::available_parallelism().map_or(2, usize::from);
        let count = self.cages.unwrap_or_else(|| cores.saturating_mul(3));
        match Crowd::gather("/proc/self/exe", count, &setup) {
            Ok(crowd) => Ok(Some(crowd)),
            Err(CageError::Unavailable(why)) => {
                println!("skipped: no cage can be made here: {why}");
                println!("hint: run as root, or where user namespaces may mount overlays");
                Ok(None)
            }
            Err(error @ CageError::Gone(_)) => Err(error.into()),
        }
    }

    /// Whether sessions through the hook are possible.
    pub fn has_binary(&self) -> bool {
        self.binary().is_ok_and(|found| found.is_some())
    }

    fn binary(&self) -> Result<Option<String>> {
        if let Some(named) = &self.automode {
            let shown = named.display();
            let found = fs::canonicalize(named).with_context(|| {
                format!(
                    "`{shown}` could not be found\nhint: `cargo build -p automode-cli` makes one"
                )
            })?;
            return Ok(Some(found.display().to_string()));
        }
        let beside = env::current_exe()?.with_file_name("automode");
        Ok(beside.is_file().then(|| beside.display().to_string()))
    }
}

/// The Rust toolchain in use, if there is one.
fn toolchain() -> Option<String> {
    let told = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .ok()?;
    let path = String::from_utf8(told.stdout).ok()?.trim().to_owned();
    (told.status.success() && !path.is_empty()).then_some(path)
}
