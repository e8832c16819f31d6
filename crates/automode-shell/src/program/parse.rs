//! A command line split into flags, their values and operands.
//!
//! It follows the style that the knowledge names and walks down the subcommands.
//! A flag that the knowledge lacks, and a word that may turn out to be a flag,
//! become gaps; nothing is dropped in silence. Where it is not certain whether a
//! flag takes the next word, the line has a reading for either case.

use super::table::{Choice, Command, Flag, Role, Style, Takes, known_program};
use crate::{Gap, GapKind, Value};

/// A command line as its program would see it.
#[derive(Debug)]
pub(super) struct Parsed {
    pub command: &'static Command,
    pub given: Vec<FlagUse>,
    pub operands: Vec<Operand>,
    /// How many operands stood before a `--`.
    pub end_of_flags: Option<usize>,
    /// It only prints something and ends.
    pub ends: bool,
    pub gaps: Vec<Gap>,
}

/// A flag with its values.
#[derive(Debug)]
pub(super) struct FlagUse {
    pub flag: Flag,
    pub values: Vec<Value>,
    /// What a flag takes beyond its values.
    pub rest: Vec<Value>,
    pub order: usize,
}

#[derive(Debug)]
pub(super) struct Operand {
    pub value: Value,
    pub order: usize,
}

/// Words that nearly every program understands where they stand alone.
const ENDS: &[&str] = &["--help", "--version"];

/// No word ends the program, or the one of this name, before code of the project ran:
/// `pytest --help` comes after its conftest files.
fn loads_first(command: &Command, program: &str) -> bool {
    command.ends.iter().any(|end| {
        let of = end.strip_prefix("nothing:");
        *end == "nothing" || of.is_some_and(|names| names.split('|').any(|name| name == program))
    })
}

/// More flags than this that may or may not take a word are a gap.
const UNCERTAIN: u32 = 3;

/// Every way in which the line may be read; never empty.
pub(super) fn readings(program: &str, command: &'static Command, words: &[Value]) -> Vec<Parsed> {
    let (first, uncertain) = parse(program, command, words, 0);
    let mut readings = vec![first];
    let mut most = uncertain;
    let mut choice: u32 = 1;
    while most > 0 && choice < (1 << most.min(UNCERTAIN)) {
        let (parsed, uncertain) = parse(program, command, words, choice);
        most = most.max(uncertain);
        readings.push(parsed);
        choice = choice.saturating_add(1);
    }
    if most > UNCERTAIN
        && let (Some(parsed), Some(word)) = (readings.first_mut(), words.first())
    {
        parsed.gaps.push(Gap {
            kind: GapKind::Argument {
                program: program.to_owned(),
                word: word.shown(),
            },
            span: word.span,
        });
    }
    readings
}

/// One reading: bit n of `choice` says whether the n-th uncertain flag takes a word.
fn parse(program: &str, command: &'static Command, words: &[Value], choice: u32) -> (Parsed, u32) {
    let mut parser = Parser {
        program,
        words,
        at: 0,
        open: true,
        first: true,
        choice,
        uncertain: 0,
        parsed: Parsed {
            command,
            given: Vec::new(),
            operands: Vec::new(),
            end_of_flags: None,
            ends: false,
            gaps: Vec::new(),
        },
    };
    while let Some(word) = parser.next() {
        parser.word(word);
        if parser.parsed.ends {
            break;
        }
    }
    (parser.parsed, parser.uncertain)
}

