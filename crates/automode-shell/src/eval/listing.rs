//! Output that is names of files, one a line: listings, and what passes them on.
//!
//! `git ls-files | head | xargs wc -l` reads whatever the listing names. The
//! names are not known, but what they match is: they lie below the places that
//! were searched. Such output is a text whose one line is a pattern, and a set
//! stays a set wherever it goes. Only spellings that are listed here count: any
//! other option may print something else.

use super::output::CommandOutput;
use crate::ir::{Invocation, Piece, Span, Stdin, Taint, Value};
use crate::place::Secret;

/// Options of one program, by what follows them.
struct ListingOptions {
    /// They stand alone.
    alone: &'static [&'static str],
    /// The next word is theirs.
    valued: &'static [&'static str],
    /// They begin so, with their value behind.
    glued: &'static [&'static str],
}

const FIND: ListingOptions = ListingOptions {
    alone: &[
        "-print",
        "-print0",
        "-empty",
        "-executable",
        "-readable",
        "-xdev",
        "-depth",
        "-follow",
        "-daystart",
        "-prune",
        "-not",
        "!",
        "-o",
        "-or",
        "-a",
        "-and",
        "(",
        ")",
    ],
    valued: &[
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-wholename",
        "-type",
        "-maxdepth",
        "-mindepth",
        "-size",
        "-mtime",
        "-mmin",
        "-atime",
        "-amin",
        "-ctime",
        "-cmin",
        "-group",
        "-links",
        "-fstype",
        "-newer",
        "-newermt",
        "-regex",
        "-iregex",
        "-regextype",
        "-user",
        "-perm",
    ],
    glued: &[],
};

const RIPGREP: ListingOptions = ListingOptions {
    alone: &[
        "-l",
        "--files",
        "--files-with-matches",
        "-i",
        "-w",
        "-F",
        "-s",
        "-S",
        "-x",
        "--no-messages",
        "--sort-files",
        "-0",
        "--null",
    ],
    valued: &[
        "-g",
        "--glob",
        "-t",
        "--type",
        "-T",
        "--type-not",
        "-e",
        "--regexp",
        "--sort",
        "-d",
        "--max-depth",
        "-m",
        "--max-count",
        "-j",
    ],
    glued: &[
        "--glob=",
        "--type=",
        "--sort=",
        "--max-depth=",
        "--max-count=",
        "-t",
        "-g",
    ],
};

const GREP: ListingOptions = ListingOptions {
    alone: &["--files-with-matches", "--recursive", "-Z", "--null"],
    valued: &["-e", "--regexp"],
    glued: &["--include=", "--exclude=", "--exclude-dir=", "--color="],
};

const FD: ListingOptions = ListingOptions {
    alone: &[
        "-i",
        "-s",
        "-g",
        "--glob",
        "-F",
        "-p",
        "-0",
        "--print0",
        "-1",
        "-H",
        "--hidden",
        "-I",
        "--no-ignore",
        "-HI",
        "-u",
        "--unrestricted",
    ],
    valued: &[
        "-e",
        "--extension",
        "-t",
        "--type",
        "-d",
        "--max-depth",
        "-E",
        "--exclude",
        "--max-results",
        "--changed-within",
        "--changed-before",
    ],
    glued: &[
        "-e",
        "-t",
        "-d",
        "--extension=",
        "--type=",
        "--max-depth=",
        "--exclude=",
    ],
};

const LS_FILES: ListingOptions = ListingOptions {
    alone: &[
        "-z",
        "-m",
        "--modified",
        "-c",
        "--cached",
        "-d",
        "--deleted",
        "--exclude-standard",
        "--full-name",
    ],
    valued: &[],
    glued: &[],
};

const DIFF: ListingOptions = ListingOptions {
    alone: &[
        "--name-only",
        "--cached",
        "--staged",
        "-z",
        "--relative",
        "-M",
        "-w",
        "--merge-base",
    ],
    valued: &[],
    glued: &["--diff-filter="],
};

