//! Commands that are started with items: words of the input, lines of a list,
//! files of a search.
//!
//! A [`Feed`] says how the input is cut into items, where they go and how many
//! go at a time. Every start that follows is named; where the cut is not known
//! the items are not either, and stay data: nothing is guessed from their spelling.

use super::meaning::Meaning;
use super::nested::replace_item;
use super::{Nested, NestedStdin};
use crate::place::taint_of_input;
use crate::{DynamicSource, Piece, Stdin, Taint, Target, Value};

/// More starts than this count as one with an item that is unknown.
const STARTS: usize = 64;

/// How a program cuts what it reads into items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Split {
    /// At blanks and newlines; quotes and backslashes hide them. As `xargs` does.
    Words,
    /// At newlines, without the blanks in front; quotes count: `xargs -I{}`.
    QuotedLines,
    /// At newlines, to the letter: `parallel`, `entr`.
    Lines,
    /// At this character, to the letter: `xargs -d,`, `xargs -0`.
    At(char),
    Unknown,
}

/// Where an item goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    /// Behind the words that were given.
    Appended,
    /// In place of a mark, also inside a word: `-I{}`.
    Marked(String),
    /// In place of a word that is the mark: `-J%`.
    Spliced(String),
}

/// How many items go into one start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Batch {
    All,
    /// At most so many.
    Items(usize),
    /// The items of so many lines.
    Lines(usize),
}

/// How a program starts commands with items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Feed {
    pub(super) split: Split,
    pub(super) placement: Placement,
    pub(super) batch: Batch,
}

/// One start that follows from an item.
pub(super) struct ItemStart {
    pub(super) argv: Vec<Value>,
    /// A directory of its own, which nobody knows: `find -execdir`.
    pub(super) elsewhere: bool,
}

