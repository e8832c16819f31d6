//! Files that a listing of the project names.
//!
//! `git ls-files | xargs wc -l` reads whatever the listing names, and a listing
//! of the project names files of the project: that is reading its tree. Programs
//! in between may drop names, not make up others.

use automode_shell::place::Zone;
use automode_shell::{
    Act, Effect, Extent, Gap, GapKind, Invocation, Layer, Nature, Stdout, natures_of,
};

use super::overlaps;
use crate::scene::Scene;

/// A read of something that a listing of the project named.
pub fn is_item(scene: &Scene<'_>, effect: &Effect) -> bool {
    let Act::Read { target } = &effect.act else {
        return false;
    };
    target.extent == Extent::Unknown && is_fed_by_listing(scene, effect.by)
}

/// A word that stands for such an item.
pub fn accepts(gap: &Gap, scene: &Scene<'_>) -> bool {
    matches!(gap.kind, GapKind::DynamicWord { .. })
        && scene
            .effects()
            .any(|effect| overlaps(effect, gap, scene) && is_item(scene, effect))
        && scene
            .effects()
            .filter(|effect| overlaps(effect, gap, scene))
            .all(|effect| matches!(effect.act, Act::Read { .. } | Act::List { .. }))
}

fn is_fed_by_listing(scene: &Scene<'_>, by: usize) -> bool {
    let starts: Vec<&Invocation> = scene.invocations().collect();
    let Some(reader) = starts.get(by) else {
        return false;
    };
    let each = reader
        .layers
        .iter()
        .any(|layer| matches!(layer, Layer::Wrapper(name) if natures_of(name).contains(Nature::RunsItems)));
    let before = starts.get(..by).unwrap_or_default();
    let mut stages = before
        .iter()
        .enumerate()
        .filter(|(_, start)| matches!(start.stdout, Stdout::Pipe))
        .peekable();
    each && stages.peek().is_some()
        && stages.all(|(at, start)| {
            start.passes_lines() && !seeks(scene, start) || is_listing(scene, at, start)
        })
}

/// Names files of the project, and nothing else.
fn is_listing(scene: &Scene<'_>, at: usize, start: &Invocation) -> bool {
    let inside = start
        .cwd
        .as_deref()
        .is_some_and(|cwd| scene.context.is_inside(cwd));
    let ours = scene
        .effects()
        .filter(|effect| effect.by == at)
        .all(|effect| {
            let (Act::List { target } | Act::Read { target }) = &effect.act else {
                return false;
            };
            let zone = scene.place(target).zone;
            matches!(zone, Zone::Project | Zone::ProjectRoot)
        });
    start.prints_names() && inside && ours && !seeks(scene, start)
}

fn seeks(scene: &Scene<'_>, start: &Invocation) -> bool {
    let mut words = start.argv.iter().skip(1).filter_map(|word| word.literal());
    words.any(|word| seeks_secret(scene, &word))
}

/// A pattern that is made for files with secrets: `.env*`, `*.pem`.
fn seeks_secret(scene: &Scene<'_>, word: &str) -> bool {
    let name = word
        .trim_matches(['*', '^', '$', '\\', '/'])
        .replace('\\', "");
    let named = format!("{}/{name}", scene.context.cwd.trim_end_matches('/'));
    let ended = format!("{}/x{name}", scene.context.cwd.trim_end_matches('/'));
    // `ls -A | grep env`: the dot in front is not always typed.
    let hidden = format!("{}/.{name}", scene.context.cwd.trim_end_matches('/'));
    !name.is_empty()
        && [named, ended, hidden]
            .iter()
            .any(|path| scene.place_of(path).secret.is_some())
}
