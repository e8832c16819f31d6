//! Reading the log back: entries in order, and whether the chain holds.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use memchr::memmem::Finder;

use super::answer::{PersonAnswer, Said};
use super::chain::{self, ChainLink, ChainState};
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
    /// Every entry, oldest first, and those that wait to be taken in. Lines that are none are passed over.
    pub fn for_each(&self, mut each: impl FnMut(Entry)) {
        for path in self.files() {
            let _ = lines(&path, |_, line| {
                if let Ok(entry) = serde_json::from_str(line) {
                    each(entry);
                }
            });
        }
        self.waiting_entries().into_iter().for_each(each);
    }

    /// What people answered, by the name of the decision that asked.
    #[must_use]
    pub fn answers(&self) -> BTreeMap<String, Said> {
        let mut answers = BTreeMap::new();
        for path in self.files() {
            let _ = lines(&path, |_, line| {
                answers.extend(PersonAnswer::read(line).map(|own| (own.answers, own.said)));
            });
        }
        answers
    }

    /// The entry of this name, or the last one for `last`, and what a person answered to it.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<(Entry, Option<Said>)> {
        let quoted = format!("\"{id}\"");
        let mark = (id != "last").then(|| Finder::new(&quoted));
        let mut answers = BTreeMap::new();
        let mut found = None;
        self.back(mark.as_ref(), |line| {
            // An answer stands behind its question, so it is met first.
            if let Some(answer) = PersonAnswer::read(line) {
                answers.entry(answer.answers).or_insert(answer.said);
            } else {
                let entry = serde_json::from_str::<Entry>(line).ok();
                found = entry.filter(|entry| id == "last" || entry.id == id);
            }
            found.is_none()
        });
        let entry = found?;
        let said = answers.get(&entry.id).copied();
        Some((entry, said))
    }

    /// Every line, youngest first, until `each` has seen enough. A long log costs no more than
    /// what is read of it.
    pub fn for_each_back(&self, each: impl FnMut(&str) -> bool) {
        self.back(None, each);
    }

    /// The same with the lines alone that hold a mark.
    fn back(&self, mark: Option<&Finder<'_>>, mut each: impl FnMut(&str) -> bool) {
        for path in self.files().iter().rev() {
            if !lines_back(path, mark, &mut each).unwrap_or(true) {
                return;
            }
        }
    }

    /// The lines of one of the log's files behind a place. Says where the whole ones end.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn for_each_behind(
        file: &mut File,
        from: u64,
        mut each: impl FnMut(&str),
    ) -> io::Result<u64> {
        file.seek(SeekFrom::Start(from))?;
        let mut end = from;
        let mut reader = BufReader::with_capacity(BUFFER, file);
        let mut bytes = Vec::new();
        while reader.read_until(b'\n', &mut bytes)? > 0 && bytes.last() == Some(&b'\n') {
            end = end.saturating_add(bytes.len() as u64);
            each(String::from_utf8_lossy(&bytes).trim_end_matches('\n'));
            bytes.clear();
        }
        Ok(end)
    }

    /// Decisions that wait to be taken in.
    #[must_use]
    pub fn waiting_entries(&self) -> Vec<Entry> {
        let waiting = self.waiting().into_iter();
        waiting
            .filter_map(|(_, body)| serde_json::from_str(&body).ok())
            .collect()
    }

    /// Checks the chain from its oldest line to its end.
    ///
    /// # Errors
    /// Where a log cannot be read.
    pub fn verify(&self) -> io::Result<Report> {
        let mut report = Report::default();
        let mut before: Option<ChainLink> = None;
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
                    ChainState::Holds(link) => {
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
                    ChainState::Torn => torn_here = torn_here.saturating_add(1),
                    ChainState::Changed => {
                        report.breaks.push(format!("{place}: the line was changed"))
                    }
                    ChainState::Displaced(link) => {
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
    log: Log,
    /// The log that is read, also when it has been put aside meanwhile.
    file: Option<File>,
    offset: u64,
}

impl Log {
    /// From here on.
    #[must_use]
    pub fn tail(&self) -> Tail {
        let file = self.files().pop().and_then(|path| File::open(path).ok());
        let offset = file
            .as_ref()
            .and_then(|file| file.metadata().ok())
            .map_or(0, |about| about.len());
        Tail {
            log: self.clone(),
            file,
            offset,
        }
    }
}

impl Tail {
    /// Entries written since the last look, also those in logs that were put aside since.
    ///
    /// # Errors
    /// Where the log cannot be read.
    pub fn fresh(&mut self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        loop {
            // Asked before reading: what is put aside later is still read to its end.
            let next = self.next_file()?;
            if let Some(file) = &mut self.file {
                self.offset = read_from(file, self.offset, &mut entries)?;
            }
            match next {
                Some(file) => (self.file, self.offset) = (Some(file), 0),
                None => return Ok(entries),
            }
        }
    }

    /// The log behind the one that is read, if that one is written to no more.
    fn next_file(&self) -> io::Result<Option<File>> {
        let mut files = Vec::new();
        for path in self.log.files() {
            match File::open(&path) {
                Ok(file) => files.push(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let name = |file: &File| file.metadata().map(|about| (about.dev(), about.ino())).ok();
        let at = match &self.file {
            Some(own) => files.iter().position(|file| name(file) == name(own)),
            None => return Ok(files.into_iter().next_back()),
        };
        // One that is gone altogether was dropped: what is left follows.
        let behind = at.map_or(0, |at| at.saturating_add(1));
        Ok(files.into_iter().nth(behind))
    }
}

/// Reads the whole lines behind a place. Says where they end.
fn read_from(file: &mut File, offset: u64, entries: &mut Vec<Entry>) -> io::Result<u64> {
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    // A line still being written is read next time.
    let whole = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at.saturating_add(1));
    bytes.truncate(whole);
    let text = String::from_utf8_lossy(&bytes);
    entries.extend(
        text.lines()
            .filter_map(|line| serde_json::from_str(line).ok()),
    );
    Ok(offset.saturating_add(whole as u64))
}

/// Bytes that are read at a time from a log's end.
const BLOCK: u64 = 256 * 1024;
/// Bytes that are read at a time onwards.
const BUFFER: usize = 64 * 1024;

/// Calls `each` with every line that holds the mark, from the last to the first. Whether it wants more.
fn lines_back(
    path: &Path,
    mark: Option<&Finder<'_>>,
    each: &mut impl FnMut(&str) -> bool,
) -> io::Result<bool> {
    let holds = |bytes: &[u8]| mark.is_none_or(|mark| mark.find(bytes).is_some());
    let mut file = File::open(path)?;
    let mut at = file.metadata()?.len();
    // The part of a line whose beginning is not read yet.
    let mut rest: Vec<u8> = Vec::new();
    while at > 0 {
        let from = at.saturating_sub(BLOCK);
        let mut block = vec![0_u8; usize::try_from(at.saturating_sub(from)).unwrap_or_default()];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut block)?;
        block.append(&mut rest);
        at = from;
        let first = match memchr::memchr(b'\n', &block) {
            Some(end) if at > 0 => end.saturating_add(1),
            Some(_) => 0,
            None if at > 0 => block.len(),
            None => 0,
        };
        rest = block.get(..first).unwrap_or_default().to_vec();
        let whole = block.get(first..).unwrap_or_default();
        if !holds(whole) {
            continue;
        }
        for line in whole.rsplit(|byte| *byte == b'\n') {
            if !line.is_empty() && holds(line) && !each(&String::from_utf8_lossy(line)) {
                return Ok(false);
            }
        }
    }
    Ok(true)
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
