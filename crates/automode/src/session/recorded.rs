//! Written files as they stand in a record, found without reading all of it.
//!
//! A record names a file wherever something was put into it, and most calls ask about one file
//! or none. The names are found by how a file begins in a line; what became of one file is
//! told by the lines that name it, with the ends of their calls. The answer is the one that
//! [`Memory::fold`] has for the whole record.

use std::ops::Range;
use std::sync::{Mutex, OnceLock};

use automode_core::{WrittenFile, WrittenFiles, WrittenRecord};
use memchr::memmem;

use super::memory::Memory;
use super::note::{FOLDED, Note};
use super::summary::SessionSummary;

/// How a written file begins in a line. Within a string its quotes would be escaped.
const BEGINNING: &str = r#"{"path":""#;
/// Lines that are looked at for one file; where there are more the record is read.
const MOST_LINES: usize = 24;
/// Files whose answers are kept: a call asks several times about a few.
const MOST_FOUND: usize = 16;

/// The lines of a record.
pub(super) struct RecordText {
    text: String,
    names: OnceLock<Names>,
    is_marked: OnceLock<bool>,
    all: OnceLock<Vec<WrittenFile>>,
    found: Mutex<Vec<(String, Option<WrittenFile>)>>,
}

/// Where the names of files stand, as they are written.
#[derive(Default)]
struct Names {
    places: Vec<Range<usize>>,
    /// Some have an escape in them, and are not compared letter by letter.
    has_escapes: bool,
}

impl RecordText {
    pub(super) const fn new(text: String) -> Self {
        Self {
            text,
            names: OnceLock::new(),
            is_marked: OnceLock::new(),
            all: OnceLock::new(),
            found: Mutex::new(Vec::new()),
        }
    }

    fn names(&self) -> &Names {
        self.names.get_or_init(|| {
            let bytes = self.text.as_bytes();
            let mut names = Names::default();
            for at in memmem::find_iter(bytes, BEGINNING) {
                let start = at.saturating_add(BEGINNING.len());
                let (end, has_escape) = end_of_string(bytes, start);
                names.places.push(start..end);
                names.has_escapes |= has_escape;
            }
            names
        })
    }

    fn name(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    fn whole(&self) -> &[WrittenFile] {
        self.all
            .get_or_init(|| SessionSummary::read_whole(&self.text).written.to_vec())
    }

    /// What the lines that name a file come to.
    fn look_up(&self, path: &str) -> Option<WrittenFile> {
        let written = serde_json::to_string(path).ok()?;
        let written = written.get(1..written.len().saturating_sub(1))?;
        let names = self.names().places.iter();
        let places: Vec<&Range<usize>> = names
            .filter(|range| range.len() == written.len() && self.name(range) == written)
            .collect();
        if places.is_empty() {
            return None;
        }
        let Some(lines) = self.lines_about(&places) else {
            return self.whole().iter().find(|file| file.path == path).cloned();
        };
        let mut memory = Memory::default();
        for line in lines {
            let told = self.text.get(line.clone()).unwrap_or_default();
            match told.starts_with(FOLDED) {
                true => self.files_at(&line, &places, &mut memory),
                false => memory.read(told),
            }
        }
        memory.standing.written.find(path)
    }

    /// The lines that tell what became of a file, in their order; nothing where there are many.
    fn lines_about(&self, places: &[&Range<usize>]) -> Option<Vec<Range<usize>>> {
        let mut lines: Vec<Range<usize>> = Vec::new();
        for place in places {
            let line = self.line_at(place.start);
            if lines.last() != Some(&line) {
                lines.push(line);
            }
        }
        // A call and its end know each other by a name and by a print, and so do their namesakes.
        let mut known: Vec<String> = Vec::new();
        let mut next = 0;
        while let Some(line) = lines.get(next).cloned() {
            next = next.saturating_add(1);
            for key in keys(self.text.get(line)?) {
                if known.contains(&key) {
                    continue;
                }
                for at in memmem::find_iter(self.text.as_bytes(), &key) {
                    let line = self.line_at(at);
                    if !lines.contains(&line) {
                        lines.push(line);
                    }
                    if lines.len() > MOST_LINES {
                        return None;
                    }
                }
                known.push(key);
            }
        }
        lines.sort_by_key(|line| line.start);
        Some(lines)
    }

    /// Takes the files in that stand at some places of a line, and not the others.
    fn files_at(&self, line: &Range<usize>, places: &[&Range<usize>], memory: &mut Memory) {
        for place in places.iter().filter(|place| line.contains(&place.start)) {
            let start = place.start.saturating_sub(BEGINNING.len());
            let text = self.text.get(start..line.end).unwrap_or_default();
            let mut values = serde_json::Deserializer::from_str(text).into_iter();
            if let Some(Ok(file)) = values.next() {
                memory.standing.wrote(file);
            }
        }
    }

    fn line_at(&self, at: usize) -> Range<usize> {
        let bytes = self.text.as_bytes();
        let before = bytes.get(..at).unwrap_or_default();
        let start = memchr::memrchr(b'\n', before).map_or(0, |end| end.saturating_add(1));
        let rest = bytes.get(at..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).map_or(bytes.len(), |end| at.saturating_add(end));
        start..end
    }
}

impl WrittenRecord for RecordText {
    fn all(&self) -> Vec<WrittenFile> {
        self.whole().to_vec()
    }

