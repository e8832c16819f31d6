//! Finding names of programs in a source that must know none.

use std::collections::BTreeSet;

/// The names that a file of knowledge describes: its own, `name` and `aliases`.
#[must_use]
pub fn described_names(stem: &str, knowledge: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut named = false;
    let mut within = false;
    for line in knowledge.lines().take_while(|line| !line.starts_with('[')) {
        let own = line.starts_with("name = ");
        within |= line.starts_with("aliases = [");
        if own || within {
            names.extend(literals(line).map(str::to_owned));
        }
        named |= own;
        within &= !line.contains(']');
    }
    if !named {
        names.insert(stem.to_owned());
    }
    names
}

/// Texts of a source that are exactly the name of a program, with their lines.
#[must_use]
pub fn named_programs<'s>(source: &'s str, names: &BTreeSet<String>) -> Vec<(usize, &'s str)> {
    let lines = source.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .flat_map(|(at, line)| literals(line).map(move |text| (at.saturating_add(1), text)))
        .filter(|(_, text)| names.contains(*text))
        .collect()
}

/// The texts between quotes of a line; one with an escape in it is no name.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    line.split('"').skip(1).step_by(2)
}
