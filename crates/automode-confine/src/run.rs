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
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::backend::Backend;
use crate::bubblewrap::{self, NOTHING, PROGRAM};
use crate::environment;
use crate::inside::{InsideOrder, ORDER, SOCKET, code_of, namespaces};
use crate::kept::{KeptFiles, POSITIONS};
use crate::landlocked;
use crate::layout::{Layout, MountPlace, plain, private};
use crate::machine::Machine;
use crate::mending::{Journal, Mending, mend_left_behind};
use crate::protected::ProtectedFiles;
use crate::proxy::Proxy;
use crate::refusal::Refusal;
use crate::request::{RunError, RunOutcome, RunRequest};
use crate::seccomp;
use crate::trial::StandIn;
use crate::watch::{Bounds, RefusalNotes};
use automode_core::confine::{Confinement, Git, Home};

/// Runs a command confined, with this process's own input and output.
pub fn run(
    request: &RunRequest,
    machine: &Machine,
    backend: &Backend,
) -> Result<RunOutcome, RunError> {
    if !machine.may_use(backend) {
        return Err(RunError::Backend("a program that is not the machine's own"));
    }
    if !request.confinement.hide.is_empty() && !backend.has_own_files() {
        return Err(RunError::Backend("a backend that cannot hide files"));
    }
    seccomp::keep_files().map_err(|error| RunError::Io("open files would be inherited", error))?;
    let left_behind = mend_left_behind(&machine.state);
    let confinement = kept_by(backend, &request.confinement);
    let mut layout = Layout::of(&confinement, machine, &request.session)?;
    if let Some(stand_in) = &request.instead {
        if !backend.has_own_files() {
            return Err(RunError::Backend("a backend without files of its own"));
        }
        let shown = match stand_in {
            StandIn::Copy(copy) => copy,
            StandIn::Overlay(places) => &places.merged,
        };
        layout.replace(&request.confinement.project, shown)?;
    }
    let shell = ["bash", "sh"]
        .iter()
        .find_map(|name| machine.find_program(name, &layout.roots))
        .ok_or(RunError::NoShell)?;
    let files = RunFiles::new(machine)?;
    let notes = RefusalNotes::default();
    let order = InsideOrder {
        shell,
        command: request.command.clone(),
        variables: environment::inside(machine, &layout),
        bounds: bounds(&layout, machine, backend),
        outside: namespaces(),
        loopback: request.confinement.loopback.clone(),
    };
    let started = Arc::new(AtomicBool::new(false));
    let proxy = Proxy {
        hosts: request.confinement.network.hosts().to_vec(),
        loopback: request.confinement.loopback.clone(),
        upstream: machine
            .variables
            .get("HTTPS_PROXY")
            .or_else(|| machine.variables.get("https_proxy"))
            .cloned(),
        notes: Arc::clone(&notes),
        started: Arc::clone(&started),
    };
    let aside = machine
        .state
        .join("aside")
        .join(plain(request.id.as_deref().unwrap_or(&files.name)));
    let mending = mending(&layout, &confinement, machine, backend, &files, aside)
        .map_err(|error| RunError::Io("cannot keep what must not change", error))?;
    let journal = Journal::write(&machine.state, &files.name, &mending)
        .map_err(|error| RunError::Io("cannot write down what must not change", error))?;
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
    if code != 0 {
        // It may have failed for want of them.
        for path in &request.confinement.hide {
            report.note(Refusal::Hidden(path.clone()));
        }
    }
    report.mended.extend(left_behind);
    report.mended.extend(mending.finish());
    journal.done();
    Ok(RunOutcome { code, report })
}

/// What a backend can keep of a promise: less is shown where secrets cannot be hidden in it.
fn kept_by(backend: &Backend, confinement: &Confinement) -> Confinement {
    let home = match backend {
        Backend::Bubblewrap(_) => confinement.home,
        Backend::Landlock => Home::Empty,
    };
    Confinement {
        home,
        ..confinement.clone()
    }
}

/// What is set right afterwards. Without mounts there are copies of it, too.
fn mending(
    layout: &Layout,
    confinement: &Confinement,
    machine: &Machine,
    backend: &Backend,
    files: &RunFiles,
    aside: PathBuf,
) -> io::Result<Mending> {
    let repositories = (confinement.git == Git::ReadOnly).then(|| {
        let found = layout.repositories.iter();
        found.flat_map(|found| found.entries.clone()).collect()
    });
    let make = |protected: &ProtectedFiles| {
        Mending::of(
            &layout.roots,
            protected,
            aside.clone(),
            repositories.clone(),
        )
    };
    match backend {
        Backend::Bubblewrap(_) => Ok(make(&layout.protected)),
        Backend::Landlock => {
            let mut protected = layout.protected_under(Git::Commit, machine);
            let mut copied = protected.present.clone();
            for name in layout
                .protected
                .present
                .iter()
                .chain(&layout.protected.absent)
            {
                protected.keep(name.clone());
            }
            if confinement.git == Git::ReadOnly {
                let found = layout.repositories.iter();
                let directories = found.flat_map(|found| &found.directories);
                copied.extend(
                    directories.flat_map(|found| POSITIONS.iter().map(|name| found.join(name))),
                );
            }
            copied.retain(|name| layout.roots.iter().any(|root| name.starts_with(root)));
            let mut mending = make(&protected);
            mending.kept = Some(KeptFiles::of(copied, &files.directory.join("kept"))?);
            Ok(mending)
        }
    }
}

fn by_bubblewrap(
    program: &Path,
    request: &RunRequest,
    machine: &Machine,
    layout: &Layout,
    files: &RunFiles,
    order: &InsideOrder,
    proxy: Proxy,
) -> Result<u8, RunError> {
    let failed = |what| move |error| RunError::Io(what, error);
    files
        .write(order)
        .map_err(failed("cannot write the order"))?;
    proxy.serve_socket(files.listen().map_err(failed("no proxy"))?);
    let start = match &request.instead {
        Some(StandIn::Overlay(places)) => {
            let mut start = places.around(&machine.program);
            start.arg(program);
            start
        }
        Some(StandIn::Copy(_)) | None => Command::new(program),
    };
    let child = bubblewrap::command(
        start,
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
            MountPlace::Private { at, .. } => Some(at.clone()),
            MountPlace::Read(_)
            | MountPlace::Write(_)
            | MountPlace::Empty(_)
            | MountPlace::Hidden(_)
            | MountPlace::Link { .. } => None,
        }));
        writable.push("/run".into());
    }
    Bounds {
        writable,
        kept: if inside {
            let shared = layout.shared.iter();
            let shared = shared.flat_map(|packages| packages.unwritable.clone());
            let protected = layout.protected.present.iter().cloned();
            protected.chain(shared).collect()
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

    fn write(&self, order: &InsideOrder) -> io::Result<()> {
        fs::write(self.directory.join(ORDER), serde_json::to_vec(order)?)?;
        fs::write(self.directory.join(NOTHING), "")?;
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
