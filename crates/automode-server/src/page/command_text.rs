//! A command with the part marked that a finding speaks of.

use maud::{Markup, html};

use super::agent_text::agent_text;

/// The command; what findings quote between backticks is marked.
pub fn command_text<'a>(command: &str, evidence: impl Iterator<Item = &'a str>) -> Markup {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for text in evidence {
        for quoted in text.split('`').skip(1).step_by(2) {
            let quoted = quoted.trim_end_matches('…');
            if quoted.is_empty() || quoted.len() == command.len() {
                continue;
            }
            if let Some(start) = command.find(quoted) {
                spans.push((start, start.saturating_add(quoted.len())));
            }
        }
    }
    spans.sort_unstable();
    let mut at = 0_usize;
    let mut parts = Vec::new();
    for (start, end) in spans {
        if end <= at {
            continue;
        }
        let start = start.max(at);
        parts.push((false, command.get(at..start).unwrap_or_default()));
        parts.push((true, command.get(start..end).unwrap_or_default()));
        at = end;
    }
    parts.push((false, command.get(at..).unwrap_or_default()));
    html! {
        pre.command { code {
            @for (marked, text) in parts {
                @if marked { mark { (agent_text(text)) } } @else { (agent_text(text)) }
            }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quoted_part_is_marked_and_nothing_is_lost() {
        let shown = |command: &str, evidence: &[&str]| {
            command_text(command, evidence.iter().copied())
                .into_string()
                .replace("<pre class=\"command\"><code>", "")
                .replace("</code></pre>", "")
        };
        assert_eq!(
            shown("ls && rm -rf ~/", &["`rm -rf ~/` deletes"]),
            "ls &amp;&amp; <mark>rm -rf ~/</mark>"
        );
        assert_eq!(
            shown("a b c", &["`a b` x", "`b c` y"]),
            "<mark>a b</mark><mark> c</mark>"
        );
        assert_eq!(shown("é<b>", &["`x`", "`é<b>`"]), "é&lt;b&gt;");
    }
}
