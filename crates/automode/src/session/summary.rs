//! What decides before a judge is asked.
//!
//! A record grows with its session, and most of its lines are words and calls that only
//! a judge will read, and files that nobody asks about. [`SessionSummary::glance`] passes these
//! over by how they begin, so that a hook that asks no judge costs the same late in a session
//! as early.

use std::collections::HashMap;
use std::sync::Arc;

use automode_core::{
    LOST_PROJECT, Ledger, Mode, Outcome, Presence, RepoFact, Session, SuspiciousResult, Verdict,
    WrittenFile, WrittenFiles,
};
use memchr::memmem;

use super::memory::Memory;
use super::note::{Cost, FOLDED};
use super::recorded::{RecordText, WithProject};

/// Tools whose results are remembered as suspicious; more say no more.
const MOST_SUSPICIOUS: usize = 16;

/// Where a session began, what it wrote, and how it has fared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionSummary {
    /// `None`: nothing is known of this session yet.
    pub cwd: Option<String>,
    pub repo: Option<RepoFact>,
    pub written: WrittenFiles,
    pub ledger: Ledger,
    pub cost: Cost,
    /// The record was damaged: what is missing may have counted against a call.
    pub lost: bool,
    /// Results that spoke to the agent.
    pub suspicious: Vec<SuspiciousResult>,
    /// The commit after which not all of the project's code was read.
    pub base: Option<String>,
    places: Places,
}

/// Where each path stands in the list of a record that was read. Nothing is told by it alone.
#[derive(Clone, Debug, Default)]
struct Places(HashMap<String, usize>);

impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl SessionSummary {
    /// The standing that [`Memory::fold`] finds, without the words and the calls. What was written
    /// is read where somebody asks for it.
    #[must_use]
    pub fn glance(text: String) -> Self {
        let mut memory = Memory::default();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            let (line, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
            rest = behind.strip_prefix('\n').unwrap_or(behind);
            let is_passed_over = [CALL, DONE, USER].iter().any(|kind| line.starts_with(kind));
            if is_passed_over {
                continue;
            }
            match without_files(line) {
                Some(rest) => memory.read(&rest),
                None => memory.read(line),
            }
        }
        memory.standing.places = Places::default();
        memory.standing.written = WrittenFiles::recorded(Arc::new(RecordText::new(text)));
        memory.standing
    }

    /// The same, with all that was written.
    pub(super) fn read_whole(text: &str) -> Self {
        let mut memory = Memory::default();
        for line in text.split_inclusive('\n') {
            let line = line.strip_suffix('\n').unwrap_or(line);
            if is_for_the_judge(line, &memory) {
                continue;
            }
            memory.read(line);
            memory.entries.clear();
            // Only calls whose end still changes something are waited for.
            memory.calls.retain(|call| {
                let open = call.outcome == Outcome::Pending || call.outcome == Outcome::Denied;
                let settled = call.note.verdict == Verdict::Allow
                    && call.note.writes.iter().all(|file| !file.created);
                open && !settled && !call.note.writes.is_empty()
            });
        }
        memory.standing
    }

    /// The standing of a session whose record cannot be read.
    #[must_use]
    pub fn lost() -> Self {
        Self {
            lost: true,
            ..Self::default()
        }
    }

    /// The session as the engine reads it, without words and calls.
    #[must_use]
    pub fn session(&self, mode: Mode, presence: Presence) -> Session {
        Session {
            mode,
            presence,
            roots: self.cwd.iter().cloned().collect(),
            written: self.written.clone(),
            repo: self.repo.clone(),
            ledger: self.ledger,
            suspicious: self.suspicious.clone(),
            ..Session::default()
        }
    }

    /// What the project's other sessions left that counts against a call. None of it is this
    /// session's own.
    pub fn add_project(&mut self, project: Self, holds: fn(&WrittenFile) -> bool) {
        self.lost |= project.lost;
        // What came after it is read as if it had come in this session.
        if let (Some(repo), Some(base)) = (&mut self.repo, project.base) {
            repo.head = Some(base);
        }
        self.add(project.written, holds);
    }

    fn add(&mut self, project: WrittenFiles, holds: fn(&WrittenFile) -> bool) {
        let own = std::mem::take(&mut self.written);
        self.places = Places::default();
        self.written = WrittenFiles::recorded(Arc::new(WithProject {
            own,
            project,
            holds,
        }));
    }

    /// The history moved on from a commit: the first of several counts, until all was read.
    pub(super) fn leave(&mut self, commit: Option<String>) {
        self.base = match commit {
            Some(commit) => self.base.take().or(Some(commit)),
            None => None,
        };
    }

    /// The project's record is gone: something that it held may have been downloaded, so the
    /// project's code counts as touched.
    pub fn forgot_the_project(&mut self) {
        let lost = WrittenFile {
            path: LOST_PROJECT.to_owned(),
            digest: String::new(),
            created: false,
            findings: Vec::new(),
            taint: vec!["network".to_owned()],
        };
        self.add(vec![lost].into(), |_| true);
    }

    /// A result that spoke to the agent: one more, or one more of a tool that did before.
    pub fn suspect(&mut self, result: SuspiciousResult) {
        let room = self.suspicious.len() < MOST_SUSPICIOUS;
        let mut known = self.suspicious.iter_mut();
        match known.find(|one| one.tool == result.tool) {
            Some(known) => {
                known.kinds.extend(result.kinds);
                known.kinds.sort();
                known.kinds.dedup();
            }
            None if room => self.suspicious.push(result),
            // Enough are known: the session is marked all the same.
            None => {}
        }
    }

    /// The latest word about a file, with everything that was ever found in it.
    pub(super) fn wrote(&mut self, mut file: WrittenFile) {
        let at = self.places.0.get(&file.path).copied();
        let Some(before) = at.and_then(|at| self.written.get_mut(at)) else {
            let place = self.written.len();
            self.places.0.insert(file.path.clone(), place);
            self.written.push(file);
            return;
        };
        // What was put in its place is another file.
        file.created = (file.created || before.created) && !file.is_moved();
        for (own, old) in [
            (&mut file.findings, &mut before.findings),
            (&mut file.taint, &mut before.taint),
        ] {
            own.append(old);
            own.sort();
            own.dedup();
        }
        if file.digest.is_empty() {
            file.digest = std::mem::take(&mut before.digest);
        }
        *before = file;
    }
}

