//! Patches that are applied without having been read.

use automode_shell::{Act, Stdin, Taint, VcsOp};

use crate::Finding;
use crate::rules::{Rule, Scene};

pub struct UnreviewedPatch;

const ID: &str = "unreviewed-patch";

impl Rule for UnreviewedPatch {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("unreviewed_patch.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| {
                let Act::Vcs(VcsOp::Apply) = &effect.act else {
                    return None;
                };
                let foreign = scene.invocation(effect).is_some_and(|invocation| {
                    let fed = match &invocation.stdin {
                        Stdin::Pipe(taint) => *taint,
                        Stdin::Text(value) => value.taint(),
                        Stdin::File(target) => scene.carried(&target.path),
                        Stdin::Inherited => Taint::NONE,
                    };
                    let named = invocation.argv.iter().skip(1).fold(fed, |taint, word| {
                        let carried = word
                            .literal()
                            .map_or(Taint::NONE, |path| carried(scene, &path));
                        taint.with(word.taint()).with(carried)
                    });
                    named.has(Taint::NETWORK) || named.has(Taint::DECODED)
                });
                let finding = if foreign {
                    scene.evidence(
                        ID,
                        scene.part(effect),
                        "applies a patch that was just fetched, unread",
                        "save the patch, read it, then apply it",
                    )
                } else {
                    scene.soft(
                        ID,
                        scene.part(effect),
                        "applies changes made elsewhere",
                        "read the changes first",
                    )
                };
                Some(finding)
            })
            .collect()
    }
}

fn carried(scene: &Scene<'_>, word: &str) -> Taint {
    if word.starts_with('/') {
        scene.carried(word)
    } else {
        scene.carried(&format!(
            "{}/{word}",
            scene.context.cwd.trim_end_matches('/')
        ))
    }
}
