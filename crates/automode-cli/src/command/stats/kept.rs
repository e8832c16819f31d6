//! Sums of the log's files, kept beside it so that a long log is counted once.
//!
//! A file of the log only grows, and keeps its number when it is put aside. What was
//! counted of it stands with how far that went; the rest is counted now. Nothing here
//! decides: what cannot be read or does not fit is counted again.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use automode::audit::{Entry, Log, PersonAnswer};
use automode::state::open_private;
use serde::{Deserialize, Serialize};

use super::sums::Sums;
use crate::command::log::Filter;

/// What is counted may change with the version.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " 1");
/// Files whose questions may still be answered.
const YOUNG: usize = 2;

#[derive(Default, Serialize, Deserialize)]
struct StatsKept {
    version: String,
    files: Vec<CountedFile>,
}

/// A file of the log, as far as it was counted.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct CountedFile {
    device: u64,
    number: u64,
    /// Bytes that are counted.
    end: u64,
    sums: Sums,
}

/// What the decisions that a filter admits come to.
pub fn sums(log: &Log, filter: &Filter) -> Sums {
    let mut sums = Sums::default();
    if filter.is_open() {
        let files = counted(log);
        for file in &files {
            match file.sums.span() {
                Some((first, _)) if first >= filter.from() => sums.add(&file.sums),
                Some((_, last)) if last < filter.from() => {}
                Some(_) | None => sums.add(&admitted(log, filter, Some(file))),
            }
        }
    } else {
        sums = admitted(log, filter, None);
    }
    for entry in log
        .waiting_entries()
        .iter()
        .filter(|entry| filter.admits(entry))
    {
        sums.count(entry);
    }
    sums
}

/// What a filter admits, of one file or of all, read line by line.
fn admitted(log: &Log, filter: &Filter, only: Option<&CountedFile>) -> Sums {
    let mut sums = Sums::default();
    for path in log.files() {
        let Ok(mut file) = File::open(path) else {
            continue;
        };
        if only.is_none_or(|only| only.is(&file)) {
            let read = Log::for_each_behind(&mut file, 0, |line| {
                count(&mut sums, line, |entry| filter.admits(entry));
            });
            // What can be read counts.
            read.unwrap_or_default();
        }
    }
    sums
}

fn count(sums: &mut Sums, line: &str, is_meant: impl Fn(&Entry) -> bool) {
    if let Some(answer) = PersonAnswer::read(line) {
        sums.answer(answer);
    } else if let Ok(entry) = serde_json::from_str::<Entry>(line)
        && is_meant(&entry)
    {
        sums.count(&entry);
    }
}

impl CountedFile {
    fn is(&self, file: &File) -> bool {
        let same = |about: fs::Metadata| {
            (about.dev(), about.ino()) == (self.device, self.number) && about.len() >= self.end
        };
        file.metadata().is_ok_and(same)
    }
}

/// Every file of the log with all that it holds now, oldest first.
fn counted(log: &Log) -> Vec<CountedFile> {
    let before = read(log).unwrap_or_default();
    let mut files: Vec<CountedFile> = Vec::new();
    let mut is_new = false;
    for path in log.files() {
        let Ok(mut file) = File::open(path) else {
            continue;
        };
        let Ok(about) = file.metadata() else { continue };
        let known = before.iter().find(|known| known.is(&file)).cloned();
        let mut counted = known.unwrap_or_else(|| CountedFile {
            device: about.dev(),
            number: about.ino(),
            end: 0,
            sums: Sums::default(),
        });
        let from = counted.end;
        let sums = &mut counted.sums;
        let end = Log::for_each_behind(&mut file, from, |line| count(sums, line, |_| true));
        counted.end = end.unwrap_or(from);
        is_new |= counted.end > from;
        files.push(counted);
    }
    if is_new {
        settle(&mut files);
        // Not to be kept costs the next one the counting.
        write(log, &files).unwrap_or_default();
    }
    files
}

/// Brings answers to the questions of the file before, and drops the names that are left of old ones.
fn settle(files: &mut [CountedFile]) {
    let mut rest = &mut *files;
    while let [first, behind @ ..] = rest {
        if let Some(next) = behind.first_mut() {
            first.sums.take_answers(&mut next.sums);
        }
        rest = behind;
    }
    let old = files.len().saturating_sub(YOUNG);
    files
        .iter_mut()
        .take(old)
        .for_each(|file| file.sums.settle());
}

/// Where the sums lie: beside the log.
fn place(log: &Log) -> Option<PathBuf> {
    let written_to = log.files().pop()?;
    Some(written_to.with_file_name("audit.sums"))
}

fn read(log: &Log) -> Option<Vec<CountedFile>> {
    let text = fs::read_to_string(place(log)?).ok()?;
    let kept: StatsKept = serde_json::from_str(&text).ok()?;
    (kept.version == VERSION).then_some(kept.files)
}

/// Whoever reads sees the old sums or the new ones.
fn write(log: &Log, files: &[CountedFile]) -> io::Result<()> {
    let place = place(log).ok_or(io::ErrorKind::NotFound)?;
    let beside = place.with_extension(format!("sums.{}", std::process::id()));
    let kept = StatsKept {
        version: VERSION.to_owned(),
        files: files.to_vec(),
    };
    open_private(&beside)?.write_all(&serde_json::to_vec(&kept)?)?;
    fs::rename(beside, place)
}
