//! Edits in place that tell what they take away.
//!
//! `sed -i 's/old_name/new_name/g'` and `perl -pi -e 's/old_name/new_name/g'` put one text that
//! they name in place of another; all the rest of a file stays as it was.
//! Anything that may match text which the command does not name (`.*`, `d`, a class of letters)
//! is no such edit, and neither is what is not read here.

use super::cursor::Cursor;
use crate::Value;

/// More substitutions than this could name all that a file says.
const SUBSTITUTIONS: usize = 16;

/// A word shorter than this stands everywhere: without it little is left of a text.
const LETTERS: usize = 3;

/// How a pattern is spelled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RegexDialect {
    /// `\(` is a group and `(` a letter.
    Basic,
    /// `(` is a group and `\(` a letter.
    Extended,
    /// As extended, and names of variables stand for their values.
    Perl,
}

/// Whether the command edits files by words that it tells, and does nothing else to them.
#[must_use]
pub fn tells_what_it_takes(argv: &[Value]) -> bool {
    let mut words = argv.iter();
    let program = words.next().and_then(Value::literal);
    let read = match program.as_deref().map(base_name) {
        Some("sed" | "gsed") => sed_scripts(words.as_slice()),
        Some("perl") => perl_scripts(words.as_slice()),
        Some(_) | None => None,
    };
    read.is_some_and(|(dialect, scripts)| {
        let mut count = 0_usize;
        let told = scripts
            .iter()
            .all(|script| is_told(script, dialect, &mut count));
        told && (1..=SUBSTITUTIONS).contains(&count)
    })
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// The scripts of `sed -i`, where every option is one that is read here.
fn sed_scripts(words: &[Value]) -> Option<(RegexDialect, Vec<String>)> {
    let mut dialect = RegexDialect::Basic;
    let (mut scripts, mut operands, mut in_place, mut ended) =
        (Vec::new(), Vec::new(), false, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else {
            operands.push(None);
            continue;
        };
        match text.as_ref() {
            "--" if !ended => ended = true,
            "-e" | "--expression" if !ended => scripts.push(words.next()?.literal()?.into_owned()),
            "-E" | "-r" | "--regexp-extended" if !ended => dialect = RegexDialect::Extended,
            option if !ended && option.starts_with("--expression=") => {
                scripts.push(option.strip_prefix("--expression=")?.to_owned());
            }
            option if !ended && option.len() > 1 && option.starts_with('-') => {
                let letters = option.trim_start_matches(['-', 'E', 'r']);
                let suffix = letters
                    .strip_prefix("in-place=")
                    .or_else(|| letters.strip_prefix("in-place"))
                    .or_else(|| letters.strip_prefix('i'))?;
                if !(suffix.is_empty() || suffix.starts_with(['.', '~'])) {
                    return None;
                }
                if option.starts_with("-E") || option.starts_with("-r") {
                    dialect = RegexDialect::Extended;
                }
                in_place = true;
            }
            operand => operands.push(Some(operand.to_owned())),
        }
    }
    if scripts.is_empty() {
        // `-i ''` gives one sed an empty suffix; another takes it for a script that does nothing.
        let script = operands
            .into_iter()
            .find(|operand| operand.as_deref() != Some(""))??;
        scripts.push(script);
    }
    in_place.then_some((dialect, scripts))
}

/// The scripts of `perl -pi -e`.
fn perl_scripts(words: &[Value]) -> Option<(RegexDialect, Vec<String>)> {
    let (mut scripts, mut prints, mut in_place) = (Vec::new(), false, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else { break };
        let Some(option) = text.strip_prefix('-').filter(|option| !option.is_empty()) else {
            break;
        };
        let (letters, takes_code) = match option.strip_suffix('e') {
            Some(letters) if !letters.contains('.') => (letters, true),
            Some(_) | None => (option, false),
        };
        match letters {
            "" if takes_code => {}
            "p" => prints = true,
            "i" if !takes_code => in_place = true,
            "pi" if !takes_code => (prints, in_place) = (true, true),
            suffix if !takes_code && (suffix.starts_with("i.") || suffix.starts_with("pi.")) => {
                in_place = true;
                prints |= suffix.starts_with('p');
            }
            _ => return None,
        }
        if takes_code {
            scripts.push(words.next()?.literal()?.into_owned());
        }
    }
    (prints && in_place).then_some((RegexDialect::Perl, scripts))
}

/// Whether a script is substitutions of told text and nothing else.
fn is_told(script: &str, dialect: RegexDialect, count: &mut usize) -> bool {
    let mut cursor = Cursor::new(script);
    loop {
        cursor.take_while(|c| c.is_whitespace() || c == ';');
        if cursor.is_done() {
            return true;
        }
        if dialect != RegexDialect::Perl {
            cursor.take_while(|c| c.is_ascii_digit() || c == ',' || c == '$');
        }
        if !cursor.eat("s") || !is_told_substitution(&mut cursor, dialect) {
            return false;
        }
        *count = count.saturating_add(1);
    }
}

fn is_told_substitution(cursor: &mut Cursor<'_>, dialect: RegexDialect) -> bool {
    let Some(end) = cursor.next().filter(|end| "/|,#:!@%".contains(*end)) else {
        return false;
    };
    let (Some(pattern), Some(replacement)) = (part(cursor, end), part(cursor, end)) else {
        return false;
    };
    // Another mark than `/` may be a sign of the pattern once it is escaped.
    let escaped =
        end != '/' && pattern.contains(['\\', end]) && pattern.contains(&format!("\\{end}"));
    cursor.take_while(|c| c == 'g' || c.is_ascii_digit());
    let ends = matches!(cursor.peek(), None | Some('\n' | ';' | ' '));
    let computed = dialect == RegexDialect::Perl
        && (pattern.contains('@')
            || replacement.contains('@')
            || replacement
                .split('$')
                .skip(1)
                .any(|after| !after.starts_with(|c: char| c.is_ascii_digit() || c == '&')));
    ends && !escaped && !computed && takes_told_text(pattern, replacement, dialect)
}

/// The text up to a mark that is not escaped.
fn part<'a>(cursor: &mut Cursor<'a>, end: char) -> Option<&'a str> {
    let start = cursor.at();
    loop {
        if cursor.peek()? == end {
            let text = cursor.since(start);
            cursor.next();
            return Some(text);
        }
        if cursor.next()? == '\\' {
            cursor.next()?;
        }
    }
}

