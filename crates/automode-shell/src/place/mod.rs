//! What kind of place a path is.
//!
//! [`Place::of`] classifies a [`Target`] lexically: where it lies, whether
//! secrets are kept there, whether writing there changes what runs later, and
//! whether it can be made again. It compares names without case, so that a file
//! system that ignores case cannot hide `.GIT/hooks`. It never says that a place
//! is safe: a permit also needs the canonical path, observed by the runtime.

mod protected;
mod regenerable;
mod secret;
mod zone;

pub use protected::Protected;
pub use secret::{Secret, is_secret_variable};
pub use zone::Zone;

use crate::{Context, Extent, Taint, Target};

/// A classified target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub zone: Zone,
    /// Secrets are kept here.
    pub secret: Option<Secret>,
    /// Writing here changes what runs later, or who may do what.
    pub protected: Option<Protected>,
    /// Builds, caches and installed dependencies: made again by the project's tools.
    pub regenerable: bool,
}

impl Place {
    /// Classifies a target of the analysis.
    #[must_use]
    pub fn of(target: &Target, context: &Context) -> Self {
        match target.extent {
            Extent::Exact => Self::of_path(&target.path, context),
            Extent::Pattern => Self::of_pattern(&target.path, context),
            Extent::Below => Self {
                zone: Zone::of(&target.path, context).below(),
                ..Self::of_path(&target.path, context)
            },
            Extent::Prefix | Extent::Unknown => Self {
                zone: Zone::Unknown,
                ..Self::of_path(&target.path, context)
            },
        }
    }

    /// Classifies an absolute, normalised path.
    #[must_use]
    pub fn of_path(path: &str, context: &Context) -> Self {
        let home = context.home.as_deref();
        Self {
            zone: Zone::of(path, context),
            secret: Secret::of(path, home),
            protected: Protected::of(path, home),
            regenerable: regenerable::is(path, context),
        }
    }

    /// A pattern that takes everything in a directory stands for the directory
    /// itself; any other is somewhere below its last certain directory.
    fn of_pattern(pattern: &str, context: &Context) -> Self {
        let certain = pattern
            .split('/')
            .take_while(|name| !name.contains(['*', '?', '[', '(']))
            .collect::<Vec<_>>()
            .join("/");
        let certain = if certain.is_empty() { "/" } else { &certain };
        let rest = pattern.get(certain.len()..).unwrap_or_default();
        let takes_all = rest.trim_start_matches('/').split('/').all(|name| {
            matches!(
                name,
                "*" | "**" | ".*" | "*.*" | ".[!.]*" | ".??*" | "{*,.*}"
            )
        });
        let zone = Zone::of(certain, context);
        Self {
            zone: if takes_all { zone } else { zone.below() },
            ..Self::of_path(pattern, context)
        }
    }
}

/// The marks of what is read from a place, wherever the home directory is.
#[must_use]
pub fn taint_of(target: &Target) -> Taint {
    match target.extent {
        Extent::Unknown => Taint::UNKNOWN,
        Extent::Exact | Extent::Pattern | Extent::Below | Extent::Prefix => {
            match Secret::of(&target.path, None) {
                Some(_) => Taint::SECRET.with(Taint::LOCAL),
                None => Taint::LOCAL,
            }
        }
    }
}

/// The marks of a variable that the command does not set.
#[must_use]
pub fn taint_of_variable(name: &str) -> Taint {
    if is_secret_variable(name) {
        Taint::SECRET
    } else {
        Taint::NONE
    }
}

/// The names of a path, lower-cased, without the empty ones.
fn names(path: &str) -> Vec<String> {
    path.split('/')
        .filter(|name| !name.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The names of `path` below `base`, where it lies below it.
fn names_below(path: &str, base: Option<&str>) -> Option<Vec<String>> {
    let base = base?.trim_end_matches('/');
    let rest = path.strip_prefix(base)?;
    (rest.is_empty() || rest.starts_with('/')).then(|| names(rest))
}

/// Whether `name` matches `pattern`, in which `*` stands for any text.
pub(crate) fn name_matches(pattern: &str, name: &str) -> bool {
    let mut rest = name;
    let mut parts = pattern.split('*');
    let Some(first) = parts.next() else {
        return name.is_empty();
    };
    let Some(after) = rest.strip_prefix(first) else {
        return false;
    };
    rest = after;
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    true
}

/// Whether `names` begins with the names of `pattern`: `*` within a name, `**/`
/// in front for "anywhere", `$` at the end for "this and nothing below".
fn begins(names: &[String], pattern: &str) -> bool {
    if let Some(anywhere) = pattern.strip_prefix("**/") {
        return (0..names.len())
            .any(|at| names.get(at..).is_some_and(|tail| begins(tail, anywhere)));
    }
    // Most patterns fail at their first letter, and there are hundreds.
    let letter = |text: &str| text.bytes().next();
    let (wanted, found) = (letter(pattern), names.first().and_then(|name| letter(name)));
    let open = |letter: Option<u8>| matches!(letter, Some(b'*' | b'?' | b'['));
    if wanted != found && !open(wanted) && !open(found) {
        return false;
    }
    let whole = pattern.strip_suffix('$');
    let mut names = names.iter();
    let fits = whole
        .unwrap_or(pattern)
        .split('/')
        .enumerate()
        .all(|(depth, part)| {
            names
                .next()
                .is_some_and(|name| may_match(part, name, depth))
        });
    fits && (whole.is_none() || names.next().is_none())
}

/// As [`name_matches`], for a name that may itself be a pattern of the command.
/// Two patterns meet unless their certain beginnings differ. One that begins
/// with a wildcard takes no hidden file, and says too little to count at the
/// first name: `*` in a project is not a read of its keys, `~/.ssh/*` is.
fn may_match(pattern: &str, name: &str, depth: usize) -> bool {
    let Some((certain, _)) = name.split_once(['*', '?', '[']) else {
        return name_matches(pattern, name);
    };
    if certain.is_empty() {
        return name_matches(pattern, name) || (depth > 0 && !pattern.starts_with('.'));
    }
    let (own, _) = pattern.split_once('*').unwrap_or((pattern, ""));
    own.starts_with(certain) || (pattern.contains('*') && certain.starts_with(own))
}

#[cfg(test)]
mod tests;
