//! Addresses that are to be filled with data.
//!
//! A picture is fetched as soon as it is shown, so its address can carry out whatever a
//! model is told to put in. Documentation is full of addresses with slots; pictures with
//! slots are rare, and slots for a whole conversation are rarer.

/// What a slot is called that is to hold what the agent knows.
const LOOT: &[&str] = &[
    "conversation",
    "chat_history",
    "chathistory",
    "history",
    "secret",
    "secrets",
    "password",
    "passwords",
    "credentials",
    "file_contents",
    "filecontents",
    "contents",
    "env",
    "base64",
    "exfil",
    "stolen",
    "user_data",
    "userdata",
    "private_key",
    "ssh_key",
    "data",
];

/// The first such address.
pub(super) fn find(text: &str) -> Option<&str> {
    addresses(text)
        .find(|(address, picture)| {
            let Some((_, query)) = address.split_once('?') else {
                return false;
            };
            slots(query).any(|slot| {
                let name = slot.to_ascii_lowercase().replace([' ', '-'], "_");
                let loot = LOOT
                    .iter()
                    .any(|loot| name == *loot || name.contains(loot) && loot.len() > 6);
                loot && (*picture || name.len() > 8)
            })
        })
        .map(|(address, _)| address)
}

/// Addresses, and whether a picture is behind them.
fn addresses(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.match_indices("http").filter_map(|(at, _)| {
        let rest = text.get(at..)?;
        let after = rest
            .strip_prefix("https://")
            .or_else(|| rest.strip_prefix("http://"))?;
        let end = after
            .find([' ', '\n', '"', '\'', ')', '`'])
            .map_or(rest.len(), |end| {
                end.saturating_add(rest.len().saturating_sub(after.len()))
            });
        let before = text.get(..at)?;
        let line = before.rsplit('\n').next().unwrap_or_default();
        let picture = line.ends_with("](") && line.contains("![")
            || line.ends_with("src=\"") && line.contains("<img");
        Some((rest.get(..end)?, picture))
    })
}

/// What stands in braces, brackets or after a dollar in a query.
fn slots(query: &str) -> impl Iterator<Item = &str> {
    query.split('&').filter_map(|part| {
        let value = part.split_once('=').map_or(part, |(_, value)| value);
        let inner = [('{', '}'), ('<', '>'), ('[', ']')]
            .iter()
            .find_map(|(open, close)| {
                let inner = value.trim_start_matches('$').strip_prefix(*open)?;
                Some(
                    inner
                        .trim_start_matches(*open)
                        .split(*close)
                        .next()
                        .unwrap_or(inner),
                )
            });
        inner.or_else(|| value.strip_prefix('$'))
    })
}
