//! Patches that are applied without having been read.

use automode_shell::place::Zone;
use automode_shell::{Act, Effect, Host, Invocation, Stdin, Taint, VcsOp};

use crate::rules::Rule;
use crate::scene::{Scene, report};
use crate::{Finding, path};

pub struct UnreviewedPatch;

const ID: &str = "unreviewed-patch";
const SAVE: &str = "save the patch, read it, then apply it";

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
                Some(applied(scene, effect))
            })
            .collect()
    }
}

fn applied(scene: &Scene<'_>, effect: &Effect) -> Finding {
    let span = scene.part(effect);
    let taint = scene
        .invocation(effect)
        .map_or(Taint::UNKNOWN, |start| marks(scene, start));
    let evidence = |what: &str| scene.evidence(ID, span, what, SAVE);
    if taint.has(Taint::NETWORK) || taint.has(Taint::DECODED) {
        return evidence("applies a patch that was just fetched, unread");
    }
    if let Some(address) = stranger(scene, effect) {
        let what = format!(
            "merges what {} has, which is no remote of the project",
            report::name(&address)
        );
        return scene.evidence(
            ID,
            span,
            &what,
            "fetch it, read the changes, then merge them",
        );
    }
    if let Some(path) = foreign_file(scene, effect) {
        let what = format!(
            "applies {}, which is no file of the project",
            report::name(&path)
        );
        return evidence(&what);
    }
    scene.soft(
        ID,
        span,
        "applies changes made elsewhere",
        "read the changes first",
    )
}

/// Marks on everything that a patching program reads.
fn marks(scene: &Scene<'_>, start: &Invocation) -> Taint {
    let fed = match &start.stdin {
        Stdin::Pipe(taint) => *taint,
        Stdin::Text(value) => value.taint(),
        Stdin::File(target) => scene.carried(&target.path),
        Stdin::Inherited => Taint::NONE,
    };
    start.argv.iter().skip(1).fold(fed, |taint, word| {
        let carried = word.literal().map_or(Taint::NONE, |path| {
            let cwd = &scene.context.cwd;
            scene.carried(&path::absolute(&path, cwd, scene.context.home.as_deref()))
        });
        taint.with(word.taint()).with(carried)
    })
}

/// A repository that is named on the command line and is no remote of the project.
fn stranger(scene: &Scene<'_>, apply: &Effect) -> Option<String> {
    let connects = scene.effects().any(|effect| {
        let named = matches!(
            &effect.act,
            Act::Connect {
                host: Host::Named(_),
                ..
            }
        );
        effect.by == apply.by && named
    });
    let start = scene.invocation(apply)?;
    connects.then(|| scene.stranger(start)).flatten()
}

/// A patch file that lies outside the project and that this session did not write.
fn foreign_file(scene: &Scene<'_>, apply: &Effect) -> Option<String> {
    scene
        .effects()
        .filter(|effect| effect.by == apply.by)
        .find_map(|effect| {
            let Act::Read { target } = &effect.act else {
                return None;
            };
            let ours = matches!(
                scene.place(target).zone,
                Zone::Project | Zone::ProjectRoot | Zone::Sink
            );
            let made =
                scene.written(&target.path).is_some() || !scene.passed_on(&target.path).is_none();
            (!ours && !made).then(|| target.path.clone())
        })
}
