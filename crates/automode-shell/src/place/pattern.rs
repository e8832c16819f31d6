//! Names of a path against the patterns of a table.
//!
//! A pattern begins at a base: `*` stands for any text within a name, `**/` in
//! front for "anywhere", `$` at the end for "this and nothing below". A name of
//! the path may itself be a pattern of the command, which meets a pattern of the
//! table unless the two certainly differ.

/// One name of a path, lower-cased.
pub(super) struct PathName {
    text: String,
    /// The text before its first wildcard, where it has one.
    certain: Option<usize>,
}

impl PathName {
    fn new(text: &str) -> Self {
        let text = text.to_lowercase();
        let certain = text.find(['*', '?', '[']);
        Self { text, certain }
    }

    pub fn as_str(&self) -> &str {
        &self.text
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
        own.starts_with(certain) || (pattern.contains('*') && certain.starts_with(own))
    }
}

/// The names of a path, without the empty ones.
pub(super) fn names(path: &str) -> Vec<PathName> {
    path.split('/')
        .filter(|name| !name.is_empty())
        .map(PathName::new)
        .collect()
}

/// The names of `path` below `base`, where it lies below it.
pub(super) fn names_below(path: &str, base: Option<&str>) -> Option<Vec<PathName>> {
    let base = base?.trim_end_matches('/');
    let rest = path.strip_prefix(base)?;
    (rest.is_empty() || rest.starts_with('/')).then(|| names(rest))
}

/// Whether `names` begins with the names of `pattern`.
pub(super) fn begins(names: &[PathName], pattern: &str) -> bool {
    match pattern.strip_prefix("**/") {
        Some(anywhere) => {
            let mut tail = names;
            while let Some((_, rest)) = tail.split_first() {
                if begins_here(tail, anywhere) {
                    return true;
                }
                tail = rest;
            }
            false
        }
        None => begins_here(names, pattern),
    }
}

fn begins_here(names: &[PathName], pattern: &str) -> bool {
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
