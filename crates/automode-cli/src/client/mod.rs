//! The coding agents of this machine: where they are, what they have registered.

mod file;
mod trust;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use automode_agents::Agent;
use automode_agents::install::{self, Installation, Place, Plugin, Registered, Scope};

pub use file::{backups, manifest, read, remove, replace};
pub use trust::{
    TrustAnswer, config as trust_config, forget as forget_trust, hooks as hooks_seen,
    trust as give_trust,
};

/// How long a client may take to tell its version.
const PATIENCE: Duration = Duration::from_secs(20);

/// The directories that installations depend on.
pub fn place() -> Result<Place> {
    let absolute = |name: &str| env::var(name).ok().filter(|path| path.starts_with('/'));
    let project = env::current_dir().context("the current directory is gone")?;
    Ok(Place {
        home: absolute("HOME").ok_or_else(|| anyhow!("HOME is not set"))?,
        project: project
            .to_str()
            .map(str::to_owned)
            .ok_or_else(|| anyhow!("the directory `{}` is not valid UTF-8", project.display()))?,
        directories: Place::variables()
            .filter_map(|name| Some((name, absolute(name)?)))
            .collect(),
    })
}

/// The absolute path of this program.
pub fn program() -> Result<String> {
    let path = env::current_exe().context("this program does not know where it is")?;
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| anyhow!("the path `{}` is not valid UTF-8", path.display()))
}

/// The client's program on the search path.
pub fn executable(agent: Agent) -> Option<PathBuf> {
    let name = agent.client().program?.executable;
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|directory| directory.join(name))
        .find(|path| is_executable(path))
}

pub fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

/// The first line of what the client says to `--version`.
pub fn version(program: &Path) -> Option<String> {
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let end = Instant::now().checked_add(PATIENCE)?;
    while child.try_wait().ok()?.is_none() {
        if Instant::now() > end {
            // It is ours to end: it was started above.
            child.kill().ok()?;
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .next()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
}

/// Whether a command line of a client's hook is automode's.
pub fn is_ours(agent: Agent, command: &str) -> bool {
    command.contains("automode") && command.contains(&format!(" hook {} ", agent.name()))
}

/// What stands in a client's file.
pub enum InstalledClient {
    /// There is no such file, or nothing of ours in it.
    No,
    Hooks(Vec<Registered>),
    /// Our plugin, as it is.
    Plugin(InstalledPlugin),
    /// The file cannot be read as the client would read it.
    Unreadable(String),
}

/// A module of ours that a client loads.
pub struct InstalledPlugin {
    pub text: String,
    pub kind: &'static Plugin,
    /// It stops nothing.
    pub shadow: bool,
}

/// Looks at a client's file.
pub fn installed(agent: Agent, path: &Path) -> InstalledClient {
    let text = match file::read(path) {
        Ok(Some(text)) => text,
        Ok(None) => return InstalledClient::No,
        Err(error) => return InstalledClient::Unreadable(format!("{error:#}")),
    };
    if let Installation::Plugin(kind) = &agent.client().installation {
        let shadow = text.contains(kind.shadow_mark);
        return InstalledClient::Plugin(InstalledPlugin { text, kind, shadow });
    }
    match install::registered(agent, &text) {
        Err(refusal) => InstalledClient::Unreadable(refusal.0),
        Ok(hooks) if hooks.iter().any(|hook| hook.ours) => InstalledClient::Hooks(hooks),
        Ok(_) => InstalledClient::No,
    }
}

pub const SCOPES: [Scope; 2] = [Scope::User, Scope::Project];

pub const fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "user",
        Scope::Project => "project",
    }
}
