//! Pushes to the branch that everybody builds on.

use automode_shell::{Act, VcsOp};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::{Scene, default_branch_reached, report};

pub struct DefaultBranchPush;

const ID: &str = "default-branch-push";

impl Rule for DefaultBranchPush {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("default_branch_push.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| {
                let Act::Vcs(VcsOp::Push { refs, all, .. }) = &effect.act else {
                    return None;
                };
                let branch = default_branch_reached(scene, refs, *all)?;
                Some(scene.evidence(
                    ID,
                    scene.part(effect),
                    &format!("pushes to {}", report::name(&branch)),
                    "push a feature branch and open a pull request",
                ))
            })
            .collect()
    }
}
