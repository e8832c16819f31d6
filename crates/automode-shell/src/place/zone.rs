//! Where a path lies.

use crate::Context;

/// The part of the machine a path belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Zone {
    /// `/` itself.
    Root,
    /// A top-level tree of the system: `/etc`, `/usr`, `/home`.
    SystemTree,
    /// Inside such a tree.
    System,
    /// A disk or another device that keeps data.
    Device,
    /// `/dev/null`, `/dev/stdout` and their kin: nothing is kept.
    Sink,
    /// `/proc` and `/sys`.
    Kernel,
    /// A temporary directory itself.
    TempRoot,
    Temp,
    /// The home directory itself.
    Home,
    /// Inside the home directory, outside the project.
    InHome,
    /// A directory that contains the project or the working directory.
    Ancestor,
    /// The project's root itself.
    ProjectRoot,
    Project,
    /// Another user's home, a mounted volume, `/srv`, `/opt`.
    Elsewhere,
    Unknown,
}

/// Files that stand for the streams of a process, or for nothing.
pub(crate) const STREAMS: &[&str] = &[
    "/dev/null",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
];
/// Devices that keep nothing, beside the streams.
const SINKS: &[&str] = &["/dev/full", "/dev/fd"];
const TEMP: &[&str] = &[
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/private/tmp",
    "/private/var/tmp",
    "/var/folders",
    "/private/var/folders",
];
/// Trees in which the system, not a person, keeps files.
const SYSTEM: &[&str] = &[
    "/bin",
    "/boot",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/sbin",
    "/usr",
    "/var",
    "/run",
    "/root",
    "/snap",
    "/nix",
    "/system",
    "/library",
    "/applications",
    "/private",
    "/cores",
];
/// Trees that hold other people's data; losing one whole is as bad.
const SHARED: &[&str] = &[
    "/home", "/users", "/opt", "/srv", "/mnt", "/media", "/volumes", "/data",
];

impl Context {
    /// Whether a directory is a root that the session works in, or lies in one.
    #[must_use]
    pub fn is_inside(&self, directory: &str) -> bool {
        matches!(Zone::of(directory, self), Zone::ProjectRoot | Zone::Project)
    }

    /// The directory for temporary files that a path lies below.
    fn temporary_above(&self, path: &str) -> Option<&str> {
        let own = self.variables.iter().filter(|(name, _)| name == "TMPDIR");
        let mut own = own.map(|(_, value)| value.trim_end_matches('/'));
        let mut common = TEMP.iter().copied();
        own.find(|temporary| is_below(path, temporary))
            .or_else(|| common.find(|temporary| is_below(path, temporary)))
    }
}

impl Zone {
    /// The zone of an absolute, normalised path.
    #[must_use]
    pub fn of(path: &str, context: &Context) -> Self {
        let path = match path.trim_end_matches('/') {
            "" if path.is_empty() => return Self::Unknown,
            "" => "/",
            trimmed => trimmed,
        };
        if !path.starts_with('/') {
            return Self::Unknown;
        }
        let home = context
            .home
            .as_deref()
            .map(|home| home.trim_end_matches('/'));
        if home == Some(path) {
            return Self::Home;
        }
        if let Some(zone) = Self::of_special(path) {
            return zone;
        }
        if let Some(zone) = Self::of_work(path, context) {
            return zone;
        }
        if path == "/" {
            return Self::Root;
        }
        let home = home.filter(|home| is_below(path, home));
        match (home, context.temporary_above(path)) {
            // A home below `/tmp`, as in a container, is a home; what is for temporary files in
            // it is for them.
            (Some(home), Some(temporary)) if is_below(temporary, home) => Self::Temp,
            (Some(_), _) => Self::InHome,
            (None, Some(_)) => Self::Temp,
            (None, None) => Self::of_system(path),
        }
    }

    /// The same zone for something inside it.
    #[must_use]
    pub const fn below(self) -> Self {
        match self {
            Self::Root | Self::Ancestor => Self::Elsewhere,
            Self::SystemTree => Self::System,
            Self::TempRoot => Self::Temp,
            Self::Home => Self::InHome,
            Self::ProjectRoot => Self::Project,
            Self::System
            | Self::Device
            | Self::Sink
            | Self::Kernel
            | Self::Temp
            | Self::InHome
            | Self::Project
            | Self::Elsewhere
            | Self::Unknown => self,
        }
    }

    /// A tree whose loss nobody means: no consent makes its removal routine.
    #[must_use]
    pub const fn is_critical(self) -> bool {
        match self {
            Self::Root | Self::SystemTree | Self::Home | Self::Ancestor | Self::Device => true,
            Self::System
            | Self::Sink
            | Self::Kernel
            | Self::TempRoot
            | Self::Temp
            | Self::InHome
            | Self::ProjectRoot
            | Self::Project
            | Self::Elsewhere
            | Self::Unknown => false,
        }
    }

    fn of_special(path: &str) -> Option<Self> {
        let keeps_nothing = STREAMS.contains(&path) || SINKS.contains(&path);
        if keeps_nothing || path.starts_with("/dev/fd/") || path.starts_with("/dev/pts/") {
            return Some(Self::Sink);
        }
        if TEMP.contains(&path) {
            return Some(Self::TempRoot);
        }
        if path.starts_with("/dev/") && !path.starts_with("/dev/shm/") {
            return Some(Self::Device);
        }
        ["/proc/", "/sys/"]
            .iter()
            .any(|tree| path.starts_with(tree))
            .then_some(Self::Kernel)
    }

    /// Relative to the roots the session works in. A root that is `/`, the home
    /// directory or a system tree is too wide to lend its contents any trust.
    fn of_work(path: &str, context: &Context) -> Option<Self> {
        let home = context
            .home
            .as_deref()
            .map(|home| home.trim_end_matches('/'));
        let roots = || {
            context
                .roots
                .iter()
                .map(|root| root.trim_end_matches('/'))
                .filter(|root| !is_too_wide(root, home))
        };
        if roots().any(|root| root == path) {
            return Some(Self::ProjectRoot);
        }
        if roots().any(|root| is_below(path, root)) {
            return Some(Self::Project);
        }
        let contains = roots()
            .chain([context.cwd.as_str()])
            .any(|root| is_below(root, path));
        (contains && path != "/").then_some(Self::Ancestor)
    }

    fn of_system(path: &str) -> Self {
        let lower = path.to_lowercase();
        let depth = path.matches('/').count();
        if depth == 1 {
            return Self::SystemTree;
        }
        if SYSTEM.iter().any(|tree| is_below(&lower, tree)) {
            // `/usr/bin` and `/var/lib` are as vital as `/usr`.
            return if depth == 2 {
                Self::SystemTree
            } else {
                Self::System
            };
        }
        // Somebody's home or a volume as a whole.
        if depth == 2 && SHARED.iter().any(|tree| is_below(&lower, tree)) {
            return if lower.starts_with("/home/") || lower.starts_with("/users/") {
                Self::SystemTree
            } else {
                Self::Elsewhere
            };
        }
        Self::Elsewhere
    }
}

/// Whether `path` lies strictly below `base`.
fn is_below(path: &str, base: &str) -> bool {
    !base.is_empty()
        && path
            .strip_prefix(base)
            .is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'))
}

fn is_too_wide(root: &str, home: Option<&str>) -> bool {
    root.is_empty()
        || home == Some(root)
        || home.is_some_and(|home| is_below(home, root))
        || SYSTEM.contains(&root.to_lowercase().as_str())
        || SHARED.contains(&root.to_lowercase().as_str())
}
