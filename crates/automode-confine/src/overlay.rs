//! An overlay over a project, for one process and what it starts.
//!
//! A person without rights may mount one in namespaces of their own, where the kernel lets
//! them. So a small process goes there, mounts it, and becomes the program that is to see it;
//! with the last process in it the overlay is gone, and its upper layer is left.

use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::{getgid, getuid};

use crate::inside::NOT_STARTED;
use crate::machine::Machine;
use crate::seccomp;
use crate::trial::OverlayPlaces;

impl OverlayPlaces {
    /// Whether the kernel lets this person have it.
    pub(crate) fn can_be_mounted(&self, machine: &Machine) -> bool {
        let mut command = self.around(&machine.program);
        command.arg("true");
        let status = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    }

    /// Starts what follows with the overlay mounted.
    pub(crate) fn around(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.args(["confined", "overlay"]).args([
            &self.lower,
            &self.upper,
            &self.work,
            &self.merged,
        ]);
        command
    }
}

/// The process that mounts it: it becomes the program, or says why not.
pub(crate) fn enter(words: &[&str]) -> u8 {
    let [lower, upper, work, merged, program, arguments @ ..] = words else {
        return NOT_STARTED;
    };
    if let Err(error) = mounted(lower, upper, work, merged) {
        eprintln!("automode: not started: no overlay: {error}");
        return NOT_STARTED;
    }
    let error = Command::new(program).args(arguments).exec();
    eprintln!("automode: not started: {error}");
    NOT_STARTED
}

fn mounted(lower: &str, upper: &str, work: &str, merged: &str) -> io::Result<()> {
    // The options are one text: a place that would end one of them is not put into it.
    if [lower, upper, work]
        .iter()
        .any(|path| path.contains([',', ':', '\\', '"']))
    {
        return Err(io::Error::other(
            "a place with a comma or a colon in its name",
        ));
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    seccomp::leave_namespaces()?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )?;
    let options = format!("lowerdir={lower},upperdir={upper},workdir={work},userxattr");
    let options = std::ffi::CString::new(options).map_err(io::Error::other)?;
    mount(
        "overlay",
        merged,
        "overlay",
        MountFlags::NODEV | MountFlags::NOSUID,
        Some(options.as_c_str()),
    )?;
    Ok(())
}
