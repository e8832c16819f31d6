//! automode's own places on this machine: its program, settings, state and log.
//!
//! The usual ones are known by name; a session also lists the ones in use, wherever a
//! variable or an installation has put them. A change at or below one of them, or a
//! removal of what contains one, is a change of automode itself. Names are compared
//! without case, as everywhere that a veto hangs on.

use automode_shell::{Extent, Target};

use super::{Change, Scene};
use crate::path;

/// Characters that begin and end a part of a name that is not certain.
const OPENING: [char; 5] = ['*', '?', '[', '(', '{'];
const CLOSING: [char; 5] = ['*', '?', ']', ')', '}'];

/// Whether a change of this target is a change of automode itself.
pub fn is_changed(scene: &Scene<'_>, change: Change, target: &Target) -> bool {
    let canonical = scene
        .path(&target.path)
        .and_then(|fact| fact.canonical.as_deref());
    let spellings = [Some(target.path.as_str()), canonical];
    spellings.into_iter().flatten().any(|path| {
        let own = &scene.session.own;
        own.iter()
            .any(|own| touches(own, path, target.extent, change))
    })
}

/// Whether a program, as it is named or where its link leads, is one of automode's places.
pub fn is_program(scene: &Scene<'_>, path: &str) -> bool {
    let canonical = scene.path(path).and_then(|fact| fact.canonical.as_deref());
    [Some(path), canonical]
        .into_iter()
        .flatten()
        .any(|path| scene.session.own.iter().any(|own| own == path))
}

fn touches(own: &str, path: &str, extent: Extent, change: Change) -> bool {
    let matches = |name: &str, own: &str| match (extent, change) {
        // A pattern that may also match such a file is aimed at it only by what it removes.
        (Extent::Pattern, Change::Delete) => may_be(&name.to_lowercase(), &own.to_lowercase()),
        (Extent::Exact | Extent::Below | Extent::Prefix | Extent::Unknown, _)
        | (Extent::Pattern, Change::Write) => is_same_name(name, own),
    };
    let meets = path::parts(path)
        .zip(path::parts(own))
        .all(|(name, own)| matches(name, own));
    if !meets {
        return false;
    }
    let names = path::parts(path).count();
    let below = names >= path::parts(own).count();
    // What is removed goes with everything in it; what is written leaves its neighbours alone.
    let above = match (extent, change) {
        (Extent::Exact | Extent::Pattern, Change::Delete) => names > 0,
        (Extent::Below | Extent::Prefix | Extent::Unknown, Change::Delete) | (_, Change::Write) => {
            false
        }
    };
    below || above
}

fn is_same_name(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
        || !(one.is_ascii() && other.is_ascii()) && one.to_lowercase() == other.to_lowercase()
}

/// Whether a name with wildcards may stand for another name.
fn may_be(pattern: &str, name: &str) -> bool {
    let (Some(first), Some(last)) = (pattern.find(OPENING), pattern.rfind(CLOSING)) else {
        return pattern == name;
    };
    let before = pattern.get(..first).unwrap_or_default();
    let after = pattern.get(last.saturating_add(1)..).unwrap_or_default();
    // A leading wildcard does not stand for a leading dot.
    let hidden = before.is_empty() && name.starts_with('.') && pattern.starts_with(['*', '?']);
    !hidden && name.starts_with(before) && name.ends_with(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "/srv/am/state";

    #[track_caller]
    fn check(path: &str, extent: Extent, change: Change, expected: bool) {
        assert_eq!(touches(OWN, path, extent, change), expected, "{path}");
    }

    #[test]
    fn what_lies_at_or_below_is_own() {
        use Change::{Delete, Write};
        for change in [Write, Delete] {
            for extent in [Extent::Exact, Extent::Below, Extent::Prefix] {
                check("/srv/am/state", extent, change, true);
                check("/srv/AM/State/audit.jsonl", extent, change, true);
                check("/srv/am/state-of-things", extent, change, false);
                check("/srv/am/other", extent, change, false);
            }
            check("/srv/am/state/*", Extent::Pattern, change, true);
        }
    }

    #[test]
    fn what_contains_it_is_own_when_it_goes() {
        use Change::{Delete, Write};
        check("/srv/am", Extent::Exact, Delete, true);
        check("/srv", Extent::Exact, Delete, true);
        check("/srv/am", Extent::Exact, Write, false);
        check("/srv", Extent::Below, Delete, false);
        check("/srv/am/*", Extent::Pattern, Delete, true);
        check("/srv/am/s*e", Extent::Pattern, Delete, true);
        check("/srv/*/state/permits/x", Extent::Pattern, Delete, true);
        check("/srv/am/*.log", Extent::Pattern, Delete, false);
        check("/srv/am/t*", Extent::Pattern, Delete, false);
        check("/srv/*", Extent::Pattern, Write, false);
        check("/", Extent::Exact, Delete, false);
    }
}
