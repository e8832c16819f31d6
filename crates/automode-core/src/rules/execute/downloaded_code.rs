//! Bytes from elsewhere that would run here.

use automode_shell::{
    Act, Code, Effect, Host, Origin, PackageOp, PackageSource, Taint, Target, Value,
};

use crate::Finding;
use crate::rules::Rule;
use crate::scene::{Scene, is_official, report};

pub struct DownloadedCode;

const ID: &str = "downloaded-code";
const REVIEW: &str = "save it to a file, read it, then run it in a separate step";

impl Rule for DownloadedCode {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("downloaded_code.md")
    }

    fn consentable(&self) -> bool {
        true
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        scene
            .effects()
            .filter_map(|effect| {
                if let Some((code, origin)) = effect.act.executes() {
                    return execution(scene, effect, code, origin);
                }
                let Act::Package {
                    op: PackageOp::Install | PackageOp::Declare,
                    source,
                    names,
                    ..
                } = &effect.act
                else {
                    return None;
                };
                install(scene, effect, source, names)
            })
            .collect()
    }
}

fn execution(scene: &Scene<'_>, effect: &Effect, code: &Code, origin: Origin) -> Option<Finding> {
    let taint = origin.taint.with(carried(scene, effect, code));
    let downloaded = taint.has(Taint::NETWORK);
    let decoded = taint.has(Taint::DECODED);
    match code {
        Code::Stream | Code::Inline { .. } | Code::File(_) if downloaded => {
            Some(if is_official(scene, effect) {
                scene.soft(
                    ID,
                    scene.part(effect),
                    "runs an installer fetched from its maker",
                    REVIEW,
                )
            } else {
                scene.veto(
                    ID,
                    scene.pipeline(effect),
                    "runs code that was just downloaded",
                    REVIEW,
                )
            })
        }
        // What was decoded from a local file could be read first.
        Code::Stream | Code::Inline { .. } if decoded && !taint.has(Taint::LOCAL) => {
            Some(scene.veto(
                ID,
                scene.pipeline(effect),
                "runs code that was hidden by an encoding",
                "write the code in plain text, so that it can be read",
            ))
        }
        Code::Stream | Code::Inline { .. } | Code::File(_) if decoded => Some(scene.evidence(
            ID,
            scene.part(effect),
            "runs a file that was unpacked or decoded just before",
            REVIEW,
        )),
        Code::Package(name) => Some(scene.soft(
            ID,
            scene.part(effect),
            &format!("fetches {} and runs it", report::name(name)),
            "add the package to the project's manifest first",
        )),
        Code::Task { .. } | Code::Container { .. } if downloaded => Some(scene.evidence(
            ID,
            scene.part(effect),
            "builds or runs what was just downloaded",
            REVIEW,
        )),
        Code::Stream
        | Code::Inline { .. }
        | Code::File(_)
        | Code::Task { .. }
        | Code::Program(_)
        | Code::Container { .. }
        | Code::Remote { .. } => None,
    }
}

/// The marks of the files that the code is in.
fn carried(scene: &Scene<'_>, effect: &Effect, code: &Code) -> Taint {
    match code {
        Code::File(target) => scene.carried(&target.path),
        Code::Task { .. } | Code::Container { .. } => around(scene, effect),
        Code::Program(_)
        | Code::Inline { .. }
        | Code::Stream
        | Code::Package(_)
        | Code::Remote { .. } => Taint::NONE,
    }
}

/// The marks of the folder that a task runs in: where it starts, or one that it names.
fn around(scene: &Scene<'_>, effect: &Effect) -> Taint {
    let Some(start) = scene.invocation(effect) else {
        return Taint::NONE;
    };
    let cwd = start.cwd.as_deref().unwrap_or(&scene.context.cwd);
    let named = start.argv.iter().skip(1).filter_map(|word| {
        let word = word.literal()?;
        let place = word
            .rsplit_once('=')
            .map_or(word.as_ref(), |(_, place)| place);
        Some(Target::locate(&Value::text(place, start.span), Some(cwd)).path)
    });
    // A folder is marked as everything below it.
    let inside = |path: &str| format!("{}/.", path.trim_end_matches('/'));
    let own = scene.session.roots.iter().any(|root| root == cwd);
    let here = (!own).then(|| inside(cwd));
    named
        .map(|path| inside(&path))
        .chain(here)
        .fold(Taint::NONE, |taint, path| taint.with(scene.carried(&path)))
}

fn install(
    scene: &Scene<'_>,
    effect: &Effect,
    source: &PackageSource,
    names: &[String],
) -> Option<Finding> {
    let listed = match names {
        [] => "packages".to_owned(),
        names => report::name(&names.join(", ")),
    };
    if let Some(host) = other_registry(scene, effect) {
        return Some(scene.evidence(
            ID,
            scene.part(effect),
            &format!("installs {listed} from {}", report::name(host)),
            "install it from the usual registry",
        ));
    }
    match source {
        PackageSource::Declared => None,
        PackageSource::Registry => Some(scene.soft(
            ID,
            scene.part(effect),
            &format!("installs {listed}, which runs the package's own code"),
            "add the package to the project's manifest and install from it",
        )),
        PackageSource::Elsewhere(from) => Some(scene.evidence(
            ID,
            scene.part(effect),
            &format!("installs {listed} from {}", report::name(from)),
            "install it from the registry, by name and version",
        )),
    }
}

/// A registry that the command line names in place of the usual one.
fn other_registry<'a>(scene: &Scene<'a>, install: &Effect) -> Option<&'a str> {
    scene.effects().find_map(|effect| {
        if let Act::Connect {
            host: Host::Named(host),
            ..
        } = &effect.act
            && effect.by == install.by
        {
            Some(host.as_str())
        } else {
            None
        }
    })
}
