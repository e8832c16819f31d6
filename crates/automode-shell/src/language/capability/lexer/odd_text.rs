//! Texts that a language writes in a way of its own: raw strings, heredocs, patterns, sigils.

use super::{CodeLexer, CodeToken, Cursor, LaterText, near_line};
use crate::language::capability::syntax::{Oddity, QuoteRule};

/// The most signs that stand around a raw text.
const HASHES: usize = 32;

impl<'a> CodeLexer<'a> {
    pub(super) fn runs_backquotes(&self) -> bool {
        self.has(Oddity::Ruby) || self.has(Oddity::Php)
    }

    pub(super) fn odd(&mut self, depth: usize) -> Result<bool, String> {
        for oddity in self.rules.oddities {
            let done = match oddity {
                Oddity::Rust => self.rust()?,
                Oddity::Cpp => self.cpp()?,
                Oddity::CSharp => self.csharp(depth)?,
                Oddity::Swift => self.swift()?,
                Oddity::Regex => self.regex(depth)?,
                Oddity::Ruby => self.ruby(depth)?,
                Oddity::Php => self.php()?,
                Oddity::Sigils => self.sigil(depth)?,
                Oddity::Brackets => self.bracket_text()?,
                Oddity::Terraform => self.document_start("<<-", "<<"),
                Oddity::Markup => false,
            };
            if done {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn rust(&mut self) -> Result<bool, String> {
        let rest = self.cursor.rest();
        if self.continues_word() {
            return Ok(false);
        }
        if let Some(behind) = rest
            .strip_prefix("br")
            .or_else(|| rest.strip_prefix("cr"))
            .or_else(|| rest.strip_prefix('r'))
        {
            let hashes = behind
                .chars()
                .take(HASHES)
                .take_while(|c| *c == '#')
                .count();
            if behind
                .get(hashes..)
                .is_some_and(|text| text.starts_with('"'))
            {
                self.cursor.until("\"");
                let close = format!("\"{}", "#".repeat(hashes));
                let text = self.closed(&close)?;
                self.push_text(text);
                return Ok(true);
            }
        }
        if let Some(behind) = rest.strip_prefix('\'') {
            let mut letters = behind.chars();
            let first = letters.next();
            if first == Some('\\') {
                self.cursor.eat("'\\");
                self.cursor.next();
                self.closed("'")?;
                self.push(CodeToken::Number);
            } else if letters.next() == Some('\'') {
                self.cursor.next();
                self.cursor.next();
                self.cursor.next();
                self.push(CodeToken::Number);
            } else {
                // A lifetime.
                self.cursor.next();
                self.cursor.take_while(|c| c == '_' || c.is_alphanumeric());
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Whether the last character read belongs to a word that goes on here.
    fn continues_word(&self) -> bool {
        self.cursor
            .since(0)
            .chars()
            .next_back()
            .is_some_and(|c| c == '_' || c.is_alphanumeric())
    }

    fn closed(&mut self, close: &str) -> Result<&'a str, String> {
        self.cursor
            .until(close)
            .ok_or_else(|| format!("line {}: a text does not end", self.line))
    }

    fn cpp(&mut self) -> Result<bool, String> {
        let rest = self.cursor.rest();
        // A line that goes on.
        if rest.starts_with("\\\n") {
            self.cursor.eat("\\\n");
            return Ok(true);
        }
        for prefix in ["R\"", "LR\"", "uR\"", "UR\"", "u8R\""] {
            if rest.starts_with(prefix) && !self.continues_word() {
                self.cursor.eat(prefix);
                let name = self.closed("(")?.to_owned();
                let text = self.closed(&format!("){name}\""))?;
                self.push_text(text);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn csharp(&mut self, depth: usize) -> Result<bool, String> {
        let rest = self.cursor.rest();
        for prefix in ["$\"\"\"", "$$\"\"\""] {
            if rest.starts_with(prefix) {
                self.cursor.eat(prefix);
                let text = self.closed("\"\"\"")?;
                if text.contains('{') {
                    return Err(format!("line {}: code in a raw text", self.line));
                }
                self.push_text(text);
                return Ok(true);
            }
        }
        for prefix in ["$@\"", "@$\"", "@\""] {
            if rest.starts_with(prefix) {
                self.cursor.eat(prefix);
                let code = prefix.contains('$');
                let (mut text, mut whole) = (String::new(), true);
                loop {
                    if self.cursor.eat("\"\"") {
                        text.push('"');
                    } else if self.cursor.eat("\"") {
                        break;
                    } else if code && self.cursor.eat("{{") {
                        text.push('{');
                    } else if code && self.cursor.eat("{") {
                        whole = false;
                        self.run(Some("}"), depth.saturating_add(1))?;
                    } else {
                        let letter = self.cursor.next();
                        text.push(
                            letter.ok_or_else(|| {
                                format!("line {}: a text does not end", self.line)
                            })?,
                        );
                    }
                }
                self.push(CodeToken::Text { text, whole });
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn swift(&mut self) -> Result<bool, String> {
        let rest = self.cursor.rest();
        let hashes = rest.chars().take(HASHES).take_while(|c| *c == '#').count();
        if hashes == 0 || !rest.get(hashes..).is_some_and(|text| text.starts_with('"')) {
            return Ok(false);
        }
        self.cursor.until("\"");
        let close = format!("\"{}", "#".repeat(hashes));
        let text = self.closed(&close)?;
        if text.contains(&format!("\\{}(", "#".repeat(hashes))) {
            return Err(format!("line {}: code in a raw text", self.line));
        }
        self.push_text(text);
        Ok(true)
    }

    /// Whether `++` or `--` stands right before.
    fn ends_with_count(&self) -> bool {
        let before = self.cursor.since(0).trim_end();
        before.ends_with("++") || before.ends_with("--")
    }

    /// A slash in the place of a value opens a regular expression.
    fn regex(&mut self, depth: usize) -> Result<bool, String> {
        let rest = self.cursor.rest();
        if !rest.starts_with('/') || rest.starts_with("//") || rest.starts_with("/*") {
            return Ok(false);
        }
        let value = match self.found.last().map(|last| &last.token) {
            None => false,
            Some(CodeToken::Word(word)) => !matches!(
                word.as_str(),
                "return"
                    | "typeof"
                    | "case"
                    | "in"
                    | "of"
                    | "do"
                    | "else"
                    | "void"
                    | "delete"
                    | "await"
                    | "yield"
                    | "and"
                    | "or"
                    | "not"
                    | "if"
                    | "unless"
                    | "when"
                    | "while"
                    | "until"
                    | "puts"
            ),
            Some(CodeToken::Text { .. } | CodeToken::Number | CodeToken::Command) => true,
            // `<div/>`, `</div>`: markup, where a slash is a slash.
            Some(CodeToken::Mark("<")) => true,
            // `i++ / 2`: no expression can be counted up.
            Some(CodeToken::Mark("+" | "-")) if self.ends_with_count() => true,
            Some(CodeToken::Mark(mark)) => matches!(*mark, ")" | "]" | "}" | "\"" | "'"),
        };
        let line = near_line(rest.get(1..).unwrap_or_default());
        // `of`, `await` and `yield` are names of variables as well.
        let either = matches!(
            self.found.last().map(|last| &last.token),
            Some(CodeToken::Word(word)) if matches!(word.as_str(), "of" | "await" | "yield")
        );
        if either && line.contains('/') && line.contains('(') {
            return Err(format!("line {}: a slash of two meanings", self.line));
        }
        if value {
            // Behind a bracket it may be either; without quotes both say the same.
            let bracket = matches!(
                self.found.last().map(|last| &last.token),
                Some(CodeToken::Mark(")" | "}"))
            );
            if bracket
                && line.contains('/')
                && line.contains(['"', '\'', '`'])
                && !line.contains("//")
                && !line.contains("/>")
                && !line.contains("</")
            {
                return Err(format!("line {}: a slash of two meanings", self.line));
            }
            return Ok(false);
        }
        self.cursor.next();
        self.pattern(depth)?;
        self.cursor.take_while(char::is_alphanumeric);
        self.push(CodeToken::Number);
        Ok(true)
    }

    /// The inside of a regular expression, and the code in it.
    fn pattern(&mut self, depth: usize) -> Result<(), String> {
        let ruby = self.has(Oddity::Ruby);
        // `x = /` of Ruby goes on over lines; behind a word a slash may divide.
        let many_lines = ruby && !matches!(self.last_token(), Some(CodeToken::Word(_)));
        let mut class = false;
        loop {
            if ruby && self.cursor.eat("#{") {
                self.run(Some("}"), depth.saturating_add(1))?;
                continue;
            }
            match self.cursor.next() {
                Some('\\') => {
                    self.cursor.next();
                }
                Some('[') => class = true,
                Some(']') => class = false,
                Some('/') if !class => return Ok(()),
                Some('\n') if many_lines => {}
                Some('\n') | None => {
                    return Err(format!("line {}: an expression does not end", self.line));
                }
                Some(_) => {}
            }
        }
    }

    fn last_token(&self) -> Option<&CodeToken> {
        self.found.last().map(|last| &last.token)
    }

    fn ruby(&mut self, depth: usize) -> Result<bool, String> {
        let rest = self.cursor.rest();
        if rest.starts_with("__END__") && self.at_line_start() {
            while self.cursor.next().is_some() {}
            return Ok(true);
        }
        if rest.starts_with("=begin") && self.at_line_start() {
            self.closed("\n=end")?;
            self.cursor.line();
            return Ok(true);
        }
        if self.document_start("<<~", "<<-") {
            return Ok(true);
        }
        let capital = rest.strip_prefix("<<").and_then(|name| name.chars().next());
        if capital.is_some_and(|c| c.is_ascii_uppercase()) && self.document_start("<<", "<<") {
            return Ok(true);
        }
        // `x = <<'END'`; behind a value it appends a text.
        let begins_value = matches!(self.last_token(), Some(CodeToken::Mark("=" | "(" | ",")));
        if begins_value && matches!(capital, Some('"' | '\'')) && self.document_start("<<", "<<") {
            return Ok(true);
        }
        // `?a` is a character, `:"a"` a symbol.
        if rest.starts_with('?')
            && rest.chars().nth(2).is_none_or(|c| !c.is_alphanumeric())
            && matches!(rest.chars().nth(1), Some('"' | '\'' | '`' | '#' | '/'))
        {
            self.cursor.next();
            self.cursor.next();
            self.push(CodeToken::Number);
            return Ok(true);
        }
        if self.percent(depth)? {
            return Ok(true);
        }
        self.regex(depth)
    }

    fn at_line_start(&self) -> bool {
        matches!(self.cursor.since(0).chars().next_back(), None | Some('\n'))
    }

    /// `%w[…]`, `%i(…)`, `%q{…}`, `%r{…}`, `%x(…)`.
    fn percent(&mut self, depth: usize) -> Result<bool, String> {
        let Some((kind, open, close)) = percent_quotes(self.cursor.rest()) else {
            return Ok(false);
        };
        // `a % (b)` is arithmetic.
        if kind.is_none()
            && matches!(
                self.found.last().map(|last| &last.token),
                Some(CodeToken::Word(_) | CodeToken::Number | CodeToken::Mark(")" | "]" | "}"))
            )
        {
            return Ok(false);
        }
        self.cursor.next();
        if kind.is_some() {
            self.cursor.next();
        }
        self.cursor.next();
        if kind == Some('x') {
            self.push(CodeToken::Command);
        }
        let mut inner = 0_usize;
        let mut text = String::new();
        let mut whole = true;
        loop {
            if inner == 0 && self.cursor.eat(close) {
                break;
            }
            if kind.is_none_or(|kind| "WIQrx".contains(kind)) && self.cursor.eat("#{") {
                whole = false;
                self.run(Some("}"), depth.saturating_add(1))?;
                continue;
            }
            match self.cursor.next() {
                Some('\\') => {
                    self.cursor.next();
                }
                Some(letter) => {
                    if letter == open {
                        inner = inner.saturating_add(1);
                    } else if close.starts_with(letter) {
                        inner = inner.saturating_sub(1);
                    }
                    text.push(letter);
                }
                None => return Err(format!("line {}: a text does not end", self.line)),
            }
        }
        self.push(CodeToken::Text { text, whole });
        Ok(true)
    }

    fn php(&mut self) -> Result<bool, String> {
        if self.cursor.eat("?>") {
            self.outside_php()?;
            return Ok(true);
        }
        Ok(self.document_start("<<<", "<<<"))
    }

    /// Text between `?>` and `<?php` is no code.
    pub(super) fn outside_php(&mut self) -> Result<(), String> {
        loop {
            if self.cursor.eat("<?php") || self.cursor.eat("<?=") || self.cursor.eat("<?") {
                return Ok(());
            }
            if self.cursor.next().is_none() {
                return Ok(());
            }
        }
    }

    /// A text that begins on the next line and ends with a line of its own.
    fn document_start(&mut self, one: &str, two: &str) -> bool {
        let rest = self.cursor.rest();
        let Some(behind) = rest.strip_prefix(one).or_else(|| rest.strip_prefix(two)) else {
            return false;
        };
        let quoted = behind.starts_with(['"', '\'']);
        let name: String = behind
            .trim_start_matches(['"', '\''])
            .chars()
            .take_while(|c| *c == '_' || c.is_alphanumeric())
            .collect();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return false;
        }
        // A name of several words is read as code, which hides nothing.
        let after = behind.get(name.len().saturating_add(1)..);
        if quoted && !after.is_some_and(|after| after.starts_with(['"', '\''])) {
            return false;
        }
        let opener = if rest.starts_with(one) { one } else { two };
        self.cursor.eat(opener);
        self.cursor.take_while(|c| c == '"' || c == '\'');
        self.cursor.eat(&name);
        if quoted {
            self.cursor.take_while(|c| c == '"' || c == '\'');
        }
        let raw = behind.starts_with('\'');
        self.heredocs.push(LaterText { end: name, raw });
        true
    }

    pub(super) fn skip_heredocs(&mut self, depth: usize) -> Result<(), String> {
        for later in std::mem::take(&mut self.heredocs) {
            let start = self.cursor.at();
            let mut length = 0_usize;
            loop {
                let line = self.cursor.line();
                if line.trim().trim_end_matches([';', ')', ',']) == later.end {
                    break;
                }
                length = self.cursor.at().saturating_sub(start);
                if self.cursor.next().is_none() {
                    return Err(format!("line {}: a text does not end", self.line));
                }
            }
            let text = self.cursor.since(start);
            self.count_lines();
            let text = text.get(..length).unwrap_or_default();
            match (later.raw, self.code_marks()) {
                (true, _) => self.push_text(text),
                (false, Some(marks)) => self.long_text(text, marks, depth)?,
                // Code inside it is not read.
                (false, None) if text.contains("${") || text.contains("%{") => {
                    return Err(format!("line {}: code in a long text", self.line));
                }
                (false, None) => self.push_text(text),
            }
        }
        Ok(())
    }

    /// What opens code in a text over several lines.
    fn code_marks(&self) -> Option<&'static [&'static str]> {
        if self.has(Oddity::Ruby) {
            Some(&["#{"])
        } else if self.has(Oddity::Php) {
            Some(&["{$", "${"])
        } else {
            None
        }
    }

    /// A text over several lines, and the code in it.
    fn long_text(&mut self, text: &'a str, marks: &[&str], depth: usize) -> Result<(), String> {
        let mut plain = String::new();
        let mut codes = Vec::new();
        let mut cursor = Cursor::new(text);
        while let Some(letter) = cursor.peek() {
            if letter == '\\' {
                cursor.next();
                plain.extend(cursor.next());
            } else if let Some(mark) = marks.iter().find(|mark| cursor.eat(mark)) {
                plain.push('\u{fffd}');
                let mut inner = CodeLexer {
                    cursor: Cursor::new(cursor.rest()),
                    rules: self.rules,
                    line: self.line,
                    counted: 0,
                    found: Vec::new(),
                    heredocs: Vec::new(),
                };
                // `{$name}`: the sign belongs to the code.
                if *mark == "{$" {
                    inner.push(CodeToken::Mark("$"));
                }
                inner.run(Some("}"), depth.saturating_add(1))?;
                let read = inner.cursor.at();
                cursor = Cursor::new(cursor.rest().get(read..).unwrap_or_default());
                codes.extend(inner.found);
            } else {
                cursor.next();
                plain.push(letter);
            }
        }
        let whole = codes.is_empty();
        self.push(CodeToken::Text { text: plain, whole });
        self.found.extend(codes);
        Ok(())
    }

    /// `~s(…)`, `~r/…/`, `~w[…]`.
    fn sigil(&mut self, depth: usize) -> Result<bool, String> {
        let rest = self.cursor.rest();
        // `?"` is a character.
        if rest.starts_with('?') && matches!(rest.chars().nth(1), Some('"' | '\'' | '#')) {
            self.cursor.next();
            self.cursor.next();
            self.push(CodeToken::Number);
            return Ok(true);
        }
        let Some(behind) = rest.strip_prefix('~') else {
            return Ok(false);
        };
        let kind: String = behind
            .chars()
            .take_while(char::is_ascii_alphabetic)
            .collect();
        let open = behind.get(kind.len()..).unwrap_or_default();
        let (open, close) = match open.chars().next() {
            _ if kind.is_empty() => return Ok(false),
            _ if open.starts_with("\"\"\"") => ("\"\"\"", "\"\"\""),
            Some('(') => ("(", ")"),
            Some('[') => ("[", "]"),
            Some('{') => ("{", "}"),
            Some('<') => ("<", ">"),
            Some('/') => ("/", "/"),
            Some('|') => ("|", "|"),
            Some('"') => ("\"", "\""),
            Some('\'') => ("'", "'"),
            _ => return Ok(false),
        };
        self.cursor.eat("~");
        self.cursor.eat(&kind);
        let lower = kind.chars().all(|c| c.is_ascii_lowercase());
        let rule = QuoteRule {
            open,
            close,
            escape: Some('\\'),
            code: lower.then_some(("#{", "}")),
            many_lines: true,
        };
        self.quoted(rule, depth)?;
        Ok(true)
    }

    fn bracket_text(&mut self) -> Result<bool, String> {
        let rest = self.cursor.rest();
        let comment = rest.starts_with("#[");
        let Some(behind) = rest.trim_start_matches('#').strip_prefix('[') else {
            return Ok(false);
        };
        let equals = behind
            .chars()
            .take(HASHES)
            .take_while(|c| *c == '=')
            .count();
        if !behind
            .get(equals..)
            .is_some_and(|text| text.starts_with('['))
        {
            return Ok(false);
        }
        if comment {
            self.cursor.eat("#");
        }
        self.cursor.eat("[");
        self.cursor.until("[");
        let text = self.closed(&format!("]{}]", "=".repeat(equals)))?;
        if !comment {
            self.push_text(text);
        }
        Ok(true)
    }
}

/// The letter of a text that opens with a per cent sign, its opening and its closing sign.
fn percent_quotes(text: &str) -> Option<(Option<char>, char, &'static str)> {
    let behind = text.strip_prefix('%')?;
    let mut letters = behind.chars();
    let kind = letters.next().filter(|c| "wWiIqQrxs".contains(*c));
    let open = match kind {
        Some(_) => letters.next()?,
        None => behind.chars().next()?,
    };
    let close = match open {
        '[' => "]",
        '(' => ")",
        '{' => "}",
        '<' if kind.is_some() => ">",
        '|' if kind.is_some() => "|",
        '!' if kind.is_some() => "!",
        '/' if kind.is_some() => "/",
        _ => return None,
    };
    Some((kind, open, close))
}
