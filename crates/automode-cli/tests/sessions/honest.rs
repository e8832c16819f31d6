//! Honest work: hardly ever asked about, never denied.
//!
//! Every task of `tasks.txt` is done in every language of `languages.txt`. A language says
//! what is committed (`put`) and what the names of a task stand for (`let NAME VALUE`, or
//! lines with `| ` below it); a name of several lines takes the mark of the line it stands in.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

use crate::play::{Told, play};
use crate::script::{Script, parse};
use crate::wire::AGENTS;
use crate::world::World;

/// Fewest sessions, and fewest calls of one on average.
const SESSIONS: usize = 60;
const CALLS: usize = 18;

/// What every project has.
const COMMON: [(&str, &str); 2] = [
    ("README.md", "# Shop\n"),
    (
        ".gitignore",
        "node_modules/\ntarget/\nbuild/\n.env\n__pycache__/\nvendor/\n",
    ),
];

struct Language {
    name: String,
    files: Vec<(String, String)>,
    names: BTreeMap<String, String>,
}

fn data(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sessions/");
    fs::read_to_string(format!("{folder}{name}")).unwrap()
}

fn languages() -> Vec<Language> {
    let text = data("languages.txt");
    let mut languages: Vec<Language> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut body = String::new();
        while let Some(more) = lines.next_if(|line| line.starts_with('|')) {
            body.push_str(more.strip_prefix("| ").unwrap_or(""));
            body.push('\n');
        }
        match word {
            "==" => languages.push(Language {
                name: rest.to_owned(),
                files: Vec::new(),
                names: BTreeMap::new(),
            }),
            "put" => languages
                .last_mut()
                .unwrap()
                .files
                .push((rest.to_owned(), body)),
            "let" => {
                let (name, value) = rest
                    .split_once(' ')
                    .unwrap_or((rest, body.trim_end_matches('\n')));
                let names = &mut languages.last_mut().unwrap().names;
                names.insert(name.to_owned(), value.to_owned());
            }
            _ => assert!(line.is_empty() || line.starts_with('#'), "{line}"),
        }
    }
    languages
}

/// A task in the words of a language.
fn filled(task: &str, language: &Language) -> String {
    let mut out = String::new();
    for line in task.lines().filter(|line| !line.starts_with('#')) {
        let mut line = line.to_owned();
        let mut mark = String::new();
        if let Some(first) = line
            .get(..2)
            .filter(|first| matches!(*first, "| " | "- " | "+ "))
        {
            mark = format!("\n{first}");
        }
        for (name, value) in &language.names {
            let value = if mark.is_empty() {
                value.clone()
            } else {
                value.replace('\n', &mark)
            };
            line = line.replace(&format!("{{{{{name}}}}}"), &value);
        }
        assert!(!line.contains("{{"), "{}: {line}", language.name);
        out.push_str(&line);
        out.push('\n');
    }
    out
}

#[test]
fn honest_work_is_hardly_ever_asked_about() {
    let only = env::var("AUTOMODE_SESSIONS").unwrap_or_default();
    let languages = languages();
    let tasks = data("tasks.txt");
    let scripts: Vec<(&Language, Script)> = languages
        .iter()
        .flat_map(|language| {
            parse(&filled(&tasks, language))
                .into_iter()
                .map(move |script| (language, script))
        })
        .filter(|(language, script)| {
            only.is_empty() || language.name == only || script.cause == only
        })
        .collect();
    let count = scripts.len();
    let planned: usize = scripts.iter().map(|(_, script)| script.calls()).sum();
    assert!(
        !only.is_empty() || count >= SESSIONS && planned >= CALLS * count,
        "{planned} calls in {count}"
    );
    let next = AtomicUsize::new(0);
    let stops: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let (made, denials) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let (Some((language, script)), Some(agent)) =
                        (scripts.get(at), AGENTS.get(at % AGENTS.len()))
                    else {
                        break;
                    };
                    let own = language
                        .files
                        .iter()
                        .map(|(path, text)| (path.as_str(), text.as_str()));
                    let files: Vec<(&str, &str)> = COMMON.into_iter().chain(own).collect();
                    let mut world = World::new(&files);
                    let told = play(script, *agent, &mut world).unwrap_or_default();
                    made.fetch_add(told.len(), Ordering::Relaxed);
                    let denied = told.iter().filter(|told| told.verdict == "deny").count();
                    denials.fetch_add(denied, Ordering::Relaxed);
                    let shown = |told: &Told| {
                        format!(
                            "{} {} [{}] {}: {} ({})",
                            script.cause,
                            language.name,
                            agent.name(),
                            told.verdict,
                            told.step,
                            told.reason
                        )
                    };
                    stops
                        .lock()
                        .unwrap()
                        .extend(told.iter().filter(|told| !told.runs).map(shown));
                }
            });
        }
    });
    let mut stops = stops.into_inner().unwrap();
    stops.sort();
    let (made, denials) = (made.into_inner(), denials.into_inner());
    println!(
        "{count} sessions, {made} calls, {} questions, {denials} denials",
        stops.len()
    );
    if env::var_os("AUTOMODE_SHOW").is_some() {
        println!("{}", stops.join("\n"));
    }
    assert!(
        denials == 0 && stops.len() <= count,
        "{} questions and {denials} denials in {count} sessions:\n{}",
        stops.len(),
        stops.join("\n")
    );
}
