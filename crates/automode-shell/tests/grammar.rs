//! Generated scripts against two oracles: bash itself and a second parser.
//!
//! A generator writes scripts of the whole grammar and knows which commands it
//! put where. The parser must see exactly these, whatever surrounds them.
//! `AUTOMODE_FUZZ_SECONDS` makes the random tests run for as long as it says.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may panic"
)]

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use automode_shell::{guard, syntax};

/// A small generator of pseudo-random numbers: the same seed, the same scripts.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

/// Writes scripts and remembers the names of their commands.
struct Writer {
    random: Random,
    names: BTreeSet<String>,
    documents: usize,
}

impl Writer {
    fn new(seed: u64) -> Self {
        Self {
            random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            names: BTreeSet::new(),
            documents: 0,
        }
    }

    fn name(&mut self) -> String {
        let name = format!("c{}x", self.names.len());
        self.names.insert(name.clone());
        name
    }

    fn script(&mut self, depth: usize) -> String {
        let mut text = String::new();
        for _ in 0..=self.random.below(3) {
            let document = self.random.below(8) == 0;
            if document {
                text.push_str(&self.document(depth));
                continue;
            }
            text.push_str(&self.and_or(depth));
            text.push_str(
                self.random
                    .pick(&["; ", ";", "\n", " & ", " ;\n", " # note\n", "\n\n"]),
            );
        }
        text.push_str(&self.and_or(depth));
        text
    }

    fn document(&mut self, depth: usize) -> String {
        self.documents += 1;
        let end = format!("E{}", self.documents);
        let command = self.name();
        let (open, body, close) = match self.random.below(4) {
            0 => (format!("<<'{end}'"), "$(no) `no` \"".to_owned(), end),
            1 => (
                format!("<<-{end}"),
                format!("\t{}", self.expansion(depth)),
                format!("\t{end}"),
            ),
            2 => (format!("<<\\{end}"), "${x:-$(no)} '".to_owned(), end),
            _ => (
                format!("<<{end}"),
                format!("a {} ' b\nc", self.expansion(depth)),
                end,
            ),
        };
        let tail = self
            .random
            .pick(&["", " | cat1", " && cat1", " > f", " ; cat1"]);
        if tail.contains("cat1") {
            self.names.insert("cat1".to_owned());
        }
        format!("{command} {open}{tail}\n{body}\n{close}\n")
    }

    fn and_or(&mut self, depth: usize) -> String {
        let mut text = self.pipeline(depth);
        for _ in 0..self.random.below(3) / 2 {
            let connector = self.random.pick(&[" && ", " || ", " &&\n", "||", "&&"]);
            text = format!("{text}{connector}{}", self.pipeline(depth));
        }
        text
    }

    fn pipeline(&mut self, depth: usize) -> String {
        let prefix = self
            .random
            .pick(&["", "", "", "", "! ", "time ", "time -p "]);
        let mut text = format!("{prefix}{}", self.command(depth));
        for _ in 0..self.random.below(3) / 2 {
            let pipe = self.random.pick(&[" | ", " |& ", "|", " |\n"]);
            text = format!("{text}{pipe}{}", self.command(depth));
        }
        text
    }

