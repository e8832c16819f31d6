//! A place in the file system that an effect touches.
//!
//! Paths here are lexical: absolute, `.` and `..` folded, `~` and known
//! variables expanded. Links are not resolved: the caller observes the canonical
//! path as a fact before anything is permitted on the strength of a path.

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
