//! The layout as path rules, where namespaces are refused.
//!
//! The kernel refuses paths, signals and connections; a supervisor makes the connections
//! that are permitted, with copies of the addresses, so that nothing can change between
//! the look and the deed. What survives the command is ended with it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::process::{Pid, Signal, kill_process, set_child_subreaper};
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

use crate::environment;
use crate::inside::{InsideOrder, code_of};
use crate::layout::{Layout, private};
use crate::machine::Machine;
use crate::request::RunRequest;
use crate::run::on_end;
use crate::seccomp::{self, Listener};
use crate::supervisor::Supervisor;
use crate::watch::RefusalNotes;

/// Signals and abstract sockets are kept inside from this version on.
const NEEDED: ABI = ABI::V6;

/// Runs the order under path rules; the command's exit code.
pub(crate) fn run(
    request: &RunRequest,
    machine: &Machine,
    layout: &Layout,
    mut order: InsideOrder,
    proxy: u16,
    notes: &RefusalNotes,
) -> io::Result<u8> {
    let home = layout
        .temporary
        .parent()
        .map(|session| session.join("home"));
    let home = home.ok_or_else(|| io::Error::other("no place for a home"))?;
    let home = private(&home).map_err(io::Error::other)?;
    environment::with_home(&mut order.variables, machine, &home, &layout.temporary);
    environment::with_proxy(&mut order.variables, &format!("127.0.0.1:{proxy}"));
    let mut writable = layout.writable();
    writable.push(home);
    order.bounds.writable.clone_from(&writable);
    let rules = LandlockRules::of(layout, &writable);
    set_child_subreaper(Some(rustix::process::getpid()))?;
    on_end(end_descendants)?;
    let mut ports: BTreeSet<u16> = request.confinement.loopback.iter().copied().collect();
    ports.insert(proxy);
    let supervisor = Supervisor {
        ports,
        sockets: writable,
        bounds: order.bounds.clone(),
        notes: Arc::clone(notes),
    };
    let (send, receive) = mpsc::channel::<Listener>();
    thread::spawn(move || {
        if let Ok(listener) = receive.recv() {
            supervisor.serve(Arc::new(listener));
        }
    });
    let directory = request.directory.clone();
    let running = thread::spawn(move || -> io::Result<_> {
        let listener = restrict(&rules)?;
        send.send(listener)
            .map_err(|_| io::Error::other("the supervisor is gone"))?;
        Command::new(&order.shell)
            .arg("-c")
            .arg(&order.command)
            .current_dir(directory)
            .env_clear()
            .envs(&order.variables)
            .status()
    });
    let status = running
        .join()
        .map_err(|_| io::Error::other("the starting thread died"))?;
    end_descendants();
    status.map(code_of)
}

/// Puts this thread, and what it starts, under the rules; whoever listens answers its calls.
fn restrict(rules: &LandlockRules) -> io::Result<Listener> {
    drop_capabilities()?;
    rules.restrict()?;
    let mut refused = seccomp::refused();
    refused.extend(seccomp::refused_without_namespaces());
    seccomp::install(&seccomp::compile(&refused))?;
    let mut watched = seccomp::watched_network();
    watched.extend(seccomp::watched_metadata());
    watched.extend(seccomp::reported_writes());
    seccomp::install_listener(&seccomp::compile(&watched))
}

/// A person who is the machine's owner is not one inside; what the rules grant can still be
/// written where it belongs to another user, as in a container.
fn drop_capabilities() -> io::Result<()> {
    let kept = CapabilitySet::CHOWN
        | CapabilitySet::DAC_OVERRIDE
        | CapabilitySet::FOWNER
        | CapabilitySet::FSETID;
    let held = capabilities(None)?;
    set_capabilities(
        None,
        CapabilitySets {
            effective: held.effective & kept,
            permitted: held.permitted & kept,
            inheritable: CapabilitySet::empty(),
        },
    )?;
    Ok(())
}

