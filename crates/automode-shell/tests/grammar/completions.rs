//! Completions as accusers: `@withfig/autocomplete` says of many programs, installed or not,
//! what an option takes.
//!
//! It is installed by name (`npm install --prefix target/completions @withfig/autocomplete`),
//! read at test time only, and nothing of it is copied. Where it disagrees with a row, an
//! installed program judges; what it leaves open needs a line in
//! `completion-waivers.txt`, and a line that accuses nobody any more fails. A line that
//! stands against the word of the program itself says so.

use super::{Known, Takes, is_installed, judged, knowledge, waivers};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::{env, thread};

const WAIVERS: &str = include_str!("completion-waivers.txt");

/// Options that completions know and no row lists: they may only become fewer.
const UNLISTED: usize = 8_894;

/// One option, as a completion has it.
struct Told {
    program: String,
    /// The subcommand it belongs to, or nothing.
    sub: String,
    option: String,
    takes: Takes,
}

#[test]
fn rows_take_what_completions_say() {
    if env::var_os("AUTOMODE_ORACLE").is_none() {
        println!("skipped: completions (hint: AUTOMODE_ORACLE=1 asks them)");
        return;
    }
    let known = knowledge();
    let Some(told) = completions(&known) else {
        println!(
            "skipped: completions, for they are not there (hint: npm install --prefix target/completions @withfig/autocomplete)"
        );
        return;
    };
    let programs: BTreeSet<&str> = told.iter().map(|one| one.program.as_str()).collect();
    let mut shared: usize = 0;
    let mut unlisted: usize = 0;
    let mut accused: Vec<(&Told, &str)> = Vec::new();
    for one in &told {
        let Some(rows) = known
            .get(&one.program)
            .and_then(|known| match one.sub.as_str() {
                "" => Some(&known.options),
                sub => known.subs.get(sub),
            })
        else {
            continue;
        };
        let begins =
            |row: &String| row.ends_with('*') && one.option.starts_with(row.trim_end_matches('*'));
        match (rows.get(&one.option), one.takes) {
            (None, _) => unlisted += usize::from(!rows.keys().any(begins)),
            (Some(Takes::Words), Takes::Nothing | Takes::Glued) => accused.push((one, "swallow")),
            (Some(Takes::Nothing | Takes::Glued), Takes::Words) => accused.push((one, "hide")),
            (Some(_), _) => {}
        }
        shared += usize::from(rows.contains_key(&one.option));
    }
    let (wrong, open) = settled(&accused);
    println!(
        "completions: {} programs, {} options, {shared} shared, {} accused, {} settled by the program, {} left to waivers, {unlisted} unlisted",
        programs.len(),
        told.len(),
        accused.len(),
        accused.len().saturating_sub(open.len()),
        open.len(),
    );
    let waived: BTreeSet<String> = waivers(WAIVERS)
        .into_iter()
        .map(|line| line.trim_start_matches("against the program, ").to_owned())
        .collect();
    let accusations: BTreeSet<String> = accused.iter().map(|(one, how)| line(one, how)).collect();
    let unwaived: Vec<&String> = open.difference(&waived).collect();
    let idle: Vec<&String> = waived.difference(&accusations).collect();
    assert!(
        wrong.is_empty(),
        "rows that are wrong by the program's own word: {wrong:#?}"
    );
    assert!(
        unwaived.is_empty(),
        "rows that a completion disputes: {unwaived:#?}"
    );
    assert!(
        idle.is_empty(),
        "waivers that are no longer needed: {idle:#?}"
    );
    assert!(
        unlisted <= UNLISTED,
        "completions know {unlisted} options that no row lists; they were {UNLISTED}"
    );
}

fn line(told: &Told, how: &str) -> String {
    let name = format!("{} {}", told.program, told.sub);
    format!("{how} {} {}", name.trim_end(), told.option)
}

/// The accusations that the program confirms, and those on which it is silent.
fn settled(accused: &[(&Told, &str)]) -> (BTreeSet<String>, BTreeSet<String>) {
    let verdicts = Mutex::new((BTreeSet::new(), BTreeSet::new()));
    let excused = waivers(WAIVERS);
    let next = Mutex::new(accused.iter());
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let one = next.lock().expect("no thread failed").next();
                    let Some((told, how)) = one else { break };
                    let verdict = is_installed(&told.program)
                        .then(|| judged(&told.program, &told.sub, &told.option))
                        .flatten();
                    let mut verdicts = verdicts.lock().expect("no thread failed");
                    match (verdict, *how) {
                        (Some(Takes::Nothing), "swallow") | (Some(Takes::Words), "hide") => {
                            let line = line(told, how);
                            if !excused.contains(&format!("against the program, {line}")) {
                                verdicts.0.insert(line);
                            }
                        }
                        (Some(_), _) => {}
                        (None, _) => {
                            verdicts.1.insert(line(told, how));
                        }
                    }
                }
            });
        }
    });
    verdicts.into_inner().expect("no thread failed")
}

/// What the completions say of the programs that the knowledge describes; none where they
/// are not installed, or nothing can read them.
fn completions(known: &BTreeMap<String, Known>) -> Option<Vec<Told>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = here.join("../../target/completions/node_modules/@withfig/autocomplete/build");
    let folder = env::var_os("AUTOMODE_COMPLETIONS").map_or(folder, PathBuf::from);
    if !folder.is_dir() {
        return None;
    }
    let mut reader = Command::new("node")
        .arg(here.join("tests/grammar/completions.mjs"))
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let names: Vec<&str> = known.keys().map(String::as_str).collect();
    let mut input = reader.stdin.take()?;
    let names = names.join("\n");
    let feeder = thread::spawn(move || input.write_all(names.as_bytes()));
    let output = reader.wait_with_output().ok()?;
    feeder.join().ok()?.ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let told = text.lines().filter_map(|line| {
        let [program, sub, option, takes] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        let takes = match takes {
            "nothing" => Takes::Nothing,
            "glued" => Takes::Glued,
            "perhaps" => Takes::Perhaps,
            "words" => Takes::Words,
            _ => return None,
        };
        Some(Told {
            program: program.to_owned(),
            sub: sub.to_owned(),
            option: option.to_owned(),
            takes,
        })
    });
    Some(told.collect())
}
