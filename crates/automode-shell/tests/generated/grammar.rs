//! Generated scripts against two oracles: bash itself and a second parser.
//!
//! A generator writes scripts of the whole grammar and knows which commands it
//! put where. The parser must see exactly these, whatever surrounds them.
//! `AUTOMODE_FUZZ_SECONDS` makes the random tests run for as long as it says.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::generate::script::{Writer, mutate};
use crate::generate::{Random, noise, patience};
use automode_shell::{guard, syntax};

fn parse(text: &str) -> Result<BTreeSet<String>, String> {
    let admitted = guard::admit(text).map_err(|refusal| refusal.to_string())?;
    let script = syntax::parse(admitted, syntax::TextOrigin::Typed)
        .map_err(|error| format!("{} at {:?}", error.message, error.span))?;
    let mut names = BTreeSet::new();
    script.visit(&mut |command| {
        if let syntax::CommandKind::Simple(simple) = &command.kind {
            names.extend(simple.words.first().and_then(syntax::Word::literal));
        }
    });
    Ok(names)
}

fn bash_accepts(text: &str) -> bool {
    let output = Command::new("bash")
        .args(["--norc", "-n", "-c", text])
        .stdin(Stdio::null())
        .output()
        .expect("bash must be installed to run this test");
    output.status.success() && output.stderr.is_empty()
}

/// The command names that the second parser finds; it leaves some texts unread.
fn second_opinion(text: &str) -> Option<BTreeSet<String>> {
    let nodes = rable::parse(text, false).ok()?;
    let tree = format!("{nodes:?}");
    let opening = "words: [Node { kind: Word { value: \"";
    let names = tree
        .split(opening)
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    Some(names.map(str::to_owned).collect())
}

#[test]
fn generated_scripts_show_all_their_commands() {
    let start = Instant::now();
    let mut seed = 0;
    while seed < 2_000 || start.elapsed() < patience() {
        seed += 1;
        let mut writer = Writer::new(seed);
        let text = writer.script(3);
        if text.len() > guard::MAX_BYTES {
            continue;
        }
        match parse(&text) {
            Ok(names) => assert_eq!(names, writer.names, "seed {seed}: {text}"),
            Err(why) => assert!(!bash_accepts(&text), "seed {seed}: {why}\n{text}"),
        }
    }
}

#[test]
fn the_generator_writes_bash() {
    let accepted = (0..2_000)
        .filter(|seed| bash_accepts(&Writer::new(*seed).script(2)))
        .count();
    // Bash itself stumbles over some arrays after `time` in a substitution.
    assert!(accepted > 1_700, "{accepted}");
}

#[test]
fn a_second_parser_finds_no_other_commands() {
    let mut compared = 0;
    for seed in 0..1_200 {
        let mut writer = Writer::new(seed);
        let text = writer.script(2);
        let Some(theirs) = second_opinion(&text) else {
            continue;
        };
        let Ok(ours) = parse(&text) else {
            continue;
        };
        let missing: Vec<_> = theirs
            .iter()
            .filter(|name| writer.names.contains(*name) && !ours.contains(*name))
            .collect();
        assert!(missing.is_empty(), "seed {seed}: {missing:?}\n{text}");
        compared += 1;
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn broken_scripts_hide_nothing_that_a_second_parser_sees() {
    let start = Instant::now();
    let mut random = Random(0x5EED);
    let mut seed = 0;
    while seed < 2_000 || start.elapsed() < patience() {
        seed += 1;
        let text = mutate(&Writer::new(seed).script(2), &mut random);
        let Ok(ours) = parse(&text) else {
            continue;
        };
        let Some(theirs) = second_opinion(&text) else {
            continue;
        };
        // `A[1]x=y` is a command to bash, but an assignment to the second parser.
        if has_broken_subscript(&text) {
            continue;
        }
        let missing: Vec<_> = theirs
            .iter()
            .filter(|name| is_generated(name) && !ours.contains(*name))
            .collect();
        assert!(
            missing.is_empty() || !bash_accepts(&text),
            "{missing:?}\n{text}\n{ours:?}"
        );
    }
}

/// Whether letters stand between a subscript and an equals sign.
fn has_broken_subscript(text: &str) -> bool {
    text.split(']').skip(1).any(|rest| {
        let equals = rest.find('=').unwrap_or(0);
        let between = rest.get(..equals).unwrap_or_default();
        equals > 0 && between != "+" && !between.contains([' ', '\n', ';'])
    })
}

fn is_generated(name: &str) -> bool {
    name.strip_prefix('c')
        .and_then(|rest| rest.strip_suffix('x'))
        .is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
}

#[test]
fn noise_is_answered() {
    let start = Instant::now();
    let mut random = Random(7);
    let mut rounds = 0;
    while rounds < 20_000 || start.elapsed() < patience() {
        rounds += 1;
        let _ = parse(&noise(&mut random));
    }
}
