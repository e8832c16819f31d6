//! The way in: the program starts itself again, each time with less around it.
//!
//! `inside enter` leaves the machine's namespaces, `inside worker` is the first process
//! of the new ones, `inside room` the first process of one case, `inside decide` takes
//! decisions in a room where nothing is ever run.

use std::fs;
use std::io::{self, BufRead as _};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{Gid, Uid, getgid, getuid};

use super::{RoomSetup, decider, room, stay, worker};

/// By whose right the namespaces are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    Root,
    /// A user namespace, in which the caller is root and nobody else exists.
    UserNamespace,
}

impl Privilege {
    #[must_use]
    pub fn of_this_process() -> Self {
        if Uid::effective().is_root() {
            Self::Root
        } else {
            Self::UserNamespace
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::UserNamespace => "user",
        }
    }

    fn named(name: &str) -> Self {
        if name == "root" {
            Self::Root
        } else {
            Self::UserNamespace
        }
    }
}

/// Runs one of the hidden parts; `None`: the arguments do not ask for one.
#[must_use]
pub fn inside(arguments: &[String]) -> Option<ExitCode> {
    let (first, rest) = arguments.split_first()?;
    if first != "inside" {
        return None;
    }
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["enter", privilege] => enter(Privilege::named(privilege)),
        ["worker", privilege] => worker::run(Privilege::named(privilege)),
        ["room", privilege, place] => stay::run(Privilege::named(privilege), place),
        ["inspect", privilege, place] => stay::inspect(Privilege::named(privilege), place),
        ["decide", privilege, place] => decider::run(Privilege::named(privilege), place),
        ["build", privilege, place] => room::build(Privilege::named(privilege), place),
        _ => Err(anyhow::anyhow!("`inside` is for the lab itself")),
    };
    Some(match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("automode-lab: {error:#}");
            ExitCode::FAILURE
        }
    })
}

/// Leaves the machine's namespaces and starts the worker as their first process.
fn enter(privilege: Privilege) -> Result<()> {
    // Whoever started this is gone: so are we.
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    let (uid, gid) = (getuid(), getgid());
    let mut flags = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS
        | CloneFlags::CLONE_NEWNET;
    if privilege == Privilege::UserNamespace {
        flags |= CloneFlags::CLONE_NEWUSER;
    }
    unshare(flags).context("the kernel gives no new namespaces")?;
    if privilege == Privilege::UserNamespace {
        become_one(0, uid, 0, gid)?;
    }
    let status = Command::new("/proc/self/exe")
        .args(["inside", "worker", privilege.name()])
        .status()
        .context("the worker could not be started")?;
    if !status.success() {
        bail!("the worker ended with {status}");
    }
    Ok(())
}

/// Maps the only user of a new user namespace.
pub fn become_one(inner_user: u32, user: Uid, inner_group: u32, group: Gid) -> Result<()> {
    fs::write("/proc/self/setgroups", "deny").context("setgroups")?;
    fs::write("/proc/self/uid_map", format!("{inner_user} {user} 1")).context("uid_map")?;
    fs::write("/proc/self/gid_map", format!("{inner_group} {group} 1")).context("gid_map")?;
    Ok(())
}

/// One JSON value from a line of standard input.
pub fn read_setup() -> Result<RoomSetup> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    serde_json::from_str(&line).context("the worker was not told what to do")
}

/// A command that starts this program again, with everything closed but its errors.
pub fn again(arguments: &[&str]) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.arg("inside").args(arguments);
    command
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}