    fn find(&self, path: &str) -> Option<WrittenFile> {
        let Ok(mut found) = self.found.lock() else {
            return self.look_up(path);
        };
        if let Some((_, known)) = found.iter().find(|(own, _)| own == path) {
            return known.clone();
        }
        let looked_up = self.look_up(path);
        if found.len() < MOST_FOUND {
            found.push((path.to_owned(), looked_up.clone()));
        }
        looked_up
    }

    fn may_have(&self, is_it: &dyn Fn(&str) -> bool) -> bool {
        let names = self.names();
        let mut plain = names.places.iter().map(|range| self.name(range));
        names.has_escapes || plain.any(is_it)
    }

    fn may_be_marked(&self) -> bool {
        *self.is_marked.get_or_init(|| {
            // Few lists of words have any.
            let bytes = self.text.as_bytes();
            memmem::find_iter(bytes, r#"[""#).any(|at| {
                let before = bytes.get(..at).unwrap_or_default();
                before.ends_with(br#""taint":"#) || before.ends_with(br#""findings":"#)
            })
        })
    }
}

/// What a session wrote, and what its project's other sessions left that counts against a call.
pub(super) struct WithProject {
    pub own: WrittenFiles,
    pub project: WrittenFiles,
    /// Whether what was left is still so.
    pub holds: fn(&WrittenFile) -> bool,
}

impl WithProject {
    /// None of what others left is this session's own.
    fn left(&self, file: WrittenFile) -> Option<WrittenFile> {
        (file.is_marked() && (self.holds)(&file)).then(|| WrittenFile {
            digest: String::new(),
            created: false,
            ..file
        })
    }
}

impl WrittenRecord for WithProject {
    fn all(&self) -> Vec<WrittenFile> {
        let left = self.project.marked().cloned();
        let left = left.filter_map(|file| self.left(file));
        together(self.own.iter().cloned().chain(left))
    }

    fn find(&self, path: &str) -> Option<WrittenFile> {
        let left = self.project.find(path).and_then(|file| self.left(file));
        together(self.own.find(path).into_iter().chain(left)).pop()
    }

    fn may_have(&self, is_it: &dyn Fn(&str) -> bool) -> bool {
        self.own.may_have(is_it) || self.project.may_have(is_it)
    }

    fn may_be_marked(&self) -> bool {
        self.own.may_be_marked() || self.project.may_be_marked()
    }
}

/// Each file once, with all that is known of it.
fn together(files: impl Iterator<Item = WrittenFile>) -> Vec<WrittenFile> {
    let mut summary = SessionSummary::default();
    files.for_each(|file| summary.wrote(file));
    summary.written.to_vec()
}

/// How a call or its end tells which it is.
fn keys(line: &str) -> Vec<String> {
    let (id, print) = match Note::read(line) {
        Ok(Note::Call(call)) => (call.id, call.print),
        Ok(Note::Done { id, print, .. }) => (id, print),
        Ok(_) | Err(_) => return Vec::new(),
    };
    let id = id.map(|id| ("id", id));
    let print = Some(("print", print)).filter(|(_, print)| !print.is_empty());
    let key = |(name, value)| {
        let value = serde_json::to_string::<String>(&value).ok()?;
        Some(format!(r#""{name}":{value}"#))
    };
    id.into_iter().chain(print).filter_map(key).collect()
}

/// Where a string ends that begins there, and whether something in it is escaped.
fn end_of_string(bytes: &[u8], start: usize) -> (usize, bool) {
    let mut at = start;
    let mut has_escape = false;
    while let Some(next) = bytes
        .get(at..)
        .and_then(|rest| memchr::memchr2(b'"', b'\\', rest))
    {
        at = at.saturating_add(next);
        match bytes.get(at) {
            Some(b'\\') => {
                has_escape = true;
                at = at.saturating_add(2);
            }
            Some(_) | None => return (at, has_escape),
        }
    }
    (bytes.len(), has_escape)
}
