//! Installers that the makers of toolchains publish.

use automode_shell::Nature;

use super::{Scene, is_detoured};
use crate::effects::Url;

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

/// Everything the command fetches is an official installer, over a checked connection.
#[must_use]
pub fn is_official(scene: &Scene<'_>) -> bool {
    let mut fetches = false;
    for start in scene.invocations() {
        if start.is_a(Nature::Fetch) && is_detoured(start) {
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
