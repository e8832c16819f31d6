//! Programs that code starts, in languages that are not read otherwise.
//!
//! The texts behind the name of a function that starts a program are its words.
//! What is put together at run time is not seen: this finds what is plain to see,
//! and it serves no permit.

use crate::escape::shell_quoted;

/// Names behind which the words of a program stand.
const OPENERS: &[&str] = &[
    "Command::new",
    "exec.Command",
    "exec.CommandContext",
    "ProcessBuilder",
    ".exec(",
    "execute_process",
    "commandLine",
    "executable",
    "Process.Start",
    "sh ",
    "sh(",
    "bat ",
    "commands =",
    "commands=",
];
/// How far the words of one start may lie.
const REACH: usize = 600;

/// The command lines in a source file.
pub fn commands(text: &str) -> Vec<String> {
    let mut found: Vec<String> = OPENERS
        .iter()
        .flat_map(|opener| text.match_indices(opener))
        .filter(|(at, opener)| stands_alone(text, *at, opener))
        .filter_map(|(at, opener)| text.get(at.saturating_add(opener.len())..))
        .filter_map(line)
        .collect();
    // `"command".execute()`
    found.extend(text.lines().filter_map(|line| {
        let (before, _) = line.split_once(".execute(")?;
        literals(before).pop()
    }));
    found
}

/// `sh "…"` as a word of its own, not the end of another.
fn stands_alone(text: &str, at: usize, opener: &str) -> bool {
    let before = text.get(..at).and_then(|text| text.chars().next_back());
    let word = opener.starts_with(|c: char| c.is_ascii_alphabetic());
    !word || !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The words of one start as a command line.
fn line(rest: &str) -> Option<String> {
    let end = rest
        .char_indices()
        .take_while(|(at, _)| *at < REACH)
        .find(|(_, letter)| *letter == ';')
        .map_or(REACH.min(rest.len()), |(at, _)| at);
    let near = (0..=end).rev().find_map(|end| rest.get(..end))?;
    let words = literals(near);
    match words.as_slice() {
        [] => {
            // `commands = sh -c "…"`, without quotes around the whole.
            let line = near.lines().next()?.trim();
            (!line.is_empty()).then(|| line.to_owned())
        }
        // One text is a command line of its own.
        [only] => Some(only.clone()),
        words => Some(
            words
                .iter()
                .map(|word| shell_quoted(word))
                .collect::<Vec<_>>()
                .join(" "),
        ),
    }
}

/// The quoted texts, with their escapes undone.
fn literals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if !matches!(letter, '"' | '\'' | '`') {
            continue;
        }
        let mut literal = String::new();
        loop {
            match letters.next() {
                Some('\\') => literal.extend(letters.next()),
                Some(end) if end == letter => break,
                Some(other) => literal.push(other),
                None => return found,
            }
        }
        found.push(literal);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn started_programs_are_command_lines() {
        for (text, expected) in [
            (
                r#"Command::new("rm").args(["-rf", "/home/dev"]).status();"#,
                "'rm' '-rf' '/home/dev'",
            ),
            (
                r#"exec.Command("sh", "-c", "make it").Run()"#,
                "'sh' '-c' 'make it'",
            ),
            (r#"sh "make test""#, "make test"),
            (r#""git status".execute()"#, "git status"),
        ] {
            assert_eq!(
                commands(text).first().map(String::as_str),
                Some(expected),
                "{text}"
            );
        }
        assert!(commands(r#"let push = "git push";"#).is_empty());
    }
}