/// What a program prints where that is names of files.
pub(super) fn names(
    invocation: &Invocation,
    context: &crate::ir::Context,
) -> Option<CommandOutput> {
    // A pattern that the shell expands stands for names that it matches.
    let text = |word: &Value| (!word.is_dynamic()).then(|| word.shown());
    let words: Vec<String> = invocation.argv.iter().map(text).collect::<Option<_>>()?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (program, words) = words.split_first()?;
    let pattern = match *program {
        "find" => found(words)?,
        "fd" | "fdfind" => below(operands(words, &FD)?.get(1..).unwrap_or_default())?,
        "rg" => ripgrep(words)?,
        "grep" | "egrep" | "fgrep" => grep(words)?,
        "ls" => listed(words)?,
        "git" => git(words)?,
        _ => return None,
    };
    let seeks_secret = |word: &&str| seeks_secret(word, invocation, context);
    let is_harmless = !words.iter().any(seeks_secret);
    is_harmless.then(|| listing(&pattern, invocation.span))
}

/// Lines that match a pattern.
fn listing(pattern: &str, span: Span) -> CommandOutput {
    let cut = pattern.find('*').unwrap_or(pattern.len());
    let (folder, pattern) = pattern.split_at_checked(cut).unwrap_or(("", pattern));
    let mut value = Value::text(folder, span);
    value.pieces.push(Piece::Glob(pattern.to_owned()));
    value.pieces.push(Piece::Text("\n".to_owned()));
    let mut output = CommandOutput::text(value);
    output.taint = output.taint.with(Taint::LOCAL);
    output
}

/// The names in what a program reads, where it is nothing else.
pub(super) fn names_in(stdin: &Stdin) -> Option<Value> {
    let Stdin::Text(value) = stdin else {
        return None;
    };
    value.lines_match().map(Value::member)
}

/// Scripts of `sed` that take the directory itself off a name.
const HERE: &[&str] = &[
    r"s|^\./||",
    r"s/^\.\///",
    r"s#^\./##",
    r"s,^\./,,",
    r"s@^\./@@",
    r"s:^\./::",
    r"s!^\./!!",
];

/// What a program hands on of the names that it reads.
pub(super) fn filtered(
    invocation: &Invocation,
    context: &crate::ir::Context,
) -> Option<CommandOutput> {
    let names = names_in(&invocation.stdin)?;
    let words: Vec<_> = invocation
        .argv
        .iter()
        .map(Value::literal)
        .collect::<Option<_>>()?;
    let (program, words) = words.split_first()?;
    let letters = |word: &str, known: &str| {
        word.strip_prefix('-').is_some_and(|letters| {
            !letters.is_empty() && letters.chars().all(|one| known.contains(one))
        })
    };
    let number = |word: &str| {
        word.strip_prefix(['-', '+'])
            .unwrap_or(word)
            .parse::<u32>()
            .is_ok()
    };
    let passes = match program.as_ref() {
        "head" | "tail" => words
            .iter()
            .all(|word| number(word) || word == "-n" || glued_count(word)),
        "sort" => words.iter().all(|word| letters(word, "runfzVhd")),
        "uniq" | "cat" | "tac" | "shuf" => words.is_empty(),
        // `./x` is `x`.
        "sed" => matches!(words, [script] if HERE.contains(&script.as_ref())),
        "tr" => matches!(words, [from, to] if from == "\\n" && matches!(to.as_ref(), " " | "\\0")),
        "grep" | "egrep" | "fgrep" => {
            let (flags, patterns): (Vec<_>, Vec<_>) =
                words.iter().partition(|word| word.starts_with('-'));
            flags.iter().all(|word| letters(word, "vEFGPiwxeaz")) && patterns.len() == 1
        }
        _ => false,
    };
    let seeks_secret = |word: &std::borrow::Cow<'_, str>| seeks_secret(word, invocation, context);
    if !passes || words.iter().any(seeks_secret) {
        return None;
    }
    let mut value = names;
    value.pieces.push(Piece::Text("\n".to_owned()));
    let mut output = CommandOutput::text(value);
    output.taint = output.taint.with(Taint::LOCAL);
    Some(output)
}

fn glued_count(word: &str) -> bool {
    word.strip_prefix("-n").is_some_and(|count| {
        let count = count.strip_prefix(['+', '-']).unwrap_or(count);
        count.parse::<u32>().is_ok()
    })
}

