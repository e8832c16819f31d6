//! Sed scripts.
//!
//! A sed script is a row of one-letter commands. Nearly all only change the
//! pattern space; the few that reach outside are `r`, `R`, `w`, `W`, `e` and the
//! `w` and `e` flags of `s`. A script that does not parse is a gap: sed itself
//! would refuse it, or it is a dialect that is not known here.

use super::cursor::Cursor;
use super::reading::CodeReading;
use crate::{Code, NestedStdin, Taint, WriteHow};

/// How a delimiter inside `[…]` is read: versions of sed differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brackets {
    /// It is an ordinary character there.
    Protect,
    /// It ends the expression.
    Ignore,
}

pub(super) fn read(text: &str, reading: &mut CodeReading<'_>) {
    reading.passes_input();
    let mut parser = SedParser {
        cursor: Cursor::new(text),
        brackets: Brackets::Protect,
        ambiguous: false,
        open: 0,
    };
    if let Err(what) = parser.script(reading) {
        reading.syntax(what);
    }
    if parser.ambiguous {
        // What the other reading cannot parse, sed refuses to run: only its effects count.
        let mut other = SedParser {
            cursor: Cursor::new(text),
            brackets: Brackets::Ignore,
            ambiguous: false,
            open: 0,
        };
        let _refused = other.script(reading);
    }
}

struct SedParser<'a> {
    cursor: Cursor<'a>,
    brackets: Brackets,
    ambiguous: bool,
    open: usize,
}

type SedScript<T = ()> = Result<T, &'static str>;

impl<'a> SedParser<'a> {
    fn script(&mut self, reading: &mut CodeReading<'_>) -> SedScript {
        loop {
            self.cursor.take_while(|c| c.is_whitespace() || c == ';');
            if self.cursor.is_done() {
                return if self.open == 0 {
                    Ok(())
                } else {
                    Err("unclosed `{`")
                };
            }
            self.addresses()?;
            let Some(command) = self.cursor.next() else {
                return Err("missing command");
            };
            self.command(command, reading)?;
        }
    }

    fn addresses(&mut self) -> SedScript {
        if self.address()? {
            self.blanks();
            if self.cursor.eat(",") {
                self.blanks();
                if self.cursor.eat("+") || self.cursor.eat("~") {
                    self.digits()?;
                } else if !self.address()? {
                    return Err("missing second address");
                }
            }
        }
        self.cursor
            .take_while(|c| c == '!' || c == ' ' || c == '\t');
        Ok(())
    }

    fn address(&mut self) -> SedScript<bool> {
        match self.cursor.peek() {
            Some(digit) if digit.is_ascii_digit() => {
                self.digits()?;
                if self.cursor.eat("~") {
                    self.digits()?;
                }
                Ok(true)
            }
            Some('$') => Ok(self.cursor.eat("$")),
            Some('/') => {
                self.cursor.next();
                self.delimited('/', Brackets::Protect)?;
                self.cursor.take_while(|c| c == 'I' || c == 'M');
                Ok(true)
            }
            Some('\\') => {
                self.cursor.next();
                let end = self.cursor.next().ok_or("missing delimiter")?;
                self.delimited(end, Brackets::Protect)?;
                self.cursor.take_while(|c| c == 'I' || c == 'M');
                Ok(true)
            }
            Some(_) | None => Ok(false),
        }
    }

