//! Which backend keeps promises on this machine: tried, not guessed.
//!
//! A probe runs confined and attempts what must fail: to read and write beside its project,
//! and to reach a port of this machine. The answer holds until the machine starts again or
//! bubblewrap changes.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::backend::{Attempt, Backend, SelfTest};
use crate::inside::{NOT_STARTED, inside};
use crate::layout::private;
use crate::machine::Machine;
use crate::request::RunRequest;
use crate::run::run;
use automode_core::confine::Confinement;

/// The exit code of a probe that was refused everything it must be refused.
const REFUSED: i32 = 77;

/// Tries the backends, and remembers the answer.
#[must_use]
pub fn selftest(machine: &Machine) -> SelfTest {
    let mut tested = SelfTest {
        attempts: Vec::new(),
        backend: None,
        key: key(machine),
    };
    let mut backends = Vec::new();
    match machine.bubblewrap() {
        Some(program) => backends.push(Backend::Bubblewrap(program)),
        None => tested.attempts.push(Attempt {
            name: "bubblewrap".to_owned(),
            failure: Some("not installed (hint: install the package `bubblewrap`)".to_owned()),
        }),
    }
    backends.push(Backend::Landlock);
    for backend in backends {
        let failure = probe(machine, &backend).err();
        let works = failure.is_none();
        tested.attempts.push(Attempt {
            name: backend.name().to_owned(),
            failure,
        });
        if works {
            tested.backend = Some(backend);
            break;
        }
    }
    if let (Ok(text), Ok(directory)) = (serde_json::to_vec(&tested), private(&machine.state)) {
        // Unwritten, it is tried again.
        let _ = fs::write(directory.join(FILE), text);
    }
    tested
}

const FILE: &str = "confine-selftest.json";

/// The backend of the last self-test, if it still holds; nothing is tried.
#[must_use]
pub fn known_backend(machine: &Machine) -> Option<Backend> {
    let text = fs::read(machine.state.join(FILE)).ok()?;
    let tested: SelfTest = serde_json::from_slice(&text).ok()?;
    tested.backend.filter(|_| tested.key == key(machine))
}

fn key(machine: &Machine) -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let bubblewrap = machine.bubblewrap().and_then(|program| {
        let changed = program.metadata().ok()?.modified().ok()?;
        let since = changed.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(format!("{} {}", program.display(), since.as_secs()))
    });
    format!(
        "{} {} {}",
        boot.trim(),
        bubblewrap.unwrap_or_default(),
        env!("CARGO_PKG_VERSION")
    )
}

/// A run in a process of its own: it takes over signals and ends what it started.
fn probe(machine: &Machine, backend: &Backend) -> Result<(), String> {
    let place = machine
        .cache
        .join("selftest")
        .join(std::process::id().to_string());
    let result = probe_in(&place, machine, backend);
    let _ = fs::remove_dir_all(&place);
    result
}

fn probe_in(place: &Path, machine: &Machine, backend: &Backend) -> Result<(), String> {
    let told = |error: std::io::Error| error.to_string();
    let project = private(&place.join("project")).map_err(|error| error.to_string())?;
    let outside = private(&place.join("outside")).map_err(|error| error.to_string())?;
    fs::write(outside.join("secret"), "secret").map_err(told)?;
    let listener = TcpListener::bind("127.0.0.1:0").map_err(told)?;
    let port = listener.local_addr().map_err(told)?.port();
    let command = format!(
        "cat '{0}/secret' >/dev/null 2>&1 && exit 10; (echo x >'{0}/made') 2>/dev/null; \
         (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && exit 11; \
         echo x >made || exit 12; test \"$AUTOMODE_CONFINED\" = 1 || exit 13; exit {REFUSED}",
        outside.display()
    );
    let backend = serde_json::to_string(backend).map_err(|error| error.to_string())?;
    let output = Command::new(&machine.program)
        .args(["confined", "probe", &backend])
        .arg(&machine.state)
        .arg(&command)
        .current_dir(&project)
        .env(
            "XDG_CACHE_HOME",
            machine
                .cache
                .parent()
                .and_then(Path::parent)
                .unwrap_or(&machine.cache),
        )
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .map_err(told)?;
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().last().unwrap_or_default();
    match output.status.code() {
        Some(REFUSED) => {}
        Some(10) => return Err("a file beside the project can be read".to_owned()),
        Some(11) => return Err("a port of this machine can be reached".to_owned()),
        Some(code) => return Err(format!("the probe ended with {code}: {said}")),
        None => return Err(format!("the probe was killed: {said}")),
    }
    if outside.join("made").exists() {
        return Err("a file beside the project can be written".to_owned());
    }
    if !project.join("made").exists() {
        return Err("the project cannot be written".to_owned());
    }
    Ok(())
}

/// The parts of the program that it starts itself: `inside` and `probe`.
#[must_use]
pub fn inner(words: &[&str]) -> u8 {
    match words {
        ["inside"] => inside(),
        ["probe", backend, state, command] => {
            probed(backend, state, command).unwrap_or(NOT_STARTED)
        }
        [] | [..] => NOT_STARTED,
    }
}

fn probed(backend: &str, state: &str, command: &str) -> Option<u8> {
    let backend: Backend = serde_json::from_str(backend).ok()?;
    let machine = Machine::here(PathBuf::from(state))?;
    let project = std::env::current_dir().ok()?;
    let request = RunRequest {
        id: None,
        session: "selftest".to_owned(),
        command: command.to_owned(),
        directory: project.clone(),
        confinement: Confinement::of_project(project),
        instead: None,
    };
    match run(&request, &machine, &backend) {
        Ok(outcome) => Some(outcome.code),
        Err(error) => {
            eprintln!("{error}");
            None
        }
    }
}