/// How lines begin that tell words, calls and what they wrote.
const CALL: &str = r#"{"note":"call","#;
const DONE: &str = r#"{"note":"done","#;
const USER: &str = r#"{"note":"user","#;

/// A line to which others were folded, without the files in it. Within a string a quote is
/// escaped, so none of the marks can be forged there.
fn without_files(line: &str) -> Option<String> {
    let files = line.strip_prefix(FOLDED)?;
    let (before, rest) = files.split_once(r#""written":["#)?;
    let end = memmem::find(rest.as_bytes(), br#"],"left_out":"#)?;
    Some(format!(
        r#"{FOLDED}{before}"written":[{}"#,
        rest.get(end..)?
    ))
}

/// Whether a line changes nothing of the standing: words, a call that writes nothing, and
/// its end. Within a string a quote is escaped, so none of the marks can be forged there.
fn is_for_the_judge(line: &str, memory: &Memory) -> bool {
    if line.starts_with(CALL) {
        return !line.contains(r#""writes":["#);
    }
    if line.starts_with(DONE) {
        return line.ends_with(r#""files":[]}"#) && memory.calls.is_empty();
    }
    line.starts_with(USER) && line.ends_with(r#""}"#)
}

#[cfg(test)]
mod tests {
    use automode_core::engine::ProjectStep;
    use automode_core::{Ledger, Outcome, SuspiciousResult, Verdict, WrittenFile};
    use proptest::prelude::*;

    use super::*;
    use crate::session::{CallNote, LedgerNote, Note};

    fn file(name: u8, digest: &str) -> WrittenFile {
        WrittenFile {
            path: format!("/w/{}{name}", if name == 2 { "\"\\" } else { "" }),
            digest: digest.to_owned(),
            created: name.is_multiple_of(2),
            findings: Vec::new(),
            taint: (name == 3)
                .then(|| format!("from \"{digest}\""))
                .into_iter()
                .collect(),
        }
    }

    fn suspicious(name: u8) -> SuspiciousResult {
        SuspiciousResult {
            tool: format!("tool {name}"),
            kinds: vec!["kind".to_owned()],
        }
    }

    /// What a call writes follows from what it is.
    fn call(id: u8, verdict: Verdict) -> Note {
        Note::Call(CallNote {
            id: (!id.is_multiple_of(3)).then(|| id.to_string()),
            print: format!("print {id}"),
            tool: "Bash".to_owned(),
            brief: r#"echo '"writes":[' '{"note":"done","files":[]}'"#.to_owned(),
            verdict,
            decision: String::new(),
            permitted: false,
            by: id.is_multiple_of(2).then(|| "a1".to_owned()),
            writes: (0..id % 4).map(|name| file(name, "")).collect(),
            project: ProjectStep::default(),
        })
    }

    fn note() -> impl Strategy<Value = Note> {
        let verdict = prop_oneof![
            Just(Verdict::Allow),
            Just(Verdict::Ask),
            Just(Verdict::Deny)
        ];
        let files = prop::collection::vec(0_u8..4, 0..3);
        prop_oneof![
            ".{0,12}".prop_map(|text| Note::User { text }),
            (0_u8..6, verdict).prop_map(|(id, verdict)| call(id, verdict)),
            (0_u8..6, any::<bool>(), files).prop_map(|(id, named, files)| Note::Done {
                id: named.then(|| id.to_string()),
                print: format!("print {id}"),
                outcome: Outcome::Succeeded,
                files: files.iter().map(|name| file(*name, "beef")).collect(),
            }),
            (0_u32..3, any::<bool>()).prop_map(|(denied, row_ended)| Note::Ledger(LedgerNote {
                denied,
                row_ended,
                ..LedgerNote::default()
            })),
            (0_u8..4).prop_map(|name| Note::Folded {
                ledger: Ledger::default(),
                cost: Cost::default(),
                written: vec![file(name, "cafe")],
                left_out: 1,
                lost: false,
                suspicious: vec![suspicious(name)],
                base: name.is_multiple_of(2).then(|| "c0ffee".to_owned()),
            }),
            any::<bool>().prop_map(|read| Note::Base {
                commit: (!read).then(|| "beef".to_owned()),
            }),
            (0_u8..4).prop_map(|name| Note::Suspicious(suspicious(name))),
            Just(Note::End),
        ]
    }

    proptest! {
        #[test]
        fn a_line_is_read_as_it_was_written(note in note()) {
            let line = serde_json::to_string(&note).unwrap();
            prop_assert_eq!(Note::read(&line).unwrap(), note);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_glance_sees_the_standing_of_the_whole_record(
            notes in prop::collection::vec(note(), 0..24),
        ) {
            let text: String = notes
                .iter()
                .map(|note| format!("{}\n", serde_json::to_string(note).unwrap()))
                .collect();
            let by_path = |mut standing: SessionSummary| {
                standing.written.sort_by(|one, other| one.path.cmp(&other.path));
                standing
            };
            let whole = by_path(Memory::fold(&text).standing);
            prop_assert_eq!(&by_path(SessionSummary::read_whole(&text)), &whole);
            let glanced = SessionSummary::glance(text);
            // Every question has its answer before the record is read.
            for name in 0..5 {
                let path = file(name, "").path;
                let known = whole.written.iter().find(|file| file.path == path).cloned();
                prop_assert_eq!(glanced.written.find(&path), known.clone());
                let may = glanced.written.may_have(&|other| other == path);
                prop_assert!(may || known.is_none());
            }
            let marked = whole.written.iter().any(WrittenFile::is_marked);
            prop_assert!(glanced.written.may_be_marked() || !marked);
            prop_assert_eq!(by_path(glanced), whole);
        }
    }
}
