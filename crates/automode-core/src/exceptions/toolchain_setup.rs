//! Toolchains from their makers.

use automode_shell::place::Zone;
use automode_shell::{
    Act, Code, Direction, Effect, Gap, GapKind, Host, Nature, PackageOp, Span, Taint, Value,
    natures_of,
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
            Act::Environment { .. } => activates(scene, effect.span),
            Act::Execute {
                code: Code::File(target),
                ..
            } => is_activation(scene, &target.path),
            _ => false,
        }
    }

    /// The text of an official installer is not seen; its maker vouches for it.
    fn accepts(&self, gap: &Gap, scene: &Scene<'_>) -> bool {
        if matches!(gap.kind, GapKind::Unseen(_)) && activates(scene, gap.span) {
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

/// `source .venv/bin/activate`: the project's own environment, made by a tool.
fn activates(scene: &Scene<'_>, span: Span) -> bool {
    scene.invocations().any(|start| {
        let sources = start.is_a(Nature::Source);
        let path = start.argv.get(1).and_then(Value::literal);
        let inside = start.span.start <= span.start && span.end <= start.span.end;
        sources
            && inside
            && path.is_some_and(|path| {
                let cwd = start.cwd.as_deref().unwrap_or(&scene.context.cwd);
                let home = scene.context.home.as_deref();
                is_activation(scene, &crate::path::absolute(&path, cwd, home))
            })
    })
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
