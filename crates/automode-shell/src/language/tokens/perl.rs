//! What only Perl has: sigils, quote-like operators, patterns that replace.

use super::ScriptToken;
use super::lexer::Lexer;
use super::quote::unknown;
use crate::Piece;
use crate::language::cursor::Cursor;

/// A token that the other languages do not have; nothing where it is an ordinary one.
pub(super) fn token(
    lexer: &mut Lexer<'_>,
    next: char,
) -> Result<Option<ScriptToken>, &'static str> {
    match next {
        '$' | '@' | '%' | '&' => variable(lexer, next),
        '<' => angle(lexer),
        next if next.is_alphabetic() || next == '_' => operator(lexer),
        _ => Ok(None),
    }
}

fn variable(lexer: &mut Lexer<'_>, sigil: char) -> Result<Option<ScriptToken>, &'static str> {
    let mut ahead = lexer.cursor.clone();
    ahead.next();
    let operand_before = matches!(
        lexer.lexed.main.last().map(|lexeme| &lexeme.token),
        Some(ScriptToken::Name(name)) if name.starts_with(['$', '@', '%'])
    ) || matches!(
        lexer.lexed.main.last().map(|lexeme| &lexeme.token),
        Some(ScriptToken::Number(_) | ScriptToken::Text(_) | ScriptToken::Mark(")" | "]" | "}"))
    );
    if matches!(sigil, '%' | '&') && operand_before {
        return Ok(None);
    }
    if sigil == '$' {
        ahead.eat("#");
        ahead.take_while(|c| c == '$');
    }
    let word = ahead.take_while(|c| c.is_alphanumeric() || c == '_' || c == ':');
    if word.is_empty() {
        if sigil == '&' && matches!(ahead.peek(), Some('{' | '$')) {
            return Err("call through a variable");
        }
        match ahead.peek() {
            // `${^I}` is `$^I`.
            Some('{') if ahead.peek_second() == Some('^') => {
                return Err("a variable of perl itself");
            }
            Some('{') if sigil != '&' => {
                // `@{$x}` and `${x}`: the braces are read as code of their own.
                lexer.cursor.next();
                return Ok(Some(ScriptToken::Mark("$")));
            }
            Some(c) if sigil == '$' && !c.is_whitespace() => {
                ahead.next();
                // `$^I` is one name.
                if c == '^' && ahead.peek().is_some_and(|next| next.is_ascii_uppercase()) {
                    ahead.next();
                }
            }
            Some('_' | '$') => {
                ahead.next();
            }
            _ => return Ok(None),
        }
        if sigil == '&' {
            return Err("call through a variable");
        }
    }
    let start = lexer.cursor.at();
    lexer.cursor = ahead;
    Ok(Some(ScriptToken::Name(
        lexer.cursor.since(start).to_owned(),
    )))
}

/// `<>`, `<STDIN>`, `<$file>`.
fn angle(lexer: &mut Lexer<'_>) -> Result<Option<ScriptToken>, &'static str> {
    let mut ahead = lexer.cursor.clone();
    ahead.next();
    ahead.eat("<");
    let inside = ahead.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | ':'));
    let plain = inside.is_empty()
        || inside.starts_with('$')
        || inside.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    if plain && ahead.eat(">") {
        ahead.eat(">");
        lexer.cursor = ahead;
        return Ok(Some(ScriptToken::Text(vec![unknown()])));
    }
    Ok(None)
}

