//! Scripts of the whole grammar, with the names of the commands in them.

use std::collections::BTreeSet;

use super::Random;

/// Writes scripts and remembers the names of their commands.
pub struct Writer {
    pub random: Random,
    pub names: BTreeSet<String>,
    pub documents: usize,
}

impl Writer {
    pub fn new(seed: u64) -> Self {
        Self {
            random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            names: BTreeSet::new(),
            documents: 0,
        }
    }

    pub fn name(&mut self) -> String {
        let name = format!("c{}x", self.names.len());
        self.names.insert(name.clone());
        name
    }

    pub fn script(&mut self, depth: usize) -> String {
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

    pub fn document(&mut self, depth: usize) -> String {
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

    pub fn and_or(&mut self, depth: usize) -> String {
        let mut text = self.pipeline(depth);
        for _ in 0..self.random.below(3) / 2 {
            let connector = self.random.pick(&[" && ", " || ", " &&\n", "||", "&&"]);
            text = format!("{text}{connector}{}", self.pipeline(depth));
        }
        text
    }

    pub fn pipeline(&mut self, depth: usize) -> String {
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

    pub fn command(&mut self, depth: usize) -> String {
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

    pub fn simple(&mut self, depth: usize) -> String {
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

    pub fn word(&mut self, depth: usize) -> String {
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
    pub fn operand(&mut self, depth: usize) -> String {
        let word = self.word(depth);
        if word.starts_with(['!', '-', '\\', '+']) {
            return format!("a{word}");
        }
        word
    }

    pub fn expansion(&mut self, depth: usize) -> String {
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

    pub fn number(&mut self, depth: usize) -> String {
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

/// Breaks a script in a few places.
pub fn mutate(text: &str, random: &mut Random) -> String {
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
