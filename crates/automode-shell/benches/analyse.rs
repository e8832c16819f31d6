//! How long an analysis takes: `cargo bench -p automode-shell`.
//!
//! The least of many rounds is shown, because the machine may be busy with other
//! things. A bound that does not hold fails the run.
#![expect(clippy::panic, reason = "a bench that misses its bound must fail")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use automode_shell::{Context, Facts, analyse};

fn main() {
    measure("git status", "git status", Duration::from_micros(15));
    let compound = compound(2_000);
    measure("2 KB compound", &compound, Duration::from_millis(1));
    let mut per_byte = Vec::new();
    for kilobytes in [1_usize, 2, 4, 8] {
        let text = self::compound(kilobytes * 1_000);
        let took = measure(&format!("{kilobytes} KB"), &text, Duration::from_millis(10));
        per_byte.push(took.as_nanos() / text.len().max(1) as u128);
    }
    let (least, most) = (per_byte.iter().min(), per_byte.iter().max());
    println!("ns per byte at 1, 2, 4, 8 KB: {per_byte:?}");
    if let (Some(least), Some(most)) = (least, most)
        && *most > least * 4
    {
        panic!("the cost does not grow linearly: {per_byte:?}");
    }
}

/// The least time of many rounds.
fn measure(name: &str, text: &str, bound: Duration) -> Duration {
    let context = Context {
        cwd: "/home/dev/app".to_owned(),
        home: Some("/home/dev".to_owned()),
        roots: vec!["/home/dev/app".to_owned()],
        variables: Vec::new(),
    };
    let facts = Facts::default();
    let start = Instant::now();
    let mut least = Duration::MAX;
    while start.elapsed() < Duration::from_millis(500) {
        let round = Instant::now();
        black_box(analyse(black_box(text), &context, &facts));
        least = least.min(round.elapsed());
    }
    println!("{name:16} {least:?}");
    if least > bound {
        panic!("`{name}` took {least:?}, the bound is {bound:?}");
    }
    least
}

/// A script of about this size, of the kind that agents write.
fn compound(bytes: usize) -> String {
    let lines = [
        "cd src && git status --short | grep -v '^??' | head -20",
        "for f in a.rs b.rs c.rs; do wc -l \"$f\"; done",
        "if [ -f Cargo.toml ]; then cargo build 2>&1 | tail -5; else echo none; fi",
        "NAME=$(basename \"$PWD\"); echo \"building ${NAME:-unnamed}\" > build.log",
        "find . -name '*.tmp' -print0 | xargs -0 rm -f",
        "cat <<'END' > notes.txt\nsome text with $(no) expansion\nEND",
    ];
    let mut text = String::new();
    for line in lines.iter().cycle() {
        if text.len() + line.len() > bytes {
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}
