//! Toolchains from their makers.

use automode_shell::{Act, Code, Direction, Effect, Gap, GapKind, Host, PackageOp, Taint};

use super::{Exception, overlaps};
use crate::Finding;
use crate::effects::Url;
use crate::rules::Scene;

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
            _ => false,
        }
    }

    fn clears(&self, finding: &Finding, scene: &Scene<'_>) -> bool {
        finding.rule == "downloaded-code"
            && (is_official(scene)
                || scene
                    .effects()
                    .filter(|effect| {
                        scene.part(effect) == finding.span
                            && matches!(effect.act, Act::Package { .. })
                    })
                    .all(|effect| is_manager(scene, effect)))
    }
}

/// The text of an official installer is not seen; its maker vouches for it.
pub fn accepts(gap: &Gap, scene: &Scene<'_>) -> bool {
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

fn is_manager(scene: &Scene<'_>, effect: &Effect) -> bool {
    scene
        .program(effect)
        .is_some_and(|name| MANAGERS.contains(&name.as_str()))
}
