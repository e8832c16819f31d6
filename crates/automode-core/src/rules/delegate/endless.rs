//! Commands that write until the disk is full.

use std::borrow::Cow;

use automode_shell::{Invocation, Nature, Stdin, Stdout, Value};

use super::foreign_process::ID;
use crate::Finding;
use crate::scene::Scene;

/// Sources that never end.
const SOURCES: &[&str] = &["/dev/zero", "/dev/urandom", "/dev/random", "/dev/full"];
/// More than this at once fills a disk.
const LARGE: u64 = 200 << 30;

/// Output without an end, or larger than a disk.
pub fn detect(scene: &Scene<'_>, start: &Invocation) -> Option<Finding> {
    let blocks = start.is_a(Nature::BlockCopy);
    let forever = if blocks {
        copies_blocks(start)
    } else {
        reads_forever(start)
    };
    let what = if forever {
        "writes without end"
    } else if asks_for_too_much(start) {
        "makes a file as large as a disk"
    } else {
        return None;
    };
    Some(scene.evidence(ID, start.span, what, "give it a size that fits"))
}

fn reads_forever(start: &Invocation) -> bool {
    let named = start
        .argv
        .iter()
        .skip(1)
        .filter_map(Value::literal)
        .any(|word| SOURCES.contains(&word.as_ref()));
    let fed =
        matches!(&start.stdin, Stdin::File(target) if SOURCES.contains(&target.path.as_str()));
    // Whoever reads the other end of a pipe stops it.
    let kept = matches!(
        start.stdout,
        Stdout::Shown | Stdout::File(_) | Stdout::Captured
    );
    if start.is_a(Nature::Endless) && matches!(start.stdout, Stdout::Null) {
        return true;
    }
    let copies = start.is_a(Nature::FileCopy);
    (named || fed) && !start.is_a(Nature::Bounded) && (kept || copies)
}

/// What a program that copies in blocks reads, and how much of it.
fn copies_blocks(start: &Invocation) -> bool {
    let words: Vec<Cow<'_, str>> = start.argv.iter().filter_map(Value::literal).collect();
    let value = |key: &str| words.iter().find_map(|word| word.strip_prefix(key));
    let fed =
        matches!(&start.stdin, Stdin::File(target) if SOURCES.contains(&target.path.as_str()));
    let endless = fed || value("if=").is_some_and(|source| SOURCES.contains(&source));
    let block = value("bs=").or(value("ibs=")).map_or(Some(512), bytes);
    let size = match (block, value("count=").map(bytes)) {
        (Some(block), Some(Some(count))) => Some(block.saturating_mul(count)),
        _ => None,
    };
    endless
        && size.is_none_or(|size| size > LARGE)
        // Where it goes to a file of its own, nobody who reads the rest can stop it.
        && (value("of=").is_some() || !matches!(start.stdout, Stdout::Pipe | Stdout::Null))
}

fn asks_for_too_much(start: &Invocation) -> bool {
    let words: Vec<Cow<'_, str>> = start
        .argv
        .iter()
        .skip(1)
        .filter_map(Value::literal)
        .collect();
    const FLAGS: &[&str] = &["-l", "--length", "-s", "--size", "-c", "--bytes"];
    if !start.is_a(Nature::SizedFile) {
        return false;
    }
    words.iter().enumerate().any(|(at, word)| {
        FLAGS.iter().any(|flag| {
            let rest = word.strip_prefix(flag);
            let value = match rest {
                Some("") => words.get(at.saturating_add(1)).map(AsRef::as_ref),
                Some(rest) => Some(rest.trim_start_matches('=')),
                None => None,
            };
            value.and_then(bytes).is_some_and(|size| size > LARGE)
        })
    })
}

/// `10G`, `512M`, `1TiB`.
fn bytes(size: &str) -> Option<u64> {
    let digits = size
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(size.len());
    let (number, unit) = size.split_at_checked(digits)?;
    let shift = match unit.chars().next().map(|unit| unit.to_ascii_lowercase()) {
        None | Some('b') => 0,
        Some('k') => 10,
        Some('m') => 20,
        Some('g') => 30,
        Some('t') => 40,
        Some('p') => 50,
        Some('e') => 60,
        Some(_) => return None,
    };
    Some(number.parse::<u64>().ok()?.saturating_mul(1 << shift))
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_are_read_with_their_units() {
        for (size, expected) in [
            ("512", Some(512)),
            ("10K", Some(10 << 10)),
            ("1TiB", Some(1 << 40)),
            ("2g", Some(2 << 30)),
            ("x", None),
        ] {
            assert_eq!(bytes(size), expected, "{size}");
        }
    }
}
