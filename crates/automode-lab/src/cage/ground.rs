//! Making the world: once for a worker, on a temporary file system that dies with it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, chown, lchown, symlink};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use nix::mount::{MsFlags, mount};
use nix::sys::stat::{Mode, SFlag, makedev, mknod};
use rustix::fs::{XattrFlags, lsetxattr};

use super::RoomSetup;
use super::entry::{Privilege, again};
use super::room::{LAB, WORLD, system_directories};
use crate::canary::Canaries;
use crate::world::{
    COMPANION, HIDDEN, HOME, Inventory, InventoryKind, ORIGIN, PROJECT, Plant, USER_ID, history,
    late_plants, plants,
};

/// Directories of the machine that the world shows.
const SHOWN: &[&str] = &[
    "bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "opt", "proc", "sbin", "sys", "usr",
    "var",
];

const BUNDLE: &str = "/etc/ssl/certs/ca-certificates.crt";
const NONE: Option<&str> = None;

/// Puts the worker on its own ground: nothing it mounts or writes is seen outside.
pub fn clear(setup: &RoomSetup) -> Result<()> {
    mount(NONE, "/", NONE, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NONE)
        .context("mounts could not be made private")?;
    // The toolchain may lie below what is about to be covered.
    let toolchain = setup.toolchain.as_deref().map(fs::File::open).transpose()?;
    let automode = setup.automode.as_deref().map(fs::read).transpose();
    let automode = automode.context("the automode binary could not be read")?;
    let size = format!(
        "size={},mode=755",
        setup.limits.disk_bytes.saturating_add(256 << 20)
    );
    mount(
        Some("tmpfs"),
        LAB,
        Some("tmpfs"),
        MsFlags::MS_NODEV | MsFlags::MS_NOSUID,
        Some(size.as_str()),
    )
    .context("no temporary file system")?;
    mount(
        Some("proc"),
        "/proc",
        Some("proc"),
        MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC,
        NONE,
    )
    .context("no process table")?;
    for directory in ["world", "bare", "dev", "build/root", "build/work"] {
        fs::create_dir_all(Path::new(LAB).join(directory))?;
    }
    if let (Some(toolchain), Some(path)) = (toolchain, &setup.toolchain) {
        drop(toolchain);
        let to = format!("{LAB}/toolchain");
        fs::create_dir(&to)?;
        mount(
            Some(path.as_str()),
            to.as_str(),
            NONE,
            MsFlags::MS_BIND,
            NONE,
        )
        .context("the toolchain could not be shown")?;
    }
    if let Some(binary) = automode {
        let place = format!("{WORLD}/usr/local/bin/automode");
        put(&place, &binary, 0o755)?;
    }
    Ok(())
}

/// Device files that programs expect.
pub fn devices(privilege: Privilege) -> Result<()> {
    let dev = format!("{LAB}/dev");
    if privilege == Privilege::Root {
        mount(
            Some("tmpfs"),
            dev.as_str(),
            Some("tmpfs"),
            MsFlags::MS_NOSUID,
            Some("size=1m,mode=755"),
        )?;
    }
    for (name, major, minor) in [
        ("null", 1, 3),
        ("zero", 1, 5),
        ("full", 1, 7),
        ("random", 1, 8),
        ("urandom", 1, 9),
        ("tty", 5, 0),
    ] {
        let path = format!("{dev}/{name}");
        match privilege {
            Privilege::Root => {
                mknod(
                    path.as_str(),
                    SFlag::S_IFCHR,
                    Mode::from_bits_truncate(0o666),
                    makedev(major, minor),
                )?;
                fs::set_permissions(&path, fs::Permissions::from_mode(0o666))?;
            }
            Privilege::UserNamespace => {
                fs::write(&path, "")?;
                mount(
                    Some(format!("/dev/{name}").as_str()),
                    path.as_str(),
                    NONE,
                    MsFlags::MS_BIND,
                    NONE,
                )?;
            }
        }
    }
    for (name, to) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
        ("shm", "/tmp"),
    ] {
        symlink(to, format!("{dev}/{name}"))?;
    }
    Ok(())
}

/// Builds the world and says what is in it. `authority` is the certificate to be trusted.
pub fn build(privilege: Privilege, canaries: &Canaries, authority: &str) -> Result<Inventory> {
    hide_the_machine(privilege)?;
    for directory in [
        HOME,
        PROJECT,
        ORIGIN,
        "/opt/rust",
        "/proc",
        "/dev",
        "/sys",
        "/tmp",
        "/var/tmp",
        "/run",
        "/root",
    ] {
        fs::create_dir_all(format!("{WORLD}{directory}"))?;
    }
    for (directory, mode) in [("/tmp", 0o1777), ("/var/tmp", 0o1777), ("/root", 0o700)] {
        fs::set_permissions(
            format!("{WORLD}{directory}"),
            fs::Permissions::from_mode(mode),
        )?;
    }
    let bundle = fs::read_to_string(BUNDLE).unwrap_or_default();
    put(
        &format!("{WORLD}{BUNDLE}"),
        format!("{bundle}\n{authority}").as_bytes(),
        0o644,
    )?;
    put(
        &format!("{WORLD}{COMPANION}"),
        &fs::read("/bin/sleep").context("no program for the companion")?,
        0o755,
    )?;
    let scripts = history();
    let mut known = BTreeMap::new();
    for (plants, script) in [
        (plants(canaries), scripts.before),
        (late_plants(canaries), scripts.after),
    ] {
        for plant in plants {
            put(
                &format!("{WORLD}{}", plant.path),
                plant.text.as_bytes(),
                plant.mode,
            )?;
            known.insert(plant.path.clone(), plant);
        }
        give_away(privilege)?;
        run_script(privilege, &script)?;
    }
    let mut inventory = Inventory::default();
    for top in ["/home", "/srv", "/tmp"] {
        take_stock(top, &known, &mut inventory)?;
    }
    Ok(inventory)
}

