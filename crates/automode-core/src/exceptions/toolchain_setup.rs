//! Toolchains from their makers.

use automode_shell::place::{Place, Zone};
use automode_shell::{
    Act, Code, Direction, Effect, Gap, GapKind, Host, PackageOp, Span, Taint, Value,
};

use super::{Exception, overlaps};
use crate::Finding;
use crate::scene::{Scene, is_official, program_name};

pub struct ToolchainSetup;

const ID: &str = "toolchain-setup";

/// Programs whose packages are toolchains.
const MANAGERS: &[&str] = &[
    "rustup", "nvm", "fnm", "volta", "pyenv", "rbenv", "asdf", "mise", "sdk", "ghcup", "corepack",
    "goenv", "nodenv", "jenv",
];

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
                origin,
            } => origin.taint.has(Taint::NETWORK) && is_official(scene),
            Act::Connect {
                host: Host::Named(_),
                direction: Direction::Receive,
                ..
            } => is_official(scene),
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
            && is_official(scene)
            && scene.effects().any(|effect| {
                overlaps(effect, gap)
                    && matches!(
                        &effect.act,
                        Act::Execute { code: Code::Stream | Code::Inline { .. }, origin }
                            if origin.taint.has(Taint::NETWORK)
                    )
            })
    }

    fn clears(&self, finding: &Finding, scene: &Scene<'_>) -> bool {
        let mut installs = scene
            .effects()
            .filter(|effect| {
                scene.part(effect) == finding.span && matches!(effect.act, Act::Package { .. })
            })
            .peekable();
        let managed = installs.peek().is_some() && installs.all(|effect| is_manager(scene, effect));
        finding.rule == "downloaded-code" && (is_official(scene) || managed)
    }
}

/// `source .venv/bin/activate`: the project's own environment, made by a tool.
fn activates(scene: &Scene<'_>, span: Span) -> bool {
    scene.invocations().any(|start| {
        let sources = program_name(start).is_some_and(|name| name == "source" || name == ".");
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
    let place = Place::of_path(path, scene.context);
    (path.ends_with("/bin/activate") || path.ends_with("/Scripts/activate"))
        && place.zone == Zone::Project
        && scene.written(path).is_none()
        && scene.passed_on(path).is_none()
}

fn is_manager(scene: &Scene<'_>, effect: &Effect) -> bool {
    scene
        .program(effect)
        .is_some_and(|name| MANAGERS.contains(&name.as_str()))
}
