//! Text patterns in which `*` stands for any characters, spaces included.
//!
//! A pattern is kept as the literal pieces between its stars, so matching is a
//! walk with `find`: no compilation, no backtracking. `\*` is a literal star.
//! A trailing ` *` or `:*` also matches the end of the text: `ls *` covers `ls`
//! and `ls -l` but not `lsof`.

/// Stands in a text for a part that is only known at run time.
pub(super) const UNKNOWN: char = '\0';

/// A parsed pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glob {
    /// Literal pieces; there is a star between each two.
    pieces: Vec<String>,
    /// Ends in a star behind a word boundary.
    boundary: bool,
}

impl Glob {
    /// Reads `pattern`. Never fails: what is not a star is itself.
    pub(super) fn parse(pattern: &str) -> Self {
        let (pattern, prefixed) = match pattern.strip_suffix(":*") {
            Some(prefix) => (prefix, true),
            None => (pattern, false),
        };
        let mut pieces = vec![String::new()];
        let mut chars = pattern.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, chars.peek()) {
                ('\\', Some('*')) => {
                    chars.next();
                    push(&mut pieces, '*');
                }
                ('*', _) => pieces.push(String::new()),
                _ => push(&mut pieces, c),
            }
        }
        if prefixed {
            if pieces.last().is_some_and(|last| !last.is_empty()) {
                push(&mut pieces, ' ');
            }
            pieces.push(String::new());
        }
        let boundary = match pieces.as_slice() {
            [.., before, last] => last.is_empty() && before.ends_with(' '),
            _ => false,
        };
        Self { pieces, boundary }
    }

    /// Without a star: the text itself.
    pub(super) fn exact(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The literal text in front of the first star.
    pub(super) fn prefix(&self) -> &str {
        self.pieces.first().map_or("", String::as_str)
    }

    /// Matches every text.
    pub(super) fn is_any(&self) -> bool {
        self.pieces.len() > 1 && self.pieces.iter().all(String::is_empty)
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        walk(&self.pieces, text) || (self.boundary && walk(&self.pieces, &format!("{text} ")))
    }

    /// Whether some text behind the unknown parts of `text` would match.
    pub(super) fn may_match(&self, text: &str) -> bool {
        if !text.contains(UNKNOWN) {
            return self.matches(text);
        }
        let pattern = self.tokens();
        meet(&pattern, text)
            || (self.boundary && pattern.len() >= 2 && {
                let bare = pattern.get(..pattern.len().saturating_sub(2));
                bare.is_some_and(|bare| meet(bare, text))
            })
    }

    /// Whether every text that `other` matches is matched by this one too.
    /// Sound but not complete: `false` may also mean "cannot tell".
    pub(super) fn covers(&self, other: &Self) -> bool {
        // A star of the other may only be swallowed by a star of ours.
        self.matches(&other.pieces.join(&UNKNOWN.to_string()))
    }

    fn tokens(&self) -> Vec<Option<char>> {
        let mut tokens = Vec::new();
        for (at, piece) in self.pieces.iter().enumerate() {
            if at > 0 {
                tokens.push(None);
            }
            tokens.extend(piece.chars().map(Some));
        }
        tokens
    }
}

fn push(pieces: &mut [String], c: char) {
    if let Some(last) = pieces.last_mut() {
        last.push(c);
    }
}

fn walk(pieces: &[String], text: &str) -> bool {
    match pieces {
        [] => text.is_empty(),
        [only] => text == only,
        [first, middle @ .., last] => {
            let Some(mut rest) = text.strip_prefix(first.as_str()) else {
                return false;
            };
            for piece in middle {
                match rest.split_once(piece.as_str()) {
                    Some((_, after)) => rest = after,
                    None => return false,
                }
            }
            rest.ends_with(last.as_str())
        }
    }
}

/// Whether a pattern and a text with unknown parts have a text in common.
/// `reach[i]` says that the first `i` tokens fit the text read so far.
fn meet(pattern: &[Option<char>], text: &str) -> bool {
    let close = |reach: &mut Vec<bool>| {
        for (at, token) in pattern.iter().enumerate() {
            if token.is_none()
                && reach.get(at).copied().unwrap_or(false)
                && let Some(next) = reach.get_mut(at.saturating_add(1))
            {
                *next = true;
            }
        }
    };
    let mut reach = vec![false; pattern.len().saturating_add(1)];
    if let Some(first) = reach.first_mut() {
        *first = true;
    }
    close(&mut reach);
    for c in text.chars() {
        let mut after = vec![false; reach.len()];
        let mut flowing = false;
        for (at, here) in reach.iter().copied().enumerate() {
            // An unknown part may stand for any number of tokens.
            flowing |= here && c == UNKNOWN;
            let stays = pattern.get(at).is_some_and(Option::is_none) && here;
            if (flowing || stays)
                && let Some(slot) = after.get_mut(at)
            {
                *slot = true;
            }
            if here
                && pattern.get(at) == Some(&Some(c))
                && let Some(next) = after.get_mut(at.saturating_add(1))
            {
                *next = true;
            }
        }
        close(&mut after);
        reach = after;
    }
    reach.last().copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, text: &str, expected: bool) {
        assert_eq!(
            Glob::parse(pattern).matches(text),
            expected,
            "`{pattern}` on `{text}`"
        );
    }

    #[test]
    fn matching() {
        check("git status", "git status", true);
        check("git status", "git status -s", false);
        check("ls *", "ls", true);
        check("ls *", "ls -la", true);
        check("ls *", "lsof", false);
        check("ls*", "lsof", true);
        check("ls:*", "ls", true);
        check("ls:*", "ls -la", true);
        check("ls:*", "lsof", false);
        check("npm run test *", "npm run test", true);
        check("npm run test *", "npm run test -- --watch", true);
        check("npm run test *", "npm run testing", false);
        check("* install", "npm install", true);
        check("* install", "install", false);
        check("git * main", "git push origin main", true);
        check("git * main", "git push origin mainline", false);
        check("* --help *", "ls --help", true);
        check("* --help *", "ls --help me", true);
        check("a*a", "a", false);
        check("a*b*a", "aba", true);
        check(r"echo \*", "echo *", true);
        check(r"echo \*", "echo x", false);
        check("git:* push", "git push", false);
        check("*", "", true);
        check(":*", "anything", true);
        check("", "", true);
        check("", "x", false);
    }

    #[test]
    fn unknown_parts() {
        let may = |pattern: &str, text: &str| Glob::parse(pattern).may_match(text);
        assert!(may("git push *", "git \0"));
        assert!(may("git push --force *", "git push \0 main"));
        assert!(!may("git push --force *", "git push origin \0"));
        assert!(may("rm -rf /", "rm -rf \0"));
        assert!(!may("rm *", "ls \0"));
        assert!(may("ls *", "\0"));
        assert!(may("git status", "git st\0s"));
        assert!(!may("git status", "git st\0x"));
    }

    #[test]
    fn covering() {
        let covers = |a: &str, b: &str| Glob::parse(a).covers(&Glob::parse(b));
        assert!(covers("git *", "git push *"));
        assert!(covers("git *", "git status"));
        assert!(covers("git:*", "git *"));
        assert!(covers("*", "git:*"));
        assert!(!covers("git push *", "git *"));
        assert!(!covers("git *", "gitk"));
        assert!(!covers("git *", "git*"));
    }
}