impl Meaning<'_> {
    /// A command that is run with items of the input: `xargs`.
    pub(super) fn each(&mut self, words: &[Value]) {
        let feed = self.feed();
        let starts = match self.batches(&feed) {
            Some(batches) => batches,
            None => vec![vec![self.unknown_item(&feed.placement)]],
        };
        for items in starts {
            let argv = feed.placement.place(words, &items);
            self.out.runs.push(Nested::Command {
                argv,
                env: self.env.clone(),
                cwd: self.cwd_flag(),
                stdin: NestedStdin::Empty,
                layer: self.wrapper(),
            });
        }
    }

    /// What the flags of `xargs` say.
    fn feed(&self) -> Feed {
        let replaces = self.has("-I") || self.has("-i") || self.has("--replace");
        let mark = self.placeholder.clone();
        let placement = match mark {
            Some(mark) if self.has("-J") => Placement::Spliced(mark),
            Some(mark) => Placement::Marked(mark),
            None if replaces => Placement::Marked("{}".to_owned()),
            None => Placement::Appended,
        };
        let split = if self.has("-0") || self.has("--null") {
            Split::At('\0')
        } else if self.has("-d") || self.has("--delimiter") {
            let value = self.flag_text(&["-d", "--delimiter"]);
            value
                .as_deref()
                .and_then(delimiter)
                .map_or(Split::Unknown, Split::At)
        } else if matches!(placement, Placement::Marked(_)) {
            Split::QuotedLines
        } else {
            Split::Words
        };
        let number = |flags: &[&str]| self.flag_text(flags).and_then(|text| text.parse().ok());
        let counted = self.has("-n") || self.has("--max-args");
        let lined = self.has("-L") || self.has("-l") || self.has("--max-lines");
        let batch = match &placement {
            Placement::Marked(_) => Batch::Items(1),
            Placement::Appended | Placement::Spliced(_) if counted => {
                number(&["-n", "--max-args"]).map_or(Batch::Items(1), Batch::Items)
            }
            Placement::Appended | Placement::Spliced(_) if lined => {
                number(&["-L", "--max-lines"]).map_or(Batch::Lines(1), Batch::Lines)
            }
            Placement::Appended | Placement::Spliced(_) => Batch::All,
        };
        Feed {
            split,
            placement,
            batch,
        }
    }

    /// The items of each start, where the input is known.
    fn batches(&self, feed: &Feed) -> Option<Vec<Vec<Value>>> {
        let lines = self.lines(feed.split)?;
        let all: Vec<Value> = lines.iter().flatten().cloned().collect();
        let batches: Vec<Vec<Value>> = match feed.batch {
            // Without an item it still runs once, unless it is told not to.
            Batch::All => vec![all],
            Batch::Items(0) | Batch::Lines(0) => return None,
            Batch::Items(most) => all.chunks(most).map(<[Value]>::to_vec).collect(),
            Batch::Lines(most) => lines.chunks(most).map(<[Vec<Value>]>::concat).collect(),
        };
        match batches.len() {
            0 => Some(vec![Vec::new()]),
            1..=STARTS => Some(batches),
            _ => None,
        }
    }

    /// The items of the input, line by line.
    fn lines(&self, split: Split) -> Option<Vec<Vec<Value>>> {
        let Stdin::Text(value) = &self.invocation.stdin else {
            return None;
        };
        if self.has("-a") {
            return None;
        }
        let span = self.invocation.span;
        let text = value.literal()?;
        let lines = cut(&text, split)?;
        let words = |line: Vec<String>| {
            line.into_iter()
                .map(|word| Value::text(word, span))
                .collect()
        };
        Some(lines.into_iter().map(words).collect())
    }

    /// An item of which only the marks are known.
    fn unknown_item(&self, placement: &Placement) -> Value {
        if let Some(names) = self.listed_names() {
            return match placement {
                Placement::Marked(_) => names.member(),
                Placement::Appended | Placement::Spliced(_) => names,
            };
        }
        let item = Value::dynamic(DynamicSource::Item, self.item_marks(), self.invocation.span);
        Value {
            may_split: !matches!(placement, Placement::Marked(_)),
            ..item
        }
    }

    /// The names that a listing feeds in; cut elsewhere than between them they are data.
    fn listed_names(&self) -> Option<Value> {
        let whole = match self.feed().split {
            Split::Words | Split::QuotedLines | Split::Lines | Split::At('\n' | '\0') => true,
            Split::At(_) | Split::Unknown => false,
        };
        match &self.invocation.stdin {
            Stdin::Text(value) if whole && !self.has("-a") => value.lines_match(),
            Stdin::Text(_) | Stdin::Inherited | Stdin::File(_) | Stdin::Pipe(_) => None,
        }
    }

    fn item_marks(&self) -> Taint {
        if self.has("-a") {
            return Taint::UNKNOWN;
        }
        taint_of_input(&self.invocation.stdin, Taint::UNKNOWN)
    }

    /// A command line that is run through a shell with items: `parallel`.
    pub(super) fn each_shell(&mut self, words: &[Value]) {
        let is_mark = |word: &Value| {
            let text = word.literal();
            text.is_some_and(|text| matches!(&*text, ":::" | ":::+" | "::::" | "::::+"))
        };
        let mark_at = words.iter().position(is_mark);
        let command = words
            .get(..mark_at.unwrap_or(words.len()))
            .unwrap_or_default();
        let shown = Value::join(command).shown();
        if shown.contains("{=") {
            self.unseen(
                "perl code in a placeholder".to_owned(),
                self.invocation.span,
            );
        }
        let feeds_input = ["--pipe", "--pipepart", "--spreadstdin"];
        if !command.is_empty() && feeds_input.iter().any(|flag| self.has(flag)) {
            return self.shell(Value::join(command), &[]);
        }
        let items = match mark_at {
            Some(at) => self.listed_items(words.get(at..).unwrap_or_default()),
            None => self.line_items(),
        };
        let items =
            items.unwrap_or_else(|| vec![self.unknown_item(&Placement::Marked(String::new()))]);
        for item in items {
            self.shell(
                command_line(command, &item, self.placeholder.as_deref()),
                &[],
            );
        }
    }

    /// The words behind `:::`; where there are several lists, or files, nobody can say
    /// which word stands for which mark.
    fn listed_items(&self, words: &[Value]) -> Option<Vec<Value>> {
        let (mark, items) = words.split_first()?;
        let listed = mark.literal().as_deref() == Some(":::");
        let plain = |word: &Value| !word.shown().starts_with(":::");
        let known = listed && !self.regroups() && items.iter().all(plain) && items.len() <= STARTS;
        known.then(|| items.to_vec())
    }

    fn line_items(&self) -> Option<Vec<Value>> {
        let lines = self.lines(Split::Lines).filter(|_| !self.regroups())?;
        let items: Vec<Value> = lines.into_iter().flatten().collect();
        (items.len() <= STARTS).then_some(items)
    }

    /// Whether a flag cuts or gathers items in another way.
    fn regroups(&self) -> bool {
        [
            "-0", "-d", "-n", "-N", "-L", "-X", "-m", "--xargs", "--colsep", "-C", "--plus",
            "--rpl",
        ]
        .iter()
        .any(|flag| self.has(flag))
    }

    /// The starts of a command, one for each place that is searched: `{}` stands for
    /// files below it.
    pub(super) fn for_each_start(&self, argv: &[Value]) -> Vec<ItemStart> {
        let mut argv = argv.to_vec();
        // What a search starts with: fd has its pattern in front of the places.
        let skip = match self.program {
            "find" | "gfind" | "bfs" => 0,
            "fd" | "fdfind" => 1,
            "entr" => return vec![self.changed_file(argv)],
            _ => {
                return vec![ItemStart {
                    argv,
                    elsewhere: false,
                }];
            }
        };
        let has_item = argv.iter().any(|word| word.shown().contains('{'));
        if skip == 1 && !has_item {
            argv.push(Value::text("{}", self.invocation.span));
        }
        let named = |word: &Value| {
            let text = word.literal();
            text.is_some_and(|text| matches!(&*text, "-execdir" | "-okdir"))
        };
        let elsewhere = skip == 0 && self.invocation.argv.iter().any(named);
        self.searched(skip)
            .iter()
            .flat_map(|place| {
                let itself = self.finds_itself(place).then(|| place.pieces.clone());
                itself.into_iter().chain([self.found_below(place)])
            })
            .map(|item| ItemStart {
                argv: argv
                    .iter()
                    .map(|word| self.with_found(word, &item, elsewhere))
                    .collect(),
                elsewhere,
            })
            .collect()
    }

    /// The places that a search starts at.
    fn searched(&self, skip: usize) -> Vec<Value> {
        let operands = self.parsed.operands.iter().skip(skip);
        let places: Vec<Value> = operands.map(|operand| operand.value.clone()).collect();
        match places.len() {
            0 => vec![Value::text(".", self.invocation.span)],
            1..=STARTS => places,
            _ => vec![Value::dynamic(
                DynamicSource::Item,
                Taint::UNKNOWN,
                self.invocation.span,
            )],
        }
    }

    /// A word with a found file in place of its marks.
    fn with_found(&self, word: &Value, item: &[Piece], elsewhere: bool) -> Value {
        let shown = word.shown();
        if elsewhere && shown.contains("{}") {
            return self.found_elsewhere(word, item);
        }
        // The name alone is one of the directory that the command runs in.
        let name = [Piece::Glob("*".to_owned())];
        let folder = [Piece::Dynamic(crate::Dynamic {
            source: DynamicSource::Item,
            taint: Taint::NONE,
        })];
        let marks: [(&str, &[Piece]); 5] = [
            ("{}", item),
            ("{.}", item),
            ("{/}", &name),
            ("{/.}", &name),
            ("{//}", &folder),
        ];
        marks.iter().fold(word.clone(), |word, (mark, item)| {
            replace_item(&word, mark, item)
        })
    }

    /// `find a -execdir rm {} ;`: the name as seen from its own directory.
    fn found_elsewhere(&self, word: &Value, item: &[Piece]) -> Value {
        let found = Value {
            pieces: item.to_vec(),
            ..word.clone()
        };
        let target = Target::locate(&found, self.invocation.cwd.as_deref());
        let alone = matches!(word.literal().as_deref(), Some("{}" | "./{}"));
        match target.extent {
            crate::Extent::Exact if alone => Value::text(target.path, word.span),
            crate::Extent::Pattern if alone => Value {
                pieces: vec![Piece::Glob(target.path)],
                ..word.clone()
            },
            crate::Extent::Exact
            | crate::Extent::Pattern
            | crate::Extent::Below
            | crate::Extent::Prefix
            | crate::Extent::Unknown => Value::dynamic(DynamicSource::Item, Taint::NONE, word.span),
        }
    }

    /// `ls | entr rm /_`: a file of the list that has changed.
    fn changed_file(&self, argv: Vec<Value>) -> ItemStart {
        let item = self.unknown_item(&Placement::Marked("/_".to_owned()));
        let argv = argv
            .into_iter()
            .map(|word| match word.literal().as_deref() {
                Some("/_") => item.clone(),
                Some(_) | None => word,
            })
            .collect();
        ItemStart {
            argv,
            elsewhere: false,
        }
    }

    /// The directory in which `git submodule foreach` runs its command.
    pub(super) fn nested_directory(&self) -> Option<Value> {
        let walks = |word: &Value| word.literal().as_deref() == Some("foreach");
        if self.program == "git" && self.invocation.argv.iter().any(walks) {
            let span = self.invocation.span;
            return Some(Value::dynamic(DynamicSource::Item, Taint::NONE, span));
        }
        self.cwd_flag()
    }
}