/// Names in the directory, or of what is named below it: a folder among them is gone through.
fn listed(words: &[&str]) -> Option<String> {
    let fine = |word: &&str| match word.strip_prefix('-') {
        Some(letters) => {
            !letters.is_empty()
                && letters
                    .chars()
                    .all(|letter| "1trSdUvcupNR".contains(letter))
        }
        None if matches!(*word, "." | "./") => true,
        None => {
            !word.is_empty()
                && !word.starts_with(['/', '~'])
                && !word.split('/').any(|part| part.starts_with('.'))
        }
    };
    words.iter().all(fine).then(|| "**".to_owned())
}

fn found(words: &[&str]) -> Option<String> {
    let places = words
        .iter()
        .take_while(|word| !word.starts_with(['-', '(', '!']))
        .count();
    let (places, tests) = words.split_at_checked(places)?;
    // Everything behind the places is an option or its value.
    operands(tests, &FIND)?.is_empty().then_some(())?;
    let named: Vec<&[&str]> = tests
        .windows(2)
        .filter(|pair| pair.first() == Some(&"-name"))
        .collect();
    let widened = tests
        .iter()
        .any(|word| matches!(*word, "-o" | "-or" | "!" | "-not" | "-iname"))
        || prints_before_it_looks(tests);
    let all = below(places)?;
    match named.as_slice() {
        [[_, name]] if !widened && !name.contains(['[', '\\', '?']) => {
            Some(format!("{all}/{name}"))
        }
        _ => Some(all),
    }
}

/// `find -print -name x` prints every name.
fn prints_before_it_looks(tests: &[&str]) -> bool {
    let place = |sought: fn(&str) -> bool| tests.iter().position(|word| sought(word));
    let printed = place(|word| word.starts_with("-print"));
    printed.is_some() && printed < place(|word| word == "-name")
}

fn ripgrep(words: &[&str]) -> Option<String> {
    let lists = |word: &&str| matches!(*word, "-l" | "--files-with-matches" | "--files");
    words.iter().any(lists).then_some(())?;
    let given = words
        .iter()
        .any(|word| matches!(*word, "-e" | "--regexp" | "--files"));
    let rest = operands(words, &RIPGREP)?;
    below(rest.get(usize::from(!given)..).unwrap_or_default())
}

fn grep(words: &[&str]) -> Option<String> {
    let known = "rlLiwEFGPnsIxvZ";
    let bundles = |word: &str| {
        word.strip_prefix('-').is_some_and(|letters| {
            !letters.is_empty() && letters.chars().all(|letter| known.contains(letter))
        })
    };
    let has = |letter: char| {
        words
            .iter()
            .any(|word| bundles(word) && word.contains(letter))
    };
    let lists = has('l') || has('L') || words.contains(&"--files-with-matches");
    let walks = has('r') || words.contains(&"--recursive");
    lists.then_some(())?;
    let given = words.iter().any(|word| matches!(*word, "-e" | "--regexp"));
    let words: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !bundles(word))
        .collect();
    let rest = operands(&words, &GREP)?;
    let places = rest.get(usize::from(!given)..)?;
    match places {
        // `xargs grep -l x` names some of the files that it was given.
        [files] if !walks && files.contains('*') && !files.starts_with(['-', '*']) => {
            Some((*files).to_owned())
        }
        _ if walks => below(places),
        _ => None,
    }
}

fn git(words: &[&str]) -> Option<String> {
    let (sub, words) = words.split_first()?;
    match *sub {
        "ls-files" => {
            let places = operands(words, &LS_FILES)?;
            return Some(pathspec(&places).unwrap_or_else(|| "**".to_owned()));
        }
        "diff" if words.contains(&"--name-only") => operands(words, &DIFF).map(|_| ())?,
        "grep" => {
            let lists = |word: &&str| {
                matches!(*word, "--files-with-matches" | "--name-only")
                    || (word.starts_with('-') && !word.starts_with("--") && word.contains('l'))
            };
            let plain = |word: &&str| {
                !word.starts_with('-')
                    || matches!(*word, "--files-with-matches" | "--name-only" | "--" | "-e")
                    || word
                        .strip_prefix('-')
                        .is_some_and(|letters| letters.chars().all(|one| "lizwEFGPI".contains(one)))
            };
            (words.iter().any(lists) && words.iter().all(plain)).then_some(())?;
        }
        _ => return None,
    }
    // Names below the root of the repository, or below the directory.
    Some("**".to_owned())
}

