//! `automode serve`, `dashboard`, `fleet`, `approve`: the program beside this one.
//!
//! The server is a program of its own, so that the hook's program stays small. It lies
//! beside this one and has the same version. In cargo's own folder, where the version says
//! nothing, it must not be older than its source: under `cargo run` it is built first.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
            "`{PROGRAM}` is not installed beside `automode`\nhint: cargo install --locked --path crates/{PROGRAM}, in the sources of this version; packages carry both"
        );
    };
    of_this_version(&program)?;
    as_new_as_its_source(&program)?;
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

/// Both read and write the same state: one of another version is not started.
fn of_this_version(program: &Path) -> Result<()> {
    let told = Command::new(program)
        .arg("--version")
        .stderr(Stdio::null())
        .output()
        .with_context(|| format!("`{}` could not be started", program.display()))?;
    let told = String::from_utf8_lossy(&told.stdout);
    let own = env!("CARGO_PKG_VERSION");
    if told.trim() != format!("{PROGRAM} {own}") {
        bail!(
            "`{}` is not of this version, {own}: it says `{}`\nhint: cargo install --path crates/{PROGRAM}",
            program.display(),
            told.trim()
        );
    }
    Ok(())
}

/// Cargo notes beside a program which files it was made from. Without the note it was
/// installed, and is as old as it says.
fn as_new_as_its_source(program: &Path) -> Result<()> {
    let Ok(note) = fs::read_to_string(program.with_extension("d")) else {
        return Ok(());
    };
    let changed = |path: &Path| path.metadata().and_then(|found| found.modified());
    let built = changed(program)?;
    let newer = sources(&note)
        .into_iter()
        .find(|source| changed(source).map_or(true, |changed| changed > built));
    match newer {
        None => Ok(()),
        Some(source) => bail!(
            "`{}` is older than its source, `{}`\nhint: cargo build -p {PROGRAM}, with `--release` where this program was built so",
            program.display(),
            source.display()
        ),
    }
}

/// The files behind the colon of a note; a blank in a name has a backslash before it.
fn sources(note: &str) -> Vec<PathBuf> {
    let line = note.lines().next().unwrap_or_default();
    let Some((_, listed)) = line.split_once(": ") else {
        return Vec::new();
    };
    listed
        .replace("\\ ", "\0")
        .split(' ')
        .filter(|name| !name.is_empty())
        .map(|name| PathBuf::from(name.replace('\0', " ")))
        .collect()
}

/// Under `cargo run`, cargo names itself and the package: the server is brought up to date,
/// beside this program and built like it.
fn build(own: &Path) -> Result<()> {
    let (Some(cargo), Some(package)) = (env::var_os("CARGO"), env::var_os("CARGO_MANIFEST_DIR"))
    else {
        return Ok(());
    };
    let Some((folder, target)) = own
        .parent()
        .and_then(|folder| Some((folder, folder.parent()?)))
    else {
        return Ok(());
    };
    let profile = match folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let mut command = Command::new(cargo);
    command
        .args(["build", "--profile", profile, "--manifest-path"])
        .arg(Path::new(&package).join("../automode-server/Cargo.toml"))
        .arg("--target-dir")
        .arg(target);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::{Duration, SystemTime};

    fn program(folder: &Path, says: &str) -> PathBuf {
        let program = folder.join(PROGRAM);
        fs::write(&program, format!("#!/bin/sh\necho '{says}'\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program
    }

    #[test]
    fn a_server_of_another_version_is_not_started() {
        let folder = tempfile::tempdir().unwrap();
        let own = format!("{PROGRAM} {}", env!("CARGO_PKG_VERSION"));
        assert!(of_this_version(&program(folder.path(), &own)).is_ok());
        for other in ["automode-server 0.0.1", "automode-server", ""] {
            let refused = of_this_version(&program(folder.path(), other)).unwrap_err();
            assert!(refused.to_string().contains("hint: "), "{refused}");
        }
    }

    #[test]
    fn a_server_that_is_older_than_its_source_is_not_started() {
        let folder = tempfile::tempdir().unwrap();
        let server = program(folder.path(), "x");
        assert!(as_new_as_its_source(&server).is_ok(), "it was installed");
        let source = folder.path().join("a source.rs");
        fs::write(&source, "").unwrap();
        let named = source.display().to_string().replace(' ', "\\ ");
        let note = format!("{}: {named}\n", server.display());
        fs::write(server.with_extension("d"), note).unwrap();
        let set = |path: &Path, seconds: u64| {
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_modified(time).unwrap();
        };
        set(&source, 1_000);
        set(&server, 2_000);
        assert!(as_new_as_its_source(&server).is_ok());
        set(&source, 3_000);
        let refused = as_new_as_its_source(&server).unwrap_err();
        assert!(refused.to_string().contains("older than its source"));
        fs::remove_file(&source).unwrap();
        assert!(as_new_as_its_source(&server).is_err(), "it is gone");
    }
}
