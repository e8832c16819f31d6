//! Splitting shell text that needs no shell parser.
//!
//! Accepts words of ordinary characters, single quotes, double quotes without
//! expansions, and the separators `&&`, `||`, `;`, `|` and line ends. Everything
//! else is refused: what cannot be split is not permitted.

use super::prefix::safe_variable;

/// The simple commands as words, leading safe variables dropped.
pub(super) fn split(text: &str) -> Option<Vec<Vec<String>>> {
    let mut parts: Vec<Vec<String>> = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        end if end == c => break,
                        '$' | '`' | '\\' | '!' if c == '"' => return None,
                        inner => word.push(inner),
                    }
                }
            }
            ' ' | '\t' => end_word(&mut parts, &mut word),
            '\n' | ';' | '|' | '&' => {
                end_word(&mut parts, &mut word);
                match c {
                    '|' => drop(chars.next_if_eq(&'|')),
                    // A lone `&` starts a job in the background: still one command each side.
                    '&' => drop(chars.next_if_eq(&'&')),
                    _ => {}
                }
                parts.push(Vec::new());
            }
            c if c.is_alphanumeric() || "-_./:=,+@%^".contains(c) => {
                word.get_or_insert_default().push(c)
            }
            _ => return None,
        }
    }
    end_word(&mut parts, &mut word);
    let parts: Vec<Vec<String>> = parts
        .into_iter()
        .filter(|words| !words.is_empty())
        .map(without_variables)
        .collect::<Option<_>>()?;
    (!parts.is_empty()).then_some(parts)
}

fn end_word(parts: &mut [Vec<String>], word: &mut Option<String>) {
    if let (Some(word), Some(part)) = (word.take(), parts.last_mut()) {
        part.push(word);
    }
}

fn without_variables(words: Vec<String>) -> Option<Vec<String>> {
    let assigned = |word: &str| word.split_once('=').map(|(name, _)| name.to_owned());
    let mut rest = words.as_slice();
    while let Some(name) = rest.first().and_then(|word| assigned(word)) {
        if !safe_variable(&name) {
            return None;
        }
        rest = rest.get(1..)?;
    }
    const STRUCTURE: &[&str] = &[
        "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
        "function", "select", "coproc", "time", "eval", "exec", "source", ".", "export", "alias",
    ];
    let head = rest.first()?;
    (!STRUCTURE.contains(&head.as_str())).then(|| rest.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let found = split(text).map(|parts| {
            parts
                .iter()
                .map(|words| words.join("·"))
                .collect::<Vec<_>>()
                .join(" | ")
        });
        assert_eq!(found.as_deref(), expected, "{text}");
    }

    #[test]
    fn splitting() {
        check("git status", Some("git·status"));
        check("git status && npm test", Some("git·status | npm·test"));
        check("a; b\nc | d || e", Some("a | b | c | d | e"));
        check("git commit -m 'a; b'", Some("git·commit·-m·a; b"));
        check("git commit -m \"a b\"", Some("git·commit·-m·a b"));
        check("NODE_ENV=test npm test", Some("npm·test"));
        check("PATH=/x npm test", None);
        check("FOO=1 npm test", None);
        check("echo $(rm x)", None);
        check("echo \"$x\"", None);
        check("echo `rm x`", None);
        check("echo x > y", None);
        check("cat <<E", None);
        check("(rm x)", None);
        check("{ rm x; }", None);
        check("echo 'open", None);
        check("ls *.rs", None);
        check("if true", None);
        check("", None);
    }
}
