//! One line for each effect, nested code and gap.
//!
//! The notation of the examples in `knowledge/` and of what people are shown.
//! `knowledge/README.md` lists the words.

use std::fmt::{self, Display, Formatter};

use super::{
    Account, Act, CloudVerb, Code, DatabaseVerb, Direction, Extent, GapKind, Host, Interface,
    Language, Layer, Nested, Origin, PackageOp, PackageSource, PersistKind, ProcessScope,
    RefChange, Scope, SystemChange, Taint, Target, TaskRequest, Value, VcsOp, WriteHow,
};

impl Display for Act {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { target } => write!(f, "read {target}"),
            Self::List { target } => write!(f, "list {target}"),
            Self::Write { target, how, data } => {
                write!(f, "{} {target}{}", how.word(), Marks(*data))
            }
            Self::Delete { target, tree: true } => write!(f, "delete-tree {target}"),
            Self::Delete {
                target,
                tree: false,
            } => write!(f, "delete {target}"),
            Self::Execute { code, origin } => write!(f, "execute {code}{origin}"),
            Self::Connect {
                host,
                direction: Direction::Receive,
                data,
            } => write!(f, "connect {host}{}", Marks(*data)),
            Self::Connect {
                host,
                direction: Direction::Send,
                data,
            } => write!(f, "send {host}{}", Marks(*data)),
            Self::Listen { interface } => write!(f, "listen {}", interface.word()),
            Self::Vcs(op) => write!(f, "vcs {op}"),
            Self::Package {
                op,
                source,
                scope,
                names,
            } => {
                write!(f, "package {} {source} {}", op.word(), scope.word())?;
                words(f, names)
            }
            Self::Process { scope } => write!(f, "process {scope}"),
            Self::Privilege(account) => write!(f, "privilege {}", account.word()),
            Self::Persist { kind } => write!(f, "persist {}", kind.word()),
            Self::System(change) => write!(f, "system {}", change.word()),
            Self::Cloud { service, verb } => write!(f, "cloud {service} {}", verb.word()),
            Self::Database { verb } => write!(f, "database {}", verb.word()),
            Self::Credential { what, direction } => {
                write!(f, "credential {what} {}", direction.word())
            }
            Self::Publish { registry } => write!(f, "publish {registry}"),
            Self::Message { service } => write!(f, "message {service}"),
            Self::Agent {
                program,
                unrestricted: true,
            } => write!(f, "agent {program} unrestricted"),
            Self::Agent {
                program,
                unrestricted: false,
            } => write!(f, "agent {program}"),
            Self::Environment { name } => write!(f, "environment {name}"),
            Self::Exhaust => f.write_str("exhaust"),
        }
    }
}

fn words(f: &mut Formatter<'_>, words: &[String]) -> fmt::Result {
    words.iter().try_for_each(|word| write!(f, " {word}"))
}

/// ` <- secret,network`, or nothing.
struct Marks(Taint);

impl Display for Marks {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_none() {
            return Ok(());
        }
        f.write_str(" <- ")?;
        f.write_str(&self.0.names().collect::<Vec<_>>().join(","))
    }
}

impl Display for Code {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task { runner, name } => write!(f, "task {runner} {name}"),
            Self::File(target) => write!(f, "file {target}"),
            Self::Program(name) => write!(f, "program {name}"),
            Self::Inline { language } => write!(f, "inline {language}"),
            Self::Stream => f.write_str("stream"),
            Self::Package(name) => write!(f, "package {name}"),
            Self::Container {
                image,
                isolated: true,
            } => write!(f, "container {image}"),
            Self::Container {
                image,
                isolated: false,
            } => write!(f, "container {image} open"),
            Self::Remote { host } => write!(f, "remote {host}"),
        }
    }
}

impl Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.seen {
            f.write_str(" unseen")?;
        }
        Marks(self.taint).fmt(f)
    }
}

impl Display for Host {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loopback => f.write_str("loopback"),
            Self::Named(name) => f.write_str(name),
            Self::Default(name) => write!(f, "default:{name}"),
            Self::Unknown => f.write_str("?"),
        }
    }
}

impl Display for VcsOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("local"),
            Self::DiscardChanges { target: None } => f.write_str("discard"),
            Self::DiscardChanges {
                target: Some(target),
            } => write!(f, "discard {target}"),
            Self::Clean { target, ignored } => {
                f.write_str(if *ignored { "clean-ignored" } else { "clean" })?;
                target.iter().try_for_each(|target| write!(f, " {target}"))
            }
            Self::DropHistory => f.write_str("drop-history"),
            Self::Rewrite => f.write_str("rewrite"),
            Self::Fetch => f.write_str("fetch"),
            Self::Push {
                remote,
                change,
                refs,
                all,
            } => {
                let change = match change {
                    RefChange::Update => "push",
                    RefChange::Force => "push-force",
                    RefChange::Delete => "push-delete",
                };
                write!(f, "{change} {}", remote.as_deref().unwrap_or("default"))?;
                words(f, refs)?;
                f.write_str(if *all { " all" } else { "" })
            }
            Self::Remote { url: None } => f.write_str("remote"),
            Self::Remote { url: Some(url) } => write!(f, "remote {url}"),
            Self::Config { key, runs, global } => {
                write!(f, "config {key}")?;
                f.write_str(if *runs { " runs" } else { "" })?;
                f.write_str(if *global { " global" } else { "" })
            }
            Self::Apply => f.write_str("apply"),
        }
    }
}