/// What one sign of a pattern matches.
enum Sign {
    Letter,
    Space,
    Anything,
    /// A place in the text: nothing of it.
    Place,
    /// The end of a line.
    End,
}

fn takes_told_text(pattern: &str, replacement: &str, dialect: RegexDialect) -> bool {
    let Some(signs) = signs(pattern, dialect) else {
        return false;
    };
    let count = |wanted: fn(&Sign) -> bool| signs.iter().filter(|sign| wanted(sign)).count();
    let letters = count(|sign| matches!(sign, Sign::Letter));
    let anything = count(|sign| matches!(sign, Sign::Anything));
    let spaces = count(|sign| matches!(sign, Sign::Space));
    let trailing =
        letters == 0 && anything == 0 && spaces > 0 && matches!(signs.last(), Some(Sign::End));
    let named = letters >= LETTERS
        && anything.saturating_mul(LETTERS) <= letters
        && !replacement.trim().is_empty();
    trailing || named
}

/// The signs of a pattern; nothing where one of them may match text that is not told.
fn signs(pattern: &str, dialect: RegexDialect) -> Option<Vec<Sign>> {
    let mut signs = Vec::new();
    let mut cursor = Cursor::new(pattern);
    while let Some(next) = cursor.next() {
        let sign = match next {
            '\\' => escaped(cursor.next()?, dialect)?,
            '[' => bracket(&mut cursor)?,
            '*' => match signs.last() {
                Some(Sign::Space) => continue,
                Some(_) | None => return None,
            },
            '+' | '?' if dialect != RegexDialect::Basic => match signs.last() {
                Some(Sign::Space) => continue,
                Some(_) | None => return None,
            },
            '(' | ')' | '{' | '}' | '|' if dialect != RegexDialect::Basic => return None,
            '.' => Sign::Anything,
            '^' => Sign::Place,
            '$' if cursor.is_done() => Sign::End,
            '$' => return None,
            space if space.is_whitespace() => Sign::Space,
            _ => Sign::Letter,
        };
        signs.push(sign);
    }
    Some(signs)
}

fn escaped(sign: char, dialect: RegexDialect) -> Option<Sign> {
    match sign {
        'b' | '<' | '>' => Some(Sign::Place),
        's' | 't' | 'n' => Some(Sign::Space),
        '(' | ')' | '{' | '}' | '|' | '+' | '?' if dialect == RegexDialect::Basic => None,
        sign if sign.is_ascii_alphanumeric() => None,
        _ => Some(Sign::Letter),
    }
}

/// One sign in brackets, or spaces.
fn bracket(cursor: &mut Cursor<'_>) -> Option<Sign> {
    for spaces in [
        " \\t]",
        "\\t ]",
        " \t]",
        "\t ]",
        "[:space:]]",
        "[:blank:]]",
        " ]",
    ] {
        if cursor.eat(spaces) {
            return Some(Sign::Space);
        }
    }
    let sign = cursor.next().filter(|sign| !"^\\[]".contains(*sign))?;
    cursor.eat("]").then_some(if sign.is_whitespace() {
        Sign::Space
    } else {
        Sign::Letter
    })
}

#[cfg(test)]
mod tests {
    use super::tells_what_it_takes;
    use crate::{Span, Value};

