//! SQL cut into tokens.

use crate::language::cursor::Cursor;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SqlToken {
    /// A bare word, in lower case.
    Word(String),
    /// A quoted name.
    Name,
    Text(String),
    Number,
    Mark(char),
}

pub(super) struct SqlWords<'a>(pub(super) &'a [SqlToken]);

impl<'a> SqlWords<'a> {
    pub(super) fn iter(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.0.iter().filter_map(|token| match token {
            SqlToken::Word(word) => Some(word.as_str()),
            SqlToken::Name | SqlToken::Text(_) | SqlToken::Number | SqlToken::Mark(_) => None,
        })
    }

    /// The token at a place, where it is a word or an opening parenthesis.
    pub(super) fn at(&self, at: usize) -> Option<&'a str> {
        match self.0.get(at)? {
            SqlToken::Word(word) => Some(word),
            SqlToken::Mark('(') => Some("("),
            SqlToken::Name | SqlToken::Text(_) | SqlToken::Number | SqlToken::Mark(_) => None,
        }
    }

    pub(super) fn has(&self, wanted: &str) -> bool {
        self.iter().any(|word| word == wanted)
    }

    pub(super) fn pair(&self, first: &str, second: &str) -> bool {
        self.0.windows(2).any(
            |pair| matches!(pair, [SqlToken::Word(a), SqlToken::Word(b)] if a == first && b == second),
        )
    }

    /// Outside all parentheses: the condition of a subquery limits nothing.
    pub(super) fn has_at_top(&self, wanted: &str) -> bool {
        let mut depth = 0_usize;
        self.0.iter().any(|token| match token {
            SqlToken::Mark('(') => {
                depth = depth.saturating_add(1);
                false
            }
            SqlToken::Mark(')') => {
                depth = depth.saturating_sub(1);
                false
            }
            SqlToken::Word(word) => depth == 0 && word == wanted,
            SqlToken::Name | SqlToken::Text(_) | SqlToken::Number | SqlToken::Mark(_) => false,
        })
    }
}

pub(super) fn token(cursor: &mut Cursor<'_>) -> Result<Option<SqlToken>, &'static str> {
    loop {
        cursor.take_while(char::is_whitespace);
        // `--x` is two minus signs in MySQL: reading it as a comment would hide what follows.
        if cursor.eat("--") {
            if !matches!(cursor.peek(), None | Some(' ' | '\t' | '\n' | '\r' | '-')) {
                return Err("`--` without a space");
            }
            cursor.line();
        } else if cursor.rest().starts_with("/*!") || cursor.rest().starts_with("/*+") {
            return Err("comment that some servers run");
        } else if cursor.eat("/*") {
            let body = cursor.until("*/").ok_or("unterminated comment")?;
            if body.contains("/*") {
                return Err("nested comment");
            }
        } else {
            break;
        }
    }
    let Some(next) = cursor.next() else {
        return Ok(None);
    };
    Ok(Some(match next {
        '\'' => SqlToken::Text(quoted(cursor, '\'')?),
        '"' | '`' => {
            quoted(cursor, next)?;
            SqlToken::Name
        }
        '$' => dollar(cursor)?,
        '0'..='9' => {
            cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_');
            SqlToken::Number
        }
        next if next.is_alphabetic() || next == '_' || next == '@' => {
            let mut word = next.to_string();
            word.push_str(cursor.take_while(|c| c.is_alphanumeric() || c == '_' || c == '$'));
            SqlToken::Word(word.to_lowercase())
        }
        // A comment for some servers, part of an operator for others.
        '#' if !matches!(cursor.peek(), Some('>' | '-')) => return Err("`#`"),
        next => SqlToken::Mark(next),
    }))
}

/// A quoted text; whether a backslash escapes differs between servers.
pub(super) fn quoted(cursor: &mut Cursor<'_>, quote: char) -> Result<String, &'static str> {
    let mut text = String::new();
    while let Some(next) = cursor.next() {
        if next == quote {
            if cursor.peek() != Some(quote) {
                return Ok(text);
            }
            cursor.next();
        } else if next == '\\' && cursor.peek() == Some(quote) {
            return Err("backslash in front of a quote");
        }
        text.push(next);
    }
    Err("unterminated quote")
}

/// `$1`, or a text between `$tag$` and `$tag$`.
fn dollar(cursor: &mut Cursor<'_>) -> Result<SqlToken, &'static str> {
    let mut ahead = cursor.clone();
    let tag = ahead.take_while(|c| c.is_alphanumeric() || c == '_');
    if !ahead.eat("$") {
        cursor.take_while(|c| c.is_alphanumeric() || c == '_');
        return Ok(SqlToken::Number);
    }
    let body = ahead
        .until(&format!("${tag}$"))
        .ok_or("unterminated quote")?;
    *cursor = ahead;
    Ok(SqlToken::Text(body.to_owned()))
}
