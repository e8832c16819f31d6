//! Finding `_` arms in a `match` over an enum of our own: a variant that is added later must be
//! thought of, not fall into the rest.

use std::collections::BTreeSet;

/// The names of the enums that a source defines.
#[must_use]
pub fn enums(source: &str) -> BTreeSet<String> {
    let names = source.lines().filter_map(|line| {
        let (before, name) = line.split_once("enum ")?;
        let visible = before.trim().is_empty() || before.trim_start().starts_with("pub");
        let end = name.find(|letter: char| !letter.is_alphanumeric());
        let name = name.get(..end.unwrap_or(name.len()))?;
        (visible && name.starts_with(char::is_uppercase)).then(|| name.to_owned())
    });
    names.collect()
}

/// Lines with an arm `_ =>` beside arms that name variants of these enums. The source is laid
/// out by rustfmt: arms of one `match` stand in one column, and nothing else does.
#[must_use]
pub fn wildcards(source: &str, enums: &BTreeSet<String>) -> Vec<(usize, String)> {
    let lines: Vec<&str> = source.lines().collect();
    let of_own = |arm: &str| {
        let path = arm.trim_start_matches("| ");
        let name = path.split_once("::").map(|(name, _)| name);
        name.is_some_and(|name| name == "Self" || enums.contains(name))
    };
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if !line.trim_start().starts_with("_ =>") {
            continue;
        }
        let column = indent(line);
        let before = lines.iter().take(at).rev();
        let arms = before
            .filter(|line| !line.trim().is_empty())
            .take_while(|line| indent(line) >= column)
            .filter(|line| indent(line) == column);
        if arms.into_iter().any(|arm| of_own(arm.trim_start())) {
            found.push((at.saturating_add(1), line.trim().to_owned()));
        }
    }
    found
}

fn indent(line: &str) -> usize {
    line.len().saturating_sub(line.trim_start().len())
}
