//! Programs that the person's own words tell to run.
//!
//! "Run the `./play.sh` script", "using rencrypt, which I just installed": the person
//! names the program, and what it is told stays inside the project and asks for nothing
//! that reaches further, on the terms of the project's own programs. A name that the
//! words speak against, that this session wrote, or that lies outside the project is
//! nobody's order.

use automode_shell::place::Zone;
use automode_shell::{
    Act, Code, Effect, Extent, Gap, Nature, StartedProgram, Taint, Value, natures_of,
};

use super::{overlaps, own_program};
use crate::scene::Scene;
use crate::transcript::Entry;

/// Words right before a name that tell to run it.
const ORDERS: &[&str] = &[
    "run",
    "running",
    "execute",
    "executing",
    "use",
    "using",
    "call",
    "calling",
    "invoke",
    "invoking",
    "launch",
    "launching",
];

/// Words that may stand between an order and the name.
const BETWEEN: &[&str] = &[
    "a",
    "an",
    "the",
    "my",
    "our",
    "your",
    "this",
    "provided",
    "existing",
    "script",
    "program",
    "command",
    "tool",
    "binary",
    "executable",
    "file",
];

/// Words that turn an order around.
const AGAINST: &[&str] = &[
    "not",
    "never",
    "no",
    "avoid",
    "without",
    "instead",
    "stop",
    "except",
    "unless",
    "cannot",
    "rather",
    "dont",
    "before",
    "forbidden",
    "refuse",
    "nor",
    "neither",
];

/// How far before a name a word against it is looked for.
const REACH: usize = 8;

/// Whether a gap says no more than that a program was not seen which the person told to run.
pub(crate) fn accepts(gap: &Gap, scene: &Scene<'_>) -> bool {
    let Some(name) = gap.kind.program().or(gap.kind.unseen()) else {
        return false;
    };
    scene.effects().any(|effect| {
        let itself = told_as(effect, scene).is_some_and(|word| word == name);
        itself && overlaps(effect, gap, scene) && covers(effect, scene)
    })
}

/// Whether the person's own words tell to run this.
pub(crate) fn covers(effect: &Effect, scene: &Scene<'_>) -> bool {
    let Act::Execute { code, origin } = &effect.act else {
        return false;
    };
    let foreign = [Taint::NETWORK, Taint::DECODED, Taint::SESSION];
    if foreign.iter().any(|mark| origin.taint.has(*mark)) || !scene.project.suspicions().is_empty()
    {
        return false;
    }
    let Some(word) = told_as(effect, scene) else {
        return false;
    };
    let ours = match code.program() {
        // A bare name is found on the search path.
        Some(StartedProgram::Named(name)) => {
            let bare = name.len() > 2
                && name
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'));
            bare && !is_written(name, scene)
        }
        Some(StartedProgram::At(target)) => {
            target.extent == Extent::Exact
                && scene.place(target).zone == Zone::Project
                && own_program::is_unwritten_in_project(target, scene)
                && !own_program::is_put_there(target, effect, scene)
        }
        None => false,
    };
    // `play.sh` is no word that asks for a shell.
    let stem = word
        .rsplit_once('.')
        .map_or(word.as_str(), |(stem, _)| stem);
    let words = if matches!(code, Code::Program(_)) {
        own_program::are_words_quiet(scene, effect)
    } else {
        own_program::are_words_fine(scene, effect)
    };
    ours && words && !own_program::name_reaches(stem, scene) && is_told(&word, code, scene)
}

/// The word by which a command names the program that it runs.
fn told_as(effect: &Effect, scene: &Scene<'_>) -> Option<String> {
    let Act::Execute { code, .. } = &effect.act else {
        return None;
    };
    let words = || {
        scene
            .invocation(effect)
            .into_iter()
            .flat_map(|start| &start.argv)
    };
    match code.program()? {
        StartedProgram::Named(name) => Some(name.to_owned()),
        StartedProgram::At(target) => {
            let last = target.path.rsplit('/').next().unwrap_or_default();
            let first = words().next().and_then(Value::literal)?;
            // What is taken into the shell changes what the rest of the command means.
            if natures_of(&first).contains(Nature::Source) {
                return None;
            }
            words()
                .take(4)
                .filter_map(Value::literal)
                .find(|word| word.rsplit('/').next() == Some(last))
                .map(std::borrow::Cow::into_owned)
        }
    }
}

/// This session or this command put a file of that name somewhere.
fn is_written(name: &str, scene: &Scene<'_>) -> bool {
    let is_named = |path: &str| path.rsplit('/').next() == Some(name);
    let by_session = scene
        .session
        .written
        .has(|path| is_named(path.trim_end_matches('/')));
    let beside = scene.effects().any(|effect| {
        if let Act::Write { target, .. } = &effect.act {
            target.extent != Extent::Exact || is_named(&target.path)
        } else {
            false
        }
    });
    by_session || beside
}

/// The person told to run what bears this name, and nowhere spoke against it.
fn is_told(word: &str, code: &Code, scene: &Scene<'_>) -> bool {
    let wanted = word.trim_start_matches("./");
    // The bare name of a program is no file of the project.
    if matches!(code, Code::File(_)) && !wanted.contains(['/', '.']) {
        return false;
    }
    let mut told = false;
    for entry in &scene.session.transcript {
        let Entry::User(text) = entry else { continue };
        for line in text.lines() {
            let words: Vec<String> = line.split_whitespace().map(bare).collect();
            for (at, _) in words
                .iter()
                .enumerate()
                .filter(|(_, said)| said.trim_start_matches("./") == wanted)
            {
                let before = words.get(..at).unwrap_or_default();
                if before.iter().rev().take(REACH).any(|said| is_against(said)) {
                    return false;
                }
                let order = before.iter().rev().find(|said| !may_stand_between(said));
                told |= order.is_some_and(|said| ORDERS.contains(&said.as_str()));
            }
        }
    }
    told
}

/// A word of a sentence without its quotes and stops.
fn bare(word: &str) -> String {
    const QUOTES: &[char] = &['`', '"', '\'', '(', ')', '*', '“', '”', '‘', '’', '<', '>'];
    let word = word.trim_matches(QUOTES);
    let word = word.trim_end_matches(['.', ',', ':', ';', '!', '?']);
    let word = word.trim_matches(QUOTES);
    match word.contains(['/', '.', '_']) {
        true => word.to_owned(),
        false => word.to_lowercase(),
    }
}

/// `run the script with bash`: also what reads the program.
fn may_stand_between(said: &str) -> bool {
    let natures = natures_of(said);
    BETWEEN.contains(&said)
        || natures.contains(Nature::Shell)
        || natures.contains(Nature::Interpreter)
}

fn is_against(said: &str) -> bool {
    AGAINST.contains(&said) || said.ends_with("n't") || said.ends_with("n’t")
}
