//! Files of every language, harmful and honest.
//!
//! Each `.txt` file beside this one holds the cases of a language: a line
//! `=== clean NAME` or `=== uses NAME` opens a case, its text follows. `evasions.txt` holds
//! one line a case: what must never come out clean, however it is written.

use super::{CapabilityReading, SourceLanguage, capabilities};
use crate::language::tests::PAIRED;

#[track_caller]
fn check(language: SourceLanguage, cases: &str) {
    let mut wrong = Vec::new();
    let (mut clean, mut harmful) = (0, 0);
    for case in cases.split("\n=== ").skip(1) {
        let (title, text) = case.split_once('\n').unwrap_or((case, ""));
        let reading = capabilities(language, text);
        let (expected, fits) = match title.split(' ').next() {
            Some("clean") => {
                clean += 1;
                ("clean", reading == CapabilityReading::Clean)
            }
            Some("uses") => {
                harmful += 1;
                ("uses", matches!(reading, CapabilityReading::Uses(_)))
            }
            Some("unread") => ("unread", matches!(reading, CapabilityReading::Unread(_))),
            other => panic!("{other:?} is no expectation"),
        };
        if !fits {
            wrong.push(format!("{title}: expected {expected}, got {reading:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}:\n{}",
        language.name(),
        wrong.join("\n")
    );
    assert!(
        clean >= 15 && harmful >= 15,
        "{}: {clean} clean, {harmful} harmful",
        language.name()
    );
}

macro_rules! languages {
    ($($test:ident $language:ident $file:literal)*) => {$(
        #[test]
        fn $test() {
            check(SourceLanguage::$language, include_str!($file));
        }
    )*};
}

languages! {
    rust Rust "rust.txt"
    go Go "go.txt"
    java Java "java.txt"
    javascript JavaScript "javascript.txt"
    kotlin Kotlin "kotlin.txt"
    c C "c.txt"
    csharp CSharp "csharp.txt"
    swift Swift "swift.txt"
    ruby Ruby "ruby.txt"
    php Php "php.txt"
    groovy Groovy "groovy.txt"
    elixir Elixir "elixir.txt"
    cmake CMake "cmake.txt"
    terraform Terraform "terraform.txt"
    dockerfile Dockerfile "dockerfile.txt"
    compose Compose "compose.txt"
    workflow Workflow "workflow.txt"
}

/// Other pieces that open something in at least one of the languages.
const PIECES: &[&str] = &[
    "\"\"\"",
    "/",
    "/*",
    "*/",
    "//",
    "#",
    "${",
    "#{",
    "\\(",
    "r#\"",
    "R\"x(",
    "<<~A\n",
    "<<<A\n",
    "%w[",
    "~r/",
    "[[",
    "?>",
    "<?php",
    "=",
    ":=",
    "=>",
    "|",
    "->",
    "let",
    "use",
    "import",
    "fn",
    "fs",
    "std::fs",
    ".delete(",
    "require('fs')",
    "é",
    "\u{1f600}",
    "\n",
    " ",
    "x",
    "dir",
    "File",
    "\\",
    "@TempDir Path d",
    "a.b.c",
    "1'0",
    "$",
];

#[test]
fn hostile_files_neither_break_nor_stall() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let pieces = [PAIRED, PIECES].concat();
    for _ in 0..60 {
        let text: String = (0..60)
            .filter_map(|_| {
                let at = next() % u64::try_from(pieces.len()).unwrap_or(1);
                pieces.get(usize::try_from(at).unwrap_or_default()).copied()
            })
            .collect();
        for language in SourceLanguage::ALL {
            let _reading = capabilities(*language, &text);
        }
    }
    for piece in &pieces {
        let text = piece.repeat(4_000 / piece.len());
        for language in SourceLanguage::ALL {
            let start = std::time::Instant::now();
            let _reading = capabilities(*language, &text);
            let spent = start.elapsed();
            assert!(
                spent.as_secs() < 3,
                "{} {piece:?}: {spent:?}",
                language.name()
            );
        }
    }
}

/// `LANGUAGE| text`, with `\\n` for a line's end.
#[test]
fn no_evasion_is_clean() {
    let mut wrong = Vec::new();
    for line in include_str!("evasions.txt").lines() {
        let Some((name, text)) = line.split_once("| ") else {
            continue;
        };
        let language = SourceLanguage::ALL
            .iter()
            .find(|language| language.name() == name);
        let language = *language.unwrap_or_else(|| panic!("{name} is no language"));
        if capabilities(language, &text.replace("\\n", "\n")) == CapabilityReading::Clean {
            wrong.push(line);
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are clean:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
