//! One confined run, from the promise to the report.
//!
//! The command is never run bare: where the promise cannot be kept it is not started, and
//! the reason is said. After the run what other programs would act on is put back.

use std::fs;
use std::io;
use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use thiserror::Error;

use crate::backend::Backend;
use crate::bubblewrap::{self, PROGRAM};
use crate::environment;
use crate::inside::{ORDER, Order, SOCKET, code_of};
use crate::kept::Kept;
use crate::landlocked;
use crate::layout::{Layout, LayoutError, Place, plain, private};
use crate::machine::Machine;
use crate::proxy::Proxy;
use crate::refusal::Report;
use crate::seccomp;
use crate::watch::{Bounds, Notes};
use automode_core::confine::Confinement;

/// What is to run, and within what.
#[derive(Debug, Clone)]
pub struct Request {
    /// The call's id, which a person can name.
    pub id: Option<String>,
    /// Runs of one session share a temporary directory.
    pub session: String,
    pub command: String,
    pub directory: PathBuf,
    pub confinement: Confinement,
    /// A directory that stands at the project's place, for a trial.
    pub instead: Option<PathBuf>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub code: u8,
    pub report: Report,
}

/// Why the command was not started.
#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    Layout(#[from] LayoutError),
    #[error("no shell on the search path")]
    NoShell,
    #[error("{0} did not start the command")]
    Backend(&'static str),
    #[error("{0}: {1}")]
    Io(&'static str, #[source] io::Error),
}

/// Runs a command confined, with this process's own input and output.
pub fn run(request: &Request, machine: &Machine, backend: &Backend) -> Result<Outcome, RunError> {
    seccomp::keep_files().map_err(|error| RunError::Io("open files would be inherited", error))?;
    let mut layout = Layout::of(&request.confinement, machine, &request.session)?;
    if let Some(copy) = &request.instead {
        if !backend.has_own_files() {
            return Err(RunError::Backend("a backend without files of its own"));
        }
        layout.replace(&request.confinement.project, copy)?;
    }
    let project = &request.confinement.project;
    let shell = ["bash", "sh"]
        .iter()
        .find_map(|name| machine.find_program(name, project))
        .ok_or(RunError::NoShell)?;
    let files = RunFiles::new(machine)?;
    let notes = Notes::default();
    let order = Order {
        shell,
        command: request.command.clone(),
        variables: environment::inside(machine, &layout),
        bounds: bounds(&layout, machine, backend),
    };
    let started = Arc::new(AtomicBool::new(false));
    let proxy = Proxy {
        hosts: request.confinement.network.hosts().to_vec(),
        upstream: machine
            .variables
            .get("HTTPS_PROXY")
            .or_else(|| machine.variables.get("https_proxy"))
            .cloned(),
        notes: Arc::clone(&notes),
        started: Arc::clone(&started),
    };
    let kept = match backend {
        Backend::Bubblewrap(_) => None,
        Backend::Landlock => Some(
            Kept::of(&request.confinement, &files.directory.join("kept"))
                .map_err(|error| RunError::Io("cannot keep what must not change", error))?,
        ),
    };
    let code = match backend {
        Backend::Bubblewrap(program) => {
            let code = by_bubblewrap(program, request, machine, &layout, &files, &order, proxy)?;
            if !started.load(Ordering::SeqCst) {
                return Err(RunError::Backend("bubblewrap"));
            }
            code
        }
        Backend::Landlock => {
            let port = serve_port(proxy).map_err(|error| RunError::Io("no proxy", error))?;
            landlocked::run(request, machine, &layout, order, port, &notes)
                .map_err(|error| RunError::Io("landlock", error))?
        }
    };
    let mut report = notes.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let aside = machine
        .state
        .join("aside")
        .join(plain(request.id.as_deref().unwrap_or(&files.name)));
    if let Some(kept) = kept {
        report.mended.extend(kept.put_back(&aside));
    }
    report.mended.extend(layout.protected.move_aside(&aside));
    Ok(Outcome { code, report })
}

fn by_bubblewrap(
    program: &Path,
    request: &Request,
    machine: &Machine,
    layout: &Layout,
    files: &RunFiles,
    order: &Order,
    proxy: Proxy,
) -> Result<u8, RunError> {
    let failed = |what| move |error| RunError::Io(what, error);
    files
        .write(order)
        .map_err(failed("cannot write the order"))?;
    proxy.serve_socket(files.listen().map_err(failed("no proxy"))?);
    let child = bubblewrap::command(
        program,
        layout,
        &request.directory,
        &files.directory,
        &machine.program,
    )
    .spawn()
    .map_err(failed("bubblewrap did not start"))?;
    wait(child).map_err(failed("bubblewrap was lost"))
}

/// Waits, and ends the child if this process is told to end: so that what follows a run
/// follows it then, too.
fn wait(mut child: Child) -> io::Result<u8> {
    let process = rustix::process::Pid::from_child(&child);
    on_end(move || {
        let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
    })?;
    child.wait().map(code_of)
}

/// Does something when this process is told to end, instead of ending.
pub(crate) fn on_end(act: impl Fn() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    thread::spawn(move || {
        for _ in signals.forever() {
            act();
        }
    });
    Ok(())
}

fn serve_port(proxy: Proxy) -> io::Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    proxy.serve_port(listener);
    Ok(port)
}

fn bounds(layout: &Layout, machine: &Machine, backend: &Backend) -> Bounds {
    let mut writable = layout.writable();
    let inside = backend.has_own_files();
    if inside {
        writable.extend(layout.places.iter().filter_map(|place| match place {
            Place::Private { at, .. } => Some(at.clone()),
            Place::Read(_) | Place::Write(_) | Place::Empty(_) | Place::Link { .. } => None,
        }));
        writable.push("/run".into());
    }
    Bounds {
        writable,
        kept: if inside {
            layout.protected.present.clone()
        } else {
            Vec::new()
        },
        forgotten: if inside {
            vec![machine.home.clone()]
        } else {
            Vec::new()
        },
    }
}

/// The private files of one run; gone when it ends.
pub(crate) struct RunFiles {
    pub(crate) directory: PathBuf,
    name: String,
}

impl RunFiles {
    fn new(machine: &Machine) -> Result<Self, RunError> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos());
        let name = format!("{}-{now}", std::process::id());
        let directory = private(&machine.cache.join("run").join(&name))?;
        Ok(Self { directory, name })
    }

    fn write(&self, order: &Order) -> io::Result<()> {
        fs::write(self.directory.join(ORDER), serde_json::to_vec(order)?)?;
        // The program is mounted over it.
        fs::write(self.directory.join(PROGRAM), "")
    }

    /// By way of the directory's descriptor: a socket's path is short, a home's may be long.
    fn listen(&self) -> io::Result<UnixListener> {
        let directory = fs::File::open(&self.directory)?;
        UnixListener::bind(format!("/proc/self/fd/{}/{SOCKET}", directory.as_raw_fd()))
    }
}

impl Drop for RunFiles {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}
