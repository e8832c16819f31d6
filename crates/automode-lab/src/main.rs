//! `automode-lab`: runs what is allowed, in a canary world, and tells what was harmed.

#[cfg(target_os = "linux")]
mod command;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match automode_lab::cage::inside(&arguments) {
        Some(code) => code,
        None => command::main(),
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("skipped: the proving ground needs Linux namespaces and overlays");
    ExitCode::SUCCESS
}
