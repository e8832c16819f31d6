//! A session and a gate as the program has them: this directory, this user, this machine.
//!
//! A session without a home and without automode's own places is weaker than the
//! program: `~` means nothing to it, and its settings are any files. [`Here`] gives a
//! library what `automode check` gives itself.

use std::env;
use std::fs;

use automode_core::{Query, Session};

use crate::config::{self, Places};
use crate::observe::Machine;
use crate::ports::FileSystem as _;
use crate::{Gate, own};

/// Variables that expansions may use.
const VARIABLES: &[&str] = &["USER", "LOGNAME", "TMPDIR", "HOSTNAME"];

/// Made for a directory of this machine.
///
/// ```
/// use automode::{Gate, Here, Session, ToolCall, Verdict};
///
/// let gate = Gate::here("/tmp");
/// let mut session = Session::here("/tmp");
/// let decision = gate.check(&ToolCall::bash("rm -rf ~/", "/tmp"), &mut session);
/// assert_eq!(decision.verdict, Verdict::Deny);
/// ```
pub trait Here {
    /// For a session that works in this directory.
    #[must_use]
    fn here(cwd: &str) -> Self;
}

impl Here for Session {
    /// With the user's home, the variables that commands use, the repository as it is now, and
    /// the places of automode itself.
    fn here(cwd: &str) -> Self {
        let facts = Machine.observe(&[Query::Repo(cwd.to_owned())]);
        Self {
            repo: facts.repos.into_values().next(),
            roots: vec![cwd.to_owned()],
            home: home(),
            variables: variables(),
            own: own::paths(),
            ..Self::default()
        }
    }
}

impl Here for Gate {
    /// Under the settings that are in force in the directory. A broken file does not stop it: its
    /// policy then allows nothing, and says why.
    fn here(cwd: &str) -> Self {
        Self::new(config::load(&Places::here(cwd.as_ref(), None)))
    }
}

/// The user's home: as the environment says or, as shells do it, as the list of users does.
#[must_use]
pub fn home() -> Option<String> {
    let named = env::var("HOME").ok().filter(|home| home.starts_with('/'));
    named.or_else(listed_home)
}

fn listed_home() -> Option<String> {
    let user = rustix::process::getuid().as_raw().to_string();
    let users = fs::read_to_string("/etc/passwd").ok()?;
    users.lines().find_map(|line| {
        let mut fields = line.split(':').skip(2);
        let is_it = fields.next() == Some(user.as_str());
        fields
            .nth(2)
            .filter(|home| is_it && home.starts_with('/'))
            .map(str::to_owned)
    })
}

/// What the environment says of the variables that commands use.
#[must_use]
pub fn variables() -> Vec<(String, String)> {
    VARIABLES
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), env::var(name).ok()?)))
        .collect()
}