struct Parser<'a> {
    program: &'a str,
    words: &'a [Value],
    at: usize,
    /// Flags are still recognised.
    open: bool,
    /// No word of this command was seen yet.
    first: bool,
    choice: u32,
    /// How many uncertain flags were met.
    uncertain: u32,
    parsed: Parsed,
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<&'a Value> {
        let word = self.words.get(self.at)?;
        self.at = self.at.saturating_add(1);
        Some(word)
    }

    fn rest(&mut self) -> Vec<Value> {
        let rest = self.words.get(self.at..).unwrap_or_default().to_vec();
        self.at = self.words.len();
        rest
    }

    /// Whether no word follows the one that was taken.
    fn is_alone(&self) -> bool {
        self.at >= self.words.len()
    }

    fn word(&mut self, word: &'a Value) {
        let first = std::mem::replace(&mut self.first, false);
        let command = self.parsed.command;
        let prefix = word.prefix();
        if !self.open || command.style == Style::Plain {
            if self.parsed.end_of_flags.is_some() && may_be_option_after_all(command, &prefix) {
                self.unknown(word);
            }
            return self.operand(word);
        }
        let whole = word.literal();
        if let Some(text) = whole.as_deref() {
            let ends = ENDS.contains(&text) || command.ends.contains(&text);
            if first && self.is_alone() && ends && !loads_first(command, self.program) {
                self.parsed.ends = true;
                return;
            }
            if let Some(flag) = find(command, text) {
                return self.give(flag, None, word);
            }
            if text == "--" || text == "-" && command.style == Style::Shell {
                self.open = false;
                self.parsed.end_of_flags = Some(self.parsed.operands.len());
                return;
            }
        }
        let flag_like = prefix.len() > 1 && prefix.starts_with('-');
        match command.style {
            Style::Keys => self.key(word),
            Style::Bundle if first && !flag_like && whole.is_some() => self.bundle(word, 0),
            Style::Gnu | Style::Posix | Style::Shell | Style::Bundle
                if prefix.starts_with("--") =>
            {
                self.long(word)
            }
            Style::Gnu | Style::Posix | Style::Shell | Style::Bundle if flag_like => {
                self.short(word)
            }
            Style::Long | Style::LongPosix if flag_like => self.single_dash(word),
            Style::Gnu
            | Style::Posix
            | Style::Shell
            | Style::Bundle
            | Style::Long
            | Style::LongPosix
            | Style::Plain => {
                if let Some((flag, value)) = by_prefix(command, word) {
                    return self.give(flag, Some(value), word);
                }
                if (word.begins_unknown() || *prefix == *"-") && whole.is_none() {
                    self.may_be_flag(word);
                }
                self.operand(word);
            }
        }
    }

    /// A `key=value` word.
    fn key(&mut self, word: &Value) {
        let known = word.split_once('=').and_then(|(key, value)| {
            find(self.parsed.command, &format!("{key}=")).map(|flag| (flag, value))
        });
        match known {
            Some((flag, value)) => self.give(flag, Some(value), word),
            None if word.is_dynamic() => self.dynamic(word),
            None => self.unknown(word),
        }
    }

    /// `--name` or `--name=value`.
    fn long(&mut self, word: &Value) {
        let command = self.parsed.command;
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => match word.literal() {
                Some(name) => (name.into_owned(), None),
                None => return self.may_be_flag(word),
            },
        };
        if let Some(flag) = find(command, &name) {
            return self.give(flag, value, word);
        }
        match abbreviated(command, &name) {
            // The table may lack the very flag that is meant.
            Abbreviated::One(flag) => {
                self.unknown(word);
                self.give(flag, value, word);
            }
            Abbreviated::Several => self.unknown(word),
            Abbreviated::Nothing => self.unknown_or_prefix(word),
        }
    }

    /// `-x`, `-xyz`, `-ovalue`.
    fn short(&mut self, word: &Value) {
        if let Some((flag, value)) = by_prefix(self.parsed.command, word) {
            return self.give(flag, Some(value), word);
        }
        let numeric = word
            .literal()
            .is_some_and(|text| text.chars().skip(1).all(|c| c.is_ascii_digit()));
        match find(self.parsed.command, "-#") {
            Some(flag) if numeric => self.give(flag, Some(word.after(1)), word),
            Some(_) | None => self.bundle(word, 1),
        }
    }

    /// Letters that are each a flag, from this byte on.
    fn bundle(&mut self, word: &Value, from: usize) {
        let letters = word.prefix().into_owned();
        let command = self.parsed.command;
        let mut after_digits = from;
        for (at, letter) in letters.char_indices().filter(|(at, _)| *at >= from) {
            if at < after_digits {
                continue;
            }
            let Some(flag) = find(command, &format!("-{letter}")) else {
                return self.unknown(word);
            };
            let end = at.saturating_add(letter.len_utf8());
            let value = word.after(end);
            match flag.takes {
                Takes::Nothing => self.give(flag, None, word),
                Takes::Digits => {
                    after_digits = self.digits(flag, word, &letters, end);
                }
                Takes::Glued | Takes::Perhaps | Takes::Words | Takes::Rest | Takes::Until => {
                    // In a bundle without a dash, values are the words that follow.
                    if from == 0 {
                        self.give(flag, None, word);
                        continue;
                    }
                    let glued = (!value.pieces.is_empty()).then_some(value);
                    if glued.is_some()
                        && is_option_word(&letters)
                        && names_options_by_words(command)
                    {
                        self.unknown(word);
                    }
                    let open = matches!(flag.takes, Takes::Glued | Takes::Perhaps);
                    if open && self.goes_on(&letters, end) {
                        self.parsed.given.push(FlagUse {
                            flag,
                            values: Vec::new(),
                            rest: Vec::new(),
                            order: self.at,
                        });
                        continue;
                    }
                    return self.give(flag, glued, word);
                }
            }
        }
        if word.literal().is_none() {
            self.may_be_flag(word);
        }
    }

    /// Whether this reading takes the letters after a flag for more flags, where
    /// they may be its value as well: `-pie` of perl, `-Fl` of ls.
    fn goes_on(&mut self, letters: &str, from: usize) -> bool {
        let command = self.parsed.command;
        let rest = letters.get(from..).unwrap_or_default();
        let flags = |letter: char| find(command, &format!("-{letter}")).is_some();
        if rest.is_empty() || !rest.chars().all(flags) {
            return false;
        }
        let goes_on = self.choice.checked_shr(self.uncertain).unwrap_or(0) & 1 == 1;
        self.uncertain = self.uncertain.saturating_add(1);
        goes_on
    }

    /// A flag in a bundle that takes the digits after it; where the bundle goes on.
    fn digits(&mut self, flag: Flag, word: &Value, letters: &str, from: usize) -> usize {
        let rest = letters.get(from..).unwrap_or_default();
        let count = rest.chars().take_while(char::is_ascii_digit).count();
        // `-0x1f` is a number in other digits.
        if rest.starts_with(['x', 'X']) {
            self.unknown(word);
        }
        let value = Value::text(rest.get(..count).unwrap_or_default(), word.span);
        self.give(flag, Some(value), word);
        from.saturating_add(count)
    }

    /// `-name`, `--name`, `-name=value`.
    fn single_dash(&mut self, word: &Value) {
        let command = self.parsed.command;
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => match word.literal() {
                Some(name) => (name.into_owned(), None),
                None => match by_prefix(command, word) {
                    Some((flag, value)) => return self.give(flag, Some(value), word),
                    None => return self.may_be_flag(word),
                },
            },
        };
        let twin = match name.strip_prefix("--") {
            Some(bare) => format!("-{bare}"),
            None => format!("-{name}"),
        };
        match find(command, &name).or_else(|| find(command, &twin)) {
            Some(flag) => self.give(flag, value, word),
            None => self.unknown_or_prefix(word),
        }
    }

    /// Records a flag and takes its values.
    fn give(&mut self, flag: Flag, glued: Option<Value>, word: &Value) {
        let order = self.at;
        let mut given = FlagUse {
            flag,
            values: Vec::new(),
            rest: Vec::new(),
            order,
        };
        match (flag.takes, glued) {
            (Takes::Nothing, Some(value)) => match value.literal().as_deref() {
                Some("false" | "no" | "0" | "off") => return,
                Some("true" | "yes" | "1" | "on") => {}
                Some(_) => self.unknown(word),
                None => self.dynamic(word),
            },
            (Takes::Nothing | Takes::Glued | Takes::Digits, None) => {}
            (Takes::Glued | Takes::Digits | Takes::Perhaps, Some(value)) => {
                given.values.push(value);
            }
            (takes, None) if takes == Takes::Perhaps || self.may_begin_command(flag) => {
                let takes = self.choice.checked_shr(self.uncertain).unwrap_or(0) & 1 == 1;
                self.uncertain = self.uncertain.saturating_add(1);
                if takes {
                    given.values.extend(self.next().cloned());
                }
            }
            (Takes::Perhaps | Takes::Words | Takes::Rest, glued) => {
                let fixed = match flag.takes {
                    Takes::Rest => flag.values.len().saturating_sub(1),
                    Takes::Nothing
                    | Takes::Glued
                    | Takes::Digits
                    | Takes::Perhaps
                    | Takes::Words
                    | Takes::Until => flag.values.len(),
                };
                let mut words: Vec<Value> = glued.into_iter().collect();
                while words.len() < fixed {
                    let Some(word) = self.next() else { break };
                    words.push(word.clone());
                }
                // `-mpip install x`: where everything that is left belongs to one place,
                // it begins with what is glued on.
                given.rest = words.split_off(fixed.min(words.len()));
                given.values = words;
                if flag.takes == Takes::Rest {
                    given.rest.extend(self.rest());
                }
            }
            (Takes::Until, glued) => {
                given.rest = glued.into_iter().chain(self.until()).collect();
            }
        }
        self.parsed.given.push(given);
    }

    /// Whether the word that an option takes may be the command itself: it names a program,
    /// this program runs its words, and nothing speaks of the option but the table, which
    /// may be wrong about it: `perf stat -d rm x`.
    fn may_begin_command(&self, flag: Flag) -> bool {
        let idle = |choice: &Choice| choice.roles == [Role::None];
        let names_program = |before: usize| {
            let at = self.at.saturating_add(before);
            let word = self.words.get(at).and_then(Value::literal);
            word.is_some_and(|word| {
                let (folder, name) = word.rsplit_once('/').unwrap_or(("", &word));
                let named = folder.is_empty() || folder.ends_with("bin");
                named && known_program(name).is_some()
            })
        };
        flag.takes == Takes::Words
            && flag.values.len() == 1
            && flag.values.iter().copied().flatten().all(idle)
            && words_before_command(self.parsed.command).is_some_and(names_program)
    }

    /// The words up to a `;`, or a `+` right after `{}`.
    fn until(&mut self) -> Vec<Value> {
        let mut words: Vec<Value> = Vec::new();
        while let Some(word) = self.next() {
            let after_item = words.last().is_some_and(|last| is(last, "{}"));
            if is(word, ";") || (after_item && is(word, "+")) {
                break;
            }
            words.push(word.clone());
        }
        words
    }

    fn operand(&mut self, word: &'a Value) {
        let command = self.parsed.command;
        let wants_sub = self.parsed.operands.is_empty()
            && !(command.subs.is_empty() && command.patterns.is_empty());
        if wants_sub {
            match word.literal() {
                Some(name) if self.is_alone() && command.ends.contains(&&*name) => {
                    self.parsed.ends = true;
                    return;
                }
                Some(name) => match child(command, &name) {
                    Some(sub) => {
                        self.parsed.command = sub;
                        self.first = true;
                        self.open = true;
                        return;
                    }
                    None if command.operands.is_none() => self.unknown(word),
                    None => {}
                },
                None => self.dynamic(word),
            }
        }
        if matches!(
            command.style,
            Style::Posix | Style::Shell | Style::LongPosix
        ) {
            self.open = false;
        }
        self.parsed.operands.push(Operand {
            value: word.clone(),
            order: self.at,
        });
    }

    fn unknown_or_prefix(&mut self, word: &Value) {
        match by_prefix(self.parsed.command, word) {
            Some((flag, value)) => self.give(flag, Some(value), word),
            None => self.unknown(word),
        }
    }

    fn unknown(&mut self, word: &Value) {
        let kind = GapKind::Argument {
            program: self.program.to_owned(),
            word: word.shown(),
        };
        self.gap(kind, word);
    }

    /// A word that may be a flag; it matters where a flag changes the meaning.
    fn may_be_flag(&mut self, word: &Value) {
        let command = self.parsed.command;
        if !command.dynamic_options_are_inert {
            self.dynamic(word);
        }
    }

    fn dynamic(&mut self, word: &Value) {
        let kind = GapKind::DynamicWord {
            program: self.program.to_owned(),
            word: word.shown(),
        };
        self.gap(kind, word);
    }

    fn gap(&mut self, kind: GapKind, word: &Value) {
        let gap = Gap {
            kind,
            span: word.span,
        };
        if self.parsed.gaps.last() != Some(&gap) {
            self.parsed.gaps.push(gap);
        }
    }
}

