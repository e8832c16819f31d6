//! The vocabulary of what a command does to the world.
//!
//! An [`Effect`] is an [`Act`] with the invocation and the text it comes from.
//! Acts name targets and data marks, never a verdict: whether an effect is fine
//! is for the rules to say.

use super::{Span, Taint, Target};

/// One thing that would happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    pub act: Act,
    /// Index into [`super::Analysis::invocations`].
    pub by: usize,
    pub span: Span,
    pub certainty: Certainty,
}

/// Whether the command gets there on every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    Always,
    /// Behind a condition, `&&`, a loop or a trap.
    Sometimes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Reads content.
    Read {
        target: Target,
    },
    /// Looks at names or metadata only.
    List {
        target: Target,
    },
    Write {
        target: Target,
        how: WriteHow,
        data: Taint,
    },
    Delete {
        target: Target,
        tree: bool,
    },
    /// Runs code that is not a program the knowledge describes.
    Execute {
        code: Code,
        origin: Origin,
    },
    Connect {
        host: Host,
        direction: Direction,
        data: Taint,
    },
    /// Accepts connections.
    Listen {
        interface: Interface,
    },
    /// Version control.
    Vcs(VcsOp),
    Package {
        op: PackageOp,
        source: PackageSource,
        scope: Scope,
        names: Vec<String>,
    },
    /// Signals, priorities, traces of processes.
    Process {
        scope: ProcessScope,
    },
    /// Runs with other rights, or grants rights.
    Privilege(Account),
    /// Leaves something that runs later by itself.
    Persist {
        kind: PersistKind,
    },
    /// Changes the machine itself.
    System(SystemChange),
    /// A cloud, cluster or hosted service.
    Cloud {
        service: String,
        verb: CloudVerb,
    },
    Database {
        verb: DatabaseVerb,
    },
    /// Shows, stores or creates a credential.
    Credential {
        what: String,
        direction: Direction,
    },
    /// Puts an artifact where others fetch it.
    Publish {
        registry: String,
    },
    /// A message, mail, issue, comment or payment that reaches other people.
    Message {
        service: String,
    },
    /// Starts another agent.
    Agent {
        program: String,
        unrestricted: bool,
    },
    /// Sets a variable that decides what other programs run (`PATH`, `LD_PRELOAD`, `GIT_SSH_COMMAND`).
    Environment {
        name: String,
    },
    /// Uses machine resources without bound (a fork bomb, an endless writer).
    Exhaust,
}

/// What an act does to a place in the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Touch {
    /// Names and metadata only.
    List,
    Read,
    /// Runs the file.
    Run,
    Write,
    Delete,
    /// Deletes it with everything below.
    DeleteTree,
}

/// What an act changes among the files of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChange<'a> {
    Nothing,
    Write {
        target: &'a Target,
        how: WriteHow,
        data: Taint,
    },
    Delete {
        target: &'a Target,
        tree: bool,
    },
    /// What git puts into the tree and its own directory.
    Repository(&'a VcsOp),
    /// Code, a service or a manager that is told no path here.
    Untold,
}

impl Act {
    /// What it changes among files; the one place that lists every act for this question.
    #[must_use]
    pub const fn file_change(&self) -> FileChange<'_> {
        match self {
            Self::Write { target, how, data } => FileChange::Write {
                target,
                how: *how,
                data: *data,
            },
            Self::Delete { target, tree } => FileChange::Delete {
                target,
                tree: *tree,
            },
            Self::Vcs(op) => FileChange::Repository(op),
            Self::Read { .. }
            | Self::List { .. }
            | Self::Connect { .. }
            | Self::Listen { .. }
            | Self::Process { .. }
            | Self::Exhaust => FileChange::Nothing,
            Self::Execute { .. }
            | Self::Package { .. }
            | Self::Privilege(_)
            | Self::Persist { .. }
            | Self::System(_)
            | Self::Cloud { .. }
            | Self::Database { .. }
            | Self::Credential { .. }
            | Self::Publish { .. }
            | Self::Message { .. }
            | Self::Agent { .. }
            | Self::Environment { .. } => FileChange::Untold,
        }
    }

    /// The code that it runs, and where that comes from.
    #[must_use]
    pub const fn executes(&self) -> Option<(&Code, Origin)> {
        if let Self::Execute { code, origin } = self {
            return Some((code, *origin));
        }
        None
    }

    /// The place it touches by name, and how; `None`: it is about something else.
    #[must_use]
    pub const fn touches(&self) -> Option<(Touch, &Target)> {
        if let Self::List { target } = self {
            return Some((Touch::List, target));
        }
        if let Self::Read { target } = self {
            return Some((Touch::Read, target));
        }
        if let Self::Execute {
            code: Code::File(target),
            ..
        } = self
        {
            return Some((Touch::Run, target));
        }
        match self.file_change() {
            FileChange::Write { target, .. } => Some((Touch::Write, target)),
            FileChange::Delete {
                target,
                tree: false,
            } => Some((Touch::Delete, target)),
            FileChange::Delete { target, tree: true } => Some((Touch::DeleteTree, target)),
            FileChange::Nothing | FileChange::Repository(_) | FileChange::Untold => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WriteHow {
    /// A new directory, an empty file, a time stamp: nothing is lost.
    Touch,
    /// Creates or replaces the whole file.
    Replace,
    Append,
    /// Changes parts in place (`sed -i`, a formatter).
    Edit,
    /// Mode, owner, attributes.
    Attributes,
    /// A link: the target is the link's own path.
    Link,
    /// Raw bytes to a device or partition.
    Raw,
}

/// Code that would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    /// A task the project declares: `npm test`, `make check`, `cargo build`.
    Task { runner: String, name: String },
    /// A file: a script, a module, a binary by path.
    File(Target),
    /// A program on the search path that the knowledge does not describe.
    Program(String),
    /// Inline text in some language.
    Inline { language: &'static str },
    /// What arrives on standard input or from a substitution.
    Stream,
    /// A package fetched for this run (`npx x`, `uvx x`, `go run url`).
    Package(String),
    /// Inside a container or virtual machine.
    Container { image: String, isolated: bool },
    /// On another machine.
    Remote { host: String },
}

/// A program that is started by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartedProgram<'c> {
    /// Found on the search path.
    Named(&'c str),
    /// A file.
    At(&'c Target),
}

impl Code {
    /// The program that is started, where the code is one and not something inside another.
    #[must_use]
    pub fn program(&self) -> Option<StartedProgram<'_>> {
        match self {
            Self::Program(name) => Some(StartedProgram::Named(name)),
            Self::File(target) => Some(StartedProgram::At(target)),
            Self::Task { .. }
            | Self::Inline { .. }
            | Self::Stream
            | Self::Package(_)
            | Self::Container { .. }
            | Self::Remote { .. } => None,
        }
    }
}

/// Where executed code comes from, and whether it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// Its text was analysed too: its effects are in the list.
    pub seen: bool,
    pub taint: Taint,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Data comes in.
    Receive,
    /// Data goes out: a body, an upload, a push, a query that carries data.
    Send,
}

/// The other end of a connection.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// This machine.
    Loopback,
    Named(String),
    /// The service that the program always talks to, by name (`crates.io`, `github.com`).
    Default(String),
    Unknown,
}

