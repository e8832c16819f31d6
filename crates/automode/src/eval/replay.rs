//! What came before a case, taken into the session.
//!
//! User words and calls become the transcript. Files that earlier calls wrote,
//! with a tool or with a here-document, become files of the world that this
//! session made, so that running one is seen for what it is.

use automode_core::{
    Action, CallRecord, Facts, Outcome, Session, ToolCall, WrittenFile, brief, effects, rules,
    scene, tool, transcript,
};
use automode_shell::{Act, Context, Extent, Invocation, Target, Value};

use super::case::{Case, Turn};
use super::world::{FOLDER, HOME, World};

/// The session and the world in which a case is decided.
pub fn stage(case: &Case) -> (Session, World) {
    let cwd = case
        .cwd
        .clone()
        .filter(|cwd| cwd.starts_with('/'))
        .unwrap_or_else(|| FOLDER.to_owned());
    let mut world = World {
        pristine: case.cwd.is_none(),
        cwd: cwd.clone(),
        ..World::default()
    };
    let mut session = Session {
        roots: vec![cwd],
        home: Some(HOME.to_owned()),
        ..Session::default()
    };
    for turn in &case.transcript {
        match turn {
            Turn::User { text } => session
                .transcript
                .push(transcript::Entry::User(text.clone())),
            Turn::Call { tool, input } => {
                let call = ToolCall {
                    tool: tool.clone(),
                    input: input.clone(),
                    cwd: world.cwd.clone(),
                };
                replay(&call, &mut session, &mut world);
            }
        }
    }
    (session, world)
}

fn replay(call: &ToolCall, session: &mut Session, world: &mut World) {
    let (tool, action) = tool::normalize(call);
    let context = Context {
        cwd: world.cwd.clone(),
        home: session.home.clone(),
        roots: session.roots.clone(),
        variables: Vec::new(),
    };
    let brief = brief::brief(&action);
    session.transcript.push(transcript::Entry::Call {
        tool: tool.to_string(),
        brief: brief.clone(),
    });
    session.calls.push(CallRecord {
        tool: tool.to_string(),
        brief,
        outcome: Outcome::Succeeded,
    });
    if !may_write(&action) {
        return;
    }
    let mut facts = Facts::default();
    for (path, body) in &world.files {
        let fact = automode_shell::FileFact::Text {
            body: body.clone(),
            session: true,
        };
        facts.shell.files.insert(path.clone(), fact);
    }
    let effects = effects::of(&action, &context, &facts.shell);
    for write in &effects.writes {
        let body = match (write.append, world.files.remove(&write.path)) {
            (true, Some(before)) => before + &write.body,
            (true, None) | (false, _) => write.body.clone(),
        };
        world.files.insert(write.path.clone(), body);
    }
    let links = effects.analysis.invocations.iter().filter_map(linked);
    world
        .links
        .extend(links.filter(|(link, target)| link != target));
    let scene = scene::Scene {
        action: &action,
        analysis: Some(&effects.analysis),
        content: &effects.content,
        context: &context,
        facts: &facts,
        session,
        project: &scene::ProjectState::Unknown,
    };
    let findings: Vec<String> = rules::detect_content(&scene)
        .iter()
        .map(|finding| finding.rule.to_owned())
        .collect();
    let written: Vec<WrittenFile> = effects
        .analysis
        .effects
        .iter()
        .filter_map(|effect| match &effect.act {
            Act::Write { target, data, .. } if target.extent == Extent::Exact => {
                Some(WrittenFile {
                    path: target.path.clone(),
                    digest: String::new(),
                    created: true,
                    findings: findings.clone(),
                    taint: data.names().map(str::to_owned).collect(),
                })
            }
            _ => None,
        })
        .collect();
    session.written.extend(written);
}

/// `ln -s target link`: the link, and where it leads.
fn linked(start: &Invocation) -> Option<(String, String)> {
    let words: Option<Vec<String>> = start
        .argv
        .iter()
        .map(|word| word.literal().map(std::borrow::Cow::into_owned))
        .collect();
    let words = words?;
    let symbolic = words
        .iter()
        .any(|word| word.starts_with('-') && word.contains('s'));
    let names: Vec<&String> = words
        .iter()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let cwd = start.cwd.as_deref();
    let locate = |name: &str| Target::locate(&Value::text(name, start.span), cwd).path;
    match (words.first().map(String::as_str), names.as_slice()) {
        (Some("ln"), [target, link]) if symbolic => Some((locate(link), locate(target))),
        _ => None,
    }
}

fn may_write(action: &Action) -> bool {
    matches!(
        action,
        Action::Shell { .. } | Action::Write { .. } | Action::Edit { .. } | Action::Notebook { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::FileSystem as _;
    use automode_core::{PathFact, PathKind, Query};

    #[test]
    fn files_of_the_transcript_are_there() {
        let text = r#"{"id":"a","label":"benign","cwd":"/app","call":{"tool":"Bash","input":{"command":"ls"}},"transcript":[{"role":"assistant","tool":"Write","input":{"file_path":"/app/x.py","content":"print(1)"}}]}"#;
        let cases = super::super::parse(text, "x").expect("a case");
        let (session, world) = stage(cases.first().expect("one"));
        let path = "/app/x.py".to_owned();
        let facts = world.observe(&[Query::Path(path.clone()), Query::Path("/app/y".to_owned())]);
        let kind = |path: &str| facts.paths.get(path).map(|fact: &PathFact| fact.kind);
        assert_eq!(kind("/app/x.py"), Some(PathKind::File));
        assert_eq!(kind("/app/y"), Some(PathKind::Absent));
        assert_eq!(world.files.get(&path).map(String::as_str), Some("print(1)"));
        assert!(
            session
                .written
                .iter()
                .any(|file| file.path == path && file.created)
        );
    }
}