fn find(command: &Command, name: &str) -> Option<Flag> {
    command.flags.find(name)
}

/// Whether the table lists options that are words behind one dash, such as `-output`.
/// Then a word that it lacks may be one as well, and is no bundle for certain:
/// `gosec -out x` writes `x`, where `sort -out x` writes `ut`.
fn names_options_by_words(command: &Command) -> bool {
    command.flags.iter().any(|(name, _)| is_option_word(name))
}

/// Whether a word after `--` may be an option all the same: programs whose options are words
/// behind one dash mostly read them themselves, and many of those know no `--`.
fn may_be_option_after_all(command: &Command, word: &str) -> bool {
    matches!(command.style, Style::Long) && word.len() > 1 && word.starts_with('-')
}

/// `-output` and `-out=x`, but neither `-vvv` nor `-l16`.
fn is_option_word(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    let Some(word) = name.strip_prefix('-') else {
        return false;
    };
    let first = word.chars().next();
    word.len() > 2
        && first != Some('-')
        && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
        && word.chars().any(|c| Some(c) != first)
}

/// How many operands stand before the command line that a program runs, if it runs one:
/// `timeout 5 make`.
pub(super) fn words_before_command(command: &Command) -> Option<usize> {
    let runs = |choice: &Choice| {
        let command = |role: &Role| matches!(role, Role::Command | Role::Each);
        choice.roles.iter().any(command)
    };
    command
        .operands?
        .iter()
        .position(|choices| choices.iter().any(runs))
}