    fn command(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple(0);
        }
        let depth = depth - 1;
        match self.random.below(24) {
            0 => format!("{{ {}; }}", self.and_or(depth)),
            1 => format!("( {} )", self.and_or(depth)),
            2 => format!("({}\n)", self.script(depth)),
            3 => format!(
                "if {}; then {}; elif {}; then {}; else {}; fi",
                self.and_or(depth),
                self.and_or(depth),
                self.and_or(depth),
                self.and_or(depth),
                self.and_or(depth)
            ),
            4 => format!(
                "while {}\ndo {}\ndone",
                self.and_or(depth),
                self.script(depth)
            ),
            5 => format!(
                "until {}; do {}; done",
                self.and_or(depth),
                self.and_or(depth)
            ),
            6 => format!(
                "for i in {} {}; do {}; done",
                self.word(depth),
                self.word(depth),
                self.and_or(depth)
            ),
            7 => format!(
                "for ((i = {}; i < 3; i++)); do {}; done",
                self.number(depth),
                self.and_or(depth)
            ),
            8 => format!(
                "case {} in {} | x) {} ;; (*) {} ;; esac",
                self.word(depth),
                self.word(depth),
                self.and_or(depth),
                self.and_or(depth)
            ),
            9 => format!(
                "[[ {} == {} && -n {} ]]",
                self.operand(depth),
                self.operand(depth),
                self.operand(depth)
            ),
            10 => format!(
                "[[ ! ( {} =~ ^a(b|c)$ || {} -lt 3 ) ]]",
                self.operand(depth),
                self.operand(depth)
            ),
            11 => format!("(( {} + i ))", self.number(depth)),
            12 => format!("f{}() {{ {}; }}", self.random.below(9), self.and_or(depth)),
            13 => format!("function g {{ {}; }} > f", self.and_or(depth)),
            14 => format!("coproc {{ {}; }}", self.and_or(depth)),
            15 => format!("{{ {}; }} > {} 2>&1", self.and_or(depth), self.word(depth)),
            16 => format!(
                "select i in {}; do {}; done",
                self.word(depth),
                self.and_or(depth)
            ),
            _ => self.simple(depth),
        }
    }

    fn simple(&mut self, depth: usize) -> String {
        let mut text = match self.random.below(8) {
            0 => format!("A={} ", self.word(depth)),
            1 => format!("A=({} {}) ", self.word(depth), self.word(depth)),
            2 => format!("A[{}]={} ", self.number(depth), self.word(depth)),
            3 => format!("> {} ", self.word(depth)),
            _ => String::new(),
        };
        text.push_str(&self.name());
        for _ in 0..self.random.below(4) {
            text.push(' ');
            text.push_str(&self.word(depth));
        }
        match self.random.below(10) {
            0 => text.push_str(&format!(" > {}", self.word(depth))),
            1 => text.push_str(&format!(" 2>> {}", self.word(depth))),
            2 => text.push_str(&format!(" <<< {}", self.word(depth))),
            3 => text.push_str(" 2>&1"),
            4 => text.push_str(&format!(" &> {}", self.word(depth))),
            5 => text.push_str(" < /dev/null"),
            _ => {}
        }
        text
    }

    fn word(&mut self, depth: usize) -> String {
        let plain = [
            "a",
            "--long=x",
            "-x",
            "a/b.c",
            "'a b; $(no)'",
            "\"a b\"",
            "a\\ b",
            "*.c",
            "~/x",
            "{a,b}",
            "$'a\\tb'",
            "a#b",
            "\"#\"",
            "''",
            "\"\"",
            "a=b",
            "{}",
            "é",
            "%",
            "@",
            "a:b",
            "\"a'b\"",
            "'\"'",
            "[a-z]?",
            "\\;",
            "\\(",
            "!",
            "+",
        ];
        match self.random.below(8) {
            0..=3 => self.random.pick(&plain).to_owned(),
            4 => format!("a{}b", self.expansion(depth)),
            5 => format!("\"a {} b\"", self.expansion(depth)),
            6 => self.expansion(depth),
            _ => format!("{}{}", self.random.pick(&plain), self.expansion(depth)),
        }
    }

    /// A word that is no operator to `[[`.
    fn operand(&mut self, depth: usize) -> String {
        let word = self.word(depth);
        if word.starts_with(['!', '-', '\\', '+']) {
            return format!("a{word}");
        }
        word
    }

    fn expansion(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self
                .random
                .pick(&[
                    "$x", "${x}", "$1", "$#", "${#x}", "${x[1]}", "${x[@]}", "$?", "$((1+2))",
                ])
                .to_owned();
        }
        let depth = depth - 1;
        match self.random.below(14) {
            0..=2 => format!("$( {})", self.and_or(depth)),
            3 => format!("`{}`", self.name()),
            4 => format!("${{x:-{}}}", self.expansion(depth)),
            5 => format!("${{x#{}}}", self.expansion(depth)),
            6 => format!("${{x/{}/{}}}", self.expansion(depth), self.expansion(depth)),
            7 => format!("${{x[{}]}}", self.number(depth)),
            8 => format!("${{x:{}:1}}", self.number(depth)),
            9 => format!("$(( {} * 2 ))", self.number(depth)),
            10 => format!("$(\n{}\n)", self.script(depth)),
            11 => format!("${{!x+{}}}", self.expansion(depth)),
            12 => format!("${{x%%\"{}\"}}", self.expansion(depth)),
            _ => "$x".to_owned(),
        }
    }

    fn number(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self
                .random
                .pick(&["1", "x", "$x", "x + 1", "(2)"])
                .to_owned();
        }
        match self.random.below(4) {
            0 => format!("$({})", self.name()),
            1 => format!("`{}`", self.name()),
            2 => format!("(x ? {} : 2)", self.number(depth - 1)),
            _ => "1".to_owned(),
        }
    }
}

fn parse(text: &str) -> Result<BTreeSet<String>, String> {
    let admitted = guard::admit(text).map_err(|refusal| refusal.to_string())?;
    let script = syntax::parse(admitted, syntax::Origin::Typed)
        .map_err(|error| format!("{} at {:?}", error.message, error.span))?;
    let mut names = BTreeSet::new();
    script.visit(&mut |command| {
        if let syntax::CommandKind::Simple(simple) = &command.kind {
            names.extend(simple.words.first().and_then(syntax::Word::literal));
        }
    });
    Ok(names)
}