    fn tells(words: &[&str]) -> bool {
        let argv: Vec<Value> = words
            .iter()
            .map(|word| Value::text(*word, Span::default()))
            .collect();
        tells_what_it_takes(&argv)
    }

    #[test]
    fn words_that_are_named_are_told() {
        for words in [
            &["sed", "-i", "s/old_name/new_name/g", "a.rs"][..],
            &["sed", "-i", "", "s/old_name/new_name/", "a.rs"],
            &[
                "sed",
                "-i.bak",
                "-e",
                "s/foo/bar/; s|src/a|src/b|g",
                "a",
                "b",
            ],
            &["sed", "-E", "-i", "s/Optional\\[str\\]/str | None/", "a.py"],
            &["sed", "-Ei", "s/call\\(x\\)/call(y)/", "a.py"],
            &["sed", "-i", "s/unwrap()/expect(\"x\")/", "a.rs"],
            &["sed", "-i", "10,20s/typing.Dict/dict/g", "a.py"],
            &["sed", "-i", "s/\\bfooBar\\b/foo_bar/g", "a.ts"],
            &["sed", "-i", "s/[ \\t]*$//", "a.ts"],
            &["sed", "-i", "s/[[:space:]]*$//", "a.ts"],
            &["sed", "--in-place", "s/port=5000/port=5001/", "a.py"],
            &["gsed", "-i", "s/http:\\/\\/a/https:\\/\\/a/", "a.py"],
            &["perl", "-pi", "-e", "s/interface\\{\\}/any/g", "a.go"],
            &["perl", "-i", "-pe", "s/old/new/;s/more/less/", "a.go"],
            &["perl", "-pi.bak", "-e", "s/old/new-$1/g", "a.go"],
        ] {
            assert!(tells(words), "{words:?}");
        }
    }

    #[test]
    fn what_may_take_other_text_is_not() {
        for words in [
            &["sed", "-i", "d", "a"][..],
            &["sed", "-i", "1,$d", "a"],
            &["sed", "-i", "s/.*//", "a"],
            &["sed", "-i", "s/.*/xyz/", "a"],
            &["sed", "-i", "s/foo.*/bar/", "a"],
            &["sed", "-i", "s/foo//g", "a"],
            &["sed", "-i", "s/e/x/g", "a"],
            &["sed", "-i", "s/.../xxx/g", "a"],
            &["sed", "-i", "s/[a-z]/x/g", "a"],
            &["sed", "-i", "s/[^f]oo/x/g", "a"],
            &["sed", "-i", "s/\\w\\w\\w/x/g", "a"],
            &["sed", "-i", "s/foo\\|.*/x/g", "a"],
            &["sed", "-Ei", "s/foo|.+/x/g", "a"],
            &["sed", "-i", "s/foox*/x/g", "a"],
            &["sed", "-i", "s/^[ \\t]*//", "a"],
            &["sed", "-n", "-i", "s/foo/bar/p", "a"],
            &["sed", "-ni", "s/foo/bar/p", "a"],
            &["sed", "-i", "-n", "s/foo/bar/", "a"],
            &["sed", "-i", "s/foo/bar/", "-n", "a"],
            &["sed", "-i", "--quiet", "s/foo/bar/", "a"],
            &["sed", "-i", "-z", "s/foo/bar/", "a"],
            &["sed", "-i", "-f", "x.sed", "a"],
            &["sed", "-i", "-e", "s/foo/bar/", "-e", "d", "a"],
            &["sed", "-i", "s/foo/bar/;d", "a"],
            &["sed", "-i", "s/foo/bar/w out", "a"],
            &["sed", "-i", "s/foo/bar/e", "a"],
            &["sed", "-i", "s/foo/bar/I", "a"],
            &["sed", "-i", "/foo/!s/foo/bar/", "a"],
            &["sed", "s/foo/bar/", "a"],
            &["sed", "-i"],
            &["perl", "-pi", "-e", "$_=\"\"", "a"],
            &["perl", "-pi", "-e", "s/foo/bar/; $_=''", "a"],
            &["perl", "-pi", "-e", "s/$foo/bar/", "a"],
            &["perl", "-pi", "-e", "s/foo/@{[unlink]}/", "a"],
            &["perl", "-pi", "-e", "s/foo/$ENV{HOME}/", "a"],
            &["perl", "-pi", "-e", "s/foo/bar/e", "a"],
            &["perl", "-ni", "-e", "s/foo/bar/", "a"],
            &["perl", "-0pi", "-e", "s/foo/bar/", "a"],
            &["perl", "-pi", "-Mx", "-e", "s/foo/bar/", "a"],
            &["ruby", "-pi", "-e", "s/foo/bar/", "a"],
        ] {
            assert!(!tells(words), "{words:?}");
        }
    }
}
