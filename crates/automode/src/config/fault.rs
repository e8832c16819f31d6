//! What is wrong with a settings file, where, and what to do.

use std::fmt;

/// One mistake. Shown as `file:line: what`, then a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) file: String,
    /// Counted from one; 0 where it concerns the whole file.
    pub(super) line: u32,
    pub(super) what: String,
    pub(super) hint: Option<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.what)?,
            line => write!(f, "{}:{line}: {}", self.file, self.what)?,
        }
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

/// The line numbers of a text, found once for however many entries.
#[derive(Clone, Debug)]
pub(super) struct LineNumbers {
    /// Where lines end.
    ends: Vec<usize>,
}

impl LineNumbers {
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.bytes().enumerate();
        Self {
            ends: bytes
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(at, _)| at)
                .collect(),
        }
    }

    /// The line of a byte offset, counted from one.
    pub(super) fn at(&self, offset: usize) -> u32 {
        let before = self.ends.partition_point(|end| *end < offset);
        u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one() {
        let lines = LineNumbers::of("a\nbc\n\nd");
        let numbers: Vec<u32> = (0..9).map(|at| lines.at(at)).collect();
        assert_eq!(numbers, [1, 1, 2, 2, 2, 3, 4, 4, 4]);
    }
}
