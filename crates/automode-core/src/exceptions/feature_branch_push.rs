//! Work on its way to a branch of the project's own remote.

use automode_shell::{Act, Effect, Host, RefChange, VcsOp};

use super::Exception;
use crate::scene::{Scene, default_branch_reached};

pub struct FeatureBranchPush;

const ID: &str = "feature-branch-push";

impl Exception for FeatureBranchPush {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("feature_branch_push.md")
    }

    fn covers(&self, effect: &Effect, scene: &Scene<'_>) -> bool {
        if let Act::Connect { host, .. } = &effect.act
            && scene.is_push(effect)
        {
            return leads_home(scene, host)
                && scene
                    .effects()
                    .filter(|push| push.by == effect.by && matches!(push.act, Act::Vcs(_)))
                    .all(|push| self.covers(push, scene));
        }
        let Act::Vcs(VcsOp::Push {
            remote,
            change: RefChange::Update,
            refs,
            all: false,
        }) = &effect.act
        else {
            return false;
        };
        // The remotes as they were when the session began: what the agent added is not the user's.
        scene.is_own_remote(remote.as_deref())
            && default_branch_reached(scene, refs, false).is_none()
    }
}

/// The program's own remote, or a host that a remote had when the session began.
fn leads_home(scene: &Scene<'_>, host: &Host) -> bool {
    match host {
        Host::Default(_) => true,
        Host::Named(name) => scene.session.repo.as_ref().is_some_and(|repo| {
            repo.remotes
                .iter()
                .any(|own| own.url.contains(name.as_str()))
        }),
        Host::Loopback | Host::Unknown => false,
    }
}
