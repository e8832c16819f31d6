//! Shells that read some of what bash reads in their own way.
//!
//! Everything is read as bash reads it. Where another shell may run it, this says which
//! texts mean something else there, so that the reading is not taken for the whole.

/// Functions that a shell calls by itself, by their names: when it leaves, when it changes
/// the directory, at a signal. `x.get` is called by ksh whenever `x` is looked at.
pub(super) fn is_called_by_itself(name: &str) -> bool {
    let hooks = [
        "chpwd",
        "precmd",
        "preexec",
        "periodic",
        "zshaddhistory",
        "zshexit",
        "command_not_found_handle",
        "command_not_found_handler",
    ];
    hooks.contains(&name) || name.starts_with("TRAP") || name.contains('.')
}

/// What of a text another shell may read in its own way. Zsh neither splits what a variable
/// holds nor counts a list from 0, ties lists to `PATH` and to its own tables, writes to
/// `x` with `>! x`, and takes `(…)` behind a pattern for code; in fish a backslash means
/// something between quotes, and `\x6e` is a letter.
pub(super) fn read_otherwise(text: &str) -> Option<&'static str> {
    let mut quoted = None;
    let mut before = ' ';
    // Whether the word at hand may still be the name of a variable.
    let mut names = true;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied().unwrap_or(' ');
        match (quoted, letter) {
            (Some('\''), '\'') | (Some('"'), '"') => quoted = None,
            (_, '\\') => return Some("an escape"),
            (Some('\''), _) => {}
            (None, '*') if before == '*' => return Some("a pattern for all that lies below"),
            (None, '\'' | '"') => quoted = Some(letter),
            (_, '[') if before.is_alphanumeric() || matches!(before, '_' | '@' | '*' | ')') => {
                return Some("a place in a list that begins at 1");
            }
            (None, '$') if next != '(' => return Some("a variable that is not split"),
            (None, '=') if names => {
                return Some("a variable that may be one of its own, or a program's place");
            }
            (None, '(') if before != '$' => return Some("code behind a pattern"),
            (None, '!') if matches!(before, '>' | '&') => {
                return Some("a redirection that replaces");
            }
            (Some(_) | None, _) => {}
        }
        let begins = letter.is_whitespace() || matches!(letter, ';' | '&' | '|' | '{' | '`');
        names = begins || (names && (letter.is_alphanumeric() || matches!(letter, '_' | '+')));
        before = letter;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{is_called_by_itself, read_otherwise};

    #[test]
    fn what_zsh_reads_in_its_own_way_is_found() {
        let same = [
            "ls -la",
            "npm test && echo 'a=b (c) $x'",
            "echo \"$HOME\" | wc -c",
            "ls *.[ch]",
            "echo $(pwd)",
            "git log --format=\"%h\"; ls",
        ];
        let other = [
            "x=1",
            "path+=x; ls",
            "rm ${a[1]}",
            "rm \"${a[1]}\"",
            "rm $x",
            "ls *(e:x:)",
            "f() { ls; }",
            "echo x >! y",
            "cat =ls",
            "functions[ls]=x",
            "cat .e\\x6ev",
            "echo 'a\\' ' ; ls #'",
            "rm build/**/x",
        ];
        for text in same {
            assert_eq!(read_otherwise(text), None, "{text}");
        }
        for text in other {
            assert!(read_otherwise(text).is_some(), "{text}");
        }
    }

    #[test]
    fn hooks_are_known_by_their_names() {
        for name in ["TRAPEXIT", "chpwd", "x.get", "zshexit"] {
            assert!(is_called_by_itself(name), "{name}");
        }
        for name in ["main", "trap_exit", "build"] {
            assert!(!is_called_by_itself(name), "{name}");
        }
    }
}
