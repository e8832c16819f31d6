//! Names of a path against the patterns of a table.
//!
//! A pattern begins at a base: `*` stands for any text within a name, `**/` in
//! front for "anywhere", `$` at the end for "this and nothing below". A name of
//! the path may itself be a pattern of the command, which meets a pattern of the
//! table unless the two certainly differ.

use std::borrow::Cow;

/// In front of a pattern that may begin at any name.
pub(super) const ANYWHERE: &str = "**/";

/// One name of a path, lower-cased.
pub(super) struct PathName<'a> {
    text: Cow<'a, str>,
    /// The text before its first wildcard, where it has one.
    certain: Option<usize>,
    /// The letters that are in it.
    letters: u32,
}

/// A letter as one of a set. Some share their place: what is lacking is lacking for sure.
pub(super) const fn letter(byte: u8) -> u32 {
    1 << (byte & 31)
}

impl<'a> PathName<'a> {
    fn new(text: &'a str) -> Self {
        let is_lower = text
            .bytes()
            .all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let text = match is_lower {
            true => Cow::Borrowed(text),
            false => Cow::Owned(text.to_lowercase()),
        };
        let certain = text
            .bytes()
            .position(|byte| matches!(byte, b'*' | b'?' | b'['));
        let letters = text.bytes().fold(0, |all, byte| all | letter(byte));
        Self {
            text,
            certain,
            letters,
        }
    }

    /// The letters that are not in it; none where a wildcard may stand for them.
    pub fn lacked_letters(&self) -> u32 {
        match self.certain {
            Some(_) => 0,
            None => !self.letters,
        }
    }

    /// How long it is, where no wildcard stands in it.
    pub fn certain_length(&self) -> Option<usize> {
        self.certain.is_none().then_some(self.text.len())
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The letters that it certainly begins and ends with.
    pub fn ends(&self) -> Option<(u8, u8)> {
        let mut bytes = self.text.bytes();
        let first = bytes.next()?;
        let is_certain = self.certain.is_none();
        is_certain.then(|| (first, bytes.next_back().unwrap_or(first)))
    }

    /// Whether the first or the last letter already tells that `pattern` does
    /// not fit: most of hundreds fail here.
    fn is_unlike(&self, pattern: &str) -> bool {
        let (Some(first), Some(last)) = (pattern.bytes().next(), pattern.bytes().last()) else {
            return false;
        };
        if first == b'*' {
            return self.certain.is_none()
                && self.text.bytes().last() != Some(last)
                && !matches!(last, b'*' | b'$')
                && !pattern.contains('/');
        }
        self.certain != Some(0) && self.text.bytes().next() != Some(first)
    }

    /// Two patterns meet unless their certain beginnings differ. A name that
    /// begins with a wildcard takes no hidden file, and says too little to count
    /// at the first name: `*` in a project is not a read of its keys, `~/.ssh/*` is.
    fn may_match(&self, pattern: &str, depth: usize) -> bool {
        let Some(certain) = self.certain.and_then(|end| self.text.get(..end)) else {
            return name_matches(pattern, &self.text);
        };
        if certain.is_empty() {
            return name_matches(pattern, &self.text) || (depth > 0 && !pattern.starts_with('.'));
        }
        let (own, _) = pattern.split_once('*').unwrap_or((pattern, ""));
        let begin_alike =
            own.starts_with(certain) || (pattern.contains('*') && certain.starts_with(own));
        begin_alike && self.may_end_like(pattern)
    }

    /// Two patterns meet only where the text after their last wildcards can be the
    /// same: `spec_*.rb` is no `*.env`.
    fn may_end_like(&self, pattern: &str) -> bool {
        const CLOSING: [char; 4] = ['*', ']', ')', '}'];
        // A `?` may begin the query of an address: what follows is no part of the name.
        if self.text.contains('?') {
            return true;
        }
        let end = self.text.rsplit(CLOSING).next().unwrap_or_default();
        match pattern.rsplit_once('*') {
            Some((_, own)) => own.ends_with(end) || end.ends_with(own),
            None => pattern.ends_with(end),
        }
    }
}

/// The names of a path, and where those below the home directory begin.
pub(super) struct PathNames<'a> {
    all: Vec<PathName<'a>>,
    home: Option<usize>,
}

impl<'a> PathNames<'a> {
    pub fn of(path: &'a str, home: Option<&str>) -> Self {
        let home = home.filter(|home| below(path, home).is_some());
        let parts = |path: &str| path.split('/').filter(|name| !name.is_empty()).count();
        Self {
            all: names(path),
            home: home.map(parts),
        }
    }

    pub fn all(&self) -> &[PathName<'a>] {
        &self.all
    }

    pub fn below_home(&self) -> Option<&[PathName<'a>]> {
        self.all.get(self.home?..)
    }
}

/// The rest of a path below a directory, where it lies there.
fn below<'a>(path: &'a str, base: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(base.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// The names of a path, without the empty ones.
fn names(path: &str) -> Vec<PathName<'_>> {
    path.split('/')
        .filter(|name| !name.is_empty())
        .map(PathName::new)
        .collect()
}

/// The names of `path` below `base`, where it lies below it.
pub(super) fn names_below<'a>(path: &'a str, base: Option<&str>) -> Option<Vec<PathName<'a>>> {
    below(path, base?).map(names)
}

/// Whether `names` begins with the names of `pattern`, from the first on.
pub(super) fn begins_here(names: &[PathName<'_>], pattern: &str) -> bool {
    if names.first().is_none_or(|first| first.is_unlike(pattern)) {
        return false;
    }
    let whole = pattern.strip_suffix('$');
    let mut names = names.iter();
    let fits = whole
        .unwrap_or(pattern)
        .split('/')
        .enumerate()
        .all(|(depth, part)| names.next().is_some_and(|name| name.may_match(part, depth)));
    fits && (whole.is_none() || names.next().is_none())
}

/// Whether `name` matches `pattern`, in which `*` stands for any text.
pub(crate) fn name_matches(pattern: &str, name: &str) -> bool {
    // Most patterns fail at one of their ends.
    let differs = |own: Option<u8>, other: Option<u8>| own != other && own != Some(b'*');
    if differs(pattern.bytes().next(), name.bytes().next())
        || differs(pattern.bytes().next_back(), name.bytes().next_back())
    {
        return false;
    }
    let Some((first, mut pattern)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    while let Some((part, after)) = pattern.split_once('*') {
        match rest.split_once(part) {
            Some((_, tail)) => rest = tail,
            None => return false,
        }
        pattern = after;
    }
    rest.ends_with(pattern)
}
