//! Text of agents on a page, letter by letter: what cannot be seen is written out and marked.

use maud::{Markup, html};

use crate::letters::{is_odd, written_out};

/// The text; lines and tabs stay what they are.
pub fn agent_text(text: &str) -> Markup {
    let mut parts: Vec<(bool, String)> = Vec::new();
    for letter in text.chars() {
        let odd = is_odd(letter) && !"\n\t".contains(letter);
        let shown = if odd {
            written_out(letter)
        } else {
            letter.to_string()
        };
        match parts.last_mut() {
            Some((known, run)) if *known == odd => run.push_str(&shown),
            Some(_) | None => parts.push((odd, shown)),
        }
    }
    html! {
        @for (odd, run) in &parts {
            @if *odd { span.odd title="cannot be seen: written out" { (run) } } @else { (run) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_marked() {
        let shown = |text: &str| agent_text(text).into_string();
        assert_eq!(shown("a <b>\n\tc"), "a &lt;b&gt;\n\tc");
        assert_eq!(
            shown("x\u{202e}\u{200b}y"),
            "x<span class=\"odd\" title=\"cannot be seen: written out\">\\u{202e}\\u{200b}</span>y"
        );
    }
}
