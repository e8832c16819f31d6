//! Source text as words, texts and marks.
//!
//! Code inside texts (`"${…}"`) comes out as tokens like any other. What does not
//! close is an error: the rest of the file could be anything.

use super::syntax::{LexicalRules, Oddity, QuoteRule};
use crate::language::cursor::Cursor;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CodeToken {
    Word(String),
    /// A text, and whether code was part of it.
    Text {
        text: String,
        whole: bool,
    },
    Number,
    Mark(&'static str),
    /// Commands in backquotes.
    Command,
}

#[derive(Clone, Debug)]
pub(super) struct CodeLexeme {
    pub(super) token: CodeToken,
    pub(super) line: usize,
}

impl CodeToken {
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Text { .. } | Self::Number | Self::Mark(_) | Self::Command => None,
        }
    }

    pub(super) const fn mark(&self) -> Option<&'static str> {
        match self {
            Self::Mark(mark) => Some(*mark),
            Self::Word(_) | Self::Text { .. } | Self::Number | Self::Command => None,
        }
    }

    /// A text, and whether it was read whole.
    pub(super) fn text(&self) -> Option<(&str, bool)> {
        match self {
            Self::Text { text, whole } => Some((text, *whole)),
            Self::Word(_) | Self::Number | Self::Mark(_) | Self::Command => None,
        }
    }
}

pub(super) fn word(tokens: &[CodeLexeme], at: usize) -> Option<&str> {
    tokens.get(at)?.token.word()
}

pub(super) fn mark(tokens: &[CodeLexeme], at: usize) -> Option<&'static str> {
    tokens.get(at)?.token.mark()
}

/// A text, whether or not code was part of it.
pub(super) fn literal(tokens: &[CodeLexeme], at: usize) -> Option<&str> {
    Some(tokens.get(at)?.token.text()?.0)
}

/// A text without code in it.
pub(super) fn whole_text(tokens: &[CodeLexeme], at: usize) -> Option<&str> {
    let (text, whole) = tokens.get(at)?.token.text()?;
    whole.then_some(text)
}

const TOKENS: usize = 400_000;
const DEPTH: usize = 12;
/// The most signs that stand around a raw text.
const HASHES: usize = 32;
/// How far along a line a quote or a slash is looked after.
const NEAR: usize = 400;

/// Longer ones first.
const MARKS: &[&str] = &[
    "===", "!==", "...", "<<<", "::", "->", "=>", ":=", "==", "!=", "<=", ">=", "?.", "&.", "!!",
    "&&", "||", "|>", "<-", "..", "(", ")", "[", "]", "{", "}", ".", ",", ";", ":", "=", "+", "-",
    "*", "/", "%", "!", "?", "&", "|", "<", ">", "@", "#", "^", "~", "$", "\\", "`", "'", "\"",
];

pub(super) fn tokens(text: &str, rules: LexicalRules) -> Result<Vec<CodeLexeme>, String> {
    let mut lexer = CodeLexer {
        cursor: Cursor::new(text),
        rules,
        line: 1,
        counted: 0,
        found: Vec::new(),
        heredocs: Vec::new(),
    };
    if rules.oddities.contains(&Oddity::Php) {
        lexer.outside_php()?;
    }
    lexer.run(None, 0)?;
    Ok(lexer.found)
}

struct CodeLexer<'a> {
    cursor: Cursor<'a>,
    rules: LexicalRules,
    line: usize,
    /// How far lines were counted.
    counted: usize,
    found: Vec<CodeLexeme>,
    /// Texts that begin on the next line, by their last line.
    heredocs: Vec<String>,
}

