//! The corpus: commands with everything they would do.
//!
//! `corpus/README.md` describes the format. A case holds when the whole set of
//! effects and the coverage are the expected ones. `UPDATE_CORPUS=1` writes down
//! what is found instead, for a person to read before it is committed.
#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use automode_shell::{Analysis, Context, Facts, analyse};

const FAMILIES: [&str; 8] = [
    "bypasses",
    "everyday",
    "expansions",
    "flows",
    "hostile",
    "languages",
    "options",
    "wrappers",
];

/// One command and what it should do.
#[derive(Debug)]
struct Case<'a> {
    command: &'a str,
    /// The bare command whose effects this one must have too.
    law: Option<&'a str>,
    expected: Option<Expected>,
    /// Effects that the analysis does not find yet.
    missing: BTreeSet<String>,
}

#[derive(Debug, PartialEq, Eq)]
struct Expected {
    coverage: String,
    effects: BTreeSet<String>,
}

impl Expected {
    fn read(line: &str) -> Self {
        let (coverage, effects) = line.split_once(' ').unwrap_or((line, ""));
        Self {
            coverage: coverage.to_owned(),
            effects: list(effects),
        }
    }

    fn of(analysis: &Analysis) -> Self {
        let acts = analysis.effects.iter();
        Self {
            coverage: analysis.coverage.name().to_owned(),
            effects: acts
                .map(|effect| pictured(&effect.act.to_string()))
                .collect(),
        }
    }

    fn line(&self) -> String {
        let effects: Vec<&str> = self.effects.iter().map(String::as_str).collect();
        format!("    {} {}", self.coverage, effects.join("; "))
            .trim_end()
            .to_owned()
    }
}

fn list(effects: &str) -> BTreeSet<String> {
    let effects = effects.split(';').map(str::trim);
    effects
        .filter(|effect| !effect.is_empty())
        .map(str::to_owned)
        .collect()
}

fn path(family: &str) -> PathBuf {
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    tests.join(format!("{family}.txt"))
}

fn read(family: &str) -> String {
    fs::read_to_string(path(family)).expect("a family")
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    let mut law = None;
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(bare) = line.strip_prefix("## ") {
            law = Some(bare);
        } else if line.starts_with("# ") {
            law = None;
        } else if let Some(expectation) = line.strip_prefix("    ") {
            let case = cases.last_mut().expect("a command before its effects");
            match expectation.strip_prefix("missing ") {
                Some(missing) => case.missing = list(missing),
                None => case.expected = Some(Expected::read(expectation)),
            }
        } else {
            cases.push(Case {
                command: line,
                law,
                expected: None,
                missing: BTreeSet::new(),
            });
        }
    }
    cases
}

fn run(command: &str) -> Analysis {
    let context = Context {
        cwd: "/home/dev/app".to_owned(),
        home: Some("/home/dev".to_owned()),
        roots: vec!["/home/dev/app".to_owned()],
        variables: Vec::new(),
    };
    analyse(&typed(command), &context, &Facts::default())
}

/// Pictures of control characters, `␊` and its like, as the characters themselves.
fn typed(command: &str) -> String {
    let control = |picture: char| {
        let code = u32::from(picture).checked_sub(0x2400)?;
        (code < 0x20).then(|| char::from_u32(code)).flatten()
    };
    let characters = command.chars();
    characters
        .map(|character| control(character).unwrap_or(character))
        .collect()
}

/// The other way round, so that an effect stays on its line.
fn pictured(act: &str) -> String {
    let picture = |character: char| match u32::from(character) {
        code @ 0..0x20 => char::from_u32(code + 0x2400).unwrap_or(character),
        _ => character,
    };
    act.chars()
        .map(picture)
        .map(|character| if character == ';' { '；' } else { character })
        .collect()
}

/// What is wrong with a case, in words.
fn judge(case: &Case<'_>, found: &Expected) -> Option<String> {
    let closed: Vec<_> = case.missing.intersection(&found.effects).collect();
    if !closed.is_empty() {
        return Some(format!("no longer missing: {closed:?}"));
    }
    if let Some(bare) = case.law {
        let bare = Expected::of(&run(bare));
        let lost: Vec<_> = bare.effects.difference(&found.effects).collect();
        if !lost.is_empty() && !case.missing.iter().eq(lost.iter().copied()) {
            return Some(format!("effects of the bare command are lost: {lost:?}"));
        }
    }
    match &case.expected {
        Some(expected) if expected == found => None,
        Some(expected) => Some(format!("expected\n{}", expected.line())),
        None => Some("nothing is expected".to_owned()),
    }
}

fn check(family: &str) {
    let text = read(family);
    if env::var_os("UPDATE_CORPUS").is_some() {
        fs::write(path(family), updated(&text)).expect("written");
    }
    let mut wrong = String::new();
    for case in cases(&text) {
        let found = Expected::of(&run(case.command));
        if let Some(why) = judge(&case, &found) {
            let line = found.line();
            writeln!(wrong, "{}\n{why}\nfound\n{line}\n", case.command).expect("written");
        }
    }
    assert!(wrong.is_empty(), "{family}\n{wrong}");
}

/// The same text with every expectation as it is found.
fn updated(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let is_expectation = line.starts_with("    ");
        if !is_expectation || line.starts_with("    missing ") {
            lines.push(line.to_owned());
        }
        if !is_expectation
            && !line.is_empty()
            && !line.starts_with("# ")
            && !line.starts_with("## ")
        {
            lines.push(Expected::of(&run(line)).line());
        }
    }
    lines.join("\n") + "\n"
}

macro_rules! families {
    ($($family:ident)*) => {$(
        #[test]
        fn $family() {
            check(stringify!($family));
        }
    )*};
}

families! { bypasses everyday expansions flows hostile languages options wrappers }

#[test]
fn it_is_large_and_says_nothing_twice() {
    let texts = FAMILIES.map(read);
    let mut seen = BTreeSet::new();
    for case in texts.iter().flat_map(|text| cases(text)) {
        assert!(seen.insert(case.command.to_owned()), "{}", case.command);
    }
    assert!(seen.len() >= 1_500, "{}", seen.len());
}

#[test]
fn a_wrong_expectation_is_found() {
    let check = |text: &str, wrong: &str| {
        let cases = cases(text);
        let case = cases.first().expect("a case");
        let told = judge(case, &Expected::of(&run(case.command)));
        let told = told.expect("something is wrong");
        assert!(told.contains(wrong), "{told}");
    };
    check("rm a\n    complete", "expected");
    check("rm a\n    partial delete /home/dev/app/a", "expected");
    check("rm a", "nothing is expected");
    check(
        "rm a\n    complete delete /home/dev/app/a\n    missing delete /home/dev/app/a",
        "no longer missing",
    );
    check("## rm b\nrm a\n    complete delete /home/dev/app/a", "lost");
}
