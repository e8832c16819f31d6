//! Shells that somebody else can type into.
//!
//! The mark is the wiring, not the program: a shell or interpreter whose input
//! comes from a socket while its output goes to one, in either direction.

use automode_shell::{
    Act, Code, Direction, Effect, Host, Invocation, Language, Layer, Nature, Stdin, Stdout, Taint,
    natures_of, natures_of_version,
};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::Scene;

pub struct OpenBackdoor;

const ID: &str = "open-backdoor";
const INSTEAD: &str = "run the commands you need here, one by one";

impl Rule for OpenBackdoor {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("open_backdoor.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let Some(out) = scene.effects().find(|effect| is_channel(effect)) else {
            return Vec::new();
        };
        let commanded = scene
            .effects()
            .find(|effect| is_commanded(effect) || is_shell_on_socket(scene, effect))
            .map(|effect| scene.part(effect));
        let wired = scene
            .invocations()
            .find(|start| is_wired(start) || is_served(start) || is_started_by_code(start))
            .map(|start| start.span);
        let Some(span) = commanded.or(wired) else {
            return Vec::new();
        };
        let what = if let Act::Listen { .. } = &out.act {
            "gives whoever connects a shell on this machine"
        } else {
            "gives another machine a shell on this one"
        };
        vec![scene.veto(ID, span, what, INSTEAD)]
    }
}

/// Data leaves through a socket, or anyone may connect.
fn is_channel(effect: &Effect) -> bool {
    match &effect.act {
        Act::Connect {
            direction: Direction::Send,
            host,
            ..
        } => matches!(host, Host::Named(_) | Host::Unknown | Host::Loopback),
        Act::Listen { .. } => true,
        _ => false,
    }
}

/// What arrives from the network is run.
fn is_commanded(effect: &Effect) -> bool {
    matches!(
        &effect.act,
        Act::Execute { code: Code::Stream | Code::Inline { .. }, origin } if origin.taint.has(Taint::NETWORK)
    )
}

/// A shell that is itself connected: `bash -i >& /dev/tcp/…`.
fn is_shell_on_socket(scene: &Scene<'_>, effect: &Effect) -> bool {
    is_channel(effect)
        && scene
            .invocation(effect)
            .is_some_and(|start| is_shell(start) && !matches!(start.stdin, Stdin::Text(_)))
}

/// A shell that a network program starts for its peer: `nc -e`, `socat EXEC:`.
fn is_served(start: &Invocation) -> bool {
    is_shell(start)
        && start.layers.iter().any(|layer| match layer {
            Layer::Wrapper(name) | Layer::Text(name) => {
                natures_of(name).contains(Nature::ServesShell)
            }
            Layer::File(_) | Layer::Task(_) | Layer::Function(_) | Layer::Remote(_) => false,
        })
}

/// A bare shell that code starts beside its own socket: it has nothing to run
/// but what arrives there.
fn is_started_by_code(start: &Invocation) -> bool {
    let by_code = start.layers.iter().any(|layer| match layer {
        Layer::Text(name) | Layer::Wrapper(name) => {
            Language::starts_programs(name)
                || natures_of_version(name).contains(Nature::Interpreter)
        }
        Layer::File(_) | Layer::Task(_) | Layer::Function(_) | Layer::Remote(_) => false,
    });
    let bare = start.argv.iter().skip(1).all(is_interactive);
    is_shell(start) && by_code && bare && !is_fed(start)
}

/// Whether its input is a text of its own. Nothing at all, as in the background, is
/// what the code around it had, not what the shell is given.
fn is_fed(start: &Invocation) -> bool {
    match &start.stdin {
        Stdin::Text(text) => text.literal().is_none_or(|text| !text.is_empty()),
        Stdin::Inherited | Stdin::File(_) | Stdin::Pipe(_) => false,
    }
}

fn is_shell(start: &Invocation) -> bool {
    start.is_a(Nature::Shell)
}

/// A shell in the middle of a pipe: it reads what came in and writes what goes out.
fn is_wired(start: &Invocation) -> bool {
    let reads = match &start.stdin {
        Stdin::Pipe(taint) => taint.has(Taint::NETWORK) || start.argv.iter().any(is_interactive),
        Stdin::File(target) => {
            target.path.starts_with("/dev/tcp/") || target.path.starts_with("/dev/udp/")
        }
        Stdin::Inherited | Stdin::Text(_) => false,
    };
    let writes = match &start.stdout {
        Stdout::Pipe => true,
        Stdout::File(target) => {
            target.path.starts_with("/dev/tcp/") || target.path.starts_with("/dev/udp/")
        }
        Stdout::Shown | Stdout::Captured | Stdout::Null => false,
    };
    is_shell(start) && reads && writes
}

fn is_interactive(word: &automode_shell::Value) -> bool {
    word.literal().is_some_and(|word| word == "-i")
}