fn operator(lexer: &mut Lexer<'_>) -> Result<Option<ScriptToken>, &'static str> {
    let mut ahead = lexer.cursor.clone();
    let word = ahead
        .take_while(|c| c.is_alphanumeric() || c == '_')
        .to_owned();
    if !matches!(
        word.as_str(),
        "q" | "qq" | "qw" | "qx" | "qr" | "m" | "s" | "tr" | "y"
    ) {
        return Ok(None);
    }
    // `$h{s}`, `s => 1` and `->s` are names.
    let member = matches!(
        lexer.lexed.main.last().map(|lexeme| &lexeme.token),
        Some(ScriptToken::Mark("->" | "::"))
    );
    let spaces = ahead.take_while(|c| c == ' ').len();
    let Some(open) = ahead
        .peek()
        .filter(|c| !c.is_alphanumeric() && !c.is_whitespace())
    else {
        return Ok(None);
    };
    if member
        || matches!(open, ',' | ';' | ')' | '}')
        || (open == '=' && (spaces > 0 || ahead.peek_second() == Some('>')))
    {
        return Ok(None);
    }
    ahead.next();
    lexer.cursor = ahead;
    match word.as_str() {
        "q" => Ok(Some(ScriptToken::Text(vec![Piece::Text(
            lexer.delimited(open)?,
        )]))),
        "qw" => {
            lexer.delimited(open)?;
            Ok(Some(ScriptToken::Text(vec![unknown()])))
        }
        "qq" | "qx" => {
            let body = lexer.delimited(open)?;
            let pieces = interpolated(&body)?;
            subscripts(lexer, &body)?;
            Ok(Some(if word == "qq" {
                ScriptToken::Text(pieces)
            } else {
                ScriptToken::Command(pieces)
            }))
        }
        "m" | "qr" => {
            let body = lexer.delimited(open)?;
            pattern(&body)?;
            lexer.cursor.take_while(|c| c.is_ascii_alphabetic());
            Ok(Some(ScriptToken::Regex))
        }
        _ => replacement(lexer, &word, open),
    }
}

/// `s/a/b/`, `tr/a/b/`: with `e` the second part is code.
fn replacement(
    lexer: &mut Lexer<'_>,
    word: &str,
    open: char,
) -> Result<Option<ScriptToken>, &'static str> {
    let from = lexer.delimited(open)?;
    let second = if matches!(open, '(' | '[' | '{' | '<') {
        lexer.cursor.take_while(char::is_whitespace);
        lexer.cursor.next().ok_or("unterminated pattern")?
    } else {
        open
    };
    let to = lexer.delimited(second)?;
    let flags = lexer
        .cursor
        .take_while(|c| c.is_ascii_alphabetic())
        .to_owned();
    if word == "s" {
        pattern(&from)?;
        match flags.matches('e').count() {
            0 => {
                interpolated(&to)?;
                subscripts(lexer, &to)?;
            }
            1 => lexer.fragment(&to)?,
            _ => return Err("a replacement that is run twice"),
        }
    }
    Ok(Some(ScriptToken::Regex))
}

pub(super) fn pattern(body: &str) -> Result<(), &'static str> {
    if body.contains("(?{") || body.contains("(??{") || body.contains("@{[") {
        Err("code in a pattern")
    } else {
        Ok(())
    }
}

/// What stands in the subscripts of the variables in a text: `"$h{key}"` is a value, and
/// `"$h{unlink 'x'}"` and `"${ unlink 'x' }"` are code.
pub(super) fn subscripts(lexer: &mut Lexer<'_>, body: &str) -> Result<(), &'static str> {
    let mut cursor = Cursor::new(body);
    while let Some(next) = cursor.next() {
        if next == '\\' {
            cursor.next();
        }
        if !matches!(next, '$' | '@') {
            continue;
        }
        if cursor.peek() == Some('{') {
            let inside = subscript(&mut cursor).ok_or("code in a text")?;
            let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '^' | '$');
            if !inside.chars().all(name) {
                return Err("code in a text");
            }
            continue;
        }
        let word = cursor.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
        let environment = word.rsplit("::").next() == Some("ENV");
        while !word.is_empty() && matches!(cursor.peek(), Some('{' | '[')) {
            let square = cursor.peek() == Some('[');
            let Some(inside) = subscript(&mut cursor) else {
                break;
            };
            let value = inside.starts_with(['$', '-', '\'', '"'])
                || inside.starts_with(|c: char| c.is_ascii_digit());
            let plain =
                |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '+' | '\'' | '"');
            if !inside.chars().all(plain) || (square && !value && inside.len() > 3) {
                return Err("code in a text");
            }
            if environment {
                lexer.fragment(&format!("$ENV{{{inside}}}"))?;
            }
        }
    }
    Ok(())
}

/// What stands between this bracket and the one that closes it.
fn subscript<'t>(cursor: &mut Cursor<'t>) -> Option<&'t str> {
    let close = match cursor.peek()? {
        '{' => '}',
        _ => ']',
    };
    let mut ahead = cursor.clone();
    ahead.next();
    let inside = ahead.take_while(|c| c != close);
    ahead.next()?;
    *cursor = ahead;
    Some(inside)
}

fn interpolated(body: &str) -> Result<Vec<Piece>, &'static str> {
    if body.contains("@{") || body.contains("${\\") || body.contains("->") && body.contains("()") {
        return Err("code in a text");
    }
    Ok(if body.contains(['$', '@', '\\']) {
        vec![unknown()]
    } else {
        vec![Piece::Text(body.to_owned())]
    })
}
