//! Characters that nobody sees and a model reads.
//!
//! One here and there is typography: a joiner in an emoji, a mark at the start of a file.
//! A run of them, or a letter of the invisible alphabet, is a message.

/// As many in a row are no typography.
const RUN: usize = 4;

/// The hidden text, or a word for it.
pub(super) fn find(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let mut hidden = String::new();
    let mut run = 0_usize;
    let mut longest = 0_usize;
    let mut turned = false;
    let mut before = ' ';
    for c in text.chars() {
        match c {
            // The invisible alphabet. A black flag and its tags are the flag of a region.
            '\u{e0020}'..='\u{e007e}' if before != '\u{1f3f4}' => {
                let letter = u32::from(c).saturating_sub(0xe0000);
                hidden.extend(char::from_u32(letter));
            }
            '\u{e0020}'..='\u{e007f}' => continue,
            // Text that is shown in another order than it is read in.
            '\u{202d}' | '\u{202e}' => turned = true,
            _ => {}
        }
        let zero_width = matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fe00}'..='\u{fe0e}' | '\u{e0100}'..='\u{e01ef}');
        run = if zero_width { run.saturating_add(1) } else { 0 };
        longest = longest.max(run);
        before = c;
    }
    if hidden.chars().count() > 1 {
        Some(hidden)
    } else if longest >= RUN {
        Some("characters without width".to_owned())
    } else {
        turned.then(|| "text in turned order".to_owned())
    }
}
