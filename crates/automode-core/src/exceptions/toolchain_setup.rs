//! Toolchains from their makers.

use automode_shell::place::{Place, Zone};
use automode_shell::{
    Act, Code, Direction, Effect, Gap, GapKind, Host, PackageOp, Span, Taint, Value,
};

use super::inside::is_detoured;
use super::{Exception, overlaps};
use crate::Finding;
use crate::effects::Url;
use crate::rules::{Scene, program_name};

pub struct ToolchainSetup;

const ID: &str = "toolchain-setup";

/// Installers that the makers of toolchains publish: host and beginning of the path.
const OFFICIAL: &[(&str, &str)] = &[
    ("sh.rustup.rs", ""),
    ("static.rust-lang.org", "rustup/"),
    ("astral.sh", "uv/"),
    ("astral.sh", "ruff/"),
    ("install.python-poetry.org", ""),
    ("bootstrap.pypa.io", "get-pip.py"),
    ("pyenv.run", ""),
    ("raw.githubusercontent.com", "pyenv/pyenv-installer/"),
    ("raw.githubusercontent.com", "nvm-sh/nvm/"),
    ("raw.githubusercontent.com", "Homebrew/install/"),
    ("raw.githubusercontent.com", "helm/helm/"),
    ("get.pnpm.io", "install"),
    ("bun.sh", "install"),
    ("bun.com", "install"),
    ("deno.land", "install"),
    ("deno.land", "x/install"),
    ("fnm.vercel.app", "install"),
    ("get.volta.sh", ""),
    ("mise.run", ""),
    ("get.sdkman.io", ""),
    ("get-ghcup.haskell.org", ""),
    ("get.haskellstack.org", ""),
    ("getcomposer.org", "installer"),
    ("raw.githubusercontent.com", "Schniz/fnm/"),
];

/// Programs that fetch an installer.
const CLIENTS: &[&str] = &["curl", "wget"];

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

/// The text of an official installer is not seen; its maker vouches for it.
pub fn accepts(gap: &Gap, scene: &Scene<'_>) -> bool {
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

/// Everything the command fetches is an official installer, over a checked connection.
#[must_use]
pub fn is_official(scene: &Scene<'_>) -> bool {
    let mut fetches = false;
    for start in scene.invocations() {
        if CLIENTS.contains(&program_name(start).unwrap_or_default().as_str()) && is_detoured(start)
        {
            return false;
        }
        for word in start.argv.iter().skip(1) {
            let Some(text) = word.literal() else {
                // An address that is only known at run time could be anything.
                if word.prefix().contains("://") {
                    return false;
                }
                continue;
            };
            if !text.contains("://") {
                continue;
            }
            let url = Url::read(&text);
            let known = OFFICIAL.iter().any(|(host, path)| {
                url.host.eq_ignore_ascii_case(host) && url.path.starts_with(path)
            });
            if !known || url.scheme != "https" || !url.user.is_empty() {
                return false;
            }
            fetches = true;
        }
    }
    fetches
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
