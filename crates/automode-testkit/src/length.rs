//! How long functions are, in a source that rustfmt has laid out.

/// The functions of a source with the lines that each takes, in order.
#[must_use]
pub fn lengths(source: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = source.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = function(line) else {
            continue;
        };
        let column = line.len().saturating_sub(line.trim_start().len());
        // The first line in the same column that closes something: the head of many lines
        // closes its parentheses, the function its body.
        let ends = lines.iter().enumerate().skip(at).find(|(_, line)| {
            let own = line.len().saturating_sub(line.trim_start().len()) == column;
            let text = line.trim();
            own && (text == "}" || text.ends_with(';') || text.ends_with("{}"))
        });
        let end = ends.map_or(at, |(end, _)| end);
        found.push((name.to_owned(), end.saturating_sub(at).saturating_add(1)));
    }
    found
}

/// The name of the function that a line begins.
fn function(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("fn ")?;
    let qualifiers = before.split_whitespace().all(|word| {
        matches!(word, "const" | "async" | "unsafe" | "extern" | "\"C\"") || word.starts_with("pub")
    });
    let end = rest.find(['(', '<'])?;
    rest.get(..end).filter(|_| qualifiers)
}
