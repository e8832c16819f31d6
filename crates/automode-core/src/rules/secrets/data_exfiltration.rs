//! Data of this machine that would leave it.

use automode_shell::place::Zone;
use automode_shell::{Act, Direction, Effect, Host, Taint, VcsOp};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::{Scene, report};

pub struct DataExfiltration;

const ID: &str = "data-exfiltration";
const INSTEAD: &str = "name the data and its destination in the request";

impl Rule for DataExfiltration {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("data_exfiltration.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| match &effect.act {
                Act::Connect {
                    host,
                    direction: Direction::Send,
                    data,
                } if !scene.is_push(effect) => upload(scene, effect, host, *data),
                Act::Vcs(VcsOp::Push { remote, .. }) => push(scene, effect, remote.as_deref()),
                Act::Vcs(VcsOp::Remote { url }) => Some(scene.soft(
                    ID,
                    scene.part(effect),
                    &match url {
                        Some(url) => format!("adds the remote {}", report::name(url)),
                        None => "changes where the repository is pushed to".to_owned(),
                    },
                    INSTEAD,
                )),
                _ => None,
            })
            .collect()
    }
}

fn upload(scene: &Scene<'_>, effect: &Effect, host: &Host, data: Taint) -> Option<Finding> {
    let to = match host {
        Host::Loopback => return None,
        Host::Named(name) | Host::Default(name) => report::name(name),
        Host::Unknown => "a host that is only known at run time".to_owned(),
    };
    let whole = reads_whole_trees(scene);
    if whole && (data.has(Taint::LOCAL) || data.has(Taint::UNKNOWN)) {
        let what = format!("sends a whole home or system directory to {to}");
        return Some(scene.veto(ID, scene.part(effect), &what, INSTEAD));
    }
    let local = data.has(Taint::LOCAL) || data.has(Taint::SESSION) || data.has(Taint::UNKNOWN);
    (local && !data.has(Taint::SECRET)).then(|| {
        let what = format!("sends data of this machine to {to}");
        scene.evidence(ID, scene.part(effect), &what, INSTEAD)
    })
}

/// Home, root or the system as a source.
fn reads_whole_trees(scene: &Scene<'_>) -> bool {
    scene.effects().any(|effect| {
        if let Act::Read { target } = &effect.act {
            matches!(
                scene.place(target).zone,
                Zone::Root | Zone::Home | Zone::SystemTree | Zone::Ancestor
            ) && !target.path.starts_with("/etc/")
        } else {
            false
        }
    })
}

/// A push to somewhere that was no remote when the session began.
fn push(scene: &Scene<'_>, effect: &Effect, remote: Option<&str>) -> Option<Finding> {
    let remote = remote?;
    (!scene.is_own_remote(Some(remote))).then(|| {
        let named_then = scene
            .session
            .repo
            .iter()
            .flat_map(|repo| &repo.remotes)
            .any(|own| own.name == remote);
        let why = match named_then {
            true => "which leads elsewhere than when the session began",
            false => "which was no remote of the project when the session began",
        };
        let what = format!("pushes to {}, {why}", report::name(remote));
        scene.evidence(
            ID,
            scene.part(effect),
            &what,
            "push to the project's own remote",
        )
    })
}
