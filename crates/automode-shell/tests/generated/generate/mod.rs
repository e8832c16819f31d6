//! Scripts written at random, but the same every time.

pub mod script;
pub mod story;

use std::time::Duration;

/// Pieces of which noise is made.
const PIECES: &[&str] = &[
    "$(",
    "(",
    ")",
    "{",
    "}",
    "${",
    "[[",
    "]]",
    "((",
    "))",
    "`",
    "\"",
    "'",
    "$'",
    "\\",
    "\n",
    ";",
    "|",
    "&",
    "&&",
    "||",
    "<",
    ">",
    "<<",
    "<<-",
    "<<<",
    ">&",
    "&>",
    "<(",
    "$((",
    "$[",
    "]",
    "[",
    " ",
    "a",
    "x=",
    "=",
    "if",
    " then ",
    " fi ",
    "case",
    " in ",
    " esac",
    "for",
    " do ",
    " done",
    "while",
    "!",
    "time ",
    "coproc ",
    "function ",
    "#",
    "*",
    "?",
    "~",
    "{a,b}",
    "{1..9}",
    "é",
    "\t",
    "E\n",
    "@",
    ":-",
    "//",
    "%%",
    "^^",
    "[[ ",
    " ]]",
    "<<E\n",
    "if ",
    "; then ",
    "; fi ",
    "case ",
    "for i in ",
    "; do ",
    "; done",
    "while ",
    "$x",
    "$@",
    "eval ",
    "bash -c ",
    "rm -rf ",
    "echo ",
    "cd ",
    "f(){ ",
    "f ",
    "read x ",
    "set -- ",
    "trap ",
    "source ",
    "x=(",
    "${x[",
    "]}",
    "sudo ",
    "xargs ",
    "| sh",
    "curl ",
];

/// A small generator of pseudo-random numbers: the same seed, the same scripts.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

/// How long the random tests go on, beside their fixed number of rounds.
pub fn patience() -> Duration {
    let seconds = std::env::var("AUTOMODE_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(0))
}

/// Pieces of shell in no order at all.
pub fn noise(random: &mut Random) -> String {
    let length = random.below(40);
    (0..length).map(|_| random.pick(PIECES)).collect()
}
