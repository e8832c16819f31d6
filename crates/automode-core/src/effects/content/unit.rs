//! What units, desktop entries and cron tables start.

/// What a unit, a desktop entry or a cron table starts; other files are shell.
pub fn commands(text: &str) -> Vec<String> {
    let started: Vec<String> = text
        .lines()
        .filter_map(|line| {
            let (key, value) = line.split_once('=')?;
            let key = key.trim();
            (key.starts_with("Exec") || key == "TryExec").then(|| {
                value
                    .trim_start_matches(['-', '@', '+', '!', ':', ' '])
                    .to_owned()
            })
        })
        .collect();
    if started.is_empty() {
        text.lines().filter_map(cron_command).collect()
    } else {
        started
    }
}

/// The command of a line of a cron table, after the times and an optional user.
fn cron_command(line: &str) -> Option<String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let timed = |word: &str| {
        word.chars()
            .all(|c| c.is_ascii_digit() || "*/,-".contains(c))
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let times = if words.first().is_some_and(|word| word.starts_with('@')) {
        1
    } else if words.len() > 5 && words.iter().take(5).all(|word| timed(word)) {
        5
    } else {
        return Some(line.to_owned());
    };
    let rest = words.get(times..)?;
    let rest = match rest {
        ["root", rest @ ..] => rest,
        rest => rest,
    };
    Some(rest.join(" "))
}
