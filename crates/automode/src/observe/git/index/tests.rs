//! What is found by halving is what a whole reading finds.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use super::*;

/// A repository whose index git itself wrote from lines of mode, name, stage and path.
fn repository(lines: &str) -> tempfile::TempDir {
    let tree = tempfile::tempdir().unwrap();
    let git = || {
        let mut git = Command::new("git");
        git.current_dir(tree.path()).stdin(Stdio::piped());
        git
    };
    let made = git().args(["init", "-q"]).status().unwrap();
    assert!(made.success());
    let mut filled = git()
        .args(["update-index", "-z", "--index-info"])
        .spawn()
        .unwrap();
    let mut given = filled.stdin.take().unwrap();
    given.write_all(lines.as_bytes()).unwrap();
    drop(given);
    assert!(filled.wait().unwrap().success());
    tree
}

/// Numbers without a pattern that matters.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |most| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(seed | 1);
        usize::try_from(state >> 33).unwrap() % most
    }
}

/// Names of all lengths, beside and below each other.
fn names(seed: u64, count: usize) -> Vec<String> {
    const PARTS: [&str; 8] = ["a", "a-b", "a.b", "src", "ä", "0", "deep/er", "index"];
    let mut next = numbers(seed);
    let mut all: Vec<String> = (0..count)
        .map(|at| {
            let folder = PARTS[next(PARTS.len())];
            let tail = "x".repeat(next(if at % 50 == 0 { 200 } else { 30 }));
            format!("{folder}/{}{}-{at}{tail}", PARTS[next(3)], next(40))
        })
        .collect();
    all.sort();
    all
}

fn lines(seed: u64, names: &[String]) -> String {
    let mut next = numbers(seed);
    let line = |name: &String| {
        let id = format!("{:040x}", next(usize::MAX) as u128 * 7 + 1);
        match next(30) {
            0 => format!("100644 {id} 1\t{name}\0100644 {id} 2\t{name}\0"),
            1 => format!("120000 {id} 0\t{name}\0"),
            2 => format!("100755 {id} 0\t{name}\0"),
            _ => format!("100644 {id} 0\t{name}\0"),
        }
    };
    names.iter().map(line).collect()
}

fn shown(index: &Index) -> Vec<(Vec<u8>, Id, bool)> {
    let entry = |entry: &IndexEntry| (entry.path.clone(), entry.id, entry.odd);
    index.entries.iter().map(entry).collect()
}

#[test]
fn a_part_is_what_the_whole_has_there() {
    for seed in 1..6 {
        let names = names(seed, 3_000);
        let tree = repository(&lines(seed, &names));
        let path = tree.path().join(".git/index");
        let file = File::open(&path).unwrap();
        let length = file.metadata().unwrap().len();
        assert!(length > SMALL);
        let whole = Index::read(&path, &Wanted::everything()).unwrap();
        let mut next = numbers(seed + 100);
        let mut asked: Vec<Vec<String>> = ["", "a", "a/", "zz", "src", "deep", "A", "a/x"]
            .map(|name| vec![name.trim_end_matches('/').to_owned()])
            .to_vec();
        asked.extend((0..60).map(|_| vec![names[next(names.len())].clone()]));
        asked.extend((0..20).map(|_| vec![format!("{}!", names[next(names.len())])]));
        asked.push((0..100).map(|_| names[next(names.len())].clone()).collect());
        asked.push(vec![names[0].clone(), names[names.len() - 1].clone()]);
        for asked in asked {
            let wanted = Wanted::of(asked.iter().map(String::as_bytes));
            let mut part = Index::empty((0, 0));
            if !wanted.is_everything() {
                let found = part.read_part(&file, length, &wanted);
                assert!(found.is_some(), "seed {seed}, {asked:?}");
                assert_eq!(part.trees, whole.trees);
                let holds = |path: &[u8]| wanted.ranges().iter().any(|range| range.holds(path));
                let mut expected = shown(&whole);
                expected.retain(|(path, ..)| holds(path));
                assert_eq!(shown(&part), expected, "seed {seed}, {asked:?}");
            }
            let read = Index::read(&path, &wanted).unwrap();
            assert_eq!(read.entries.len(), shown(&read).len());
        }
    }
}

#[test]
fn an_index_that_is_out_of_order_or_cut_is_not_read() {
    let names = names(9, 3_000);
    let tree = repository(&lines(9, &names));
    let path = tree.path().join(".git/index");
    let bytes = fs::read(&path).unwrap();
    let wanted = || Wanted::of(std::iter::once(names[700].as_bytes()));
    assert!(Index::read(&path, &wanted()).is_some());
    for cut in [10, 100, bytes.len() / 2, bytes.len() - 1, bytes.len() - 21] {
        fs::write(&path, &bytes[..cut]).unwrap();
        let read = Index::read(&path, &wanted());
        let whole = Index::read(&path, &Wanted::everything());
        assert!(read.is_none() && whole.is_none(), "{cut}");
    }
    // The first name stands last in the order now.
    let mut bytes = bytes;
    let first = RawEntry::read(&bytes[HEADER..]).unwrap();
    let at = HEADER + first.end - first.name.len();
    bytes[at] = b'~';
    fs::write(&path, &bytes).unwrap();
    assert!(Index::read(&path, &Wanted::everything()).is_none());
}
