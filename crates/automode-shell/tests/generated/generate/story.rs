//! Scripts that keep and change state, with `touch` wherever it shows.

use super::Random;

const WORDS: &[&str] = &[
    "a", "b", "p/q", "'x y'", "\"m  n\"", "''", "ab:cd", "aXb", "-n", "~", "~/d", "k=~", "{u,v}",
    "3", "07", "A", "B", "'*'", "'a\\b'", "/tmp/z", "x.sh", "'A[1]'", "+1", "\\$A", "é",
];
const VARIABLES: &[&str] = &["A", "B", "C", "A", "B"];
const NUMBERS: &[&str] = &["0", "1", "2", "A", "B+1", "-1", "1+2", "A[1]", "++C", "08"];
const PATTERNS: &[&str] = &[
    "a", "*", "?", "a*", "*b", "x", "[ab]", "/", "p/*", "\\*", "A",
];

/// Writes one script from a seed.
pub struct Teller {
    random: Random,
    /// How deep quotes are: a statement inside them must have none of its own.
    quoted: bool,
}

impl Teller {
    pub fn new(seed: u64) -> Self {
        Self {
            random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            quoted: false,
        }
    }

    pub fn story(&mut self) -> String {
        let count = 2 + self.random.below(6);
        let mut lines: Vec<String> = (0..count).map(|_| self.statement(2)).collect();
        lines.push(self.touch());
        let separator = self.random.pick(&["; ", "\n"]);
        lines.join(separator)
    }

