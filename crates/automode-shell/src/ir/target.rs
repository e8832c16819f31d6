//! A place in the file system that an effect touches.
//!
//! Paths here are lexical: absolute, `.` and `..` folded, `~` and known
//! variables expanded. Links are not resolved: the caller observes the canonical
//! path as a fact before anything is permitted on the strength of a path.

use super::{Piece, Value};

/// Where an effect lands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// Absolute and normalised; the known part of it where it is not exact.
    pub path: String,
    pub extent: Extent,
    /// The word as typed, for messages.
    pub typed: String,
}

/// How much of the target is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Extent {
    /// Exactly this path.
    Exact,
    /// Names that match a pattern: `path` is the whole pattern.
    Pattern,
    /// Somewhere at or below this directory (the rest is dynamic but cannot leave it).
    Below,
    /// Begins with `path` as text; the rest is dynamic and may lead anywhere.
    Prefix,
    /// Nothing is known.
    Unknown,
}

/// How many targets one word may stand for before it counts as unknown.
const CHOICES: usize = 32;

impl Target {
    /// Anything in a directory, which may not be known.
    #[must_use]
    pub fn below(directory: Option<&str>) -> Self {
        Self {
            path: directory.unwrap_or_default().to_owned(),
            extent: if directory.is_some() {
                Extent::Below
            } else {
                Extent::Unknown
            },
            typed: directory.unwrap_or(".").to_owned(),
        }
    }

    /// Where a word leads, seen from a working directory.
    ///
    /// A relative word with no known directory leads nowhere known.
    #[must_use]
    pub fn locate(value: &Value, cwd: Option<&str>) -> Self {
        let typed = value.shown();
        let named = numbered(value);
        let value = named.as_ref().unwrap_or(value);
        let dynamic = value
            .pieces
            .iter()
            .position(|piece| matches!(piece, Piece::Dynamic(_)));
        let mut known = String::new();
        for piece in value.pieces.iter().take(dynamic.unwrap_or(usize::MAX)) {
            match piece {
                Piece::Text(text) | Piece::Glob(text) => known.push_str(text),
                Piece::Dynamic(_) => {}
            }
        }
        let globs = value
            .pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Glob(_)));
        let Some(path) = absolute(&known, cwd) else {
            return Self::unknown(typed);
        };
        let extent = match dynamic {
            None if globs => Extent::Pattern,
            None => Extent::Exact,
            // Nothing is known of a word that begins with an expansion, even when a directory is.
            Some(at)
                if known.is_empty()
                    && (value.begins_unknown()
                        || !stays_below(value.pieces.get(at..).unwrap_or_default())) =>
            {
                return Self::unknown(typed);
            }
            Some(at) if stays_below(value.pieces.get(at..).unwrap_or_default()) => {
                return Self {
                    path: parent(&path, &known),
                    extent: Extent::Below,
                    typed,
                };
            }
            Some(_) => Extent::Prefix,
        };
        let path = match extent {
            // Normalising drops a trailing slash that is part of the known text.
            Extent::Prefix if known.ends_with('/') && path != "/" => format!("{path}/"),
            Extent::Prefix | Extent::Exact | Extent::Pattern | Extent::Below | Extent::Unknown => {
                path
            }
        };
        Self {
            path,
            extent,
            typed,
        }
    }

    /// Like [`Target::locate`], with one target for each text the word may be.
    #[must_use]
    pub fn locate_each(value: &Value, cwd: Option<&str>) -> Vec<Self> {
        match value.choices(CHOICES) {
            Some(choices) => choices
                .iter()
                .map(|choice| Self::locate(choice, cwd))
                .collect(),
            None => vec![Self::locate(value, cwd)],
        }
    }

    #[must_use]
    pub fn unknown(typed: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            extent: Extent::Unknown,
            typed: typed.into(),
        }
    }
}

/// The path made absolute, with `.`, `..` and doubled slashes folded.
fn absolute(path: &str, cwd: Option<&str>) -> Option<String> {
    let base = if path.starts_with('/') { "" } else { cwd? };
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    Some(format!("/{}", parts.join("/")))
}

/// A number cannot lead out of a directory; anything else may hold `..`.
fn stays_below(rest: &[Piece]) -> bool {
    rest.iter().all(|piece| match piece {
        Piece::Text(text) => !text.contains(".."),
        Piece::Glob(_) => true,
        Piece::Dynamic(dynamic) => dynamic.source.stays_in_place(),
    })
}

/// How the names begin that are made anew in the folder for temporary files, and the streams of
/// the shell itself: those are no names that somebody else may have taken.
const MADE_ANEW: &[&str] = &["/tmp/tmp.", "/dev/fd/"];