impl<'a> CodeLexer<'a> {
    /// Reads up to `close` where it is given, up to the end otherwise.
    fn mark(&mut self) -> &'static str {
        let mark = match MARKS.iter().find(|mark| self.cursor.eat(mark)) {
            Some(mark) => *mark,
            // A letter of no alphabet: emoji in a text of markup, for one.
            None => {
                self.cursor.next();
                "?"
            }
        };
        self.push(CodeToken::Mark(mark));
        mark
    }

    fn run(&mut self, close: Option<&str>, depth: usize) -> Result<(), String> {
        if depth > DEPTH {
            return Err(format!("line {}: texts nest too deep", self.line));
        }
        let mut open = 0_usize;
        while let Some(next) = self.cursor.peek() {
            self.count_lines();
            if self.found.len() > TOKENS {
                return Err("too many tokens".to_owned());
            }
            if next == '\n' && !self.heredocs.is_empty() {
                self.cursor.next();
                self.skip_heredocs()?;
                continue;
            }
            if next.is_whitespace() {
                if self.block_comment()? {
                    continue;
                }
                self.cursor.next();
                continue;
            }
            if let Some(close) = close
                && open == 0
                && self.cursor.rest().starts_with(close)
            {
                self.cursor.eat(close);
                return Ok(());
            }
            if self.block_comment()?
                || self.odd(depth)?
                || self.line_comment()
                || self.text(depth)?
            {
                continue;
            }
            if self.is_word_start(next) {
                self.word();
                continue;
            }
            if next.is_ascii_digit() {
                self.number();
                continue;
            }
            match self.mark() {
                "(" | "[" | "{" => open = open.saturating_add(1),
                ")" | "]" | "}" => open = open.saturating_sub(1),
                _ => {}
            }
        }
        match close {
            Some(_) => Err(format!("line {}: code in a text does not end", self.line)),
            None if self.heredocs.is_empty() => Ok(()),
            None => Err(format!("line {}: a text does not end", self.line)),
        }
    }

    fn count_lines(&mut self) {
        let new = self.cursor.since(self.counted);
        self.line = self.line.saturating_add(new.matches('\n').count());
        self.counted = self.cursor.at();
    }

    fn push(&mut self, token: CodeToken) {
        self.found.push(CodeLexeme {
            token,
            line: self.line,
        });
    }

    fn push_text(&mut self, text: &str) {
        self.push(CodeToken::Text {
            text: text.to_owned(),
            whole: true,
        });
    }

    fn has(&self, oddity: Oddity) -> bool {
        self.rules.oddities.contains(&oddity)
    }

    fn is_word_start(&self, letter: char) -> bool {
        letter == '_' || letter.is_alphabetic() || self.rules.word_marks.contains(letter)
    }

    fn word(&mut self) {
        let marks = self.rules.word_marks;
        let mut word = self
            .cursor
            .take_while(|c| c == '_' || c.is_alphanumeric() || marks.contains(c))
            .to_owned();
        if let Some(end) = self.cursor.peek()
            && self.rules.word_ends.contains(end)
            && self.cursor.peek_second() != Some('=')
        {
            self.cursor.next();
            word.push(end);
        }
        // `include!(…)` is one name.
        if self.has(Oddity::Rust)
            && self.cursor.peek() == Some('!')
            && matches!(self.cursor.peek_second(), Some('(' | '[' | '{' | ' '))
        {
            self.cursor.next();
            word.push('!');
        }
        self.push(CodeToken::Word(word));
    }

    fn number(&mut self) {
        let separators = self.has(Oddity::Cpp);
        self.cursor
            .take_while(|c| c == '_' || c.is_alphanumeric() || (separators && c == '\''));
        if self.cursor.eat_decimal_point() {
            self.cursor.take_while(|c| c == '_' || c.is_alphanumeric());
        }
        self.push(CodeToken::Number);
    }

    fn line_comment(&mut self) -> bool {
        let found = self
            .rules
            .line_comments
            .iter()
            .any(|mark| self.cursor.rest().starts_with(mark));
        // `#[Attribute]` of PHP is no comment.
        let attribute = self.has(Oddity::Php) && self.cursor.rest().starts_with("#[");
        if found && !attribute {
            self.cursor.line();
        }
        found && !attribute
    }

    fn block_comment(&mut self) -> Result<bool, String> {
        let Some((open, close)) = self
            .rules
            .block_comments
            .iter()
            .find(|(open, _)| self.cursor.rest().starts_with(open))
        else {
            return Ok(false);
        };
        self.cursor.eat(open);
        let mut depth = 1_usize;
        while depth > 0 {
            if self.cursor.eat(close) {
                depth = depth.saturating_sub(1);
            } else if self.rules.nested_comments && self.cursor.eat(open) {
                depth = depth.saturating_add(1);
            } else if self.cursor.next().is_none() {
                return Err(format!("line {}: a comment does not end", self.line));
            }
        }
        Ok(true)
    }

    fn text(&mut self, depth: usize) -> Result<bool, String> {
        let rest = self.cursor.rest();
        let Some(rule) = self
            .rules
            .quotes
            .iter()
            .find(|rule| rest.starts_with(rule.open))
        else {
            return Ok(false);
        };
        if self.has(Oddity::Markup) && self.is_apostrophe(rule) {
            return Ok(false);
        }
        self.quoted(*rule, depth)?;
        Ok(true)
    }

    /// `Don't` between tags: a quote right behind a word opens nothing, nor does
    /// one that never closes on its line.
    fn is_apostrophe(&self, rule: &QuoteRule) -> bool {
        let inside = self
            .cursor
            .rest()
            .get(rule.open.len()..)
            .unwrap_or_default();
        let line = near_line(inside);
        let behind = self
            .cursor
            .since(0)
            .chars()
            .next_back()
            .is_some_and(char::is_alphanumeric);
        let keyword = matches!(
            self.found.last().map(|last| &last.token),
            Some(CodeToken::Word(word)) if matches!(word.as_str(), "return" | "case" | "typeof" | "in" | "of" | "from" | "import" | "await" | "yield" | "default" | "else" | "extends" | "as")
        );
        !rule.many_lines
            && ((behind && !keyword) || (!line.contains(rule.close) && !line.ends_with('\\')))
    }

    fn quoted(&mut self, rule: QuoteRule, depth: usize) -> Result<(), String> {
        let start = self.line;
        let at = self.found.len();
        self.cursor.eat(rule.open);
        let mut text = String::new();
        let mut whole = true;
        loop {
            if self.cursor.eat(rule.close) {
                break;
            }
            if let Some((open, close)) = rule.code
                && self.cursor.eat(open)
            {
                whole = false;
                text.push('\u{fffd}');
                if open == "{" && self.cursor.eat("{") {
                    continue;
                }
                // `{$name}`: the sign belongs to the code.
                self.run(Some(close), depth.saturating_add(1))?;
                continue;
            }
            match self.cursor.next() {
                Some('\n') if !rule.many_lines => {
                    return Err(format!("line {start}: a text does not end"));
                }
                Some(letter) if Some(letter) == rule.escape => match self.cursor.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('u' | 'x' | '0'..='7') => {
                        whole = false;
                        text.push('\u{fffd}');
                    }
                    Some('\n') => {}
                    Some(other) => text.push(other),
                    None => return Err(format!("line {start}: a text does not end")),
                },
                // `"$name"` of shells, Kotlin, Groovy and PHP.
                Some('$') if rule.code.is_some_and(|(open, _)| open.contains('$')) => {
                    whole = false;
                    text.push('\u{fffd}');
                }
                Some(letter) => text.push(letter),
                None => return Err(format!("line {start}: a text does not end")),
            }
        }
        self.count_lines();
        let token = if rule.open == "`" && self.runs_backquotes() {
            CodeToken::Command
        } else {
            CodeToken::Text { text, whole }
        };
        // In front of the code it holds, so that the text is the argument.
        let lexeme = CodeLexeme { token, line: start };
        self.found.insert(at.min(self.found.len()), lexeme);
        Ok(())
    }

    fn runs_backquotes(&self) -> bool {
        self.has(Oddity::Ruby) || self.has(Oddity::Php)
    }

    fn odd(&mut self, depth: usize) -> Result<bool, String> {
        for oddity in self.rules.oddities {
            let done = match oddity {
                Oddity::Rust => self.rust()?,
                Oddity::Cpp => self.cpp()?,
                Oddity::CSharp => self.csharp(depth)?,
                Oddity::Swift => self.swift()?,
                Oddity::Regex => self.regex()?,
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

    /// A slash in the place of a value opens a regular expression.
    fn regex(&mut self) -> Result<bool, String> {
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
            Some(CodeToken::Mark(mark)) => matches!(*mark, ")" | "]" | "}" | "\"" | "'"),
        };
        let line = near_line(rest.get(1..).unwrap_or_default());
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
        let mut class = false;
        self.cursor.next();
        loop {
            match self.cursor.next() {
                Some('\\') => {
                    self.cursor.next();
                }
                Some('[') => class = true,
                Some(']') => class = false,
                Some('/') if !class => break,
                Some('\n') | None => {
                    return Err(format!("line {}: an expression does not end", self.line));
                }
                Some(_) => {}
            }
        }
        self.cursor.take_while(char::is_alphanumeric);
        self.push(CodeToken::Number);
        Ok(true)
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
        self.regex()
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
    fn outside_php(&mut self) -> Result<(), String> {
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
        let opener = if rest.starts_with(one) { one } else { two };
        self.cursor.eat(opener);
        self.cursor.take_while(|c| c == '"' || c == '\'');
        self.cursor.eat(&name);
        if quoted {
            self.cursor.take_while(|c| c == '"' || c == '\'');
        }
        self.heredocs.push(name);
        true
    }

    fn skip_heredocs(&mut self) -> Result<(), String> {
        for name in std::mem::take(&mut self.heredocs) {
            let mut text = String::new();
            loop {
                let line = self.cursor.line();
                if line.trim().trim_end_matches([';', ')', ',']) == name {
                    break;
                }
                text.push_str(line);
                text.push('\n');
                if self.cursor.next().is_none() {
                    return Err(format!("line {}: a text does not end", self.line));
                }
            }
            // Code inside it is not read.
            if text.contains("#{") || text.contains("{$") || text.contains("${") {
                return Err(format!("line {}: code in a long text", self.line));
            }
            self.count_lines();
            self.push_text(&text);
        }
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

/// The rest of a line, as far as it is worth looking: a file may be one line.
fn near_line(text: &str) -> &str {
    let near = text.as_bytes().get(..NEAR).unwrap_or(text.as_bytes());
    let mut end = near
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(near.len());
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    text.get(..end).unwrap_or_default()
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
