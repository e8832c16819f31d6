//! What is wrong with a settings file, where, and what to do.

use std::cell::Cell;
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

/// The text of a settings file, with the faults that are found in it.
pub(super) struct SettingsText<'t, 'f> {
    pub(super) text: &'t str,
    pub(super) file: &'t str,
    pub(super) faults: &'f mut Vec<Fault>,
    pub(super) lines: LineNumbers<'t>,
}

impl<'t, 'f> SettingsText<'t, 'f> {
    pub(super) fn new(text: &'t str, file: &'t str, faults: &'f mut Vec<Fault>) -> Self {
        Self {
            text,
            file,
            faults,
            lines: LineNumbers::of(text),
        }
    }

    pub(super) fn fault(&mut self, line: u32, what: String, hint: Option<String>) {
        self.faults.push(Fault {
            file: self.file.to_owned(),
            line,
            what,
            hint,
        });
    }
}

/// The line numbers of a text. Entries follow each other: each is counted from the one before.
#[derive(Clone, Debug)]
pub(super) struct LineNumbers<'t> {
    text: &'t str,
    /// The last place that was asked for, and its line.
    last: Cell<(usize, u32)>,
}

impl<'t> LineNumbers<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self {
            text,
            last: Cell::new((0, 1)),
        }
    }

    /// The line of a byte offset, counted from one.
    pub(super) fn at(&self, offset: usize) -> u32 {
        let offset = offset.min(self.text.len());
        let (from, line) = match self.last.get() {
            (from, line) if from <= offset => (from, line),
            _ => (0, 1),
        };
        let between = self.text.as_bytes().get(from..offset).unwrap_or_default();
        let ends = between.iter().filter(|byte| **byte == b'\n').count();
        let line = line.saturating_add(u32::try_from(ends).unwrap_or(u32::MAX));
        self.last.set((offset, line));
        line
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
        let back: Vec<u32> = (0..9).rev().map(|at| lines.at(at)).collect();
        assert_eq!(back, [4, 4, 4, 3, 2, 2, 2, 1, 1]);
    }
}