impl Placement {
    /// The words of one start.
    fn place(&self, words: &[Value], items: &[Value]) -> Vec<Value> {
        match self {
            Self::Appended => words.iter().chain(items).cloned().collect(),
            Self::Marked(mark) => {
                let item: Vec<Piece> = Value::join(items).pieces;
                words
                    .iter()
                    .map(|word| replace_item(word, mark, &item))
                    .collect()
            }
            Self::Spliced(mark) => words
                .iter()
                .flat_map(|word| match word.literal().as_deref() == Some(mark) {
                    true => items.to_vec(),
                    false => vec![word.clone()],
                })
                .collect(),
        }
    }
}

/// The line that `parallel` hands to a shell: it quotes what it puts in.
fn command_line(command: &[Value], item: &Value, mark: Option<&str>) -> Value {
    if command.is_empty() {
        return item.clone();
    }
    const MARKS: [&str; 7] = ["{}", "{.}", "{/}", "{//}", "{/.}", "{1}", "{2}"];
    let plain = |text: &str| {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
        !text.is_empty() && text.bytes().all(letter)
    };
    let quoted = match item.literal() {
        Some(text) if plain(&text) => item.pieces.clone(),
        Some(text) => vec![Piece::Text(format!("'{}'", text.replace('\'', "'\\''")))],
        None => item.pieces.clone(),
    };
    let mut line = Value::join(command);
    let typed = line.shown();
    let mut placed = false;
    for mark in MARKS.into_iter().chain(mark) {
        placed |= typed.contains(mark);
        line = replace_item(&line, mark, &quoted);
    }
    if placed {
        return line;
    }
    let item = Value {
        pieces: quoted,
        ..item.clone()
    };
    Value::join(&[line, item])
}

