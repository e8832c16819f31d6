//! Looks into places where secrets are kept.

use automode_shell::place::{Place, Secret, Zone};
use automode_shell::{
    Act, CloudVerb, Code, Effect, Extent, FileFact, Host, Invocation, Nature, ProcessScope, Span,
    Stdout, Target, Touch,
};

use crate::rules::Rule;
use crate::scene::{Scene, certain, included_secret, is_fixture, named_paths, report};
use crate::{Action, Finding, Lead, NamePattern};

pub struct CredentialBrowsing;

const ID: &str = "credential-browsing";
const INSTEAD: &str = "ask for the one value you need, by name";

impl Rule for CredentialBrowsing {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("credential_browsing.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| browse(scene, effect))
            .chain(scene.invocations().filter_map(|start| hunt(scene, start)))
            .chain(unexplained(scene))
            .chain(search(scene))
            .chain(
                scene
                    .invocations()
                    .filter_map(|start| included(scene, start)),
            )
            .collect()
    }
}

fn browse(scene: &Scene<'_>, effect: &Effect) -> Option<Finding> {
    match &effect.act {
        Act::Read { target } => {
            let span = scene.part(effect);
            read(scene, span, target).or_else(|| led(scene, span, target))
        }
        Act::Write { target, .. } if target.extent == Extent::Exact => {
            // A link or a changed mode on a secret opens it as a read does.
            let opened = matches!(
                &effect.act,
                Act::Write {
                    how: automode_shell::WriteHow::Attributes | automode_shell::WriteHow::Link,
                    ..
                }
            );
            opened
                .then(|| read(scene, scene.part(effect), target))
                .flatten()
        }
        Act::Cloud {
            service,
            verb: CloudVerb::Secret,
        } => Some(scene.evidence(
            ID,
            scene.part(effect),
            &format!("reads a secret from {}", report::name(service)),
            INSTEAD,
        )),
        Act::Process {
            scope: ProcessScope::Attach,
        } => Some(scene.evidence(
            ID,
            scene.part(effect),
            "reads another process's memory",
            INSTEAD,
        )),
        Act::Connect {
            host: Host::Named(host),
            ..
        } if is_metadata_service(&crate::host::normal(host)) => Some(scene.evidence(
            ID,
            scene.part(effect),
            "asks the cloud's metadata service, which hands out credentials",
            INSTEAD,
        )),
        _ => None,
    }
}

fn read(scene: &Scene<'_>, span: Span, target: &Target) -> Option<Finding> {
    // Most reads are of no secret, and a name tells that for less than a place costs.
    let home = scene.context.home.as_deref();
    if scene.elsewhere(target).is_none() && Secret::of(&target.path, home).is_none() {
        return None;
    }
    let place = scene
        .places(target)
        .into_iter()
        .find(|place| place.secret.is_some())?;
    let secret = place.secret?;
    let what = format!("reads {}, {}", report::target(scene, target), secret.name());
    Some(if is_fixture(scene, target) {
        scene.soft(ID, span, &what, INSTEAD)
    } else if is_hard(&place, secret, &target.path) {
        scene.veto(ID, span, &what, INSTEAD)
    } else {
        scene.evidence(ID, span, &what, INSTEAD)
    })
}

/// A name in a directory that is read whole, and that leads to a secret.
fn led(scene: &Scene<'_>, span: Span, target: &Target) -> Option<Finding> {
    let (directory, names) = match target.extent {
        Extent::Pattern => (certain(&target.path), NamePattern::read(&target.path)),
        Extent::Exact | Extent::Below | Extent::Prefix | Extent::Unknown => {
            (target.path.clone(), None)
        }
    };
    let is_taken = |lead: &&Lead| {
        let name = lead.name.rsplit('/').next().unwrap_or_default();
        names.as_ref().is_none_or(|names| names.may_take(name))
    };
    let leads = scene.facts.leads.get(&directory)?.iter();
    leads.filter(is_taken).find_map(|lead| {
        let place = scene.resolved_place(&lead.to);
        let secret = place.secret?;
        let what = format!(
            "reads {}, which is {}, {}",
            report::name(&lead.name),
            report::name(&lead.to),
            secret.name()
        );
        Some(if is_hard(&place, secret, &lead.to) {
            scene.veto(ID, span, &what, INSTEAD)
        } else {
            scene.evidence(ID, span, &what, INSTEAD)
        })
    })
}

