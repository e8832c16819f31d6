//! What kind of place a path is.
//!
//! [`Place::of`] classifies a [`Target`] lexically: where it lies, whether
//! secrets are kept there, whether writing there changes what runs later, and
//! whether it can be made again. It compares names without case, so that a file
//! system that ignores case cannot hide `.GIT/hooks`. It never says that a place
//! is safe: a permit also needs the canonical path, observed by the runtime.

mod pattern;
mod protected;
mod regenerable;
mod secret;
mod table;
mod zone;

use pattern::PathNames;
pub(crate) use pattern::name_matches;
pub use protected::Protected;
pub use regenerable::is_regenerable;
pub(crate) use secret::stores_below;
pub use secret::{
    COMMON_SECRETS, Secret, has_secret_name, has_stores_below, is_secret_path, is_secret_variable,
};
pub(crate) use zone::STREAMS;
pub use zone::Zone;

use crate::{Context, Extent, Stdin, Taint, Target};

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
                ..Self::of_uncertain(target, context)
            },
            Extent::Prefix | Extent::Unknown => Self {
                zone: Zone::Unknown,
                ..Self::of_uncertain(target, context)
            },
        }
    }

    /// A path of which only the beginning is known.
    fn of_uncertain(target: &Target, context: &Context) -> Self {
        let place = Self::of_path(&target.path, context);
        Self {
            secret: place.secret.or_else(|| Secret::of_process(target)),
            ..place
        }
    }

    /// Classifies an absolute, normalised path.
    #[must_use]
    pub fn of_path(path: &str, context: &Context) -> Self {
        let names = PathNames::of(path, context.home.as_deref());
        Self {
            zone: Zone::of(path, context),
            secret: Secret::named(&names),
            protected: Protected::named(&names),
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
        Extent::Exact if is_endless(&target.path) => Taint::ENDLESS,
        Extent::Exact | Extent::Pattern | Extent::Below | Extent::Prefix => {
            match Secret::of(&target.path, None).or_else(|| Secret::of_process(target)) {
                Some(_) => Taint::SECRET.with(Taint::LOCAL),
                None => Taint::LOCAL,
            }
        }
    }
}

/// The marks of what comes in on standard input. What was there before the command is told
/// by whoever asks: nobody knows it.
#[must_use]
pub fn taint_of_input(stdin: &Stdin, inherited: Taint) -> Taint {
    match stdin {
        Stdin::Inherited => inherited,
        Stdin::Text(value) => value.taint(),
        Stdin::File(target) => taint_of(target),
        Stdin::Pipe(taint) => *taint,
    }
}

/// Whether reading from a device never comes to an end.
#[must_use]
pub fn is_endless(path: &str) -> bool {
    matches!(
        path,
        "/dev/zero" | "/dev/urandom" | "/dev/random" | "/dev/full"
    )
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

#[cfg(test)]
mod tests;
