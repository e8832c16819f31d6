//! Dependencies that the project already declares.
//!
//! The manifest is the consent: it exists, it names the package, and this
//! session did not change it.

use automode_shell::reference::package_of;
use automode_shell::{
    Act, Code, Effect, Extent, FileFact, Host, Nature, PackageOp, PackageSource, Scope, Touch,
    natures_of,
};

use super::Exception;
use super::inside::keeps_inside;
use super::manifest::{self, manifest_names};
use super::noted_name;
use crate::scene::Scene;
use crate::{Finding, transcript};

pub struct DeclaredDependency;

const ID: &str = "declared-dependency";

/// Files that say where packages come from, or what runs when they come.
const REDIRECTS: &[&str] = &[
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    "pnpm-workspace.yaml",
    "bunfig.toml",
    "pip.conf",
    "pip.ini",
    "uv.toml",
    "constraints.txt",
    "config.toml",
    "config",
    "Cargo.lock",
    "go.sum",
    "go.work",
    "Gemfile.lock",
    "composer.lock",
    "mix.lock",
    "nuget.config",
    "NuGet.Config",
    "settings.xml",
    "settings.gradle",
    "settings.gradle.kts",
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
            } => is_untouched(scene, effect) && is_from_its_registry(scene, effect),
            Act::Package {
                op: PackageOp::Install,
                source: PackageSource::Registry,
                scope: Scope::Project | Scope::User,
                names,
            } => {
                !names.is_empty()
                    && is_from_its_registry(scene, effect)
                    && names.iter().all(|name| {
                        is_declared(scene, effect, name) || is_asked_for(scene, effect, name)
                    })
            }
            // Nothing of it runs: what is built of it later is a matter of its own.
            Act::Package {
                op: PackageOp::Declare,
                source: PackageSource::Registry,
                names,
                ..
            } => {
                let start = scene.invocation(effect);
                let program = start.and_then(|start| start.argv.first()?.literal());
                let program = program.unwrap_or_default();
                !names.is_empty()
                    && is_from_its_registry(scene, effect)
                    && names
                        .iter()
                        .all(|name| noted_name::is_plain(&program, name))
            }
            Act::Execute {
                code: Code::Package(name),
                ..
            } => {
                let brought = brought_by(scene, effect, name);
                is_declared(scene, effect, brought)
                    && is_declared_version(scene, brought)
                    && is_from_its_registry(scene, effect)
            }
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

/// The package that a program comes with where it is named otherwise, unless the command
/// says which package it wants.
fn brought_by<'n>(scene: &Scene<'_>, effect: &Effect, program: &'n str) -> &'n str {
    let says = scene.invocation(effect).is_none_or(|start| {
        let words = start.argv.iter().map(automode_shell::Value::shown);
        words
            .take_while(|word| word != program)
            .any(|word| word.starts_with("-p") || word.starts_with("--package"))
    });
    match package_of(program) {
        Some(package) if !says => package,
        Some(_) | None => program,
    }
}

/// The program's usual registry, with lists of packages that lie in the project
/// and that this session did not write.
fn is_from_its_registry(scene: &Scene<'_>, effect: &Effect) -> bool {
    let same = |other: &&Effect| other.by == effect.by;
    keeps_inside(scene, effect)
        && scene.effects().filter(same).all(|other| {
            let elsewhere = matches!(
                &other.act,
                Act::Connect {
                    host: Host::Named(_) | Host::Unknown,
                    ..
                }
            );
            let is_looked_at = |touch: Touch| matches!(touch, Touch::Read | Touch::List);
            let looked_at = other
                .act
                .touches()
                .filter(|(touch, _)| is_looked_at(*touch));
            !elsewhere && looked_at.is_none_or(|(_, target)| scene.written(&target.path).is_none())
        })
}

/// No manifest or lock file was changed by this session, nor by another program of this command.
fn is_untouched(scene: &Scene<'_>, install: &Effect) -> bool {
    let declares = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        let builds = name.ends_with(".gyp") || name.ends_with(".gypi");
        builds || manifest_names().any(|known| known == name) || REDIRECTS.contains(&name)
    };
    let by_session = scene.session.written.has(declares);
    let others = scene.effects().filter(|other| other.by != install.by);
    let beside = |other: &Effect| {
        if let Act::Write { target, .. } | Act::Delete { target, .. } = &other.act {
            match target.extent {
                Extent::Exact => declares(&target.path),
                // One of many names may be a manifest's.
                Extent::Pattern | Extent::Below | Extent::Prefix | Extent::Unknown => {
                    !declares_nothing(&target.path) && !scene.place(target).regenerable
                }
            }
        } else {
            false
        }
    };
    !by_session && !others.into_iter().any(beside)
}

/// Whether a set of names ends in something that no manifest's name ends in.
fn declares_nothing(pattern: &str) -> bool {
    let last = pattern.rsplit('/').next().unwrap_or_default();
    let Some((_, ending)) = last.rsplit_once('*') else {
        return false;
    };
    let mut all = manifest_names().chain(REDIRECTS.iter().copied());
    !ending.is_empty() && !all.any(|name| name.ends_with(ending))
}

