//! What a settled call leaves in the session.

use automode_shell::{Act, Extent, FileFact};
use serde_json::Value;

use super::case::Case;
use crate::effects::Effects;
use crate::{
    Action, CallRecord, Decision, Ledger, Outcome, PathKind, Session, Verdict, WrittenFile, brief,
    digest, judge, path, rules, transcript,
};

/// A decision, and what it changes in the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settlement {
    pub decision: Decision,
    /// The ledger after this call.
    pub ledger: Ledger,
    /// The call for the session's record.
    pub call: CallRecord,
    /// Files that the call writes if it runs.
    pub written: Vec<WrittenFile>,
    /// The judge's part, where one was asked.
    pub judged: Option<Judged>,
    /// What the call would do; `None`: the engine broke before it was known.
    pub effects: Option<Effects>,
}

/// The judge's part in a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    pub stage: judge::Stage,
    pub usage: judge::Usage,
    pub model: String,
}

impl Settlement {
    /// Writes the settlement into the session.
    pub fn record(&self, session: &mut Session) {
        session.ledger = self.ledger;
        if !self.call.brief.is_empty() {
            session.transcript.push(transcript::Entry::Call {
                tool: self.call.tool.clone(),
                brief: self.call.brief.clone(),
            });
        }
        session.calls.push(self.call.clone());
        let runs = match self.decision.verdict {
            Verdict::Allow => self.written.as_slice(),
            // Whoever lets it run after all knows what it wrote.
            Verdict::Ask | Verdict::Deny => &[],
        };
        for file in runs {
            let known = session.written.iter().position(|own| own.path == file.path);
            let before = known.map(|at| session.written.remove(at));
            let created = file.created || before.as_ref().is_some_and(|own| own.created);
            session.written.push(WrittenFile {
                created,
                ..file.clone()
            });
        }
    }
}

pub(super) fn call(case: &Case<'_>, verdict: Verdict) -> CallRecord {
    CallRecord {
        tool: case.tool.to_string(),
        brief: brief::brief(&case.action),
        outcome: match verdict {
            Verdict::Allow | Verdict::Ask => Outcome::Pending,
            Verdict::Deny => Outcome::Denied,
        },
    }
}

/// The files that the call writes if it runs, by their canonical paths. A call that was
/// not allowed may run all the same: a person says yes, or nobody enforces the verdict.
pub(super) fn written(case: &Case<'_>) -> Vec<WrittenFile> {
    // What an opaque call does is only suspected.
    if matches!(case.action, Action::Opaque { .. }) {
        return Vec::new();
    }
    // With two directories that it may run in, a new file need not be this session's.
    let certain = case.context.cwd == case.call.cwd;
    // What the text of the file is suspected of; the command that wrote it is another matter.
    let findings: Vec<String> = rules::detect_content(&case.scene())
        .iter()
        .map(|finding| finding.rule.to_owned())
        .collect();
    let file = |path: &str, digest: String, taint: Vec<String>| {
        let fact = case.facts.paths.get(path);
        let canonical = fact.and_then(|fact| fact.canonical.clone());
        WrittenFile {
            path: canonical.unwrap_or_else(|| path.to_owned()),
            digest,
            created: certain && fact.is_some_and(|fact| fact.kind == PathKind::Absent),
            findings: findings.clone(),
            taint,
        }
    };
    if let Some(path) = case.action.edited_file() {
        return path::spellings(path, &case.context)
            .iter()
            .map(|path| file(path, digest_after(case, path), Vec::new()))
            .collect();
    }
    let effects = case.effects.analysis.effects.iter();
    effects
        .filter_map(|effect| {
            let Act::Write { target, data, .. } = &effect.act else {
                return None;
            };
            let taint = data.names().map(str::to_owned).collect();
            (target.extent == Extent::Exact).then(|| file(&target.path, String::new(), taint))
        })
        .collect()
}

/// The digest of what an edit leaves behind, where that is known and all of it is the
/// session's own: a person's text with one word replaced stays a person's text.
fn digest_after(case: &Case<'_>, path: &str) -> String {
    if let Action::Write { content, .. } = &case.action {
        return digest(content);
    }
    let after = own_text(case, path).and_then(|body| replaced(case, body));
    after.map_or_else(String::new, |body| digest(&body))
}

/// The text of the file, where it is still what this session wrote.
fn own_text<'c>(case: &'c Case<'_>, path: &str) -> Option<&'c str> {
    let canonical = case.facts.paths.get(path)?.canonical.as_deref()?;
    let FileFact::Text { body, .. } = case.facts.shell.files.get(canonical)? else {
        return None;
    };
    let record = case.session.written.iter().rev();
    let record = record.into_iter().find(|file| file.path == canonical)?;
    (record.digest == digest(body)).then_some(body)
}

/// The text after a single replacement.
fn replaced(case: &Case<'_>, body: &str) -> Option<String> {
    let Action::Edit { old, new, .. } = &case.action else {
        return None;
    };
    if case.call.input.contains_key("edits") || old.is_empty() || !body.contains(old) {
        return None;
    }
    let all = case.call.input.get("replace_all").and_then(Value::as_bool);
    Some(match all {
        Some(true) => body.replace(old, new),
        Some(false) | None => body.replacen(old, new, 1),
    })
}
