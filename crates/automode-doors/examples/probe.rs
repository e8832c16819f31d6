//! Scans the files that are named on stdin, one a line, and prints what was found in each.

use std::io::{self, BufRead as _, Write as _};

use automode_core::probe;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for path in io::stdin().lock().lines() {
        let path = path?;
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        let found = probe::scan(&String::from_utf8_lossy(&bytes));
        let told: Vec<String> = found
            .iter()
            .map(|one| format!("{}: {}", one.kind.name(), one.excerpt))
            .collect();
        writeln!(out, "{path}\t{}", told.join(" | "))?;
    }
    Ok(())
}
