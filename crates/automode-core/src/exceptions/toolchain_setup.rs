//! Toolchains from their makers.

use automode_shell::place::Zone;
use automode_shell::{
    Act, Analysis, Code, Context, Direction, Effect, Gap, GapKind, Host, Layer, Nature, PackageOp,
    Span, Taint, analyse, natures_of,
};

use super::{Exception, overlaps};
use crate::Finding;
use crate::scene::{Scene, fetches_installer, is_official};

pub struct ToolchainSetup;

const ID: &str = "toolchain-setup";

impl Exception for ToolchainSetup {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("toolchain_setup.md")
    }

    fn covers(&self, effect: &Effect, scene: &Scene<'_>) -> bool {
        match &effect.act {
            Act::Execute {
                code: Code::Stream | Code::Inline { .. },
                ..
            } => runs_installer(scene, effect),
            Act::Connect {
                host: Host::Named(_),
                direction: Direction::Receive,
                ..
            } => scene.invocation(effect).is_some_and(fetches_installer),
            Act::Package {
                op: PackageOp::Install,
                ..
            } => is_manager(scene, effect),
            act @ Act::Environment { .. } => activates(scene, effect.span, &|analysis| {
                let effects = analysis.effects.iter();
                let same = effects.filter(|other| other.act == *act);
                same.map(|other| other.span).collect()
            }),
            Act::Execute {
                code: Code::File(target),
                ..
            } => is_activation(scene, &target.path),
            _ => false,
        }
    }

    /// The text of an official installer is not seen; its maker vouches for it.
    fn accepts(&self, gap: &Gap, scene: &Scene<'_>) -> bool {
        let spans = |analysis: &Analysis| {
            let gaps = analysis.coverage.gaps().iter();
            let same = gaps.filter(|other| other.kind == gap.kind);
            same.map(|other| other.span).collect()
        };
        if matches!(gap.kind, GapKind::Unseen(_)) && activates(scene, gap.span, &spans) {
            return true;
        }
        matches!(gap.kind, GapKind::Unseen(_))
            && scene
                .effects()
                .any(|effect| overlaps(effect, gap, scene) && runs_installer(scene, effect))
    }

    fn clears(&self, finding: &Finding, scene: &Scene<'_>) -> bool {
        let mut installs = scene
            .effects()
            .filter(|effect| {
                scene.part(effect) == finding.span && matches!(effect.act, Act::Package { .. })
            })
            .peekable();
        let managed = installs.peek().is_some() && installs.all(|effect| is_manager(scene, effect));
        let mut runs = scene
            .effects()
            .filter(|effect| {
                scene.part(effect) == finding.span && matches!(effect.act, Act::Execute { .. })
            })
            .peekable();
        let official = runs.peek().is_some() && runs.all(|effect| runs_installer(scene, effect));
        finding.rule == "downloaded-code" && (official || managed)
    }
}

/// The text of an official installer runs, and no other.
fn runs_installer(scene: &Scene<'_>, effect: &Effect) -> bool {
    effect.act.executes().is_some_and(|(code, origin)| {
        matches!(code, Code::Stream | Code::Inline { .. })
            && origin.taint == Taint::NETWORK
            && is_official(scene, effect)
    })
}

/// `source .venv/bin/activate`: the project's own environment, made by a tool. What comes of it
/// stands at the whole of it or at its path: variables in front and commands in its redirections
/// are somebody else's, and so is a search path that was changed before. In text that a program is given (`bash -c '…'`) everything stands
/// at one place: that text is read once more by itself, and all that is the same there (`spans`
/// says where) must come of the activation.
fn activates(scene: &Scene<'_>, span: Span, spans: &dyn Fn(&Analysis) -> Vec<Span>) -> bool {
    scene.invocations().any(|start| {
        let [_, path] = start.argv.as_slice() else {
            return false;
        };
        let is_activation = start.is_a(Nature::Source)
            && (span == start.span || span == path.span)
            && start.env.iter().all(|(name, _)| name != "PATH")
            && path.literal().is_some_and(|path| {
                let cwd = start.cwd.as_deref().unwrap_or(&scene.context.cwd);
                let home = scene.context.home.as_deref();
                is_activation(scene, &crate::path::absolute(&path, cwd, home))
            });
        let is_typed = |layer: &Layer| matches!(layer, Layer::Function(_) | Layer::Wrapper(_));
        is_activation
            && (start.layers.iter().all(is_typed) || activates_alone(scene, start.span, spans))
    })
}

/// The same of the text that stands there, as if it had been typed.
fn activates_alone(scene: &Scene<'_>, text: Span, spans: &dyn Fn(&Analysis) -> Vec<Span>) -> bool {
    let mut given = scene.invocations().filter_map(|start| {
        let word = start.argv.iter().find(|word| word.span == text)?;
        Some((word.literal()?, start.cwd.clone()?))
    });
    let Some((text, cwd)) = given.next() else {
        return false;
    };
    let context = Context {
        cwd,
        ..scene.context.clone()
    };
    let analysis = analyse(&text, &context, &scene.facts.shell);
    let typed = Scene {
        analysis: Some(&analysis),
        context: &context,
        ..*scene
    };
    // Deeper text would again stand at one place: it is not read a third time.
    let spans_of_all = spans(&analysis);
    let none = |_: &Analysis| Vec::new();
    !spans_of_all.is_empty()
        && spans_of_all
            .iter()
            .all(|span| activates(&typed, *span, &none))
}

/// A script of a virtual environment inside the project that this session did not write.
fn is_activation(scene: &Scene<'_>, path: &str) -> bool {
    let place = scene.place_of(path);
    (path.ends_with("/bin/activate") || path.ends_with("/Scripts/activate"))
        && place.zone == Zone::Project
        && scene.written(path).is_none()
        && scene.passed_on(path).is_none()
}

fn is_manager(scene: &Scene<'_>, effect: &Effect) -> bool {
    let Act::Package { names, .. } = &effect.act else {
        return false;
    };
    let plain = |name: &String| !name.contains([':', '/', '\\', ' ']) || name == "lts/*";
    scene.is_by(effect, Nature::ToolchainManager)
        && names.iter().all(plain)
        && (!scene.is_by(effect, Nature::FetchesAnyTool)
            || names.iter().all(|name| is_toolchain(name)))
}

/// Toolchains, their parts and their channels that are no program of that name.
const TOOLCHAINS: &[&str] = &[
    "golang",
    "rust",
    "erlang",
    "maven",
    "hls",
    "stable",
    "beta",
    "nightly",
    "lts",
    "latest",
    "current",
    "system",
    "clippy",
    "rust-src",
    "rust-analyzer",
    "rust-docs",
    "rust-std",
    "llvm-tools",
    "llvm-tools-preview",
    "miri",
];

/// A toolchain or a version of one. Some managers fetch any package by the same words.
fn is_toolchain(name: &str) -> bool {
    let (base, version) = name.split_once('@').unwrap_or((name, ""));
    let plain = |text: &str| !text.contains([':', '/', '\\', '$', ' ']);
    let number = base.trim_start_matches(['v', 'V']);
    let versioned = number.starts_with(|first: char| first.is_ascii_digit());
    // `wasm32-unknown-unknown`, `17.0.9-tem`, `stable-x86_64-unknown-linux-gnu`
    let target = base.matches('-').count() >= 2;
    let known =
        |name: &str| TOOLCHAINS.contains(&name) || natures_of(name).contains(Nature::Toolchain);
    let family = base.split('-').next().is_some_and(known);
    plain(base) && plain(version) && (family || versioned || target || known(base))
}