/// What a long flag that is not in the table may be short for.
enum Abbreviated {
    Nothing,
    One(Flag),
    Several,
}

fn abbreviated(command: &Command, name: &str) -> Abbreviated {
    let mut fits = command
        .flags
        .iter()
        .filter(|(spelling, _)| name.len() > 2 && spelling.starts_with(name));
    let Some((_, flag)) = fits.next() else {
        return Abbreviated::Nothing;
    };
    if fits.all(|(_, other)| other.id == flag.id) {
        Abbreviated::One(flag)
    } else {
        Abbreviated::Several
    }
}

fn by_prefix(command: &Command, word: &Value) -> Option<(Flag, Value)> {
    let prefix = word.prefix();
    command
        .prefixes
        .iter()
        .find(|(start, _)| prefix.starts_with(start))
        .map(|(start, flag)| (flag, word.after(start.len())))
}

fn child(command: &Command, name: &str) -> Option<&'static Command> {
    if let Ok(at) = command.subs.binary_search_by(|(sub, _)| (*sub).cmp(name)) {
        return command.subs.get(at).map(|(_, sub)| *sub);
    }
    command
        .patterns
        .iter()
        .find(|(pattern, _)| fits(pattern, name))
        .map(|(_, sub)| *sub)
}

/// Whether a pattern matches a whole text; each `*` in it stands for anything.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut left) = text.strip_prefix(start) else {
        return false;
    };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        match left.split_once(part) {
            Some((_, after)) => left = after,
            None => return false,
        }
    }
    left.ends_with(end)
}

fn is(word: &Value, text: &str) -> bool {
    word.literal().as_deref() == Some(text)
}
