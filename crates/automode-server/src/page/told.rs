//! A sentence of the engine on a page: what stands between backticks is code, a hint has a
//! line of its own.

use maud::{Markup, html};

use super::agent_text::agent_text;

/// The sentence as it is shown.
pub fn told(text: &str) -> Markup {
    let (said, hint) = match text.split_once("\nhint: ") {
        Some((said, hint)) => (said, Some(hint)),
        None => (text, None),
    };
    html! {
        (quoted(said))
        @if let Some(hint) = hint { br; span.hint { "Hint: " (quoted(hint)) } }
    }
}

/// An odd number of backticks quotes nothing behind the last.
fn quoted(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    let last = parts.len().saturating_sub(1);
    html! {
        @for (index, part) in parts.iter().enumerate() {
            @if index.is_multiple_of(2) { (agent_text(part)) }
            @else if index == last { "`" (agent_text(part)) }
            @else { code { (agent_text(part)) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_code_and_hints_have_a_line_of_their_own() {
        let shown = |text: &str| told(text).into_string();
        assert_eq!(
            shown("a: `rm <x>` deletes"),
            "a: <code>rm &lt;x&gt;</code> deletes"
        );
        assert_eq!(
            shown("unknown key `a`\nhint: did you mean `b`?"),
            "unknown key <code>a</code><br><span class=\"hint\">Hint: did you mean <code>b</code>?</span>"
        );
        assert_eq!(shown("a `b` c ` d"), "a <code>b</code> c ` d");
        assert_eq!(shown(""), "");
    }
}
