//! Wherever bash runs a command, the parser shows it or refuses the text.
//!
//! Each position below is given to a real bash in an empty directory where
//! `MARKER` is a program that leaves a file. Where the file appears, `MARKER`
//! must be a command of the tree; where bash did not run it, the case is wrong.
#![expect(clippy::expect_used, reason = "a test may panic")]

#[path = "../support/bounded.rs"]
mod bounded;
mod positions;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use automode_shell::{Context, Facts, analyse, guard, syntax};

use bounded::run_at_most;
use positions::{DOES_NOT_RUN, RUNS, RUNS_WHEN_FOLLOWED};

/// The commands that the parser sees, or why it refuses.
fn commands(text: &str) -> Result<Vec<String>, String> {
    let admitted = guard::admit(text).map_err(|refusal| refusal.to_string())?;
    let script = syntax::parse(admitted, syntax::TextOrigin::Typed)
        .map_err(|error| error.message.to_owned())?;
    let mut names = Vec::new();
    script.visit(&mut |command| {
        if let syntax::CommandKind::Simple(simple) = &command.kind {
            names.extend(
                simple
                    .words
                    .first()
                    .map(|word| word.literal().unwrap_or_default()),
            );
        }
    });
    Ok(names)
}

/// Whether a real bash runs `MARKER` for this text, in a fresh directory.
fn bash_runs_marker(text: &str, at: &Path) -> bool {
    let (work, left) = (at.join("work"), at.join("left"));
    let _ = std::fs::remove_dir_all(&work);
    let _ = std::fs::remove_file(&left);
    std::fs::create_dir(&work).expect("a directory");
    write_marker(at);
    let mut bash = Command::new("bash");
    bash.args(["--norc", "--noprofile", "-c", text])
        .current_dir(&work)
        .env_clear()
        .env(
            "PATH",
            format!("{}:/usr/bin:/bin", at.join("bin").display()),
        )
        .env("LEFT", &left);
    run_at_most(Duration::from_secs(10), &mut bash);
    left.exists()
}

/// Writes the program anew: a text may have written to it.
fn write_marker(at: &Path) {
    use std::os::unix::fs::PermissionsExt;
    const PROGRAM: &str = "#!/bin/sh\n: > \"$LEFT\"\n";
    let marker = at.join("bin/MARKER");
    // What is being written cannot be started, so it is only written where it must be.
    if std::fs::read_to_string(&marker).is_ok_and(|text| text == PROGRAM) {
        return;
    }
    std::fs::write(&marker, PROGRAM).expect("MARKER");
    std::fs::set_permissions(&marker, std::fs::Permissions::from_mode(0o755)).expect("executable");
}

/// A directory with a `bin` for `MARKER`.
fn marker_directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    std::fs::create_dir(directory.path().join("bin")).expect("bin");
    directory
}

#[test]
fn there_are_many_positions() {
    assert!(RUNS.len() >= 400, "{}", RUNS.len());
    assert!(RUNS_WHEN_FOLLOWED.len() >= 150);
    let mut unique: Vec<_> = RUNS.to_vec();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), RUNS.len());
}

#[test]
fn what_bash_runs_is_seen() {
    let directory = marker_directory();
    let mut wrong = Vec::new();
    let mut refused = Vec::new();
    for text in RUNS {
        if !bash_runs_marker(text, directory.path()) {
            wrong.push(format!("bash does not run it: {text:?}"));
        }
        match commands(text) {
            Ok(names) if names.iter().any(|name| name == "MARKER") => {}
            Ok(_) if *text == "$(echo MARKER)" => {}
            Ok(names) => wrong.push(format!("not seen: {text:?} {names:?}")),
            Err(why) => refused.push(format!("{text:?}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Refusing would be safe, but none of these is so odd that it has to be.
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn what_bash_does_not_run_is_not_seen() {
    let directory = marker_directory();
    for text in DOES_NOT_RUN {
        assert!(
            !bash_runs_marker(text, directory.path()),
            "bash runs it: {text:?}"
        );
        let names = commands(text).unwrap_or_else(|why| panic!("{text:?}: {why}"));
        assert!(
            !names.iter().any(|name| name == "MARKER"),
            "{text:?} {names:?}"
        );
    }
}

/// Wherever bash runs it, the analysis names it or does not claim to know everything.
#[test]
fn nothing_that_runs_escapes_the_analysis() {
    let directory = marker_directory();
    let context = Context {
        cwd: directory.path().join("work").display().to_string(),
        ..Context::default()
    };
    let mut wrong = Vec::new();
    for text in RUNS.iter().chain(RUNS_WHEN_FOLLOWED) {
        if !bash_runs_marker(text, directory.path()) {
            wrong.push(format!("bash does not run it: {text:?}"));
        }
        let analysis = analyse(text, &context, &Facts::default());
        let named = analysis.invocations.iter().any(|invocation| {
            invocation
                .argv
                .first()
                .and_then(|name| name.literal())
                .as_deref()
                == Some("MARKER")
        });
        if !named && analysis.coverage.is_complete() {
            wrong.push(format!("silent: {text:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