fn bash_accepts(text: &str) -> bool {
    let output = Command::new("bash")
        .args(["--norc", "-n", "-c", text])
        .stdin(Stdio::null())
        .output()
        .expect("bash must be installed to run this test");
    output.status.success() && output.stderr.is_empty()
}

/// The command names that the second parser finds; it leaves some texts unread.
fn second_opinion(text: &str) -> Option<BTreeSet<String>> {
    let nodes = rable::parse(text, false).ok()?;
    let tree = format!("{nodes:?}");
    let opening = "words: [Node { kind: Word { value: \"";
    let names = tree
        .split(opening)
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    Some(names.map(str::to_owned).collect())
}

/// How long the random tests go on, beside their fixed number of rounds.
fn patience() -> Duration {
    let seconds = std::env::var("AUTOMODE_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(0))
}

#[test]
fn generated_scripts_show_all_their_commands() {
    let start = Instant::now();
    let mut seed = 0;
    while seed < 4_000 || start.elapsed() < patience() {
        seed += 1;
        let mut writer = Writer::new(seed);
        let text = writer.script(3);
        if text.len() > guard::MAX_BYTES {
            continue;
        }
        match parse(&text) {
            Ok(names) => assert_eq!(names, writer.names, "seed {seed}: {text}"),
            Err(why) => assert!(!bash_accepts(&text), "seed {seed}: {why}\n{text}"),
        }
    }
}

#[test]
fn the_generator_writes_bash() {
    let accepted = (0..3_000)
        .filter(|seed| bash_accepts(&Writer::new(*seed).script(2)))
        .count();
    // Bash itself stumbles over some arrays after `time` in a substitution.
    assert!(accepted > 2_600, "{accepted}");
}

#[test]
fn a_second_parser_finds_no_other_commands() {
    let mut compared = 0;
    for seed in 0..1_500 {
        let mut writer = Writer::new(seed);
        let text = writer.script(2);
        let Some(theirs) = second_opinion(&text) else {
            continue;
        };
        let Ok(ours) = parse(&text) else {
            continue;
        };
        let missing: Vec<_> = theirs
            .iter()
            .filter(|name| writer.names.contains(*name) && !ours.contains(*name))
            .collect();
        assert!(missing.is_empty(), "seed {seed}: {missing:?}\n{text}");
        compared += 1;
    }
    assert!(compared > 600, "{compared}");
}

/// Breaks a script in a few places.
fn mutate(text: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let noise: Vec<char> = "()[]{}<>|&;$`'\"\\#!*?=+-~ \n\tax0".chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(characters.len().max(1));
        match random.below(4) {
            0 if at < characters.len() => {
                characters.remove(at);
            }
            1 if at < characters.len() => characters[at] = noise[random.below(noise.len())],
            2 => characters.insert(at, noise[random.below(noise.len())]),
            _ => {
                let end = (at + random.below(12)).min(characters.len());
                let piece: Vec<char> = characters[at..end].to_vec();
                let to = random.below(characters.len() + 1);
                characters.splice(to..to, piece);
            }
        }
    }
    characters.into_iter().collect()
}

#[test]
fn broken_scripts_hide_nothing_that_a_second_parser_sees() {
    let start = Instant::now();
    let mut random = Random(0x5EED);
    let mut seed = 0;
    while seed < 3_000 || start.elapsed() < patience() {
        seed += 1;
        let text = mutate(&Writer::new(seed).script(2), &mut random);
        let Ok(ours) = parse(&text) else {
            continue;
        };
        let Some(theirs) = second_opinion(&text) else {
            continue;
        };
        // `A[1]x=y` is a command to bash, but an assignment to the second parser.
        if ours.iter().any(|name| name.contains('=')) {
            continue;
        }
        let missing: Vec<_> = theirs
            .iter()
            .filter(|name| is_generated(name) && !ours.contains(*name))
            .collect();
        assert!(
            missing.is_empty() || !bash_accepts(&text),
            "{missing:?}\n{text}\n{ours:?}"
        );
    }
}

fn is_generated(name: &str) -> bool {
    name.strip_prefix('c')
        .and_then(|rest| rest.strip_suffix('x'))
        .is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
}

#[test]
fn noise_is_answered() {
    let start = Instant::now();
    let alphabet: Vec<&str> = vec![
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
    ];
    let mut random = Random(7);
    let mut rounds = 0;
    while rounds < 20_000 || start.elapsed() < patience() {
        rounds += 1;
        let length = random.below(40);
        let text: String = (0..length).map(|_| random.pick(&alphabet)).collect();
        let _ = parse(&text);
    }
}
