//! Files of every language, harmful and honest.
//!
//! Each `.txt` file beside this one holds the cases of a language: a line
//! `=== clean NAME` or `=== uses NAME` opens a case, its text follows.

use super::{CapabilityReading, SourceLanguage, capabilities};

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