/// Which interface a listener binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Interface {
    Loopback,
    /// All interfaces, or a public tunnel.
    Exposed,
    /// The program's default, not told by the command.
    Unstated,
}

/// A change to version control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VcsOp {
    /// Local history, index or refs; recoverable.
    Local,
    /// Throws away uncommitted work (`reset --hard`, `checkout -- .`, `restore`).
    DiscardChanges {
        target: Option<Target>,
    },
    /// Deletes untracked files (`git clean`).
    Clean {
        target: Option<Target>,
        ignored: bool,
    },
    /// Loses commits, stashes or reflogs for good.
    DropHistory,
    /// Rewrites published or local history (`rebase`, `filter-branch`, `commit --amend`).
    Rewrite,
    Fetch,
    Push {
        remote: Option<String>,
        change: RefChange,
        refs: Vec<String>,
        all: bool,
    },
    /// Adds or changes a remote.
    Remote {
        url: Option<String>,
    },
    /// Writes configuration; `runs` where the key makes git run a program.
    Config {
        key: String,
        runs: bool,
        global: bool,
    },
    /// Applies a patch or merges what came from elsewhere.
    Apply,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefChange {
    Update,
    Force,
    Delete,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PackageOp {
    Install,
    Remove,
    /// Updates locks or indexes, audits, lists from the network.
    Refresh,
    /// Notes a package in the manifest or brings it here; nothing of it runs.
    Declare,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackageSource {
    /// What the project's manifest and lock file declare.
    Declared,
    /// Named on the command line, from the manager's registry.
    Registry,
    /// A URL, a git repository, a local archive, another index.
    Elsewhere(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    Project,
    User,
    System,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessScope {
    /// Jobs and children of this shell.
    Own,
    Pid(String),
    /// By name or pattern.
    Named(String),
    /// Everything the user may reach.
    All,
    /// Reads or injects into another process (ptrace, gdb -p, /proc/N/mem).
    Attach,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Account {
    /// Runs as root or another user (sudo, su, doas, pkexec).
    Elevate,
    /// Creates or changes accounts, groups, sudoers, keys that let someone in.
    Grant,
    /// Set-user-id bits and capabilities.
    Setuid,
    /// Opens files to everybody.
    World,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PersistKind {
    Cron,
    Service,
    /// Shell start-up files, login items, desktop autostart.
    Startup,
    GitHook,
    /// Anything else that the system runs by itself.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SystemChange {
    /// Shutdown, reboot, suspend.
    Power,
    /// Partition tables, file systems, mounts, swap.
    Storage,
    /// Kernel modules and parameters.
    Kernel,
    /// Starts or stops services.
    Service,
    /// Firewalls, routes, interfaces, name resolution.
    Network,
    /// Turns a protection off (SELinux, AppArmor, gatekeeper, audit, antivirus).
    SecurityOff,
    /// Removes or edits logs, histories, time stamps meant as evidence.
    Logs,
    /// Certificates and trust stores, TLS checks switched off.
    Trust,
    /// Clock, host name, locale and other settings.
    Settings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CloudVerb {
    Read,
    Create,
    Change,
    Delete,
    /// Rolls something out.
    Deploy,
    /// Changes who may do what.
    Grant,
    /// Runs a command or function there.
    Run,
    /// Reads a secret from a store.
    Secret,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DatabaseVerb {
    Read,
    Insert,
    /// Changes or deletes rows chosen by a condition.
    Change,
    /// Drops, truncates, or deletes without a condition.
    Destroy,
    /// Schema changes that lose nothing.
    Schema,
    /// Roles, grants, server settings, reading or writing server files, running programs.
    Admin,
}
