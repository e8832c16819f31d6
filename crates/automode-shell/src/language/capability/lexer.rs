//! Source text as words, texts and marks.
//!
//! Code inside texts (`"${…}"`) comes out as tokens like any other. What does not
//! close is an error: the rest of the file could be anything.

mod odd_text;

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
    /// Texts that begin on the next line.
    heredocs: Vec<LaterText>,
}

/// A text that begins on the next line and ends with a line of its own.
struct LaterText {
    end: String,
    /// No code is read in it.
    raw: bool,
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
                self.skip_heredocs(depth)?;
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
