//! Which description fits the first word of an invocation.
//!
//! A bare name is looked up as it is, then without its version (`python3.12`).
//! A path counts as the program of that name only where the system, a user's
//! tool folder or the project's own tool folder holds it; elsewhere it is a file.
//! However the path is spelled, `/usr/bin/../bin/rm` is `rm`; where it leads through folders
//! that somebody may have put a link in place of, it is that file as well.

use super::table::{Command, known_program};
use crate::{Act, Code, Invocation, Origin, Taint, Target, Value};

pub(super) enum Found {
    Known {
        name: String,
        command: &'static Command,
        /// The project's own copy that is run.
        file: Option<Code>,
    },
    File(Value),
    Unknown(String),
    Dynamic,
}

/// Folders that the system or its package manager fills.
const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
    "/opt/homebrew/sbin",
    "/snap/bin",
    "/run/current-system/sw/bin",
];

/// Directories of the root that nobody but an administrator changes.
const SYSTEM_TOPS: &[&str] = &["bin", "etc", "lib", "lib32", "lib64", "sbin", "usr"];

/// Folders below a home or a project that hold installed tools.
const TOOLS: &[&str] = &[
    "node_modules/.bin",
    ".venv/bin",
    "venv/bin",
    "env/bin",
    "vendor/bin",
    ".cargo/bin",
    ".local/bin",
    "go/bin",
    ".bun/bin",
    ".deno/bin",
];

pub(super) fn program(invocation: &Invocation) -> Found {
    let Some(first) = invocation.argv.first() else {
        return Found::Dynamic;
    };
    let Some(word) = first.literal() else {
        return if first.prefix().contains('/') {
            Found::File(first.clone())
        } else {
            Found::Dynamic
        };
    };
    let Some((folder, name)) = word.rsplit_once('/') else {
        return named(&word, None);
    };
    if SYSTEM.contains(&folder) {
        return named(name, None);
    }
    let tool = TOOLS
        .iter()
        .any(|tools| folder == *tools || folder.ends_with(&format!("/{tools}")));
    let target = Target::locate(first, invocation.cwd.as_deref());
    if let Some((folder, name)) = target.path.rsplit_once('/')
        && SYSTEM.contains(&folder)
    {
        let file = (!stays_in_system(&word)).then(|| Code::File(target.clone()));
        return named(name, file);
    }
    // A wrapper script that projects commit under a fixed name is known by it.
    let wrapper = matches!(name, "gradlew" | "mvnw" | "manage.py") && find(name).is_some();
    if (tool || wrapper)
        && let found @ Found::Known { .. } = named(name, Some(Code::File(target)))
    {
        return found;
    }
    Found::File(first.clone())
}

/// Whether every folder on the way is the system's own, so that no link of somebody else's can
/// make `..` lead elsewhere.
fn stays_in_system(path: &str) -> bool {
    let mut depth = 0_usize;
    path.starts_with('/')
        && path.split('/').all(|part| match part {
            "" | "." => true,
            ".." => {
                depth = depth.saturating_sub(1);
                true
            }
            top if depth == 0 => {
                depth = 1;
                SYSTEM_TOPS.contains(&top)
            }
            _ => {
                depth = depth.saturating_add(1);
                true
            }
        })
}

fn named(name: &str, file: Option<Code>) -> Found {
    match find(name).or_else(|| find(unversioned(name))) {
        Some(command) => Found::Known {
            name: name.to_owned(),
            command,
            file,
        },
        None => Found::Unknown(name.to_owned()),
    }
}

fn find(name: &str) -> Option<&'static Command> {
    known_program(name)?.command
}

/// `python3.12` to `python`, `clang-17` to `clang`.
fn unversioned(name: &str) -> &str {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if bare.len() == name.len() {
        name
    } else {
        bare.trim_end_matches('-')
    }
}

/// Code that runs without having been seen.
pub(super) fn unseen(code: Code) -> Act {
    Act::Execute {
        code,
        origin: Origin {
            seen: false,
            taint: Taint::NONE,
        },
    }
}
