//! What is known about where data comes from.
//!
//! Taint travels through pipes, substitutions, variables, temporary files and
//! archives. It only ever grows: joining is union.

use std::fmt;

/// A set of marks on data. Joining two sets keeps both.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Taint(u8);

impl Taint {
    pub const NONE: Self = Self(0);
    /// Read from a place where secrets are kept.
    pub const SECRET: Self = Self(1);
    /// Came from the network.
    pub const NETWORK: Self = Self(1 << 1);
    /// Went through a decoder (base64, hex, gunzip, …), so its text was hidden.
    pub const DECODED: Self = Self(1 << 2);
    /// Written by this session's own tool calls.
    pub const SESSION: Self = Self(1 << 3);
    /// Read from local files of no special kind.
    pub const LOCAL: Self = Self(1 << 4);
    /// Came from a producer that the analysis does not know.
    pub const UNKNOWN: Self = Self(1 << 5);

    /// Never ends by itself (`/dev/zero`, `yes`).
    pub const ENDLESS: Self = Self(1 << 6);

    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The names of the marks, for people.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        [
            (Self::SECRET, "secret"),
            (Self::NETWORK, "network"),
            (Self::DECODED, "decoded"),
            (Self::SESSION, "session"),
            (Self::LOCAL, "local"),
            (Self::UNKNOWN, "unknown"),
            (Self::ENDLESS, "endless"),
        ]
        .into_iter()
        .filter_map(move |(mark, name)| self.has(mark).then_some(name))
    }
}

impl fmt::Debug for Taint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
