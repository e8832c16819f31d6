//! Characters that hide or reorder the text around them.
//!
//! The one table of the workspace: the guard in front of the parser, what a
//! model reads, what a terminal shows and what an agent is told all ask here.
//! A variation selector or joiner that belongs to an emoji hides nothing;
//! [`disguises`] knows the difference, [`is_invisible`] does not.

/// Whether a character changes or hides text without being seen.
#[must_use]
pub const fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Whether an invisible character makes text look other than it is, given its
/// neighbours. `⚠️` is a sign and a selector for its colour, `👩‍💻` two signs and a
/// joiner; the same two after a letter are a disguise.
#[must_use]
pub fn disguises(before: Option<char>, character: char, after: Option<char>) -> bool {
    let joins_emoji = match character {
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(is_pictograph) || after == Some('\u{20e3}'),
        '\u{200d}' => {
            before.is_some_and(|c| is_pictograph(c) || c == '\u{fe0f}')
                && after.is_some_and(is_pictograph)
        }
        _ => false,
    };
    is_invisible(character) && !joins_emoji
}

const fn is_pictograph(character: char) -> bool {
    matches!(character,
        '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}'
        | '\u{2300}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::disguises;

    #[test]
    fn selectors_of_emoji_hide_nothing() {
        for (text, hidden) in [
            ("⚠\u{fe0f}", false),
            ("1\u{fe0f}\u{20e3}", false),
            ("👩\u{200d}💻", false),
            ("❤\u{fe0f}\u{200d}🔥", false),
            ("a\u{fe0f}", true),
            ("\u{fe0f}", true),
            ("a\u{200d}b", true),
            ("👩\u{200d}rm", true),
            ("⚠\u{202e}", true),
            ("\u{e0041}", true),
            ("é", false),
        ] {
            let letters: Vec<char> = text.chars().collect();
            let found = letters.iter().enumerate().any(|(at, letter)| {
                let before = at.checked_sub(1).and_then(|at| letters.get(at)).copied();
                disguises(before, *letter, letters.get(at + 1).copied())
            });
            assert_eq!(found, hidden, "{text:?}");
        }
    }
}
