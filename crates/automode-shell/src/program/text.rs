//! Output that is known to the letter, without its last newline.

use crate::{DynamicSource, Piece, Span, Taint, Value};

/// The operands of `echo`, joined; nothing where escapes or globs make it uncertain.
pub(super) fn echo(words: &[&Value]) -> Option<Value> {
    let mut skip = 0;
    let mut escapes = false;
    for word in words {
        match word.literal().as_deref() {
            Some("-n") => skip += 1,
            Some("-e" | "-en" | "-ne") => {
                skip += 1;
                escapes = true;
            }
            Some("-E") => skip += 1,
            Some(_) | None => break,
        }
    }
    let rest: Vec<Value> = words
        .iter()
        .skip(skip)
        .map(|word| (*word).clone())
        .collect();
    let uncertain = rest.iter().any(|word| {
        word.may_split
            || word
                .pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Glob(_)))
    });
    if uncertain {
        return None;
    }
    let joined = Value::join(&rest);
    if !escapes {
        return Some(joined);
    }
    let text = unescape(&joined.literal()?)?;
    Some(Value::text(text, joined.span))
}

/// What `printf` prints, where its format is plain.
pub(super) fn printf(words: &[&Value]) -> Option<Value> {
    let (format, arguments) = words.split_first()?;
    let format = unescape(&format.literal()?)?;
    let mut arguments: Vec<String> = arguments
        .iter()
        .map(|word| word.literal().map(std::borrow::Cow::into_owned))
        .collect::<Option<_>>()?;
    arguments.reverse();
    let mut text = String::new();
    let takes = format.contains("%s") || format.contains("%b") || format.contains("%d");
    for _ in 0..64 {
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                text.push(letter);
                continue;
            }
            match letters.next() {
                Some('%') => text.push('%'),
                Some('s' | 'd' | 'i') => text.push_str(&arguments.pop().unwrap_or_default()),
                Some('b') => text.push_str(&unescape(&arguments.pop().unwrap_or_default())?),
                Some(_) | None => return None,
            }
        }
        if arguments.is_empty() || !takes {
            return Some(Value::text(text.trim_end_matches('\n'), span(words)));
        }
    }
    None
}

/// The last part of a path, without a suffix that was named.
pub(super) fn basename(words: &[&Value]) -> Option<Value> {
    let (path, suffix) = match words {
        [path] => (path.literal()?, None),
        [path, suffix] => (path.literal()?, Some(suffix.literal()?)),
        _ => return None,
    };
    let name = path.trim_end_matches('/').rsplit('/').next()?;
    let name = suffix
        .and_then(|suffix| name.strip_suffix(&*suffix))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(name);
    Some(Value::text(name, span(words)))
}

/// A path without its last part.
pub(super) fn dirname(words: &[&Value]) -> Option<Value> {
    let [path] = words else {
        return None;
    };
    let path = path.literal()?;
    let folder = match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    };
    Some(Value::text(folder, span(words)))
}

fn span(words: &[&Value]) -> Span {
    words
        .iter()
        .map(|word| word.span)
        .reduce(Span::to)
        .unwrap_or_default()
}

/// Backslash escapes as `printf` reads them.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            bytes.extend(letter.to_string().bytes());
            continue;
        }
        let digits = |letters: &mut std::iter::Peekable<std::str::Chars<'_>>, radix, most| {
            let mut number = 0u32;
            for _ in 0..most {
                match letters.peek().and_then(|c| c.to_digit(radix)) {
                    Some(digit) => number = number.saturating_mul(radix).saturating_add(digit),
                    None => break,
                }
                letters.next();
            }
            number
        };
        match letters.next()? {
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            '\\' => bytes.push(b'\\'),
            '"' => bytes.push(b'"'),
            'x' => bytes.push(u8::try_from(digits(&mut letters, 16, 2)).ok()?),
            '0' => bytes.push(u8::try_from(digits(&mut letters, 8, 3)).ok()?),
            octal @ '1'..='7' => {
                let first = octal.to_digit(8)?;
                let rest = letters
                    .clone()
                    .take(2)
                    .take_while(|c| c.is_digit(8))
                    .count();
                let number = digits(&mut letters, 8, rest);
                let scale = 8u32.checked_pow(u32::try_from(rest).ok()?)?;
                let value = first.checked_mul(scale)?.checked_add(number)?;
                bytes.push(u8::try_from(value).ok()?);
            }
            _ => return None,
        }
    }
    String::from_utf8(bytes).ok()
}

/// One name that is only known at run time.
fn name(span: Span) -> Value {
    Value::dynamic(DynamicSource::Name, Taint::NONE, span)
}

/// What a program prints of the machine or its user, where that is one name.
pub(super) fn about_machine(argv: &[Value]) -> Option<Value> {
    let words: Vec<_> = argv.iter().map(Value::literal).collect::<Option<_>>()?;
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let one = matches!(
        words.as_slice(),
        ["whoami" | "logname" | "nproc" | "arch" | "hostid"]
            | ["uname", "-m" | "-s" | "-r" | "-n"]
            | ["id", "-u" | "-un" | "-nu" | "-g" | "-gn" | "-ng"]
    );
    let span = argv.first().map(|word| word.span)?;
    one.then(|| name(span))
}