impl Display for PackageSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declared => f.write_str("declared"),
            Self::Registry => f.write_str("registry"),
            Self::Elsewhere(place) => write!(f, "elsewhere:{place}"),
        }
    }
}

impl Display for ProcessScope {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own => f.write_str("own"),
            Self::Pid(pid) => write!(f, "pid {pid}"),
            Self::Named(name) => write!(f, "named {name}"),
            Self::All => f.write_str("all"),
            Self::Attach => f.write_str("attach"),
        }
    }
}

impl Display for Nested {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { argv, env, .. } => {
                f.write_str("run")?;
                env.iter()
                    .try_for_each(|(name, value)| write!(f, " {name}={}", value.shown()))?;
                values(f, argv)
            }
            Self::Shell { text, .. } => write!(f, "shell {}", text.shown()),
            Self::Code { language, text, .. } => {
                write!(f, "code {} {}", language.name(), text.shown())
            }
            Self::File {
                path,
                language,
                arguments,
                ..
            } => {
                let word = language.map_or("any", Language::name);
                write!(f, "script {word} {}", path.shown())?;
                values(f, arguments)
            }
            Self::Task { runner, tasks, .. } => match tasks {
                TaskRequest::Run(names) => {
                    write!(f, "task {}", runner.name())?;
                    values(f, names)
                }
                TaskRequest::Install => write!(f, "lifecycle {} install", runner.name()),
                TaskRequest::Publish => write!(f, "lifecycle {} publish", runner.name()),
            },
            Self::Input { language, .. } => write!(f, "input {}", language.name()),
        }
    }
}

fn values(f: &mut Formatter<'_>, values: &[Value]) -> fmt::Result {
    values
        .iter()
        .try_for_each(|value| write!(f, " {}", value.shown()))
}

impl Display for GapKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => write!(f, "gap refused {why}"),
            Self::Syntax(why) => write!(f, "gap syntax {why}"),
            Self::Program(name) => write!(f, "gap program {name}"),
            Self::DynamicProgram => f.write_str("gap dynamic-program"),
            Self::Argument { word, .. } => write!(f, "gap argument {word}"),
            Self::DynamicWord { word, .. } => write!(f, "gap dynamic {word}"),
            Self::Unseen(what) => write!(f, "gap unseen {what}"),
            Self::Call { language, name } => write!(f, "gap call {language} {name}"),
            Self::Budget => f.write_str("gap budget"),
        }
    }
}

impl Display for Layer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrapper(name) => f.write_str(name),
            Self::Text(name) => write!(f, "text of {name}"),
            Self::File(path) => write!(f, "file {path}"),
            Self::Task(name) => write!(f, "task {name}"),
            Self::Function(name) => write!(f, "function {name}"),
            Self::Remote(place) => write!(f, "on {place}"),
        }
    }
}

/// A fieldless enum as the word of the notation for each of its variants.
macro_rules! words {
    ($($type:ident { $($variant:ident => $word:literal),* $(,)? })*) => {$(
        impl $type {
            /// The word of the notation.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),*
                }
            }
        }
    )*};
}

words! {
    WriteHow {
        Touch => "touch", Replace => "write", Append => "append", Edit => "edit",
        Attributes => "attributes", Link => "link", Raw => "raw",
    }
    Direction { Receive => "receive", Send => "send" }
    Interface { Loopback => "loopback", Exposed => "exposed", Unstated => "unstated" }
    PackageOp { Install => "install", Remove => "remove", Refresh => "refresh", Declare => "declare" }
    Scope { Project => "project", User => "user", System => "system" }
    Account { Elevate => "elevate", Grant => "grant", Setuid => "setuid", World => "world" }
    PersistKind {
        Cron => "cron", Service => "service", Startup => "startup", GitHook => "git-hook",
        Other => "other",
    }
    SystemChange {
        Power => "power", Storage => "storage", Kernel => "kernel", Service => "service",
        Network => "network", SecurityOff => "security-off", Logs => "logs", Trust => "trust",
        Settings => "settings",
    }
    CloudVerb {
        Read => "read", Create => "create", Change => "change", Delete => "delete",
        Deploy => "deploy", Grant => "grant", Run => "run", Secret => "secret",
    }
    DatabaseVerb {
        Read => "read", Insert => "insert", Change => "change", Destroy => "destroy",
        Schema => "schema", Admin => "admin",
    }
}

impl Display for Target {
    /// The path, with `…` where it is open and `?` where it is unknown.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.extent {
            Extent::Exact | Extent::Pattern => f.write_str(&self.path),
            Extent::Below if self.path == "/" => f.write_str("/…"),
            Extent::Below => write!(f, "{}/…", self.path),
            Extent::Prefix => write!(f, "{}…", self.path),
            Extent::Unknown => f.write_str("?"),
        }
    }
}