fn put(path: &str, bytes: &[u8], mode: u32) -> Result<()> {
    let parent = Path::new(path).parent().context("a file has a directory")?;
    fs::create_dir_all(parent)?;
    fs::write(path, bytes).with_context(|| format!("`{path}` could not be written"))?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    Ok(())
}

/// Covers what is on the machine and not part of the world.
fn hide_the_machine(privilege: Privilege) -> Result<()> {
    if privilege == Privilege::UserNamespace {
        return show_the_machine();
    }
    for directory in HIDDEN {
        if fs::symlink_metadata(directory).is_ok_and(|found| found.is_dir()) {
            let cover = format!("{WORLD}{directory}");
            fs::create_dir_all(&cover)?;
            lsetxattr(&cover, "trusted.overlay.opaque", b"y", XattrFlags::empty())
                .with_context(|| format!("`{directory}` could not be hidden"))?;
        }
    }
    for entry in fs::read_dir("/")? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let path = format!("/{name}");
        if !SHOWN.contains(&name.as_ref()) && !HIDDEN.contains(&path.as_str()) {
            // A device of this number in an overlay says that the name is gone.
            mknod(
                format!("{WORLD}{path}").as_str(),
                SFlag::S_IFCHR,
                Mode::empty(),
                makedev(0, 0),
            )
            .with_context(|| format!("`{path}` could not be hidden"))?;
        }
    }
    Ok(())
}

/// Without rights the root cannot be a layer: directories of programs are shown
/// one by one, settings are copied.
fn show_the_machine() -> Result<()> {
    for directory in system_directories() {
        fs::create_dir_all(format!("{WORLD}{directory}"))?;
    }
    for entry in fs::read_dir("/")? {
        let entry = entry?;
        if entry.file_type()?.is_symlink() {
            let to = fs::read_link(entry.path())?;
            symlink(
                to,
                format!("{WORLD}/{}", entry.file_name().to_string_lossy()),
            )?;
        }
    }
    copy_tree(Path::new("/etc"), Path::new(&format!("{WORLD}/etc")))
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    let Ok(entries) = fs::read_dir(from) else {
        return Ok(());
    };
    for entry in entries {
        let entry = entry?;
        let target = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(entry.path())?, &target)?;
        } else if kind.is_file() {
            // What may not be read is not the world's.
            fs::copy(entry.path(), &target)
                .map(drop)
                .unwrap_or_default();
        }
    }
    Ok(())
}

/// Everything of the person belongs to the person.
fn give_away(privilege: Privilege) -> Result<()> {
    if privilege == Privilege::UserNamespace {
        return Ok(());
    }
    for top in ["/home/dev", "/srv/git"] {
        let top = format!("{WORLD}{top}");
        chown(&top, Some(USER_ID), Some(USER_ID))?;
        walk(Path::new(&top), &mut |path, _| {
            Ok(lchown(path, Some(USER_ID), Some(USER_ID))?)
        })?;
    }
    Ok(())
}

fn run_script(privilege: Privilege, script: &str) -> Result<()> {
    let mut child = again(&["build", privilege.name(), &format!("{LAB}/build")]).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(script.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!("the world could not be built");
    }
    Ok(())
}

fn take_stock(top: &str, known: &BTreeMap<String, Plant>, inventory: &mut Inventory) -> Result<()> {
    walk(Path::new(&format!("{WORLD}{top}")), &mut |path, found| {
        let shown = path.to_string_lossy();
        let inner = shown.strip_prefix(WORLD).unwrap_or(&shown).to_owned();
        let kind = if found.is_dir() {
            InventoryKind::Directory
        } else if found.is_symlink() {
            InventoryKind::Link(fs::read_link(path)?.to_string_lossy().into_owned())
        } else {
            InventoryKind::File(fs::read(path)?)
        };
        inventory.enter(inner, kind, found.permissions().mode() & 0o7777, known);
        Ok(())
    })
}

/// Visits everything below a directory, not following links.
fn walk(directory: &Path, visit: &mut dyn FnMut(&Path, &fs::Metadata) -> Result<()>) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let found = fs::symlink_metadata(&path)?;
        visit(&path, &found)?;
        if found.is_dir() {
            walk(&path, visit)?;
        }
    }
    Ok(())
}
