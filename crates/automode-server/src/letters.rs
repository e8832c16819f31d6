//! Text of agents as people read it: what steers a terminal or a screen is written out.
//!
//! Somebody decides by what they see. A letter that shows as nothing, or that turns the
//! order of others around, would have them see another command than the one that runs.

use automode_shell::invisible::is_invisible;

/// Whether a letter cannot be shown as it is.
#[must_use]
pub fn is_odd(letter: char) -> bool {
    letter.is_control() || is_invisible(letter)
}

/// A letter that cannot be shown as it is, written out.
#[must_use]
pub fn written_out(letter: char) -> String {
    letter.escape_default().to_string()
}

/// One line for a terminal, with nothing left out.
#[must_use]
pub fn plain(text: &str) -> String {
    text.chars().fold(String::new(), |mut shown, letter| {
        if is_odd(letter) {
            shown.push_str(&written_out(letter));
        } else {
            shown.push(letter);
        }
        shown
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_hidden() {
        assert_eq!(
            plain("a\nb\u{202e}c\u{200b}d\u{1b}[2J"),
            "a\\nb\\u{202e}c\\u{200b}d\\u{1b}[2J"
        );
        assert_eq!(plain("grüße ✓ 日本"), "grüße ✓ 日本");
    }
}
