//! Words by which git picks paths.
//!
//! A plain word is a file or everything in a directory. A pattern is matched by git
//! itself, quoted or not, and its `*` goes into directories, so it may be anything
//! below the part of it that is certain. Words with magic (`:/`, `:!x`, `:(glob)x`),
//! and words that are only known at run time, may pick everything there is.

use crate::{Extent, Target, Value};

/// What a pathspec can pick at most; none where that may be everything.
pub(crate) fn picked(word: &Value, cwd: Option<&str>) -> Option<Target> {
    let text = word.shown();
    if text.starts_with(':') || text.is_empty() {
        return None;
    }
    let target = Target::locate(word, cwd);
    let open = |name: &str| name.contains(['*', '?', '[', '\\']);
    match target.extent {
        Extent::Exact | Extent::Pattern if target.path.split('/').any(open) => {
            let certain: Vec<&str> = target
                .path
                .split('/')
                .take_while(|name| !open(name))
                .collect();
            let path = certain.join("/");
            (!path.is_empty()).then_some(Target {
                path,
                extent: Extent::Below,
                ..target
            })
        }
        Extent::Exact | Extent::Below => Some(target),
        Extent::Pattern | Extent::Prefix | Extent::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    #[test]
    fn a_pathspec_picks_no_less_than_git_does() {
        let check = |word: &str, expected: Option<(&str, Extent)>| {
            let target = picked(&Value::text(word, Span::default()), Some("/p"));
            let found = target
                .as_ref()
                .map(|target| (target.path.as_str(), target.extent));
            assert_eq!(found, expected, "{word}");
        };
        check("src", Some(("/p/src", Extent::Exact)));
        check("a.txt", Some(("/p/a.txt", Extent::Exact)));
        check("*.txt", Some(("/p", Extent::Below)));
        check("src/*.rs", Some(("/p/src", Extent::Below)));
        check("../x", Some(("/x", Extent::Exact)));
        check(":/", None);
        check(":!x", None);
        check(":(glob)src/*", None);
        check(":(top)src", None);
        check("", None);
    }
}