/// What `which` prints for one plain name. Wherever the program lies, it is the one of that
/// name on the search path; to write there is to write among the programs of the machine.
pub(super) fn program(argv: &[Value]) -> Option<Value> {
    let [lookup, wanted] = argv else {
        return None;
    };
    let (program, name) = (lookup.literal()?, wanted.literal()?);
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let begins = name.starts_with(|first: char| first.is_ascii_alphanumeric());
    let which = program.rsplit('/').next() == Some("which");
    (which && begins && name.chars().all(plain))
        .then(|| Value::text(format!("/usr/bin/{name}"), lookup.span))
}

/// What `date` prints: a name, where the format is told and gives nothing but letters, digits
/// and marks that a name may hold, whatever the language of the machine.
pub(super) fn date(argv: &[Value]) -> Option<Value> {
    let mut formats = argv.iter().filter(|word| word.prefix().starts_with('+'));
    let format = formats.next()?;
    // A file gives a line for each of its lines; before 1970 lies a minus.
    let many = argv.iter().skip(1).any(|word| {
        let text = word.prefix();
        text.starts_with("-f") || text.starts_with("--file") || text.contains('@') || word.may_split
    });
    if formats.next().is_some() || many {
        return None;
    }
    is_stamp(format.literal()?.get(1..)?).then(|| name(format.span))
}

/// Whether a format of the clock gives one name.
pub(crate) fn is_stamp(format: &str) -> bool {
    /// What is a number, in every language.
    const NUMBERS: &str = "YmdHMSsNjUVGuwWgyCFT";
    let mut letters = format.chars();
    let mut numbers = 0usize;
    let mut begun = false;
    while let Some(letter) = letters.next() {
        let fine = if letter == '%' {
            let mut code = letters.next();
            if code == Some('-') {
                code = letters.next();
            }
            numbers = numbers.saturating_add(1);
            code.is_some_and(|code| NUMBERS.contains(code))
        } else {
            letter.is_ascii_alphanumeric() || (begun && matches!(letter, '-' | '_' | '.' | ':'))
        };
        if !fine {
            return false;
        }
        begun = true;
    }
    numbers > 0
}

/// What `seq` prints, where it is not too much.
pub(super) fn count(argv: &[Value]) -> Option<Value> {
    const MOST: i64 = 256;
    let numbers: Vec<i64> = argv
        .iter()
        .skip(1)
        .map(|word| word.literal()?.parse().ok())
        .collect::<Option<_>>()?;
    let (first, step, last) = match numbers.as_slice() {
        [last] => (1, 1, *last),
        [first, last] => (*first, 1, *last),
        [first, step, last] => (*first, *step, *last),
        _ => return None,
    };
    let rounds = last.checked_sub(first)?.checked_div(step)?;
    if rounds > MOST {
        return None;
    }
    let lines: Option<Vec<String>> = (0..=rounds)
        .map(|round| Some(first.checked_add(step.checked_mul(round)?)?.to_string()))
        .collect();
    let span = argv.first().map(|word| word.span)?;
    Some(Value::text(lines?.join("\n"), span))
}

/// What git prints of one commit that is asked for.
pub(super) fn revision(argv: &[Value]) -> Option<Value> {
    let is = |name: &str| {
        argv.iter()
            .any(|word| word.literal().as_deref() == Some(name))
    };
    if is("rev-parse") {
        return parsed_revision(argv);
    }
    let sub = argv.iter().skip(1).find_map(Value::literal)?;
    let words: Vec<_> = argv
        .iter()
        .skip(2)
        .map(Value::literal)
        .collect::<Option<_>>()?;
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let one = match (sub.as_ref(), words.as_slice()) {
        ("merge-base", [first, second]) => !first.starts_with('-') && !second.starts_with('-'),
        ("log", words) => {
            const COMMIT: &[&str] = &[
                "--format=%H",
                "--format=%h",
                "--pretty=%H",
                "--pretty=%h",
                "--pretty=format:%H",
                "--pretty=format:%h",
            ];
            let format = words.iter().filter(|word| word.starts_with("--")).count() == 1
                && words.iter().any(|word| COMMIT.contains(word));
            let one = words.contains(&"-1")
                || words.contains(&"-n1")
                || words.windows(2).any(|pair| pair == ["-n", "1"]);
            let known =
                |word: &&str| !word.starts_with('-') || matches!(*word, "-1" | "-n1" | "-n");
            let rest = words.iter().filter(|word| !COMMIT.contains(word));
            format && one && rest.into_iter().all(known)
        }
        _ => false,
    };
    let span = argv.first().map(|word| word.span)?;
    one.then(|| name(span))
}

/// What `git rev-parse` prints of one commit that is named.
fn parsed_revision(argv: &[Value]) -> Option<Value> {
    let mut words = argv
        .iter()
        .skip_while(|word| word.literal().as_deref() != Some("rev-parse"));
    let span = words.next()?.span;
    let mut commits = 0usize;
    let mut checked = false;
    for word in words {
        let text = word.literal()?;
        match text.as_ref() {
            "--short" | "--verify" => checked = true,
            "-q" | "--quiet" => {}
            "HEAD" | "@" => {
                commits = commits.saturating_add(1);
                checked = true;
            }
            text if text.starts_with("--short=") => checked = true,
            text if text.starts_with('-') => return None,
            _ => commits = commits.saturating_add(1),
        }
    }
    (checked && commits == 1).then(|| name(span))
}

/// A new path below the folder for temporary files, of which only the beginning is known.
pub(super) fn temporary(span: Span) -> Value {
    let mut path = Value::dynamic(DynamicSource::Number, Taint::NONE, span);
    path.pieces.insert(0, Piece::Text("/tmp/tmp.".to_owned()));
    path
}
