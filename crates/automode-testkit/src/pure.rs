//! Finding what a pure crate must not have.
//!
//! Purity is a promise about sources: no file, process, network, clock,
//! environment or thread, and no dependency against the direction of the
//! workspace. The test that uses this is itself tested with seeded violations.

/// Something that breaks the promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The line, counted from one.
    pub line: usize,
    pub what: &'static str,
}

/// What no line of a pure crate may name.
const FORBIDDEN: &[&str] = &[
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::thread",
    "std::io",
    "std::os",
    "std::sync::mpsc",
    "SystemTime",
    "Instant",
    "option_env!",
    "thread_local!",
    "unsafe ",
    "println!",
    "eprintln!",
];

/// Everything forbidden in a source file, outside its comments and tests.
#[must_use]
pub fn impurities(source: &str) -> Vec<Violation> {
    let code = source
        .split_once("#[cfg(test)]\nmod tests {")
        .map_or(source, |(code, _)| code);
    code.lines()
        .enumerate()
        .map(|(at, line)| (at.saturating_add(1), line))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .flat_map(|(at, line)| {
            let hits = FORBIDDEN.iter().filter(move |what| names(line, what));
            hits.map(move |what| Violation { line: at, what })
        })
        .collect()
}

/// Whether the line names it, also through `use std::{fs, …}`.
fn names(line: &str, what: &str) -> bool {
    if line.contains(what) {
        return true;
    }
    let Some(module) = what.strip_prefix("std::") else {
        return false;
    };
    let Some(group) = line.trim_start().strip_prefix("use std::{") else {
        return false;
    };
    group
        .split([',', '{', '}', ';', ' '])
        .any(|item| item == module || item.starts_with(&format!("{module}::")))
}