/// `*.py` as git means it, in every folder below the directory.
fn pathspec(places: &[&str]) -> Option<String> {
    let [place] = places else {
        return None;
    };
    let ending = place.strip_prefix("*.")?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    ending.chars().all(plain).then(|| format!("**/*.{ending}"))
}

/// The words that are no options; `None` where one is not known.
fn operands<'w>(words: &[&'w str], options: &ListingOptions) -> Option<Vec<&'w str>> {
    let mut rest = words.iter();
    let mut operands = Vec::new();
    while let Some(word) = rest.next() {
        if *word == "--" {
            operands.extend(rest.by_ref());
        } else if options.valued.contains(word) {
            rest.next()?;
        } else if options.alone.contains(word) {
        } else if word.starts_with('-') {
            let glued = |start: &&&str| word.len() > start.len() && word.starts_with(**start);
            options.glued.iter().find(glued)?;
        } else {
            operands.push(*word);
        }
    }
    Some(operands)
}

/// Everything below these places.
fn below(places: &[&str]) -> Option<String> {
    let climbs = |place: &&str| place.split('/').any(|part| part == "..");
    match places {
        [] => Some("**".to_owned()),
        [place] if place.starts_with('-') => None,
        [place] if place.contains(['*', '?', '[']) => Some(format!("{}/**", folder_of(place)?)),
        [place] => Some(format!("{}/**", place.trim_end_matches('/'))),
        // Several that lie below the directory lie all in it.
        places
            if places
                .iter()
                .any(|place| place.starts_with(['/', '-', '~']) || climbs(place)) =>
        {
            None
        }
        _ => Some("**".to_owned()),
    }
}

/// The folder that holds all that a pattern of places can match: `crates` for `crates/*/src`.
/// A pattern that begins the word may match an option, and `.*` the folder above.
fn folder_of(pattern: &str) -> Option<&str> {
    let wild = |part: &str| part.contains(['*', '?', '[']);
    let climbs = |part: &str| part == ".." || (wild(part) && part.starts_with('.'));
    let at = pattern.split('/').take_while(|part| !wild(part));
    let length: usize = at.map(|part| part.len().saturating_add(1)).sum();
    let folder = pattern.get(..length.checked_sub(1)?)?;
    (!folder.is_empty() && !pattern.split('/').any(climbs)).then_some(folder)
}

/// A pattern that is made for files with secrets: `.env*`, `*.pem`.
fn seeks_secret(word: &str, invocation: &Invocation, context: &crate::ir::Context) -> bool {
    let name = word
        .trim_matches(['*', '^', '$', '\\', '/'])
        .replace('\\', "");
    let cwd = invocation
        .cwd
        .as_deref()
        .unwrap_or("/")
        .trim_end_matches('/');
    let is_secret = |name: &String| {
        let places = [
            format!("{cwd}/{name}"),
            format!("{cwd}/x{name}"),
            format!("{cwd}/.{name}"),
        ];
        places
            .iter()
            .any(|path| Secret::of(path, context.home.as_deref()).is_some())
    };
    !name.is_empty() && of_class(&name).iter().any(is_secret)
}

/// The names that a pattern with one class of letters stands for: `a.[ch]` is `a.c` or `a.h`.
fn of_class(name: &str) -> Vec<String> {
    let spelled = name.split_once('[').and_then(|(before, rest)| {
        let (class, after) = rest.split_once(']')?;
        let plain = !class.is_empty() && class.chars().all(|one| one.is_ascii_alphanumeric());
        let single = plain && !after.contains('[');
        single.then(|| {
            let names = class.chars().map(|one| format!("{before}{one}{after}"));
            names.collect::<Vec<_>>()
        })
    });
    spelled.unwrap_or_else(|| vec![name.to_owned()])
}