    fn command(&mut self, command: char, reading: &mut CodeReading<'_>) -> SedScript {
        match command {
            '#' => {
                self.cursor.line();
                Ok(())
            }
            '{' => {
                self.open = self.open.saturating_add(1);
                Ok(())
            }
            '}' => {
                self.open = self.open.checked_sub(1).ok_or("unexpected `}`")?;
                self.end()
            }
            '=' | 'd' | 'D' | 'F' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' => {
                self.end()
            }
            'l' | 'L' | 'q' | 'Q' => {
                self.blanks();
                self.cursor.take_while(|c| c.is_ascii_digit());
                self.end()
            }
            'a' | 'i' | 'c' => {
                self.text();
                Ok(())
            }
            ':' | 'b' | 't' | 'T' | 'v' => {
                self.blanks();
                self.cursor
                    .take_while(|c| !c.is_whitespace() && c != ';' && c != '}');
                self.end()
            }
            'y' => {
                let end = self.cursor.next().ok_or("missing delimiter")?;
                self.delimited(end, Brackets::Ignore)?;
                self.delimited(end, Brackets::Ignore)?;
                self.end()
            }
            's' => self.substitute(reading),
            'r' | 'R' => {
                let name = self.file_name()?;
                if name != "/dev/stdin" {
                    reading.reads(&reading.word(name));
                }
                Ok(())
            }
            'w' | 'W' => self.write(reading),
            'e' => {
                self.blanks();
                let command = self.cursor.line();
                if command.is_empty() {
                    reading.hidden_code(Code::Stream, "sed runs its input", Taint::UNKNOWN);
                } else if command.contains('\\') {
                    // `e echo \x3b` runs `echo ;`, and a line that ends in one goes on.
                    let why = "sed takes backslashes away before it runs this";
                    reading.hidden_code(Code::Stream, why, Taint::UNKNOWN);
                } else {
                    reading.shell(reading.word(command), NestedStdin::Same);
                }
                Ok(())
            }
            _ => Err("unknown command"),
        }
    }

    fn substitute(&mut self, reading: &mut CodeReading<'_>) -> SedScript {
        let end = self.cursor.next().ok_or("missing delimiter")?;
        if end == '\n' || end == '\\' {
            return Err("odd delimiter");
        }
        self.delimited(end, Brackets::Protect)?;
        self.delimited(end, Brackets::Ignore)?;
        loop {
            match self.cursor.peek() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.cursor.next();
                }
                Some('e') => {
                    self.cursor.next();
                    reading.hidden_code(Code::Stream, "sed runs what it replaced", Taint::UNKNOWN);
                }
                Some('w') => {
                    self.cursor.next();
                    return self.write(reading);
                }
                Some(_) | None => return self.end(),
            }
        }
    }

    fn write(&mut self, reading: &mut CodeReading<'_>) -> SedScript {
        let name = self.file_name()?;
        if name != "/dev/stdout" && name != "/dev/stderr" {
            reading.writes(&reading.word(name), WriteHow::Replace, Taint::LOCAL);
        }
        Ok(())
    }

    /// Skips an expression up to its delimiter.
    fn delimited(&mut self, end: char, brackets: Brackets) -> SedScript {
        while let Some(next) = self.cursor.next() {
            match next {
                next if next == end => return Ok(()),
                '\\' => {
                    self.cursor.next();
                }
                '[' if brackets == Brackets::Protect && self.brackets == Brackets::Protect => {
                    self.bracket(end);
                }
                _ => {}
            }
        }
        Err("unterminated expression")
    }

    /// Skips a bracket expression where there is one; `[` alone is left to sed.
    fn bracket(&mut self, end: char) {
        let mut ahead = self.cursor.clone();
        ahead.eat("^");
        let start = ahead.at();
        ahead.eat("]");
        while let Some(next) = ahead.next() {
            match next {
                ']' => {
                    if ahead.since(start).contains(end) {
                        self.ambiguous = true;
                    }
                    self.cursor = ahead;
                    return;
                }
                '[' => {
                    for (open, close) in [(":", ":]"), (".", ".]"), ("=", "=]")] {
                        if ahead.eat(open) && ahead.until(close).is_none() {
                            return;
                        }
                    }
                }
                '\n' => return,
                _ => {}
            }
        }
    }

    /// The text of `a`, `i` and `c`: to the end of a line that does not end in a backslash.
    fn text(&mut self) {
        while let Some(next) = self.cursor.next() {
            match next {
                '\\' => {
                    self.cursor.next();
                }
                '\n' => return,
                _ => {}
            }
        }
    }

    fn file_name(&mut self) -> SedScript<&'a str> {
        self.blanks();
        let name = self.cursor.line();
        if name.is_empty() {
            Err("missing file name")
        } else {
            Ok(name)
        }
    }

    fn digits(&mut self) -> SedScript {
        if self.cursor.take_while(|c| c.is_ascii_digit()).is_empty() {
            Err("missing number")
        } else {
            Ok(())
        }
    }

    fn blanks(&mut self) {
        self.cursor.take_while(|c| c == ' ' || c == '\t');
    }

    /// The end of a command.
    fn end(&mut self) -> SedScript {
        self.blanks();
        match self.cursor.peek() {
            None | Some('\n' | ';' | '}' | '#' | '\r') => Ok(()),
            Some(_) => Err("text after command"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Language;
    use crate::language::tests::check;

    fn sed(text: &str, expected: &[&str]) {
        check(Language::Sed, text, expected);
    }

    #[test]
    fn ordinary_scripts_do_nothing_outside() {
        for text in [
            "s/a/b/",
            "s/a/b/g;s|x|y|2p",
            "s,/usr,/opt,",
            "10,20p",
            "$d",
            "/start/,/end/d",
            "/start/,+3{p;q}",
            "0~3!d",
            "s/[/]/x/;p",
            "s/[]/]/x/",
            "s/[[:space:]/]*$//",
            "s/\\(a\\)\\/b/\\1 e/g",
            ":a;N;$!ba;s/\\n/ /g",
            "1!G;h;$!d",
            "y/abc/xyz/",
            "2i\\\nhello\n3a w file",
            "/x/c changed; w file",
            "$!N; /^\\(.*\\)\\n\\1$/!P; D",
            "# w out\np",
            "1~2{N;s/\\n/ /}",
            "/a/I,/b/M p",
            "\\|path/x|d",
            "q5",
            "/^$/d; =; l 80",
            "s/x/w file/",
            "w /dev/stdout",
            "",
        ] {
            sed(text, &[]);
        }
    }

    #[test]
    fn files_and_commands_are_seen() {
        sed("w out.txt", &["write /app/out.txt"]);
        sed("s/a/b/w out.txt", &["write /app/out.txt"]);
        sed("s/a/b/gw /tmp/x; p", &["write /tmp/x; p"]);
        sed("/x/{\nr insert.txt\n}", &["read /app/insert.txt"]);
        sed("R /etc/passwd", &["read /etc/passwd"]);
        sed("1W a", &["write /app/a"]);
        sed("e rm -rf x", &["shell rm -rf x"]);
        sed("1e date", &["shell date"]);
        sed(
            "s/.*/date/e",
            &["run stream", "gap unseen sed runs what it replaced"],
        );
        sed(
            "s/.*/date/Ige",
            &["run stream", "gap unseen sed runs what it replaced"],
        );
        sed("e", &["run stream", "gap unseen sed runs its input"]);
        sed("p;e\nq", &["run stream", "gap unseen sed runs its input"]);
        // Some versions end the expression at the delimiter inside the brackets.
        sed(
            "s/[x/]/w out",
            &["write /app/out", "gap syntax sed: unterminated expression"],
        );
    }

    #[test]
    fn what_does_not_parse_is_a_gap() {
        sed("s/a/b", &["gap syntax sed: unterminated expression"]);
        sed("{p", &["gap syntax sed: unclosed `{`"]);
        sed("p}", &["gap syntax sed: unexpected `}`"]);
        sed("k", &["gap syntax sed: unknown command"]);
        sed("s/a/b/k", &["gap syntax sed: text after command"]);
        sed("1,p", &["gap syntax sed: missing second address"]);
    }
}
