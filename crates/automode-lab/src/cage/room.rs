//! A room: a fresh overlay of the whole root, entered by an ordinary user.
//!
//! `furnish` mounts it in a mount namespace of its own and makes it the only thing there
//! is: after `pivot_root` the real machine is not even mounted. `lower_rights` leaves
//! root behind for good.

use std::env;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::unistd::{
    Gid, Uid, chdir, getgid, getuid, pivot_root, setgid, setgroups, sethostname, setuid,
};

use super::entry::{Privilege, become_one};
use crate::world::{ENVIRONMENT, USER_ID};

/// Where the worker keeps everything, on a temporary file system of its own.
pub const LAB: &str = "/tmp";
/// The world, read by all rooms and written by none.
pub const WORLD: &str = "/tmp/world";
const NONE: Option<&str> = None;

/// Makes the room at `place` and everything outside it unreachable.
pub fn furnish(privilege: Privilege, place: &str) -> Result<()> {
    unshare(CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC | CloneFlags::CLONE_NEWUTS)
        .context("no namespaces for the room")?;
    sethostname("devbox")?;
    let root = format!("{place}/root");
    let lower = match privilege {
        // Being built: the world is what is written.
        _ if place.ends_with("/build") => lower_of(privilege, None),
        _ => lower_of(privilege, Some(WORLD)),
    };
    let upper = if place.ends_with("/build") {
        WORLD.to_owned()
    } else {
        format!("{place}/upper")
    };
    let extra = match privilege {
        Privilege::Root => "",
        Privilege::UserNamespace => ",userxattr",
    };
    let options = format!(
        "lowerdir={lower},upperdir={upper},workdir={place}/work,xino=off,redirect_dir=nofollow,index=off{extra}"
    );
    mount(
        Some("overlay"),
        root.as_str(),
        Some("overlay"),
        MsFlags::MS_NODEV | MsFlags::MS_NOSUID,
        Some(options.as_str()),
    )
    .with_context(|| format!("the overlay could not be mounted ({options})"))?;
    let bind = |from: &str, to: &str, flags: MsFlags| {
        mount(
            Some(from),
            to,
            NONE,
            MsFlags::MS_BIND | MsFlags::MS_REC,
            NONE,
        )
        .with_context(|| format!("`{from}` could not be shown at `{to}`"))?;
        mount(
            NONE,
            to,
            NONE,
            MsFlags::MS_BIND | MsFlags::MS_REMOUNT | flags,
            NONE,
        )
        .with_context(|| format!("`{to}` could not be made read-only"))
    };
    if privilege == Privilege::UserNamespace {
        for directory in system_directories() {
            bind(&directory, &format!("{root}{directory}"), locked_flags())?;
        }
    }
    mount(
        Some("proc"),
        format!("{root}/proc").as_str(),
        Some("proc"),
        MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC,
        NONE,
    )
    .context("no process table for the room")?;
    mount(
        Some(format!("{LAB}/dev").as_str()),
        format!("{root}/dev").as_str(),
        NONE,
        MsFlags::MS_BIND | MsFlags::MS_REC,
        NONE,
    )
    .context("no devices for the room")?;
    if fs::exists(format!("{LAB}/toolchain"))? {
        bind(
            &format!("{LAB}/toolchain"),
            &format!("{root}/opt/rust"),
            locked_flags(),
        )?;
    }
    move_in(&root)
}

/// The layers below the one that is written.
fn lower_of(privilege: Privilege, world: Option<&str>) -> String {
    match (privilege, world) {
        (Privilege::Root, Some(world)) => format!("{world}:/"),
        (Privilege::Root, None) => "/".to_owned(),
        (Privilege::UserNamespace, Some(world)) => world.to_owned(),
        (Privilege::UserNamespace, None) => format!("{LAB}/bare"),
    }
}

const fn locked_flags() -> MsFlags {
    MsFlags::MS_RDONLY
        .union(MsFlags::MS_NOSUID)
        .union(MsFlags::MS_NODEV)
}

/// What an unprivileged room shows of the machine, read-only: programs and their libraries.
pub fn system_directories() -> Vec<String> {
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt"]
        .into_iter()
        .filter(|path| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()))
        .map(str::to_owned)
        .collect()
}

fn move_in(root: &str) -> Result<()> {
    chdir(root)?;
    pivot_root(".", ".").context("the room could not become the root")?;
    umount2(".", MntFlags::MNT_DETACH).context("the machine could not be put away")?;
    chdir("/")?;
    Ok(())
}

/// Becomes the ordinary user, with no way back.
pub fn lower_rights(privilege: Privilege) -> Result<()> {
    match privilege {
        Privilege::Root => {
            setgroups(&[]).context("groups could not be left")?;
            setgid(Gid::from_raw(USER_ID))?;
            setuid(Uid::from_raw(USER_ID))?;
            if setuid(Uid::from_raw(0)).is_ok() {
                bail!("the way back to root is open");
            }
        }
        Privilege::UserNamespace => {
            let (uid, gid) = (getuid(), getgid());
            unshare(CloneFlags::CLONE_NEWUSER).context("no user namespace for the room")?;
            become_one(USER_ID, uid, USER_ID, gid)?;
        }
    }
    prctl::set_no_new_privs()?;
    Ok(())
}

/// Runs a script of the builder as the user, in the world that is being made.
pub fn build(privilege: Privilege, place: &str) -> Result<()> {
    let mut script = String::new();
    std::io::stdin().read_to_string(&mut script)?;
    furnish(privilege, place)?;
    lower_rights(privilege)?;
    env::set_current_dir(Path::new("/"))?;
    let status = Command::new("/bin/sh")
        .args(["-eu", "-c", &script])
        .env_clear()
        .envs(ENVIRONMENT.iter().copied())
        .status()
        .context("the builder's shell could not be started")?;
    if !status.success() {
        bail!("the world could not be built: the script ended with {status}");
    }
    Ok(())
}
