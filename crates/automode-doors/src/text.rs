//! Text that goes to a model or a terminal: bounded, and without control characters.

/// Longest reason; clients cap or drop what is longer.
const MAX_TEXT: usize = 4_000;

/// The text as it may be shown.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(MAX_TEXT)
        .collect()
}