/// The trees, opened before anything is refused.
struct LandlockRules {
    readable: Vec<PathBuf>,
    /// Of these the names alone.
    listed: Vec<PathBuf>,
    writable: Vec<PathBuf>,
}

/// Devices that hold nothing.
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

impl LandlockRules {
    fn of(layout: &Layout, writable: &[PathBuf]) -> Self {
        let mut readable = layout.readable();
        readable.push("/proc".into());
        let mut writable = writable.to_vec();
        writable.extend(DEVICES.iter().map(PathBuf::from));
        // Semaphores and shared memory live there, for every program of this machine.
        writable.push("/dev/shm".into());
        Self {
            readable,
            // Cameras, microphones and disks are devices too.
            listed: vec!["/dev".into()],
            writable,
        }
    }

    /// Puts the rules on this thread and all it starts.
    fn restrict(&self) -> io::Result<()> {
        let failed = |error: landlock::RulesetError| io::Error::other(error.to_string());
        let reading = AccessFs::from_read(NEEDED);
        let all = AccessFs::from_all(NEEDED);
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(all)
            .map_err(failed)?
            .handle_access(AccessNet::from_all(NEEDED))
            .map_err(failed)?
            .scope(Scope::from_all(NEEDED))
            .map_err(failed)?
            .create()
            .map_err(failed)?;
        let readable = self.readable.iter().map(|path| (path, reading));
        let listed = self.listed.iter();
        let listed = listed.map(|path| (path, AccessFs::ReadDir.into()));
        let writable = self.writable.iter().map(|path| (path, all));
        for (path, access) in readable.chain(listed).chain(writable) {
            let Ok(found) = fs::metadata(path) else {
                continue;
            };
            let access = if found.is_dir() {
                access
            } else {
                access & AccessFs::from_file(NEEDED)
            };
            let opened = PathFd::new(path).map_err(|error| io::Error::other(error.to_string()))?;
            rules = rules
                .add_rule(PathBeneath::new(opened, access))
                .map_err(failed)?;
        }
        let status = rules.restrict_self().map_err(failed)?;
        match status.ruleset {
            RulesetStatus::FullyEnforced => Ok(()),
            RulesetStatus::PartiallyEnforced | RulesetStatus::NotEnforced => Err(io::Error::other(
                "the kernel does not enforce all path rules",
            )),
        }
    }
}

/// Ends all that the command left behind; as the reaper of its orphans we know them all.
///
/// They are stopped before they are ended: one that is stopped starts no other.
fn end_descendants() {
    const ROUNDS: u32 = 500;
    for _ in 0..ROUNDS {
        // An orphan is ours as soon as it is one: without a child nothing is left.
        let ended = rustix::process::wait(rustix::process::WaitOptions::NOHANG);
        if ended.is_err_and(|error| error == rustix::io::Errno::CHILD) {
            return;
        }
        let left = descendants();
        for signal in [Signal::STOP, Signal::KILL] {
            for process in &left {
                let _ = kill_process(*process, signal);
            }
        }
        while let Ok(Some(_)) = rustix::process::wait(rustix::process::WaitOptions::NOHANG) {}
        thread::sleep(Duration::from_millis(1));
    }
}

/// Every process below this one.
pub(crate) fn descendants() -> Vec<Pid> {
    let mut parents: Vec<(i32, i32)> = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(number) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        if let Some(parent) = parent_of(&entry.path()) {
            parents.push((number, parent));
        }
    }
    let mut known = vec![rustix::process::getpid().as_raw_nonzero().get()];
    let mut at = 0;
    while let Some(parent) = known.get(at).copied() {
        let children = parents
            .iter()
            .filter(|(_, above)| *above == parent)
            .map(|(child, _)| *child);
        known.extend(children.collect::<Vec<i32>>());
        at += 1;
    }
    known
        .into_iter()
        .skip(1)
        .filter_map(Pid::from_raw)
        .collect()
}

/// The name in the middle may hold anything, so the fields are counted after it.
fn parent_of(process: &Path) -> Option<i32> {
    let text = fs::read_to_string(process.join("stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(1)?.parse().ok()
}
