//! Pushes that rewrite or delete what others may have fetched.

use automode_shell::{Act, RefChange, VcsOp};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::Scene;

pub struct ForcePush;

const ID: &str = "force-push";

impl Rule for ForcePush {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("force_push.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| {
                let Act::Vcs(VcsOp::Push { change, .. }) = &effect.act else {
                    return None;
                };
                let (what, instead) = match change {
                    RefChange::Update => return None,
                    RefChange::Force => (
                        "rewrites history on the remote",
                        "push new commits on top, or ask for the force push by branch name",
                    ),
                    RefChange::Delete => (
                        "deletes a branch or tag on the remote",
                        "leave remote branches alone, or ask for the deletion by name",
                    ),
                };
                Some(scene.evidence(ID, scene.part(effect), what, instead))
            })
            .collect()
    }
}