/// A manifest of the program's own, beside the working directory, declares the package.
fn is_declared(scene: &Scene<'_>, effect: &Effect, package: &str) -> bool {
    let name = bare(package);
    // `left-pad@npm:other` and `flask @ https://…` name one package and fetch another.
    let renamed = package
        .get(name.len()..)
        .is_some_and(|version| version.contains([':', '/']));
    let start = scene.invocation(effect);
    let program = start.and_then(|start| start.argv.first()?.literal());
    let program = program.unwrap_or_default();
    let manifests = manifest::of_program(&program);
    let part = manifest::is_part_of(&program, name);
    !name.is_empty()
        && !renamed
        && is_untouched(scene, effect)
        && (part
            || manifests.iter().any(|file| {
                let roots = scene.context.roots.iter().chain([&scene.context.cwd]);
                roots.into_iter().any(|root| {
                    let path = format!("{}/{file}", root.trim_end_matches('/'));
                    match scene.facts.shell.files.get(&path) {
                        Some(FileFact::Text {
                            body,
                            session: false,
                        }) => manifest::declares(file, body, name),
                        Some(
                            FileFact::Text { session: true, .. }
                            | FileFact::Directory
                            | FileFact::Absent
                            | FileFact::Unreadable,
                        )
                        | None => false,
                    }
                })
            }))
}

/// Where a run says which version it wants, a manifest says the same: another version is
/// another program.
fn is_declared_version(scene: &Scene<'_>, package: &str) -> bool {
    let name = bare(package);
    let wanted = package.get(name.len()..).unwrap_or_default();
    let wanted = wanted.trim_start_matches(['@', '=', '^', '~', 'v']);
    if wanted.is_empty() {
        return true;
    }
    let declares = |body: &str| {
        body.match_indices(name).any(|(at, _)| {
            let after = body
                .get(at.saturating_add(name.len())..)
                .unwrap_or_default();
            let line = after.lines().next().unwrap_or_default();
            let version = line.split(',').next().unwrap_or_default();
            let version = version.trim_start_matches(|letter: char| !letter.is_ascii_digit());
            let rest = version.strip_prefix(wanted);
            rest.is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_ascii_digit()))
        })
    };
    let roots = scene.context.roots.iter().chain([&scene.context.cwd]);
    roots.into_iter().any(|root| {
        manifest_names().any(|manifest| {
            let path = format!("{}/{manifest}", root.trim_end_matches('/'));
            match scene.facts.shell.files.get(&path) {
                Some(FileFact::Text { body, session }) => !session && declares(body),
                Some(FileFact::Directory | FileFact::Absent | FileFact::Unreadable) | None => false,
            }
        })
    })
}

/// The person's own words name the package where they speak of packages.
fn is_asked_for(scene: &Scene<'_>, install: &Effect, package: &str) -> bool {
    /// Packages that are called like something else.
    const GENERAL: &[&str] = &[
        "api", "app", "client", "code", "common", "config", "core", "data", "file", "files",
        "http", "library", "main", "model", "models", "module", "node", "package", "python",
        "script", "server", "sql", "test", "tests", "tool", "tools", "util", "utils", "web",
    ];
    let name = bare(package).to_lowercase();
    let plain = name.len() > 2
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'));
    let exact = package.get(name.len()..).is_none_or(|version| {
        version.is_empty() || version.starts_with(['=', '<', '>', '~', '@', '['])
    });
    let renamed = package.contains([':', '/', ' ']);
    plain
        && exact
        && !renamed
        && !GENERAL.contains(&name.as_str())
        && is_untouched(scene, install)
        && scene.session.transcript.iter().any(|entry| match entry {
            transcript::Entry::User(text) => text.to_lowercase().lines().any(|line| {
                let mut words = line.split(|letter: char| {
                    !(letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.'))
                });
                words.any(|word| speaks_of_packages(word.trim_matches('.'))) && names(line, &name)
            }),
            transcript::Entry::Call { .. } => false,
        })
}

/// Whether a word of a sentence says that a name is one of a package.
fn speaks_of_packages(word: &str) -> bool {
    const CUES: &[&str] = &[
        "install",
        "package",
        "packages",
        "library",
        "libraries",
        "module",
        "modules",
        "dependency",
        "dependencies",
        "crate",
        "import",
        "using",
        "use",
        "framework",
    ];
    CUES.contains(&word) || natures_of(word).contains(Nature::PackageManager)
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

/// Whether a text names a package as a word of its own.
fn names(text: &str, package: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@');
    text.match_indices(package).any(|(at, found)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text
            .get(at.saturating_add(found.len())..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_whole_word_of_what_was_said() {
        for (said, package, expected) in [
            ("please install left-pad", "left-pad", true),
            ("please install left-pad", "left", false),
            ("add flask and requests", "flask==2.1", true),
            ("add flask-login", "flask", false),
            ("use @types/node here", "@types/node@20", true),
        ] {
            assert_eq!(names(said, bare(package)), expected, "{package}");
        }
    }
}
