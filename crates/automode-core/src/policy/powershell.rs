//! PowerShell commands, as far as rules need them.
//!
//! There is no parser here: a command is split at `;`, `|`, `&&`, `||` and line
//! ends, and one with any other structure (blocks, sub-expressions, the call
//! operator, redirections, line continuations) cannot be split and so is never
//! permitted. Vetoes look at every word that could begin a command.

use automode_shell::powershell::command_of_alias;

use super::glob::UNKNOWN;

/// Lower case, blanks single, an alias in front replaced by its command.
pub(super) fn canonical(command: &str) -> String {
    let lower = command.trim().to_lowercase();
    let mut words = lower.split_whitespace();
    let head = words.next().unwrap_or_default();
    let (head, marker) = match head.strip_suffix(":*") {
        Some(head) => (head, ":*"),
        None => (head, ""),
    };
    let head = command_of_alias(head).unwrap_or(head);
    let mut out = format!("{head}{marker}");
    for word in words {
        out.push(' ');
        out.push_str(word);
    }
    out
}

/// The commands of a line that has no other structure, in canonical form.
pub(super) fn split(text: &str) -> Option<Vec<String>> {
    let plain =
        |c: char| c.is_alphanumeric() || c.is_whitespace() || "-_./\\:,=+~%?*'\"@#;|&".contains(c);
    if !text.chars().all(plain) {
        return None;
    }
    let mut parts = vec![String::new()];
    let mut quote: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '#' | '@') => return None,
            // A lone `&` is the call operator or a background job.
            (None, '&') if chars.next_if_eq(&'&').is_none() => return None,
            (None, '&' | ';' | '\n' | '\r') => {
                parts.push(String::new());
                continue;
            }
            (None, '|') => {
                chars.next_if_eq(&'|');
                parts.push(String::new());
                continue;
            }
            (None, _) => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    let parts: Vec<String> = parts
        .iter()
        .filter(|part| !part.trim().is_empty())
        .map(|part| canonical(part))
        .collect();
    // A quoted or dotted head is called through an operator or runs a script.
    let named = |part: &String| part.chars().next().is_some_and(char::is_alphanumeric);
    (quote.is_none() && !parts.is_empty() && parts.iter().all(named)).then_some(parts)
}

/// Everything that could be a command in `text`, each read to the end of its
/// statement. The part behind a word that begins with `$` is unknown.
pub(super) fn suspects(text: &str) -> Vec<String> {
    let cleaned: String = text
        .chars()
        .filter(|c| !matches!(c, '\'' | '"' | '`'))
        .collect();
    let mut found = Vec::new();
    for statement in cleaned.split([';', '|', '&', '\n', '\r', '(', ')', '{', '}']) {
        let words: Vec<String> = statement
            .split_whitespace()
            .map(|word| {
                if word.starts_with('$') {
                    UNKNOWN.to_string()
                } else {
                    word.to_owned()
                }
            })
            .collect();
        for at in 0..words.len() {
            if let Some(tail) = words.get(at..) {
                found.push(canonical(&tail.join(" ")));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting() {
        let check = |text: &str, parts: Option<&[&str]>| {
            let expected =
                parts.map(|parts| parts.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>());
            assert_eq!(split(text), expected, "{text}");
        };
        check("Get-ChildItem -Path x", Some(&["get-childitem -path x"]));
        check(
            "gci x | Sort-Object",
            Some(&["get-childitem x", "sort-object"]),
        );
        check("git status; git log", Some(&["git status", "git log"]));
        check(
            "git add . && git commit -m 'a; b'",
            Some(&["git add .", "git commit -m 'a; b'"]),
        );
        check("gci $x", None);
        check("gci (rm x)", None);
        check("& 'evil.exe'", None);
        check("gci > out.txt", None);
        check("gci `\nrm x", None);
        check("& { rm x }", None);
        check("'evil.exe'", None);
        check(".\\evil.ps1", None);
        check("echo 'open", None);
    }

    #[test]
    fn suspicion() {
        assert!(
            suspects("foo; & { rm -Recurse x }").contains(&"remove-item -recurse x".to_owned())
        );
        assert!(suspects("powershell -c \"del x\"").contains(&"remove-item x".to_owned()));
    }
}