/// `log_$N.txt` as the names that it may be, where every unknown part stays in place and has
/// known text beside it: a part that may be empty must not leave the directory itself.
fn numbered(value: &Value) -> Option<Value> {
    let stays = value.pieces.iter().all(|piece| match piece {
        Piece::Text(text) => !text.contains(".."),
        Piece::Glob(_) => false,
        Piece::Dynamic(dynamic) => dynamic.source.stays_in_place(),
    });
    let prefix = value.prefix();
    if !stays || !value.is_dynamic() || MADE_ANEW.iter().any(|own| prefix.starts_with(own)) {
        return None;
    }
    // An unknown part is a mark that no text holds.
    let pattern: String = value
        .pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) | Piece::Glob(text) => text.as_str(),
            Piece::Dynamic(_) => "\0",
        })
        .collect();
    let known = |part: &str| !part.contains('\0') || part.contains(char::is_alphanumeric);
    let plain = !pattern.contains(['*', '?', '[', ']', '{', '}', '(', ')', '\\']);
    (plain && pattern.split('/').all(known)).then(|| Value {
        pieces: vec![Piece::Glob(pattern.replace('\0', "*"))],
        span: value.span,
        may_split: value.may_split,
    })
}

/// The directory that holds names beginning with the known text.
fn parent(path: &str, known: &str) -> String {
    if known.is_empty() || known.ends_with('/') {
        return path.to_owned();
    }
    match path.rsplit_once('/') {
        Some(("", _)) | None => "/".to_owned(),
        Some((directory, _)) => directory.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{DynamicSource, Span, Taint};

    fn text(text: &str) -> Piece {
        Piece::Text(text.to_owned())
    }

    fn dynamic(source: DynamicSource) -> Piece {
        Piece::Dynamic(crate::ir::Dynamic {
            source,
            taint: Taint::NONE,
        })
    }

    fn check(pieces: Vec<Piece>, expected: &[(&str, Extent)]) {
        let value = Value {
            pieces,
            span: Span::default(),
            may_split: false,
        };
        let found: Vec<(String, Extent)> = Target::locate_each(&value, Some("/home/dev/app"))
            .into_iter()
            .map(|target| (target.path, target.extent))
            .collect();
        let expected: Vec<(String, Extent)> = expected
            .iter()
            .map(|(path, extent)| ((*path).to_owned(), *extent))
            .collect();
        assert_eq!(found, expected, "{value:?}");
    }

    #[test]
    fn a_word_leads_to_a_place() {
        let variable = || dynamic(DynamicSource::Variable("X".to_owned()));
        check(
            vec![text("a/../b//c/.")],
            &[("/home/dev/app/b/c", Extent::Exact)],
        );
        check(vec![text("../../../../etc")], &[("/etc", Extent::Exact)]);
        check(vec![text("/")], &[("/", Extent::Exact)]);
        check(
            vec![text("src/"), Piece::Glob("*.rs".to_owned())],
            &[("/home/dev/app/src/*.rs", Extent::Pattern)],
        );
        check(vec![variable(), text("/build")], &[("", Extent::Unknown)]);
        check(
            vec![text("build"), variable()],
            &[("/home/dev/app/build", Extent::Prefix)],
        );
        check(
            vec![text("build/"), variable()],
            &[("/home/dev/app/build/", Extent::Prefix)],
        );
        check(vec![text("/"), variable()], &[("/", Extent::Prefix)]);
        check(
            vec![text("out/log."), dynamic(DynamicSource::Number)],
            &[("/home/dev/app/out/log.*", Extent::Pattern)],
        );
        check(
            vec![text("out/"), dynamic(DynamicSource::Number)],
            &[("/home/dev/app/out", Extent::Below)],
        );
        check(
            vec![dynamic(DynamicSource::Name), text("/x")],
            &[("/home/dev/app", Extent::Below)],
        );
        check(
            vec![text("."), dynamic(DynamicSource::Name)],
            &[("/home/dev", Extent::Below)],
        );
        check(
            vec![dynamic(DynamicSource::Name), text("_a/"), variable()],
            &[("", Extent::Unknown)],
        );
        check(
            vec![text("out/"), dynamic(DynamicSource::Number), text("/../..")],
            &[("/home/dev/app/out/", Extent::Prefix)],
        );
        check(
            vec![
                dynamic(DynamicSource::OneOf(vec!["a".into(), "/b".into()])),
                text(".txt"),
            ],
            &[
                ("/home/dev/app/a.txt", Extent::Exact),
                ("/b.txt", Extent::Exact),
            ],
        );
    }

    #[test]
    fn a_relative_word_needs_a_directory() {
        let value = Value::text("a", Span::default());
        assert_eq!(Target::locate(&value, None).extent, Extent::Unknown);
    }
}