/// The items of a text, line by line.
fn cut(text: &str, split: Split) -> Option<Vec<Vec<String>>> {
    match split {
        Split::Unknown => None,
        Split::Lines => Some(text.lines().map(|line| vec![line.to_owned()]).collect()),
        Split::At(mark) => {
            let text = text.strip_suffix(mark).unwrap_or(text);
            Some(text.split(mark).map(|item| vec![item.to_owned()]).collect())
        }
        Split::QuotedLines => {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            lines
                .map(|line| whole_line(line.trim_start_matches([' ', '\t'])))
                .map(|line| line.map(|line| vec![line]))
                .collect()
        }
        // A blank at the end of a line joins it to the next, for `-L`.
        Split::Words if text.lines().any(|line| line.ends_with([' ', '\t'])) => None,
        Split::Words => {
            let lines = text.lines().map(quoted_words);
            let lines: Vec<Vec<String>> = lines.collect::<Option<_>>()?;
            Some(lines.into_iter().filter(|line| !line.is_empty()).collect())
        }
    }
}

/// A line without its quotes and backslashes.
fn whole_line(line: &str) -> Option<String> {
    let words = quoted_parts(line, |_| false)?;
    Some(words.concat())
}

/// The words of a line as `xargs` reads them: `echo "'a b' c" | xargs -n1`.
fn quoted_words(line: &str) -> Option<Vec<String>> {
    quoted_parts(line, |character| matches!(character, ' ' | '\t'))
}

fn quoted_parts(line: &str, separates: impl Fn(char) -> bool) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    // Without its end the rest of the input would belong to it.
                    match letters.next()? {
                        end if end == letter => break,
                        inside => word.push(inside),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(letters.next()?),
            _ if separates(letter) => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Some(words)
}

/// The character that `-d` names.
fn delimiter(text: &str) -> Option<char> {
    let mut letters = text.chars();
    match (letters.next()?, letters.as_str()) {
        (letter, "") if letter != '\\' => Some(letter),
        ('\\', "n") => Some('\n'),
        ('\\', "t") => Some('\t'),
        ('\\', "0") => Some('\0'),
        ('\\', "\\") => Some('\\'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_is_cut_as_the_program_cuts_it() {
        let check = |text: &str, split: Split, expected: Option<&[&[&str]]>| {
            let expected: Option<Vec<Vec<String>>> = expected.map(|lines| {
                let line = |words: &&[&str]| words.iter().map(|word| (*word).to_owned()).collect();
                lines.iter().map(line).collect()
            });
            assert_eq!(cut(text, split), expected, "{text:?} {split:?}");
        };
        check("a b\nc\n", Split::Words, Some(&[&["a", "b"], &["c"]]));
        check(
            "'a b' \"c d\" e\\ f\n",
            Split::Words,
            Some(&[&["a b", "c d", "e f"]]),
        );
        check("''\n", Split::Words, Some(&[&[""]]));
        check("'a\nb'\n", Split::Words, None);
        check("a \nb\n", Split::Words, None);
        check(
            "  a b\n\nc\n",
            Split::QuotedLines,
            Some(&[&["a b"], &["c"]]),
        );
        check("x,/", Split::At(','), Some(&[&["x"], &["/"]]));
        check("a b\n'c\n", Split::Lines, Some(&[&["a b"], &["'c"]]));
        check("a", Split::Unknown, None);
    }

    #[test]
    fn a_delimiter_is_one_character() {
        let check =
            |text: &str, expected: Option<char>| assert_eq!(delimiter(text), expected, "{text}");
        check(",", Some(','));
        check("\\n", Some('\n'));
        check("\\x2c", None);
        check("ab", None);
        check("", None);
    }
}
