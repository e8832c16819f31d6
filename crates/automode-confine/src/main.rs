//! The launcher and the store of undo alone, for tests and measurements:
//! `run BACKEND STATE ORDER.json COMMAND`, `keep STATE PROJECT ID`, `seal STATE ID`, `undo STATE ID`.
//!
//! The binary that people use is `automode`; it offers the same as `automode run`.

use std::fmt::{Debug, Display};
use std::process::ExitCode;

use automode_confine::undo::{Snapshot, SnapshotPlan, TakeError, UndoStore, WIDE};
use automode_confine::{
    Backend, Confinement, Machine, NOT_STARTED, RunRequest, inner, run, selftest,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let code = match words.as_slice() {
        ["confined", rest @ ..] => inner(rest),
        ["selftest", state] => tested(state),
        ["keep", state, project, id] => ended(kept(state, project, id)),
        ["seal", state, id] => ended(UndoStore::new(state.as_ref()).seal(id)),
        ["undo", state, id] => ended(UndoStore::new(state.as_ref()).restore(id)),
        ["run", backend, state, confinement, command] => {
            launch(backend, state, confinement, command).unwrap_or_else(|reason| {
                eprintln!("automode: not started: {reason}");
                NOT_STARTED
            })
        }
        [] | [..] => {
            eprintln!("usage: automode-confine run BACKEND STATE CONFINEMENT COMMAND");
            2
        }
    };
    ExitCode::from(code)
}

fn launch(backend: &str, state: &str, confinement: &str, command: &str) -> Result<u8, String> {
    let confinement: Confinement =
        serde_json::from_str(confinement).map_err(|error| error.to_string())?;
    let machine = Machine::here(state.into()).ok_or("no home")?;
    let backend = match backend {
        "bubblewrap" => {
            Backend::Bubblewrap(machine.bubblewrap().ok_or("bubblewrap is not installed")?)
        }
        "landlock" => Backend::Landlock,
        other => return Err(format!("no backend `{other}`")),
    };
    let request = RunRequest {
        id: None,
        session: "main".to_owned(),
        command: command.to_owned(),
        directory: std::env::current_dir().map_err(|error| error.to_string())?,
        confinement,
        instead: None,
    };
    let outcome = run(&request, &machine, &backend).map_err(|error| error.to_string())?;
    eprint!("{}", outcome.report.for_model(request.id.as_deref()));
    Ok(outcome.code)
}

fn tested(state: &str) -> u8 {
    let Some(machine) = Machine::here(state.into()) else {
        return NOT_STARTED;
    };
    let found = selftest(&machine);
    for attempt in &found.attempts {
        println!("{attempt}");
    }
    u8::from(found.backend.is_none())
}

/// Keeps all of a project, as before a call that may lose any of it.
fn kept(state: &str, project: &str, id: &str) -> Result<Snapshot, TakeError> {
    let plan = SnapshotPlan {
        unheld_in: vec![project.into()],
        ..SnapshotPlan::default()
    };
    UndoStore::new(state.as_ref()).take(id, project.as_ref(), "", &plan, WIDE)
}

fn ended<T: Debug, E: Display>(result: Result<T, E>) -> u8 {
    match result {
        Ok(done) => {
            println!("{done:?}");
            0
        }
        Err(error) => {
            eprintln!("{error}");
            1
        }
    }
}
