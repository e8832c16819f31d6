//! What came before a case, taken into the session.
//!
//! User words and calls become the transcript. Files that earlier calls wrote,
//! with a tool or with a here-document, become files of the world that this
//! session made, so that running one is seen for what it is.

use std::collections::BTreeSet;

use automode_core::{
    Action, CallRecord, Facts, Outcome, Query, Remote, RepoFact, Session, ToolCall, WrittenFile,
    brief, effects, rules, scene, tool, transcript,
};
use automode_shell::{Act, Context, Extent, Invocation, Taint, Target, Value};

use super::case::{Case, Turn};
use super::world::{HOME, World};
use crate::observe::Machine;
use crate::ports::FileSystem;

/// A text that a call writes, and what rules say of it.
#[derive(Clone, Debug)]
pub struct WrittenText {
    pub path: String,
    pub body: String,
    findings: Vec<String>,
    taint: Vec<String>,
}

/// The session and the world in which a case is decided, in a project of its own.
pub fn stage(case: &Case, around: Vec<WrittenText>) -> (Session, World) {
    let world = World::of(case);
    let repo = Some(world.repo());
    stage_in(case, world, repo, around)
}

/// The same in a directory of the machine, for a person whose home is known.
pub fn stage_at(case: &Case, root: &str, home: Option<&str>) -> (Session, World) {
    let world = World {
        cwd: root.to_owned(),
        home: home.unwrap_or(HOME).to_owned(),
        ..World::default()
    };
    let facts = Machine.observe(&[Query::Repo(root.to_owned())]);
    stage_in(case, world, facts.repos.into_values().next(), Vec::new())
}

/// `repo` is the repository as it was when the session began.
fn stage_in(
    case: &Case,
    mut world: World,
    repo: Option<RepoFact>,
    around: Vec<WrittenText>,
) -> (Session, World) {
    let mut session = Session {
        repo,
        roots: vec![world.cwd.clone()],
        home: Some(world.home.clone()),
        ..Session::default()
    };
    for text in around {
        session.written.push(WrittenFile {
            path: text.path.clone(),
            digest: String::new(),
            created: true,
            findings: text.findings,
            taint: text.taint,
        });
        world.files.insert(text.path, text.body);
    }
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

/// The texts that the call of a case writes, where it is alone in its project.
pub fn written_by(case: &Case) -> Vec<WrittenText> {
    let (mut session, mut world) = stage(case, Vec::new());
    world.files.clear();
    session.written.clear();
    let call = ToolCall {
        tool: case.call.tool.clone(),
        input: case.call.input.clone(),
        cwd: world.cwd.clone(),
    };
    let added = replay(&call, &mut session, &mut world);
    world
        .files
        .into_iter()
        // Of what is only added to, nobody knows the beginning.
        .filter(|(path, _)| !added.contains(path))
        .map(|(path, body)| {
            let record = session.written.iter().find(|file| file.path == path);
            WrittenText {
                findings: record.map_or_else(Vec::new, |file| file.findings.clone()),
                taint: record.map_or_else(Vec::new, |file| file.taint.clone()),
                path,
                body,
            }
        })
        .collect()
}

/// Takes a call into the session and the world; the files to which it only adds.
fn replay(call: &ToolCall, session: &mut Session, world: &mut World) -> BTreeSet<String> {
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
    let mut added = BTreeSet::new();
    if !may_write(&action) {
        return added;
    }
    let facts = held(world);
    let effects = effects::of(&action, &context, &facts.shell);
    for write in &effects.writes {
        let path = &write.path;
        let before = world.files.remove(path);
        let before = before.or_else(|| world.committed.get(path).cloned());
        if write.append && before.is_none() {
            added.insert(path.clone());
        }
        let before = before.filter(|_| write.append).unwrap_or_default();
        world.files.insert(path.clone(), before + &write.body);
    }
    let links = effects.analysis.invocations.iter().filter_map(linked);
    let links = links.filter(|(link, target)| link != target);
    world.links.extend(links);
    for changed in effects.analysis.invocations.iter().filter_map(remote) {
        world.remotes.retain(|known| known.name != changed.name);
        world.remotes.push(changed);
    }
    let scene = scene::Scene {
        action: &action,
        analysis: Some(&effects.analysis),
        content: &effects.content,
        writes: &effects.writes,
        context: &context,
        facts: &facts,
        session,
        project: &scene::ProjectState::Unknown,
        known_places: &scene::KnownPlaces::default(),
    };
    let findings: Vec<String> = rules::detect_content(&scene)
        .iter()
        .map(|finding| finding.rule.to_owned())
        .collect();
    let all = effects.analysis.effects.iter();
    let written: Vec<WrittenFile> = all
        .filter_map(|effect| written(&effect.act, &findings))
        .collect();
    let secret = Taint::SECRET.names().next().unwrap_or_default();
    let holds_secret = |file: &&WrittenFile| file.taint.iter().any(|mark| mark == secret);
    let secrets = written.iter().filter(holds_secret);
    world.secret.extend(secrets.map(|file| file.path.clone()));
    session.written.extend(written);
    added
}

/// The files that the session wrote so far, as facts.
fn held(world: &World) -> Facts {
    let mut facts = Facts::default();
    let files = world.files.iter().map(|(path, body)| {
        let fact = automode_shell::FileFact::Text {
            body: body.clone(),
            session: true,
        };
        (path.clone(), fact)
    });
    facts.shell.files.extend(files);
    facts
}

/// The one file that an act writes, as the session would remember it.
fn written(act: &Act, findings: &[String]) -> Option<WrittenFile> {
    let Act::Write { target, data, .. } = act else {
        return None;
    };
    (target.extent == Extent::Exact).then(|| WrittenFile {
        path: target.path.clone(),
        digest: String::new(),
        created: true,
        findings: findings.to_vec(),
        taint: data.names().map(str::to_owned).collect(),
    })
}

fn literal_words(start: &Invocation) -> Option<Vec<String>> {
    let words = start.argv.iter();
    words
        .map(|word| word.literal().map(std::borrow::Cow::into_owned))
        .collect()
}

/// `git remote add NAME URL`, `git remote set-url NAME URL`: the remote as it is from then on.
fn remote(start: &Invocation) -> Option<Remote> {
    let words = literal_words(start)?;
    let names: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.starts_with('-'))
        .collect();
    match names.as_slice() {
        ["git", "remote", "add" | "set-url", name, url, ..] => Some(Remote {
            name: (*name).to_owned(),
            url: (*url).to_owned(),
        }),
        _ => None,
    }
}

/// `ln -s target link`: the link, and where it leads.
fn linked(start: &Invocation) -> Option<(String, String)> {
    let words = literal_words(start)?;
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
    use automode_core::{PathFact, PathKind, Query};

    #[test]
    fn files_of_the_transcript_are_there() {
        let text = r#"{"id":"a","label":"benign","cwd":"/app","call":{"tool":"Bash","input":{"command":"ls"}},"transcript":[{"role":"assistant","tool":"Write","input":{"file_path":"/app/x.py","content":"print(1)"}}]}"#;
        let cases = super::super::parse(text, "x").expect("a case");
        let (session, world) = stage(cases.first().expect("one"), Vec::new());
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
