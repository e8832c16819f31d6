//! What the name of a task tells of it.
//!
//! Projects name how they are tested, checked and built with the same few words, and
//! what leaves the machine with others. A name with one of those is never taken for a check.

/// Words under which projects test and check themselves.
const CHECKS: &[&str] = &[
    "test",
    "tests",
    "unit",
    "e2e",
    "integration",
    "spec",
    "specs",
    "check",
    "checks",
    "lint",
    "linter",
    "fmt",
    "format",
    "typecheck",
    "types",
    "coverage",
    "cover",
    "verify",
    "validate",
    "bench",
    "benchmark",
    "build",
    "docs",
    "doc",
];

/// Words under which they build and run what they made.
const MORE_ENTRIES: &[&str] = &[
    "compile",
    "prettier",
    "eslint",
    "type",
    "tsc",
    "benchmarks",
    "all",
    "default",
    "clean",
    "install",
    "assemble",
    "classes",
    "package",
    "jar",
    "vet",
    "clippy",
    "tasks",
    "testclasses",
    "ci",
    "precommit",
    "watch",
    "dev",
    "help",
    "html",
    "gemfile",
    "start",
    "serve",
    "preview",
    "storybook",
    "generate",
    "codegen",
    "routes",
    "notes",
    "about",
    "bundle",
    "analyze",
    "report",
    "stats",
    "dist",
];

/// Words of tasks that reach further than the project.
pub(super) const NEVER: &[&str] = &[
    "deploy",
    "publish",
    "release",
    "push",
    "upload",
    "prod",
    "production",
    "migrate",
    "seed",
    "sync",
    "ship",
    "drop",
    "destroy",
    "reset",
    "purge",
    "hooks",
    "truncate",
    "delete",
    "wipe",
    "nuke",
    "erase",
    "uninstall",
    "rollback",
    "restore",
    "promote",
    "provision",
    "teardown",
    "terminate",
    "announce",
    "notify",
];

/// Whether a word names a test or a check.
fn is_check_word(word: &str) -> bool {
    CHECKS.contains(&word) || word.starts_with("test")
}

/// Names under which projects declare how they are tested and checked: nothing of this is
/// meant to leave anything behind.
pub(super) fn is_check(name: &str) -> bool {
    let parts = parts_of(name);
    parts.iter().any(|part| is_check_word(part))
        && !parts.iter().any(|part| NEVER.contains(&part.as_str()))
}

/// Names under which projects declare how they are tested and built.
pub(super) fn is_entry(name: &str) -> bool {
    let is_entry = |task: &str| {
        parts_of(task)
            .iter()
            .any(|part| is_check_word(part) || MORE_ENTRIES.contains(&part.as_str()))
    };
    let reaches = |part: &String| NEVER.contains(&part.as_str());
    let mut tasks = name.split_whitespace();
    // The first word is what is asked for; what follows must not ask for more.
    tasks.next().is_some_and(is_entry) && !parts_of(name).iter().any(reaches)
}

/// Whether a word that a build tool is given names a goal or a setting of the project's own work.
pub(super) fn is_goal_fine(word: &str) -> bool {
    /// Goals that run something else.
    const RUNS: &[&str] = &["exec", "eval", "execute"];
    /// Settings that load something else, or put it elsewhere.
    const LOADS: &[&str] = &["install", "prefix", "init"];
    let parts = parts_of(word);
    let has = |list: &[&str]| parts.iter().any(|part| list.contains(&part.as_str()));
    if word.starts_with('-') {
        return !has(NEVER) && !has(RUNS) && !has(LOADS);
    }
    // `:app:clean` is a goal of a part of the project, `group:plugin:1.0:run` a stranger's.
    let coordinate = !word.starts_with(':') && word.matches(':').count() > 1;
    let code = word.contains([' ', '"', '\'', '(', ';', '$']);
    // What a build calls its finished form goes nowhere.
    let finished = parts
        .first()
        .is_some_and(|first| matches!(first.as_str(), "assemble" | "bundle" | "build" | "compile"));
    let reaches = parts
        .iter()
        .any(|part| NEVER.contains(&part.as_str()) && !(finished && part == "release"));
    !coordinate && !code && !reaches && !has(RUNS)
}

/// Whether a path is that of a test.
pub(super) fn names_test(path: &str) -> bool {
    let mut names = path.rsplit('/');
    let name = names.next().unwrap_or_default();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let script = matches!(ending, "" | "py" | "sh" | "bash" | "js" | "ts" | "rb");
    let named = stem == "test"
        || stem == "tests"
        || stem.starts_with("test_")
        || stem.starts_with("run_test")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with(".test")
        || stem.ends_with(".spec");
    let shelved = names.any(|folder| matches!(folder, "test" | "tests" | "spec"));
    script && (named || shelved)
}

/// The words in a name, whatever its spelling: `publishToCentral`, `db:seed`.
pub(super) fn parts_of(name: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(name.len());
    let mut lower = false;
    for letter in name.chars() {
        if letter.is_uppercase() && lower {
            spaced.push(' ');
        }
        lower = letter.is_lowercase();
        spaced.push(letter);
    }
    spaced
        .to_lowercase()
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}