/// A source that has what reads it take in a secret: as it is named, or one that changed and
/// may be included by it.
fn included(scene: &Scene<'_>, start: &Invocation) -> Option<Finding> {
    if !start.is_a(Nature::IncludesFiles) {
        return None;
    }
    let cwd = start.cwd.as_deref().unwrap_or(&scene.context.cwd);
    let changed = scene.facts.changes.get(cwd).into_iter();
    let changed = changed
        .flat_map(|changes| &changes.files)
        .map(|file| (file.path.as_str(), &file.now));
    let read = scene.effects().filter_map(|effect| match &effect.act {
        Act::Read { target } => {
            let file = scene.facts.shell.files.get(&target.path)?;
            Some((target.path.as_str(), file))
        }
        _ => None,
    });
    let (file, secret) = changed.chain(read).find_map(|(path, file)| match file {
        FileFact::Text { body, .. } => Some((path, included_secret(scene, path, body)?)),
        FileFact::Directory | FileFact::Absent | FileFact::Unreadable => None,
    })?;
    let what = format!(
        "takes in {}, as {} says",
        report::name(&secret),
        report::name(file)
    );
    Some(scene.evidence(ID, start.span, &what, INSTEAD))
}

/// Secrets that no task of a coding agent needs to read: the passwords of the
/// system, somebody's private key, a password store, memory of other processes.
fn is_hard(place: &Place, secret: Secret, path: &str) -> bool {
    let ours = matches!(place.zone, Zone::Project | Zone::Temp | Zone::ProjectRoot);
    match secret {
        Secret::Passwords => {
            !path.contains("sudoers") && (path.contains("shadow") || path.contains("passwd"))
        }
        Secret::PrivateKey | Secret::Keychain => !ours,
        Secret::ProcessMemory => path.ends_with("mem") || path.ends_with("kcore"),
        Secret::CloudCredential
        | Secret::Token
        | Secret::EnvFile
        | Secret::History
        | Secret::AgentCredential => false,
    }
}

/// A search tool that looks for keys across the machine.
fn search(scene: &Scene<'_>) -> Option<Finding> {
    let Action::Search { pattern, path } = scene.action else {
        return None;
    };
    let place = path.as_deref().map(certain);
    let root = crate::path::absolute(
        place.as_deref().unwrap_or(&scene.context.cwd),
        &scene.context.cwd,
        scene.context.home.as_deref(),
    );
    (is_wide(scene, &root) && is_sought(&pattern.to_lowercase())).then(|| {
        let what = format!("searches {} for keys and passwords", report::name(&root));
        scene.evidence(ID, Span::default(), &what, INSTEAD)
    })
}

/// A tree that holds more than one project.
fn is_wide(scene: &Scene<'_>, path: &str) -> bool {
    path.starts_with('/')
        && matches!(
            scene.place_of(path).zone,
            Zone::Root | Zone::Home | Zone::SystemTree | Zone::Ancestor
        )
}

