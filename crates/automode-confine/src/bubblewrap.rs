//! The layout as mounts, with namespaces of its own for everything, by bubblewrap.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::inside::PLACE;
use crate::layout::{Layout, MountPlace};

/// The name of the program inside.
pub(crate) const PROGRAM: &str = "automode";

/// Parts of `/proc` that belong to the machine's owner whatever namespace asks: who may write
/// `sys/kernel/core_pattern` starts programs outside. Bubblewrap itself covers only what it can
/// see to be writable from the directory.
const OWNERS_PROC: [&str; 5] = [
    "/proc/acpi",
    "/proc/mtrr",
    "/proc/scsi",
    "/proc/sys",
    "/proc/sysrq-trigger",
];

/// The name of an empty file among the run's private ones.
pub(crate) const NOTHING: &str = "nothing";

/// Bubblewrap, or what becomes it, with the words that put `run` (this run's private files) and
/// `program` inside.
#[must_use]
pub(crate) fn command(
    mut command: Command,
    layout: &Layout,
    directory: &Path,
    run: &Path,
    program: &Path,
) -> Command {
    // Its own variables can be read inside, through the list of processes.
    command
        .env_clear()
        .args(arguments(layout, directory, run, program));
    command
}

fn arguments(layout: &Layout, directory: &Path, run: &Path, program: &Path) -> Vec<OsString> {
    let mut list = BubblewrapArguments(Vec::new());
    // Without an own user namespace nobody could forbid making one.
    for word in [
        "--unshare-user",
        "--unshare-ipc",
        "--unshare-pid",
        "--unshare-net",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--disable-userns",
        "--die-with-parent",
        "--new-session",
    ] {
        list.add([word]);
    }
    list.add(["--cap-drop", "ALL"]);
    for place in &layout.places {
        match place {
            MountPlace::Read(path) => list.bind("--ro-bind", path, path),
            MountPlace::Write(path) => list.bind("--bind", path, path),
            MountPlace::Private { from, at } => list.bind("--bind", from, at),
            MountPlace::Empty(at) => list.pair("--tmpfs", at),
            MountPlace::Hidden(path) => list.bind("--ro-bind", &run.join(NOTHING), path),
            MountPlace::Link { to, at } => list.bind("--symlink", to, at),
        }
    }
    list.add(["--proc", "/proc"]);
    if rustix::process::geteuid().is_root() {
        for part in OWNERS_PROC.map(Path::new) {
            list.bind("--ro-bind-try", part, part);
        }
    }
    list.add(["--dev", "/dev"]);
    list.bind("--ro-bind", run, Path::new(PLACE));
    let inner = PathBuf::from(PLACE).join(PROGRAM);
    list.bind("--ro-bind", program, &inner);
    list.pair("--chdir", directory);
    list.add(["--"]);
    list.0.push(inner.into());
    list.add(["confined", "inside"]);
    list.0
}

struct BubblewrapArguments(Vec<OsString>);

impl BubblewrapArguments {
    fn add<const N: usize>(&mut self, words: [&str; N]) {
        self.0.extend(words.map(OsString::from));
    }

    fn pair(&mut self, option: &str, path: &Path) {
        self.0
            .extend([OsStr::new(option), path.as_os_str()].map(OsString::from));
    }

    fn bind(&mut self, option: &str, from: &Path, to: &Path) {
        self.pair(option, from);
        self.0.push(to.into());
    }
}
