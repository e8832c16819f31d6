//! Rights that are taken or given away.

use automode_shell::place::{Protected, Zone};
use automode_shell::{
    Account, Act, CloudVerb, Code, Effect, Invocation, Layer, Nature, Stdin, Target, WriteHow,
    natures_of,
};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::{CloudTarget, Scene, report};

pub struct PermissionGrant;

const ID: &str = "permission-grant";
const ROOT: &str = "run the one command that needs root, spelled out, or let the person run it";
const LEAVE: &str = "leave accounts and rights to the person";

impl Rule for PermissionGrant {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("permission_grant.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        let shells = scene
            .invocations()
            .filter(|start| is_root_shell(start) || is_login(start))
            .map(|start| {
                let what = "opens a root shell whose commands nobody sees";
                scene.veto(ID, start.span, what, ROOT)
            });
        scene
            .effects()
            .filter_map(|effect| right(scene, effect))
            .chain(shells)
            .collect()
    }
}

fn right(scene: &Scene<'_>, effect: &Effect) -> Option<Finding> {
    match &effect.act {
        Act::Privilege(Account::Elevate) => Some(scene.evidence(
            ID,
            scene.part(effect),
            "runs with the rights of another user",
            ROOT,
        )),
        Act::Privilege(Account::Grant) => Some(scene.evidence(
            ID,
            scene.part(effect),
            "changes accounts, groups or keys that let someone in",
            LEAVE,
        )),
        Act::Privilege(Account::Setuid) => Some(setuid(scene, effect)),
        Act::Privilege(Account::World) => Some(scene.soft(
            ID,
            scene.part(effect),
            "opens files to every user of the machine",
            "give the narrowest mode that works",
        )),
        Act::Cloud { service, verb } => access(scene, effect, service, *verb),
        Act::Write { target, how, .. } => login(scene, effect, target, *how),
        Act::Execute {
            code: Code::Container {
                isolated: false, ..
            },
            ..
        } => Some(scene.evidence(
            ID,
            scene.part(effect),
            "runs a container with rights or files of this machine",
            "mount only the project, without extra privileges",
        )),
        _ => None,
    }
}

/// Rights in a hosted service: by the command, or by the path of its interface.
fn access(scene: &Scene<'_>, effect: &Effect, service: &str, verb: CloudVerb) -> Option<Finding> {
    let target = CloudTarget::of(scene, effect);
    let grants = match verb {
        CloudVerb::Grant => true,
        CloudVerb::Create | CloudVerb::Change | CloudVerb::Delete | CloudVerb::Run => {
            lets_in(&target)
        }
        CloudVerb::Read | CloudVerb::Deploy | CloudVerb::Secret => false,
    };
    grants.then(|| {
        let what = target.about("changes who may use", service);
        scene.evidence(ID, scene.part(effect), &what, LEAVE)
    })
}

/// Paths of interfaces that decide who gets in.
pub fn lets_in(target: &CloudTarget) -> bool {
    [
        "collaborators",
        "invitations",
        "memberships",
        "keys",
        "teams",
    ]
    .iter()
    .any(|part| target.has_path_part(part))
}

/// A program that everybody then runs as its owner: a shell so marked is a back door.
fn setuid(scene: &Scene<'_>, effect: &Effect) -> Finding {
    let marked = scene.invocation(effect).is_some_and(|start| {
        start.argv.iter().skip(1).any(|word| {
            word.literal().is_some_and(|word| {
                word.contains('/') && natures_of(&word).contains(Nature::LendsRights)
            })
        })
    });
    let what = "lets every user run a program with its owner's rights";
    if marked {
        scene.veto(ID, scene.part(effect), what, LEAVE)
    } else {
        scene.evidence(ID, scene.part(effect), what, LEAVE)
    }
}

/// Files that decide who is root.
fn login(scene: &Scene<'_>, effect: &Effect, target: &Target, how: WriteHow) -> Option<Finding> {
    let place = scene.place(target);
    if place.protected != Some(Protected::Access) {
        return None;
    }
    let what = format!(
        "changes {}, which decides {}",
        report::target(scene, target),
        Protected::Access.name()
    );
    let system = matches!(place.zone, Zone::System | Zone::SystemTree);
    let finding = if system && decides_root(&target.path) && how != WriteHow::Touch {
        scene.veto(ID, scene.part(effect), &what, LEAVE)
    } else {
        scene.evidence(ID, scene.part(effect), &what, LEAVE)
    };
    Some(finding)
}

fn decides_root(path: &str) -> bool {
    const FILES: &[&str] = &[
        "/etc/passwd",
        "/etc/shadow",
        "/etc/gshadow",
        "/etc/group",
        "/etc/sudoers",
        "/etc/pam",
        "/etc/ld.so.preload",
        "/etc/doas.conf",
        "/etc/master.passwd",
        "/etc/polkit-1",
    ];
    FILES.iter().any(|file| path.starts_with(file))
}

/// `sudo -i`, `su -`: another user's shell, with nothing to run in it.
fn is_login(start: &Invocation) -> bool {
    let Some(words) = start.literal_arguments() else {
        return false;
    };
    let flag = |word: &str, known: &[&str]| known.contains(&word);
    let asks_for_shell = !words.is_empty()
        && words
            .iter()
            .any(|word| flag(word, &["-i", "-s", "--login", "--shell"]))
        && words.iter().all(|word| word.starts_with('-'));
    let only_names_user = start.stdin == Stdin::Inherited
        && words
            .iter()
            .all(|word| flag(word, &["-", "-l", "--login", "root"]));
    (start.is_a(Nature::Elevate) && asks_for_shell)
        || (start.is_a(Nature::LoginShell) && only_names_user)
}

/// An interactive shell under another user: no command, no script, no input.
fn is_root_shell(start: &Invocation) -> bool {
    let raised = start.layers.iter().any(
        |layer| matches!(layer, Layer::Wrapper(name) if natures_of(name).contains(Nature::Elevate)),
    );
    let shell = start.is_a(Nature::Shell);
    let bare = start.argv.iter().skip(1).all(|word| {
        word.literal().is_some_and(|word| {
            word.starts_with('-') && !word.trim_start_matches('-').contains('c')
        })
    });
    raised && shell && bare && start.stdin == Stdin::Inherited
}
