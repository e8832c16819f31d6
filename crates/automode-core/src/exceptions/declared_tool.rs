//! Tools that the project's own checks run.
//!
//! `npx borp test/a.js` runs what `npm test` runs, where the manifest declares the package
//! and a script by which the project is tested or checked starts it. What differs is what
//! it is told, so every word is read on the terms of the project's own programs.

use automode_shell::{Act, Code, Effect, FileFact, Gap, Layer, StartedProgram};

use super::declared_dependency::DeclaredDependency;
use super::{Exception, overlaps, own_program, task_name};
use crate::scene::Scene;

/// Whether a gap says no more than that such a tool was not seen.
pub(super) fn accepts(gap: &Gap, scene: &Scene<'_>) -> bool {
    let installed = gap.kind.unseen().and_then(|path| {
        let (_, name) = path.rsplit_once("node_modules/.bin/")?;
        Some(name)
    });
    let Some(name) = gap.kind.program().or(installed) else {
        return false;
    };
    scene.effects().any(|effect| {
        let itself = named(effect).is_some_and(|own| own == name);
        itself && overlaps(effect, gap, scene) && is_of_checks(effect, scene)
    })
}

/// The name of a program that a package of the project brings.
fn named(effect: &Effect) -> Option<&str> {
    let Act::Execute { code, .. } = &effect.act else {
        return None;
    };
    match code.program()? {
        StartedProgram::Named(name) => Some(name),
        StartedProgram::At(target) => {
            let (_, name) = target.path.rsplit_once("/node_modules/.bin/")?;
            Some(name)
        }
    }
}

/// Whether a program comes of a declared package, and a check of the project starts it too.
pub(super) fn is_of_checks(effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some(name) = named(effect) else {
        return false;
    };
    let brought = scene.effects().any(|other| {
        let package = matches!(&other.act, Act::Execute { code: Code::Package(package), .. } if package == name);
        package && DeclaredDependency.covers(other, scene) && is_behind(other, effect, scene)
    });
    let installed = matches!(&effect.act, Act::Execute { code: Code::File(target), .. }
        if own_program::is_installed_tool(target, scene));
    (brought || installed)
        && own_program::are_words_quiet(scene, effect)
        && !own_program::name_reaches(name, scene)
        && is_started_by_check(name, scene)
}

/// The program runs through the one that fetches the package.
fn is_behind(package: &Effect, program: &Effect, scene: &Scene<'_>) -> bool {
    let through = scene.invocation(program).is_some_and(|start| {
        let mut layers = start.layers.iter();
        layers.any(|layer| matches!(layer, Layer::Wrapper(_)))
    });
    through && package.span.start <= program.span.end && program.span.start <= package.span.end
}

/// A check in a manifest that this session did not write starts the program.
fn is_started_by_check(name: &str, scene: &Scene<'_>) -> bool {
    let roots = scene.context.roots.iter().chain([&scene.context.cwd]);
    roots.into_iter().any(|root| {
        let path = format!("{}/package.json", root.trim_end_matches('/'));
        let Some(FileFact::Text {
            body,
            session: false,
        }) = scene.facts.shell.files.get(&path)
        else {
            return false;
        };
        let manifest = serde_json::from_str::<serde_json::Value>(body).unwrap_or_default();
        let scripts = manifest.get("scripts").and_then(|all| all.as_object());
        scripts.into_iter().flatten().any(|(task, script)| {
            task_name::is_check(task) && script.as_str().is_some_and(|text| starts(text, name))
        })
    })
}

/// Whether a script speaks of the program: `borp`, `c8 --reporter html borp`.
fn starts(script: &str, name: &str) -> bool {
    let mut words = script.split([' ', '&', '|', ';']);
    words.any(|word| word == name)
}