/// A search for keys and passwords outside the project.
fn hunt(scene: &Scene<'_>, start: &Invocation) -> Option<Finding> {
    let searches = start.is_a(Nature::FileSearch) || start.is_a(Nature::TextSearch);
    if !searches {
        return None;
    }
    let words: Vec<String> = start
        .argv
        .iter()
        .skip(1)
        .filter_map(|word| word.literal().map(|word| word.to_lowercase()))
        .collect();
    let sought = || words.iter().any(|word| is_sought(word));
    let wide = || words.iter().any(|word| is_wide(scene, word));
    let index = start.is_a(Nature::FileIndex);
    let listed = words.iter().any(|word| seeks_several(word)) && follows_processes(scene);
    // Most searches stay in the project, which costs less to tell than what they look for.
    (listed || ((index || wide()) && sought())).then(|| {
        let what = "searches the machine for keys and passwords";
        scene.evidence(ID, start.span, what, INSTEAD)
    })
}

/// Some program prints the command lines of all processes.
fn follows_processes(scene: &Scene<'_>) -> bool {
    scene
        .invocations()
        .any(|start| start.is_a(Nature::ProcessList) && matches!(start.stdout, Stdout::Pipe))
}

/// A pattern of alternatives that are all words for secrets.
fn seeks_several(word: &str) -> bool {
    if !word.contains('|') {
        return false;
    }
    let parts: Vec<&str> = word
        .split('|')
        .map(|part| part.trim_end_matches('\\'))
        .collect();
    parts.len() > 1 && parts.iter().filter(|part| is_sought(part)).count() > 1
}

fn is_sought(word: &str) -> bool {
    const NAMES: &[&str] = &[
        "id_rsa",
        "id_ed25519",
        "id_dsa",
        "id_ecdsa",
        ".pem",
        ".p12",
        ".pfx",
        ".ppk",
        ".kdbx",
        ".netrc",
        ".pgpass",
        "wallet.dat",
        "shadow",
        "password",
        "passwd",
        "credential",
        "secret",
        "api_key",
        "apikey",
        "private key",
        "aws_",
        "akia",
        "ghp_",
        "sk-",
        ".env",
        "authorized_keys",
        "token",
        "htpasswd",
        ".ovpn",
        "keychain",
    ];
    !word.starts_with('/') && NAMES.iter().any(|name| word.contains(name))
}

/// A program with the path of such a secret among its words, and no effect that
/// says what it does with it: the knowledge may not know every flag that reads.
fn unexplained(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(analysis) = scene.analysis else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (index, start) in analysis.invocations.iter().enumerate() {
        if start.is_a(Nature::Talker) || start.is_a(Nature::Test) {
            continue;
        }
        for path in named_paths(start) {
            let place = scene.place_of(&path);
            let Some(secret) = place.secret.filter(|kind| is_hard(&place, *kind, &path)) else {
                continue;
            };
            let explained = analysis
                .effects
                .iter()
                .any(|effect| touches(&effect.act, &path));
            if explained {
                continue;
            }
            let what = format!(
                "hands {}, {}, to a program",
                report::name(&path),
                secret.name()
            );
            let unknown = analysis
                .effects
                .iter()
                .any(|effect| effect.by == index && is_unknown_program(&effect.act));
            found.push(if unknown {
                scene.veto(ID, start.span, &what, INSTEAD)
            } else {
                scene.evidence(ID, start.span, &what, INSTEAD)
            });
        }
    }
    found
}

fn touches(act: &Act, path: &str) -> bool {
    act.touches()
        .is_some_and(|(touch, target)| touch != Touch::Run && target.path == path)
}

fn is_unknown_program(act: &Act) -> bool {
    matches!(
        act,
        Act::Execute {
            code: Code::Program(_),
            ..
        }
    )
}

fn is_metadata_service(host: &str) -> bool {
    // Names that are made to lead to an address carry it in themselves.
    host.contains("169.254.169.254")
        || host.starts_with("169.254.")
        || host == "kubernetes"
        || host.starts_with("kubernetes.default")
        || matches!(
            host,
            "metadata.google.internal"
                | "metadata"
                | "metadata.goog"
                | "metadata.azure.internal"
                | "instance-data"
                | "instance-data.ec2.internal"
                | "100.100.100.200"
                | "192.0.0.192"
                | "fd00:ec2::254"
                | "fd20:ce::254"
        )
}
