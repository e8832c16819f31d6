//! Which backend keeps promises on this machine: tried, not guessed.
//!
//! A probe runs confined and attempts what must fail: to read and write beside its project,
//! and to reach a port of this machine. The answer holds until the machine starts again or
//! bubblewrap changes. It only says which backend to take: that the backend keeps its
//! promise is seen again at every run, so an answer that somebody made up starts nothing bare.

use std::fs;
use std::io::{self, Read};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::backend::{Attempt, Backend, SelfTest};
use crate::inside::{NOT_STARTED, inside};
use crate::layout::private;
use crate::machine::Machine;
use crate::overlay;
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
        key: key(machine).unwrap_or_default(),
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
        let _ = replace(&directory.join(FILE), &text);
    }
    tested
}

const FILE: &str = "confine-selftest.json";

/// Whole or not at all: hooks of other sessions read it meanwhile.
fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension(std::process::id().to_string());
    fs::write(&temporary, text)?;
    fs::rename(temporary, path)
}

/// Whether the last self-test, of whatever day, found something that confines: one look, before
/// anything is decided in the hope of it.
#[must_use]
pub fn may_confine(state: &Path) -> bool {
    fs::read_to_string(state.join(FILE)).is_ok_and(|text| !text.contains(r#""backend":null"#))
}

/// The backend of the last self-test, if it still holds; nothing is tried.
#[must_use]
pub fn known_backend(machine: &Machine) -> Option<Backend> {
    match remembered(machine) {
        RememberedTest::Now(backend) => backend,
        RememberedTest::Before | RememberedTest::Never => None,
    }
}

/// The same; an answer of another start of the machine is tried anew by a process that nobody
/// waits for, and is good for the calls after it.
///
/// A machine on which nobody ever tried it stays as it is.
#[must_use]
pub fn renewing_backend(machine: &Machine) -> Option<Backend> {
    match remembered(machine) {
        RememberedTest::Now(backend) => backend,
        RememberedTest::Before => {
            renew_aside(machine);
            None
        }
        RememberedTest::Never => None,
    }
}

/// Starts a self-test that outlives this process. One that cannot be started is not missed:
/// nothing is confined until a person tries it.
fn renew_aside(machine: &Machine) {
    let started = Command::new(&machine.program)
        .args(["confined", "selftest"])
        .arg(&machine.state)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    drop(started);
}

/// What the last self-test said.
enum RememberedTest {
    /// Of this start of the machine and these programs.
    Now(Option<Backend>),
    /// Of another, or nobody can tell.
    Before,
    Never,
}

fn remembered(machine: &Machine) -> RememberedTest {
    let Ok(text) = fs::read(machine.state.join(FILE)) else {
        return RememberedTest::Never;
    };
    let Ok(tested) = serde_json::from_slice::<SelfTest>(&text) else {
        return RememberedTest::Before;
    };
    match key(machine) {
        // A program that is not the machine's own is none that was tried.
        Some(key) if key == tested.key => {
            RememberedTest::Now(tested.backend.filter(|backend| machine.may_use(backend)))
        }
        Some(_) | None => RememberedTest::Before,
    }
}

/// Nothing where this start of the machine has no name: an answer would then hold for ever.
fn key(machine: &Machine) -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    if boot.trim().is_empty() {
        return None;
    }
    let bubblewrap = machine.bubblewrap().and_then(|program| {
        let changed = program.metadata().ok()?.modified().ok()?;
        let since = changed.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(format!("{} {}", program.display(), since.as_secs()))
    });
    Some(format!(
        "{} {} {}",
        boot.trim(),
        bubblewrap.unwrap_or_default(),
        env!("CARGO_PKG_VERSION")
    ))
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
    let child = Command::new(&machine.program)
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
        .stderr(Stdio::piped())
        .spawn()
        .map_err(told)?;
    let (status, said) = within(LONGEST, child).map_err(told)?;
    let said = said.lines().last().unwrap_or_default();
    match status.code() {
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

/// How long a probe may take: a hook may wait for it.
const LONGEST: Duration = Duration::from_secs(5);

/// Waits for a child and what it says, and ends it when it takes too long.
fn within(longest: Duration, mut child: Child) -> io::Result<(ExitStatus, String)> {
    let stderr = child.stderr.take();
    let reading = thread::spawn(move || {
        let mut said = String::new();
        if let Some(mut stderr) = stderr {
            // What cannot be read is not told.
            let _ = stderr.read_to_string(&mut said);
        }
        said
    });
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() > longest {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::other("it took too long"));
        }
        thread::sleep(Duration::from_millis(2));
    };
    Ok((status, reading.join().unwrap_or_default()))
}

/// The parts of the program that it starts itself.
#[must_use]
pub fn inner(words: &[&str]) -> u8 {
    match words {
        ["inside"] => inside(),
        ["overlay", places @ ..] => overlay::enter(places),
        ["selftest", state] => Machine::here(PathBuf::from(state)).map_or(NOT_STARTED, |machine| {
            u8::from(selftest(&machine).backend.is_none())
        }),
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
