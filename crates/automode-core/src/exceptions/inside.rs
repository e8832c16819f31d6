//! Program starts that keep to the project.
//!
//! A build tool that is handed a configuration, a plugin or a directory from
//! elsewhere runs other people's code, whatever it calls it; and a client whose
//! connection is led elsewhere talks to somebody else, whatever the address says.

use automode_shell::place::Zone;
use automode_shell::{Act, Effect, Extent, Invocation, Target, Value};

use crate::scene::{Scene, named_paths};

/// Nothing that the program of an effect is given lies in a place where strangers put files.
pub fn keeps_inside(scene: &Scene<'_>, effect: &Effect) -> bool {
    scene.invocation(effect).is_none_or(|start| {
        start
            .cwd
            .as_deref()
            .is_some_and(|cwd| scene.context.is_inside(cwd))
            && given(start).all(|path| is_trusted(scene, effect.by, &path))
    })
}

/// The paths among a program's words: absolute ones, and those that climb.
fn given(start: &Invocation) -> impl Iterator<Item = String> + '_ {
    let climbing = start.argv.iter().skip(1).filter_map(|word| {
        let text = word.literal()?;
        let path = text.rsplit('=').next()?;
        let target = Target::locate(&Value::text(path, word.span), start.cwd.as_deref());
        (path.starts_with("..") && target.extent == Extent::Exact).then_some(target.path)
    });
    named_paths(start).chain(climbing)
}

fn is_trusted(scene: &Scene<'_>, by: usize, path: &str) -> bool {
    match scene.place_of(path).zone {
        Zone::Project | Zone::ProjectRoot | Zone::Sink | Zone::System => true,
        Zone::Temp
        | Zone::TempRoot
        | Zone::Home
        | Zone::InHome
        | Zone::Elsewhere
        | Zone::Ancestor
        | Zone::Root
        | Zone::SystemTree
        | Zone::Device
        | Zone::Kernel
        | Zone::Unknown => is_output(scene, by, path) || is_own_work(scene, path),
    }
}

/// It is only written there: a report, a binary.
fn is_output(scene: &Scene<'_>, by: usize, path: &str) -> bool {
    scene.effects().any(|effect| {
        let Act::Write { target, .. } = &effect.act else {
            return false;
        };
        effect.by == by && target.path == path
    })
}

/// This session wrote it, and nothing in it stood out.
fn is_own_work(scene: &Scene<'_>, path: &str) -> bool {
    scene
        .written(path)
        .is_some_and(|file| file.findings.is_empty() && file.taint.is_empty())
}
