//! Reading the log back: entries in order, and whether the chain holds.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::chain::{self, Link, Standing};
use super::entry::Entry;
use super::log::Log;

/// What a look at the whole chain says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines that hold.
    pub lines: u64,
    /// Lines that a kill tore, each admitted by the next.
    pub torn: u64,
    /// Places where the chain is broken, in words.
    pub breaks: Vec<String>,
}

impl Report {
    #[must_use]
    pub fn holds(&self) -> bool {
        self.breaks.is_empty()
    }
}

impl Log {
    /// Every entry, oldest first. Lines that are none are passed over.
    pub fn for_each(&self, mut each: impl FnMut(Entry)) {
        for path in self.files() {
            let _ = lines(&path, |_, line| {
                if let Ok(entry) = serde_json::from_str(line) {
                    each(entry);
                }
            });
        }
    }

    /// The entry of this name, or the last one for `last`.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Entry> {
        let mut found = None;
        self.for_each(|entry| {
            if id == "last" || entry.id == id {
                found = Some(entry);
            }
        });
        found
    }

    /// Checks the chain from its oldest line to its end.
    ///
    /// # Errors
    /// Where a log cannot be read.
    pub fn verify(&self) -> io::Result<Report> {
        let mut report = Report::default();
        let mut before: Option<Link> = None;
        let mut torn_here = 0_u64;
        for path in self.files() {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            lines(&path, |at, line| {
                let place = format!("{name}, line {at}");
                match chain::check(line, before.as_ref()) {
                    Standing::Holds(link) => {
                        report.lines = report.lines.saturating_add(1);
                        if torn_here > 0 && !chain::admits_torn(line) {
                            report
                                .breaks
                                .push(format!("{place}: bytes before it are not of the chain"));
                        } else {
                            report.torn = report.torn.saturating_add(torn_here);
                        }
                        torn_here = 0;
                        if before.is_none() && link.seq > 1 && !self.is_full() {
                            report
                                .breaks
                                .push(format!("{place}: the beginning is missing"));
                        }
                        before = Some(link);
                    }
                    Standing::Torn => torn_here = torn_here.saturating_add(1),
                    Standing::Changed => {
                        report.breaks.push(format!("{place}: the line was changed"))
                    }
                    Standing::Displaced(link) => {
                        report.breaks.push(format!(
                            "{place}: lines before it are missing or were moved"
                        ));
                        torn_here = 0;
                        before = Some(link);
                    }
                }
            })?;
        }
        // A torn line at the very end has nobody to admit it yet.
        report.torn = report.torn.saturating_add(torn_here);
        let reached = before.map_or(0, |link| link.seq);
        if let Some(head) = self.head()
            && head.seq > reached
        {
            let lost = head.seq.saturating_sub(reached);
            report
                .breaks
                .push(format!("the end is missing: {lost} lines were cut off"));
        }
        Ok(report)
    }
}

/// The end of the log, as it grows.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    offset: u64,
}

impl Log {
    /// From here on.
    #[must_use]
    pub fn tail(&self) -> Tail {
        let path = self.files().pop().unwrap_or_default();
        let offset = fs::metadata(&path).map_or(0, |about| about.len());
        Tail { path, offset }
    }
}

impl Tail {
    /// Entries written since the last look. A log that was put aside begins anew.
    ///
    /// # Errors
    /// Where the log cannot be read.
    pub fn fresh(&mut self) -> io::Result<Vec<Entry>> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        if file.metadata()?.len() < self.offset {
            self.offset = 0;
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        // A line still being written is read next time.
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at.saturating_add(1));
        bytes.truncate(whole);
        self.offset = self.offset.saturating_add(whole as u64);
        let text = String::from_utf8_lossy(&bytes);
        Ok(text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect())
    }
}

/// Calls `each` with the number and text of every line; a log that is not there has none.
fn lines(path: &Path, mut each: impl FnMut(u64, &str)) -> io::Result<()> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut reader = BufReader::new(file);
    let mut bytes = Vec::new();
    let mut at = 0_u64;
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(());
        }
        at = at.saturating_add(1);
        let line = String::from_utf8_lossy(&bytes);
        each(at, line.trim_end_matches('\n'));
    }
}
