//! `automode serve`, `dashboard`, `fleet`, `approve`: the program beside this one.
//!
//! The server is a program of its own, so that the hook's program stays small. It lies
//! beside this one; under `cargo run` it is built first.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

const PROGRAM: &str = "automode-server";

/// What is passed on as it stands.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    words: Vec<OsString>,
}

/// Becomes the program, with these words.
pub fn run(command: &str, args: Args) -> Result<u8> {
    let own = env::current_exe().context("this program's own place is not known")?;
    build(&own)?;
    let Some(program) = beside(&own) else {
        bail!(
            "`{PROGRAM}` is not installed beside `automode`\nhint: cargo install --path crates/{PROGRAM}"
        );
    };
    let error = Command::new(&program).arg(command).args(args.words).exec();
    Err(error).with_context(|| format!("`{}` could not be started", program.display()))
}

fn beside(own: &Path) -> Option<PathBuf> {
    let resolved = own.canonicalize().ok();
    [Some(own), resolved.as_deref()]
        .into_iter()
        .flatten()
        .map(|own| own.with_file_name(PROGRAM))
        .find(|program| program.is_file())
}

/// Under `cargo run`, cargo names itself and the package: what is missing or older than its
/// source is built.
fn build(own: &Path) -> Result<()> {
    let (Some(cargo), Some(package)) = (env::var_os("CARGO"), env::var_os("CARGO_MANIFEST_DIR"))
    else {
        return Ok(());
    };
    let mut command = Command::new(cargo);
    command
        .args(["build", "-p", PROGRAM, "--manifest-path"])
        .arg(Path::new(&package).join("../automode-server/Cargo.toml"));
    if own.components().any(|part| part.as_os_str() == "release") {
        command.arg("--release");
    }
    if beside(own).is_some() {
        command.arg("--quiet");
    } else {
        eprintln!("building {PROGRAM}, once");
    }
    if !command
        .status()
        .context("cargo could not be started")?
        .success()
    {
        bail!("{PROGRAM} could not be built");
    }
    Ok(())
}
