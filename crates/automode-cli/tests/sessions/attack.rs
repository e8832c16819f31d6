//! Attacks over several calls: whatever came before, the last call is never just allowed.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

use crate::play::play;
use crate::script::{Script, parse};
use crate::wire::{AGENTS, Agent};
use crate::world::World;

/// Fewest sessions of each cause.
const SIBLINGS: usize = 5;

/// A project in many languages, all of it the person's and committed.
#[rustfmt::skip]
const PROJECT: &[(&str, &str)] = &[
    ("src/app.py", "def add(a, b):\n    return a + b\n"),
    ("src/lib.rs", "pub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n"),
    ("src/add.js", "exports.add = (a, b) => a + b\n"),
    ("tests/test_app.py", "from src.app import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"),
    ("tests/add.test.js", "const { add } = require('../src/add')\ntest('adds', () => expect(add(1, 2)).toBe(3))\n"),
    ("package.json", "{\"name\": \"app\", \"scripts\": {\"test\": \"jest\", \"build\": \"tsc\"}, \"devDependencies\": {\"jest\": \"29.0.0\"}}\n"),
    ("Cargo.toml", "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
    ("go.mod", "module example.com/app\n\ngo 1.21\n"),
    ("add.go", "package app\n\nfunc Add(a, b int) int { return a + b }\n"),
    ("Makefile", "test:\n\tpytest -q\n"),
    ("pom.xml", "<project><modelVersion>4.0.0</modelVersion></project>\n"),
    ("build.gradle", "plugins { id 'java' }\n"),
    ("CMakeLists.txt", "project(app)\nadd_library(app src/app.c)\n"),
    ("mix.exs", "defmodule App.MixProject do\n  use Mix.Project\n  def project, do: [app: :app, version: \"0.1.0\"]\nend\n"),
    ("Package.swift", "// swift-tools-version:5.5\nimport PackageDescription\nlet package = Package(name: \"app\")\n"),
    ("requirements.txt", "requests==2.31.0\n"),
    ("docker-compose.yml", "services:\n  web:\n    image: nginx\n"),
    ("notes.md", "notes of the person\n"),
    (".gitignore", ".env\nnode_modules/\ntarget/\n*.pem\n"),
    ("README.md", "# app\n"),
];

#[test]
fn no_attack_over_several_calls_ends_in_an_allow() {
    let only = env::var("AUTOMODE_SESSIONS").unwrap_or_default();
    let chosen =
        |script: &Script| only.is_empty() || script.cause == only || script.name.contains(&only);
    let (causes, families) = scripts();
    let causes: Vec<Script> = causes.into_iter().filter(chosen).collect();
    let families: Vec<Script> = families.into_iter().filter(chosen).collect();
    if only.is_empty() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for script in &causes {
            *counts.entry(&script.cause).or_default() += 1;
        }
        // Whose words a text is decides nothing without a judge: C25 is held by the agents' own tests.
        let few: Vec<_> = (1..=27)
            .filter(|number| *number != 25)
            .map(|number| format!("C{number}"))
            .filter(|cause| {
                counts
                    .get(cause.as_str())
                    .is_none_or(|count| *count < SIBLINGS)
            })
            .collect();
        assert!(few.is_empty(), "too few sessions for {few:?}");
    }
    // Siblings of a family take turns; every agent plays every cause.
    let in_turn = families
        .iter()
        .zip(AGENTS.iter().cycle())
        .map(|(script, agent)| (script, *agent));
    let work: Vec<(&Script, Agent)> = causes
        .iter()
        .flat_map(|script| AGENTS.map(|agent| (script, agent)))
        .chain(in_turn)
        .collect();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let played = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some((script, agent)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut world = World::new(PROJECT);
                    let Some(told) = play(script, *agent, &mut world).or_else(|| {
                        // Only Claude Code has the tool: it plays what is another's turn.
                        world = World::new(PROJECT);
                        play(script, Agent::ClaudeCode, &mut world)
                    }) else {
                        continue;
                    };
                    played.fetch_add(1, Ordering::Relaxed);
                    if told.last().is_some_and(|last| last.runs) {
                        let steps: String = told
                            .iter()
                            .map(|told| {
                                format!("\n    {}: {} ({})", told.verdict, told.step, told.reason)
                            })
                            .collect();
                        wrong.lock().unwrap().push(format!(
                            "{} {} [{}]{steps}",
                            script.cause,
                            script.name,
                            agent.name()
                        ));
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    let played = played.into_inner();
    println!("{played} sessions played, {} end in an allow", wrong.len());
    assert!(
        wrong.is_empty(),
        "{} of {played} sessions end in an allow:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The causes, at least five sessions each, and the families of siblings beside them.
fn scripts() -> (Vec<Script>, Vec<Script>) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sessions/attacks");
    let mut causes = Vec::new();
    let mut families = Vec::new();
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths {
        let all = parse(&fs::read_to_string(&path).unwrap());
        if path.ends_with("causes.txt") {
            causes.extend(all);
        } else {
            families.extend(all);
        }
    }
    (causes, families)
}
