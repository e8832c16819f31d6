//! `$'…'`: the escapes of ANSI-C strings.

use super::parser::{ParsedScript, ShellParser};

impl ShellParser<'_> {
    /// Decodes from behind `$'` to behind the closing quote.
    pub(super) fn ansi_c(&mut self) -> ParsedScript<String> {
        let mut text = String::new();
        loop {
            let Some(character) = self.rest().chars().next() else {
                return self.fail("an unclosed `$'`");
            };
            self.at += character.len_utf8();
            match character {
                '\'' => return Ok(text),
                '\\' => self.ansi_c_escape(&mut text)?,
                _ => text.push(character),
            }
        }
    }

    fn ansi_c_escape(&mut self, text: &mut String) -> ParsedScript<()> {
        let Some(character) = self.rest().chars().next() else {
            return self.fail("an unclosed `$'`");
        };
        self.at += character.len_utf8();
        let decoded = match character {
            'a' => '\x07',
            'b' => '\x08',
            'e' | 'E' => '\x1b',
            'f' => '\x0c',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\x0b',
            '\\' | '"' | '?' => character,
            // A shell without `$'…'` would end the quote here and run the rest.
            '\'' => return self.fail("a quote in `$'…'`, which other shells read differently"),
            'x' => self.ansi_c_number(16, 2)?,
            'u' => self.ansi_c_number(16, 4)?,
            'U' => self.ansi_c_number(16, 8)?,
            'c' => return self.fail("a control escape in `$'…'`"),
            '0'..='7' => {
                self.at -= 1;
                self.ansi_c_number(8, 3)?
            }
            _ => {
                text.push('\\');
                character
            }
        };
        text.push(decoded);
        Ok(())
    }

    /// A number of up to `most` digits. Bytes outside ASCII would join to
    /// characters, and a NUL cuts the string: neither is followed.
    fn ansi_c_number(&mut self, radix: u32, most: usize) -> ParsedScript<char> {
        let digits: String = self
            .rest()
            .chars()
            .take(most)
            .take_while(|digit| digit.is_digit(radix))
            .collect();
        self.at += digits.len();
        let code = u32::from_str_radix(&digits, radix).ok();
        let character = code
            .filter(|code| most > 3 || *code < 0x80)
            .and_then(char::from_u32);
        match character {
            Some(character) if character != '\0' => Ok(character),
            _ => self.fail("an escape in `$'…'` that is no character"),
        }
    }
}