    fn pick(&mut self, items: &[&'static str]) -> &'static str {
        self.random.pick(items)
    }

    fn name(&mut self) -> &'static str {
        self.pick(VARIABLES)
    }

    fn word(&mut self) -> String {
        let word = match self.random.below(3) {
            0 => self.expansion(),
            _ => self.pick(WORDS).to_owned(),
        };
        if self.quoted {
            return word.replace(['\'', '"'], "");
        }
        word
    }

    fn touch(&mut self) -> String {
        let words: Vec<String> = (0..=self.random.below(3)).map(|_| self.word()).collect();
        format!("touch {}", words.join(" "))
    }

    fn expansion(&mut self) -> String {
        let name = self.name();
        let pattern = self.pick(PATTERNS);
        let number = self.pick(NUMBERS);
        let plain = self.pick(&["a", "w", "x y", "~", "$B", "*"]);
        let text = match self.random.below(36) {
            0 | 1 => format!("${name}"),
            2 => format!("${{{name}}}"),
            3 => format!("${{{name}[@]}}"),
            4 => format!("${{{name}[*]}}"),
            5 => "$*".to_owned(),
            6 => "$@".to_owned(),
            7 => "$1".to_owned(),
            8 => "${2}".to_owned(),
            9 => format!("${{{name}:-{plain}}}"),
            10 => format!("${{{name}+{plain}}}"),
            11 => format!("${{{name}:={plain}}}"),
            12 => format!("${{{name}#{pattern}}}"),
            13 => format!("${{{name}##{pattern}}}"),
            14 => format!("${{{name}%{pattern}}}"),
            15 => format!("${{{name}%%{pattern}}}"),
            16 => format!("${{{name}/{pattern}/{plain}}}"),
            17 => format!("${{{name}//{pattern}/{plain}}}"),
            18 => format!("${{{name}:1}}"),
            19 => format!("${{{name}:{number}:1}}"),
            20 => format!("${{{name}^^}}"),
            21 => format!("${{{name},}}"),
            22 => format!("${{#{name}}}"),
            23 => format!("${{#{name}[@]}}"),
            24 => format!("${{!{name}}}"),
            25 => format!("${{{name}[{number}]}}"),
            26 => "${M[k]}".to_owned(),
            27 => "$R".to_owned(),
            28 => format!("$(({number}))"),
            29 => format!("$(echo ${name})"),
            30 => format!("${{@:{number}}}"),
            31 => format!("x{{{plain},${name}}}"),
            32 => format!("${{{name}@U}}"),
            33 => format!("${{!{name}[@]}}"),
            34 => "$#".to_owned(),
            _ => format!("${{{name}[@]:{number}}}"),
        };
        match self.random.below(2) {
            0 => format!("\"{text}\""),
            _ => text,
        }
    }

    /// A statement that stands in single quotes.
    fn inner(&mut self, depth: usize) -> String {
        let before = std::mem::replace(&mut self.quoted, true);
        let text = self.statement(depth).replace('\'', "");
        self.quoted = before;
        text
    }

    fn statement(&mut self, depth: usize) -> String {
        if depth > 0 && self.random.below(3) == 0 {
            return self.compound(depth - 1);
        }
        let (name, other) = (self.name(), self.name());
        let number = self.pick(NUMBERS);
        match self.random.below(42) {
            0..=5 => self.touch(),
            6..=9 => format!("{name}={}", self.word()),
            10 => format!("{name}+={}", self.word()),
            11 => format!("{name}=({} {})", self.word(), self.word()),
            12 => format!("{name}+=({})", self.word()),
            13 => format!("{name}[{number}]={}", self.word()),
            14 => format!("unset {name}"),
            15 => format!("unset '{name}[{}]'", self.random.below(2)),
            16 => format!("readonly {name}"),
            17 => format!("declare -i {name}={number}"),
            18 => format!("declare -u {name}={}", self.word()),
            19 => format!("declare -l {name}={}", self.word()),
            20 => format!("declare -A M=([k]={} [j]={})", self.word(), self.word()),
            21 => format!("declare -n R={name}"),
            22 => format!("R={}", self.word()),
            23 => format!("export {name}={}", self.word()),
            24 => format!("set -- {} {}", self.word(), self.word()),
            25 => format!("shift {}", self.random.below(3)),
            26 => format!("read {name} <<< {}", self.word()),
            27 => format!(
                "read -r {name} {other} <<< \"{} {}\"",
                self.random.below(9),
                self.name()
            ),
            28 => format!("IFS={}", self.pick(&[":", "''", "X", "' '", "/"])),
            29 => "unset IFS".to_owned(),
            30 => format!("mapfile -t {name} <<< {}", self.word()),
            31 => format!("printf -v {name} %s {}", self.word()),
            32 => format!("let {name}={number}"),
            33 => format!("(({name}={number}))"),
            34 => format!(": {}", self.expansion()),
            35 => format!(
                "cd {}",
                self.pick(&["d", "..", "nowhere", ".", "d/e", "-", "~"])
            ),
            36 => self
                .pick(&["pushd d", "popd", "pushd ..", "set -e", "set +e"])
                .to_owned(),
            37 => self
                .pick(&["return", "break", "continue", "true", "false", "exit"])
                .to_owned(),
            38 => format!("f {}", self.word()),
            39 => format!("{name}=$(echo {})", self.word()),
            40 => format!("echo {} > F; read {name} < F", self.word()),
            _ => format!("{name}={} touch {}", self.word(), self.word()),
        }
    }

    fn compound(&mut self, depth: usize) -> String {
        let name = self.name();
        let first = self.statement(depth);
        let second = self.statement(depth);
        match self.random.below(22) {
            0 => format!(
                "for {name} in {} {}; do {first}; {second}; done",
                self.word(),
                self.word()
            ),
            1 => format!("while read {name}; do {first}; done <<< {}", self.word()),
            2 => format!("if [ ${name} = a ]; then {first}; else {second}; fi"),
            3 => format!("if {first}; then {second}; fi"),
            4 => format!(
                "case ${name} in {}) {first};; *) {second};; esac",
                self.pick(PATTERNS)
            ),
            5 => format!("f() {{ {first}; {second}; }}; f {}", self.word()),
            6 => format!("f() {{ local {name}={}; {first}; }}; f", self.word()),
            7 => format!("( {first}; {second} )"),
            8 => format!("{{ {first}; {second}; }}"),
            9 | 10 => format!("{first} && {second}"),
            11 | 12 => format!("{first} || {second}"),
            13 => format!("! {first}"),
            14 if !self.quoted => format!("eval '{}'", self.inner(depth)),
            15 if !self.quoted => format!("trap '{}' EXIT", self.inner(depth)),
            16 if !self.quoted => format!("echo '{}' > s; . ./s", self.inner(depth)),
            17 if !self.quoted => format!(". /dev/stdin <<< '{}'", self.inner(depth)),
            18 => format!("{first} | {second}"),
            19 => format!("until {first}; do {second}; break; done"),
            20 => format!("f() {{ if [ ${name} ]; then {first}; return; fi; {second}; }}; f"),
            _ => format!(
                "for {name} in a b; do if [ ${name} = b ]; then {first}; break; fi; {second}; done"
            ),
        }
    }
}
