//! Dependencies that the project already declares.
//!
//! The manifest is the consent: it exists, it names the package, and this
//! session did not change it.

use automode_shell::{Act, Code, Effect, FileFact, Host, PackageOp, PackageSource, Scope};

use super::Exception;
use super::inside::keeps_inside;
use crate::Finding;
use crate::scene::Scene;

pub struct DeclaredDependency;

const ID: &str = "declared-dependency";

/// Files in which projects declare what they depend on.
pub const MANIFESTS: &[&str] = &[
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "requirements.txt",
    "requirements-dev.txt",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "Pipfile",
    "poetry.lock",
    "uv.lock",
    "Cargo.toml",
    "go.mod",
    "Gemfile",
    "composer.json",
    "mix.exs",
    "pubspec.yaml",
    "environment.yml",
];

impl Exception for DeclaredDependency {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("declared_dependency.md")
    }

    fn covers(&self, effect: &Effect, scene: &Scene<'_>) -> bool {
        match &effect.act {
            Act::Package {
                op: PackageOp::Install,
                source: PackageSource::Declared,
                scope: Scope::Project | Scope::User,
                ..
            } => is_untouched(scene) && is_from_its_registry(scene, effect),
            Act::Package {
                op: PackageOp::Install,
                source: PackageSource::Registry,
                scope: Scope::Project | Scope::User,
                names,
            } => {
                !names.is_empty()
                    && is_from_its_registry(scene, effect)
                    && names.iter().all(|name| is_declared(scene, name))
            }
            Act::Execute {
                code: Code::Package(name),
                ..
            } => is_declared(scene, name) && is_from_its_registry(scene, effect),
            _ => false,
        }
    }

    fn clears(&self, finding: &Finding, scene: &Scene<'_>) -> bool {
        finding.rule == "downloaded-code"
            && scene
                .effects()
                .filter(|effect| scene.part(effect) == finding.span)
                .filter(|effect| {
                    matches!(
                        effect.act,
                        Act::Package { .. }
                            | Act::Execute {
                                code: Code::Package(_),
                                ..
                            }
                    )
                })
                .all(|effect| self.covers(effect, scene))
    }
}

/// The program's usual registry, with lists of packages that lie in the project
/// and that this session did not write.
fn is_from_its_registry(scene: &Scene<'_>, effect: &Effect) -> bool {
    let same = |other: &&Effect| other.by == effect.by;
    keeps_inside(scene, effect)
        && scene.effects().filter(same).all(|other| match &other.act {
            Act::Connect {
                host: Host::Named(_) | Host::Unknown,
                ..
            } => false,
            Act::Read { target } | Act::List { target } => scene.written(&target.path).is_none(),
            _ => true,
        })
}

/// No manifest or lock file was changed by this session.
fn is_untouched(scene: &Scene<'_>) -> bool {
    !scene.session.written.iter().any(|file| {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        MANIFESTS.contains(&name)
    })
}

/// A manifest beside the working directory names the package.
fn is_declared(scene: &Scene<'_>, package: &str) -> bool {
    let name = bare(package);
    // `left-pad@npm:other` and `flask @ https://…` name one package and fetch another.
    let renamed = package
        .get(name.len()..)
        .is_some_and(|version| version.contains([':', '/']));
    !name.is_empty()
        && !renamed
        && is_untouched(scene)
        && MANIFESTS.iter().any(|manifest| {
            let roots = scene.context.roots.iter().chain([&scene.context.cwd]);
            roots.into_iter().any(|root| {
                let path = format!("{}/{manifest}", root.trim_end_matches('/'));
                match scene.facts.shell.files.get(&path) {
                    Some(FileFact::Text {
                        body,
                        session: false,
                    }) => names(body, name),
                    Some(
                        FileFact::Text { session: true, .. }
                        | FileFact::Directory
                        | FileFact::Absent
                        | FileFact::Unreadable,
                    )
                    | None => false,
                }
            })
        })
}

/// The package's name without version, extras or tag.
fn bare(package: &str) -> &str {
    let scoped = package.starts_with('@');
    let (lead, rest) = if scoped {
        package.split_at_checked(1).unwrap_or(("", package))
    } else {
        ("", package)
    };
    let name = rest
        .split(['@', '=', '<', '>', '~', '!', '[', ';', ' '])
        .next()
        .unwrap_or_default();
    package
        .get(..lead.len().saturating_add(name.len()))
        .unwrap_or_default()
}

/// Whether a manifest names a package as a word of its own.
fn names(manifest: &str, package: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@');
    manifest.match_indices(package).any(|(at, found)| {
        let before = manifest.get(..at).and_then(|text| text.chars().next_back());
        let after = manifest
            .get(at.saturating_add(found.len())..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_a_whole_word_of_a_manifest() {
        for (manifest, package, expected) in [
            (r#"{"dependencies":{"left-pad":"1.0"}}"#, "left-pad", true),
            (r#"{"dependencies":{"left-pad":"1.0"}}"#, "left", false),
            ("flask==2.0\nrequests>=2", "flask==2.1", true),
            ("flask-login==2.0", "flask", false),
            (
                r#"{"devDependencies":{"@types/node":"20"}}"#,
                "@types/node@20",
                true,
            ),
        ] {
            assert_eq!(names(manifest, bare(package)), expected, "{package}");
        }
    }
}
