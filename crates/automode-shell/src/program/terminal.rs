//! Words of a terminal multiplexer: `#(command)` in a format runs the command, and a
//! `;` at the end of a word begins another command of the multiplexer.

use super::meaning::Meaning;
use crate::{Piece, Value};

impl Meaning<'_> {
    pub(super) fn terminal_format(&mut self, value: &Value) {
        let Some(text) = value.literal() else {
            let gap = self.dynamic_gap(value);
            return self.gap(gap);
        };
        if text.contains("#(") || text.ends_with(';') {
            self.unseen(format!("commands in `{}`", value.shown()), value.span);
        }
    }

    /// Words that are typed into a terminal: names of keys are pressed, everything else is
    /// typed letter by letter, with nothing between the words.
    pub(super) fn keys(&mut self, words: &[Value]) {
        let literal = self.has("-l");
        let mut typed = Value::default();
        for word in words {
            self.terminal_format(word);
            let text = word.literal().unwrap_or_default();
            let key = if literal { Key::Text } else { key(&text) };
            typed.span = if typed.pieces.is_empty() {
                word.span
            } else {
                typed.span.to(word.span)
            };
            match key {
                Key::Text => typed.pieces.extend(word.pieces.iter().cloned()),
                Key::Typed(letter) => typed.pieces.push(Piece::Text(letter.to_owned())),
                Key::Other => self.unseen(format!("the key `{}`", word.shown()), word.span),
            }
        }
        self.shell(typed, &[]);
    }
}

/// What a word does that may name a key.
enum Key {
    Text,
    Typed(&'static str),
    Other,
}

fn key(word: &str) -> Key {
    let name = word.to_ascii_lowercase();
    match name.as_str() {
        "enter" | "kpenter" | "c-m" | "c-j" | "^m" | "^j" => return Key::Typed("\n"),
        "space" => return Key::Typed(" "),
        _ => {}
    }
    let held = [
        "c-", "m-", "s-", "0x", "kp", "mouse", "wheel", "user", "page", "double", "triple",
    ];
    let keys = [
        "up", "down", "left", "right", "tab", "btab", "bspace", "escape", "home", "end", "ic",
        "insert", "dc", "delete", "npage", "ppage", "pgup", "pgdn", "focusin", "focusout",
    ];
    let function = name
        .strip_prefix('f')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    let control = name.len() > 1 && name.starts_with('^');
    let presses = held.iter().any(|front| name.starts_with(front)) && !name.contains(' ');
    if function || control || presses || keys.contains(&name.as_str()) {
        Key::Other
    } else {
        Key::Text
    }
}
