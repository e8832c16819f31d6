//! Keeps deep text, and text that means another, away from the parser.
//!
//! A parser, a walk and even a drop of a tree recurse as deep as the text nests,
//! and an overflowing stack ends the process. The depth that a tree can reach is
//! bounded here from the tokens alone, in linear time and constant stack.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::lex;

/// Open brackets, blocks and operators of one expression together.
const DEPTH: usize = 200;

/// Lines among which Python looks for the name of an encoding, with some room for what a
/// reader put in front.
const HEAD: usize = 4;

/// The encoding that the text asks for, where it would be read as other letters than these:
/// in `utf-7` or `unicode_escape` a comment can hold statements.
pub(super) fn strange_encoding(text: &str) -> Option<String> {
    const PLAIN: &[&str] = &[
        "utf8",
        "utf8sig",
        "ascii",
        "usascii",
        "latin1",
        "iso88591",
        "iso885915",
        "cp1252",
    ];
    text.lines()
        .take(HEAD)
        .filter_map(|line| line.trim_start().strip_prefix('#'))
        .flat_map(|comment| comment.split("coding").skip(1))
        .filter_map(|named| {
            let named = named
                .strip_prefix([':', '='])?
                .trim_start_matches([' ', '\t']);
            let usual =
                |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
            let end = named.find(|letter| !usual(letter)).unwrap_or(named.len());
            named.get(..end)
        })
        .find(|name| {
            let name = name.to_lowercase().replace(['-', '_'], "");
            !name.is_empty() && !PLAIN.contains(&name.as_str())
        })
        .map(str::to_owned)
}

/// Whether the text is shallow enough to be parsed.
pub(super) fn is_shallow(text: &str) -> bool {
    let mut lexer = lex(text, Mode::Module);
    // Per open bracket: how many operators stand in front of the current token.
    let mut chains: Vec<usize> = vec![0];
    let mut total = 0_usize;
    let mut indents = 0_usize;
    loop {
        let kind = lexer.next_token();
        match kind {
            TokenKind::EndOfFile => return true,
            TokenKind::Unknown => return false,
            TokenKind::Indent => indents = indents.saturating_add(1),
            TokenKind::Dedent => indents = indents.saturating_sub(1),
            TokenKind::Newline | TokenKind::Comma | TokenKind::Semi => {
                if let Some(chain) = chains.last_mut() {
                    total = total.saturating_sub(*chain);
                    *chain = 0;
                }
            }
            kind if opens(kind) => {
                // The bracket itself is one link of the outer chain: a call or a subscript.
                if let Some(chain) = chains.last_mut() {
                    *chain = chain.saturating_add(1);
                }
                total = total.saturating_add(1);
                chains.push(0);
            }
            kind if closes(kind) => {
                if chains.len() > 1
                    && let Some(chain) = chains.pop()
                {
                    total = total.saturating_sub(chain);
                }
            }
            TokenKind::Name
            | TokenKind::Int
            | TokenKind::Float
            | TokenKind::Complex
            | TokenKind::String
            | TokenKind::FStringMiddle
            | TokenKind::TStringMiddle
            | TokenKind::Comment
            | TokenKind::NonLogicalNewline => {}
            _ => {
                if let Some(chain) = chains.last_mut() {
                    *chain = chain.saturating_add(1);
                }
                total = total.saturating_add(1);
            }
        }
        if total.saturating_add(indents).saturating_add(chains.len()) > DEPTH {
            return false;
        }
    }
}

fn opens(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart
    )
}

fn closes(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd
    )
}

#[cfg(test)]
mod tests {
    use super::is_shallow;

    #[test]
    fn ordinary_code_is_shallow() {
        assert!(is_shallow("x = [1, -2, -3] * 3\nprint(f\"{x!r:>{10}}\")\n"));
        assert!(is_shallow(&"x = a.b(c)[1] + 2\n".repeat(5_000)));
        assert!(is_shallow(&format!("x = [{}]", "-1, ".repeat(5_000))));
    }

    #[test]
    fn deep_code_is_refused() {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("-", "1"),
            ("not ", "x"),
            ("lambda: ", "1"),
            ("x+", "x"),
            ("x.", "x"),
            ("x if y else ", "z"),
            ("f\"{", "}\""),
            ("f(", ")"),
            ("x[0]", ""),
            ("await ", "x"),
            ("x:=", "1"),
            ("x=", "1"),
        ] {
            let deep = format!("{}{}", open.repeat(20_000), close.repeat(20_000));
            assert!(!is_shallow(&deep), "{open}");
        }
        let mut blocks = String::new();
        for depth in 0..300 {
            blocks.push_str(&" ".repeat(depth));
            blocks.push_str("if x:\n");
        }
        assert!(!is_shallow(&blocks));
    }
}
