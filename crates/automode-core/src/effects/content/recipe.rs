//! The recipes of build files: Makefiles, justfiles, Dockerfiles.

use crate::escape::shell_quoted;

/// Every task that a file of tasks declares, started by name.
pub fn tasks(path: &str, name: &str, text: &str) -> Vec<String> {
    let runner = if name == "justfile" {
        "just -f"
    } else {
        "make -f"
    };
    text.lines()
        .filter_map(target)
        .map(|target| format!("{runner} {} {}", shell_quoted(path), shell_quoted(target)))
        .collect()
}

/// The name of the task that a line begins: `test: build`.
fn target(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once(':')?;
    let name = name.split_whitespace().next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let task = line.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().all(plain)
        && !rest.starts_with('=');
    task.then_some(name)
}

/// The `RUN` lines of a Dockerfile, as text, as a list of words, or as a here-document.
pub fn dockerfile(text: &str) -> Vec<String> {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut found = Vec::new();
    let mut lines = joined.lines();
    while let Some(line) = lines.next() {
        let Some((word, rest)) = line.trim().split_once(char::is_whitespace) else {
            continue;
        };
        if !word.eq_ignore_ascii_case("run") {
            continue;
        }
        let command = without_options(rest.trim());
        if let Some(words) = command
            .starts_with('[')
            .then(|| serde_json::from_str::<Vec<String>>(command).ok())
            .flatten()
        {
            let words: Vec<String> = words.iter().map(|word| shell_quoted(word)).collect();
            found.push(words.join(" "));
        } else if let Some(end) = command.strip_prefix("<<") {
            let end = end.trim_start_matches('-').trim_matches(['"', '\'']);
            let body: Vec<&str> = lines
                .by_ref()
                .take_while(|line| line.trim() != end)
                .collect();
            found.push(body.join("\n"));
        } else {
            found.push(command.to_owned());
        }
    }
    found
}

/// A command without `--mount=…`, `--network=…` in front of it.
fn without_options(mut command: &str) -> &str {
    while let Some(rest) = command.strip_prefix("--") {
        let Some((_, after)) = rest.split_once(char::is_whitespace) else {
            return "";
        };
        command = after.trim_start();
    }
    command
}
