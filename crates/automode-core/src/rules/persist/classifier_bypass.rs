//! Attempts to switch automode off, to go round it, or to answer for the person.

use automode_shell::place::Protected;
use automode_shell::{Act, Effect, Extent, Invocation, Nature, ProcessScope, Stdout, Target};

use crate::rules::Rule;
use crate::scene::{Change, Scene, certain, own, report};
use crate::{Finding, path};

pub struct ClassifierBypass;

const ID: &str = "classifier-bypass";
const INSTEAD: &str = "leave automode to the person";

/// The token of a server's administrator: with it questions are answered and policy written.
const TOKEN: &str = "AUTOMODE_TOKEN";
/// How code takes a variable out of its environment.
const FROM_ENVIRONMENT: &[&str] = &["environ", "getenv", "process.env", "ENV", "Deno.env"];
/// What an administrator's programs ask of a server.
const ADMINISTRATION: &[&str] = &[
    "/v1/admin/asks/",
    "/v1/admin/codes",
    "/v1/admin/promote",
    "/v1/admin/push",
    "/v1/admin/rollback",
];

/// Commands of automode that only a person may give.
const PERSONAL: &[&str] = &[
    "allow",
    "allow-once",
    "approve",
    "dashboard",
    "fleet",
    "hook",
    "install",
    "mcp",
    "serve",
    "uninstall",
];

impl Rule for ClassifierBypass {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("classifier_bypass.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| touches(scene, effect))
            .chain(scene.invocations().filter_map(|start| speaks(scene, start)))
            .chain(
                scene
                    .invocations()
                    .filter_map(|start| administers(scene, start)),
            )
            .chain(
                scene
                    .invocations()
                    .filter_map(|start| looks_up(scene, start)),
            )
            .collect()
    }
}

fn touches(scene: &Scene<'_>, effect: &Effect) -> Option<Finding> {
    match &effect.act {
        Act::Write { target, .. } => changes(scene, effect, target, Change::Write),
        Act::Delete { target, .. } => changes(scene, effect, target, Change::Delete),
        // Records of sessions are for the person: they tell what was asked and said.
        Act::Read { target } if is_own_record(scene, target) => Some(scene.evidence(
            ID,
            scene.part(effect),
            "reads automode's own records",
            "ask the person for what you need of them",
        )),
        Act::Process {
            scope: ProcessScope::Named(name),
        } if name.contains("automode") => {
            Some(scene.veto(ID, scene.part(effect), "stops automode", INSTEAD))
        }
        Act::Environment { name } if name.starts_with("AUTOMODE_") => Some(scene.veto(
            ID,
            scene.part(effect),
            &format!("sets {}, which steers automode", report::name(name)),
            INSTEAD,
        )),
        _ => None,
    }
}

/// A file of the state: the log, records of sessions, permits.
fn is_own_record(scene: &Scene<'_>, target: &Target) -> bool {
    let usual = target.path.contains("/.local/state/automode");
    let told = scene.session.own.iter().any(|own| {
        own.contains("state")
            && (target.path == *own || target.path.starts_with(&format!("{own}/")))
    });
    usual || told
}

/// A change of automode's files, by their usual names or by where they really are.
fn changes(scene: &Scene<'_>, effect: &Effect, target: &Target, change: Change) -> Option<Finding> {
    // A pattern that may also match such a file is not aimed at it.
    let aimed = target.extent != Extent::Pattern
        || scene.place_of(&certain(&target.path)).protected == Some(Protected::Automode);
    let usual = aimed
        && scene
            .places(target)
            .into_iter()
            .any(|place| place.protected == Some(Protected::Automode));
    let binary = ["/bin/automode", "/bin/automode-server"]
        .iter()
        .any(|program| target.path.ends_with(program));
    (usual || binary || own::is_changed(scene, change, target)).then(|| {
        let what = format!(
            "changes {}, part of automode",
            report::target(scene, target)
        );
        scene.veto(ID, scene.part(effect), &what, INSTEAD)
    })
}

/// An agent that answers for the person.
fn speaks(scene: &Scene<'_>, start: &Invocation) -> Option<Finding> {
    let program = start.argv.first().and_then(|word| word.literal());
    let is_server = program.is_some_and(|name| name.rsplit('/').next() == Some("automode-server"));
    if !start.is_a(Nature::Automode) && !is_server && !is_link_to_own(scene, start) {
        return None;
    }
    let command = start
        .argv
        .iter()
        .skip(1)
        .filter_map(|word| word.literal())
        .find(|word| !word.starts_with('-'))?;
    PERSONAL.contains(&command.as_ref()).then(|| {
        let what = format!(
            "runs automode {}, which only a person may",
            report::name(&command)
        );
        scene.veto(ID, start.span, &what, INSTEAD)
    })
}

/// An agent that speaks to a server as its administrator, by whatever program: it would answer
/// its own questions.
fn administers(scene: &Scene<'_>, start: &Invocation) -> Option<Finding> {
    // Whether it is set may be asked.
    if start.is_a(Nature::Test) {
        return None;
    }
    let words = || start.argv.iter().skip(1).map(|word| word.shown());
    if words().any(|word| takes_token(&word)) {
        let what = "uses the token of the administrator of automode's server";
        return Some(scene.veto(ID, start.span, what, INSTEAD));
    }
    words().any(|word| is_administration(&word)).then(|| {
        let what = "speaks to automode's server as its administrator";
        scene.evidence(ID, start.span, what, INSTEAD)
    })
}

fn takes_token(word: &str) -> bool {
    // Nearly every word is too short.
    if word.len() < TOKEN.len() {
        return false;
    }
    word.contains(&format!("${TOKEN}"))
        || (word.contains(TOKEN) && FROM_ENVIRONMENT.iter().any(|way| word.contains(way)))
}

/// An address of the interface; a path of a file has no host before it.
fn is_administration(word: &str) -> bool {
    if !word.contains('/') {
        return false;
    }
    ADMINISTRATION.iter().any(|path| {
        let host = word.split_once(path).map_or("", |(before, _)| before);
        host.contains("://") || (host.contains([':', '.']) && !host.contains('/'))
    })
}

/// The program under another name: its path, or where that leads, is automode's own.
fn is_link_to_own(scene: &Scene<'_>, start: &Invocation) -> bool {
    let named = start.argv.first().and_then(|word| word.literal());
    let Some(named) = named.filter(|named| named.contains('/')) else {
        return false;
    };
    let cwd = start.cwd.as_deref().unwrap_or(&scene.context.cwd);
    let path = path::absolute(&named, cwd, scene.context.home.as_deref());
    own::is_program(scene, &path)
}

/// Finding the program or its process, and handing what was found to a command that does something with it.
fn looks_up(scene: &Scene<'_>, start: &Invocation) -> Option<Finding> {
    let handed_on = matches!(start.stdout, Stdout::Pipe | Stdout::Captured);
    let about_automode = start
        .argv
        .iter()
        .skip(1)
        .filter_map(|word| word.literal())
        .any(|word| word.rsplit('/').next() == Some("automode"));
    if !start.is_a(Nature::ProgramLookup) || !handed_on || !about_automode {
        return None;
    }
    let used = scene.effects().any(|effect| {
        matches!(
            effect.act,
            Act::Write { .. } | Act::Delete { .. } | Act::Execute { .. } | Act::Process { .. }
        )
    });
    used.then(|| {
        let what = "looks automode up for another command to act on";
        scene.veto(ID, start.span, what, INSTEAD)
    })
}
