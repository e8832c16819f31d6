//! JSON strings that a reader of tags cannot be fooled by.
//!
//! Beyond JSON's own escapes, `<`, `>` and `&` are written as `\u003c` and so
//! on, and every character that a person would not see (controls, bidirectional
//! marks, zero width, tag characters) or would take for an angle bracket as its
//! code. Whatever goes in, the result is one line that holds no tag and ends
//! where it should.

pub use automode_shell::invisible::is_invisible;

/// Appends `text` as the inside of a JSON string.
pub fn push_escaped(out: &mut String, text: &str) {
    let mut plain = 0;
    for (at, character) in text.char_indices() {
        let short = match character {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '<' => "\\u003c",
            '>' => "\\u003e",
            '&' => "\\u0026",
            _ if character.is_control() || is_invisible(character) || is_bracket(character) => "",
            _ => continue,
        };
        out.push_str(text.get(plain..at).unwrap_or_default());
        plain = at.saturating_add(character.len_utf8());
        if short.is_empty() {
            push_code(out, character);
        } else {
            out.push_str(short);
        }
    }
    out.push_str(text.get(plain..).unwrap_or_default());
}

/// A path with its `%41` spelled out; what is no letter stays as it is.
#[must_use]
pub fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0_usize;
    while let Some(&byte) = bytes.get(at) {
        let code = (byte == b'%')
            .then(|| text.get(at.saturating_add(1)..at.saturating_add(3)))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code {
            Some(code) => {
                out.push(code);
                at = at.saturating_add(3);
            }
            None => {
                out.push(byte);
                at = at.saturating_add(1);
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// A word of the shell, whatever is in it.
#[must_use]
pub fn shell_quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// `text` as a JSON string with its quotes.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    out.push('"');
    push_escaped(&mut out, text);
    out.push('"');
    out
}

/// Characters that a reader takes for `<` or `>`.
pub const fn is_bracket(character: char) -> bool {
    matches!(
        character,
        '\u{2039}'
            | '\u{203a}'
            | '\u{2329}'
            | '\u{232a}'
            | '\u{276e}'
            | '\u{276f}'
            | '\u{2770}'
            | '\u{2771}'
            | '\u{27e8}'
            | '\u{27e9}'
            | '\u{3008}'
            | '\u{3009}'
            | '\u{fe3f}'
            | '\u{fe40}'
            | '\u{fe64}'
            | '\u{fe65}'
            | '\u{ff1c}'
            | '\u{ff1e}'
            | '\u{02c2}'
            | '\u{02c3}'
            | '\u{1438}'
            | '\u{1433}'
    )
}

fn push_code(out: &mut String, character: char) {
    const HEX: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    for unit in character.encode_utf16(&mut [0; 2]) {
        out.push_str("\\u");
        for shift in [12_u16, 8, 4, 0] {
            let digit = usize::from((*unit >> shift) & 0xf);
            out.push(HEX.get(digit).copied().unwrap_or('0'));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_reader_could_trip_over_is_written_out() {
        assert_eq!(quoted("a<b>\"&\\\n"), r#""a\u003cb\u003e\"\u0026\\\n""#);
        assert_eq!(quoted("\u{202e}\u{e0041}"), r#""\u202e\udb40\udc41""#);
        assert_eq!(
            quoted("\u{ff1c}block\u{ff1e}\u{2039}/\u{203a}"),
            r#""\uff1cblock\uff1e\u2039/\u203a""#
        );
        assert_eq!(quoted("žluťoučký 🐎"), "\"žluťoučký 🐎\"");
    }

    proptest! {
        #[test]
        fn it_is_json_and_says_the_same(text in "\\PC*|[\\x00-\\x7f]*") {
            let json = quoted(&text);
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
            prop_assert!(!json.contains(['<', '>', '\n']));
        }
    }
}
