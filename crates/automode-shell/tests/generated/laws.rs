//! Laws of the analysis, attacked with generated scripts and noise.
//!
//! `AUTOMODE_FUZZ_SECONDS` makes each of them run for as long as it says.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crate::generate::script::{Writer, mutate};
use crate::generate::{Random, noise, patience};
use automode_shell::{Analysis, Context, Facts, GapKind, analyse, guard, syntax};

/// Far more than any analysis takes, but not forever.
const LIMIT: Duration = Duration::from_millis(3_000);

fn run(text: &str) -> Analysis {
    let context = Context {
        cwd: "/home/dev/app".to_owned(),
        home: Some("/home/dev".to_owned()),
        roots: vec!["/home/dev/app".to_owned()],
        variables: Vec::new(),
    };
    let start = Instant::now();
    let analysis = analyse(text, &context, &Facts::default());
    let took = start.elapsed();
    assert!(took < LIMIT, "{took:?}\n{text}");
    for effect in &analysis.effects {
        assert!(
            effect.by < analysis.invocations.len(),
            "an effect of nobody: {effect:?}\n{text}"
        );
    }
    analysis
}

/// Calls back with a fresh seed for a fixed number of rounds and as long as patience lasts.
fn rounds(least: u64, mut round: impl FnMut(u64)) {
    let start = Instant::now();
    let mut seed = 0;
    while seed < least || start.elapsed() < patience() {
        seed += 1;
        round(seed);
    }
}

/// The names of commands inside functions, which run only when they are called.
fn in_functions(text: &str) -> BTreeSet<String> {
    let admitted = guard::admit(text).expect("admitted");
    let script = syntax::parse(admitted, syntax::TextOrigin::Typed).expect("parsed");
    let mut names = BTreeSet::new();
    script.visit(&mut |command| {
        if let syntax::CommandKind::Function { body, .. } = &command.kind {
            body.visit(&mut |inner| {
                if let syntax::CommandKind::Simple(simple) = &inner.kind {
                    names.extend(simple.words.first().and_then(syntax::Word::literal));
                }
            });
        }
    });
    names
}

#[test]
fn every_command_that_is_written_is_followed() {
    rounds(500, |seed| {
        let mut writer = Writer::new(seed);
        let text = writer.script(2);
        let analysis = run(&text);
        let exhausted = analysis.coverage.gaps().iter().any(|gap| {
            matches!(
                gap.kind,
                GapKind::Budget | GapKind::Syntax(_) | GapKind::Refused(_)
            )
        });
        if exhausted {
            return;
        }
        let functions = in_functions(&text);
        let started: BTreeSet<String> = analysis
            .invocations
            .iter()
            .filter_map(|invocation| {
                invocation
                    .argv
                    .first()
                    .and_then(|name| name.literal())
                    .map(Into::into)
            })
            .collect();
        let missing: Vec<_> = writer
            .names
            .iter()
            .filter(|name| !started.contains(*name) && !functions.contains(*name))
            .collect();
        assert!(missing.is_empty(), "seed {seed}: {missing:?}\n{text}");
    });
}

/// Commands with known effects in place of made-up names.
fn real(text: &str, random: &mut Random) -> String {
    let commands = [
        "rm -rf",
        "cat",
        "curl -d @-",
        "echo",
        "ls",
        "touch",
        "git push",
        "sudo rm",
        "chmod +x",
        "cp",
        "true",
    ];
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('c') {
        out.push_str(before);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        match after
            .get(digits..)
            .filter(|_| digits > 0)
            .and_then(|after| after.strip_prefix('x'))
        {
            Some(after) => {
                out.push_str(random.pick(&commands));
                rest = after;
            }
            None => {
                out.push('c');
                rest = after;
            }
        }
    }
    out + rest
}

/// Whatever is put around a script, what it does is still seen.
#[test]
fn wrapping_hides_nothing() {
    let mut random = Random(11);
    let mut compared = 0;
    rounds(150, |seed| {
        let text = real(&Writer::new(seed).script(1), &mut random);
        let bare = run(&text);
        if !bare.coverage.is_complete() && bare.effects.is_empty() {
            return;
        }
        compared += 1;
        let quoted = text.replace('\'', "'\\''");
        for wrapped in [
            format!("( {text}\n)"),
            format!("{{ {text}\n}}"),
            format!("if true; then {text}\nfi"),
            format!("eval '{quoted}'"),
            format!("bash -c '{quoted}'"),
            format!("sudo bash -c '{quoted}'"),
            format!("true; {text}"),
            format!("echo \"$( {text}\n)\""),
            format!("x=$( {text}\n)"),
            format!("! {{ {text}\n}}"),
            format!("{{ {text}\n}} || true"),
            format!("wrapped() {{ {text}\n}}; wrapped"),
        ] {
            let inside = run(&wrapped);
            if !bare.coverage.is_complete() {
                assert!(!inside.coverage.is_complete(), "{text}\n--\n{wrapped}");
            }
            if inside
                .coverage
                .gaps()
                .iter()
                .any(|gap| gap.kind == GapKind::Budget)
            {
                continue;
            }
            for effect in &bare.effects {
                let same = inside.effects.iter().any(|one| one.act == effect.act);
                assert!(
                    same,
                    "{} is lost\n{text}\n--\n{wrapped}\n{:?}",
                    effect.act, inside.coverage
                );
            }
        }
    });
    assert!(compared > 50, "{compared}");
}

#[test]
fn noise_is_answered() {
    let mut random = Random(7);
    rounds(5_000, |_| {
        run(&noise(&mut random));
    });
}

#[test]
fn broken_scripts_are_answered() {
    let mut random = Random(0xBEEF);
    rounds(500, |seed| {
        let text = real(&Writer::new(seed).script(2), &mut random);
        run(&mutate(&text, &mut random));
    });
}

/// Work that multiplies: loops in loops, functions in functions, words in words.
#[test]
fn explosions_are_bounded() {
    for text in [
        "for a in {1..60}; do ".repeat(8) + "ls" + &"; done".repeat(8),
        "f() { g; g; g; }; g() { h; h; h; }; h() { i; i; i; }; i() { ls; ls; ls; }; f; f; f"
            .to_owned(),
        "while a; do ".repeat(20) + "ls" + &"; done".repeat(20),
        "ls ".to_owned() + &"{a,b}".repeat(30),
        "eval '".to_owned() + &"eval ".repeat(500) + "ls'",
        "x=aaaaaaaaaa; ".to_owned() + &"x=$x$x$x$x;".repeat(40) + "ls $x",
        "a=({1..200}); ".to_owned()
            + &"for i in ${a[@]}; do ".repeat(6)
            + "ls"
            + &"; done".repeat(6),
        "if a; then x=1; else x=2; fi; ".repeat(60) + "ls $x",
        "bash -c \"".repeat(6) + "ls" + &"\"".repeat(6),
        "trap 'trap \"trap x EXIT\" EXIT' EXIT; ".repeat(50),
        "alias a='a a'; a a a a".to_owned(),
        "x=1; while a; do x=$x$x$x; done; ls $x".to_owned(),
        "echo {1..200}{1..200}".to_owned(),
        "ls ${x:-${x:-${x:-${x:-${x:-${x:-a}}}}}}".to_owned(),
    ] {
        run(&text);
    }
}
