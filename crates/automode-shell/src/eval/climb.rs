//! `..` behind a directory that may be a link.
//!
//! A path is folded by its text: `a/../b` is `b`. The system goes through `a` first, and
//! where `a` is a link, its parent is somewhere else:
//!
//! ```sh
//! ln -s ../other/deep a
//! rm a/../b        # removes ../other/b
//! cd a; rm ../b    # so does this, although `cd a; cd ..` leads back
//! ```

use super::Evaluator;
use crate::ir::{FileFact, GapKind, Need, Span};

impl Evaluator<'_> {
    /// Whether what was folded away is no link, for everything that is touched.
    pub(super) fn look_where_paths_climb(&mut self) {
        let mut climbed: Vec<(String, Span)> = Vec::new();
        for effect in &self.effects {
            let Some((_, target)) = effect.act.touches() else {
                continue;
            };
            if !target.typed.contains("..") {
                continue;
            }
            let start = self.invocations.get(effect.by);
            let cwd = start.and_then(|start| start.cwd.as_deref());
            let left = left_behind(&target.typed, cwd.unwrap_or(&self.context.cwd));
            climbed.extend(left.into_iter().map(|path| (path, effect.span)));
        }
        for (path, span) in climbed {
            if self.is_given(&path) {
                continue;
            }
            match self.facts.files.get(&path) {
                Some(FileFact::Directory | FileFact::Absent) => {}
                Some(FileFact::Text { .. } | FileFact::Unreadable) => {
                    self.gap(GapKind::Unseen(format!("where `{path}/..` leads")), span);
                }
                None => {
                    self.gap(GapKind::Unseen(format!("where `{path}/..` leads")), span);
                    self.needs.push(Need::File(path));
                }
            }
        }
    }

    /// The surroundings are told as they are: nothing above them is a link.
    fn is_given(&self, path: &str) -> bool {
        let given = std::iter::once(&self.context.cwd)
            .chain(&self.context.roots)
            .chain(&self.context.home);
        let holds = |known: &String| {
            known
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        given.into_iter().any(holds)
    }
}

/// The directories that a word enters and leaves again by `..`.
fn left_behind(word: &str, cwd: &str) -> Vec<String> {
    let mut parts: Vec<&str> = Vec::new();
    let mut left = Vec::new();
    let base = if word.starts_with('/') { "" } else { cwd };
    for (part, own) in base
        .split('/')
        .map(|part| (part, false))
        .chain(word.split('/').map(|part| (part, true)))
    {
        match part {
            "" | "." => {}
            ".." => {
                if own && !parts.is_empty() {
                    left.push(format!("/{}", parts.join("/")));
                }
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::left_behind;

    #[test]
    fn what_is_entered_and_left_is_named() {
        let check = |word: &str, cwd: &str, expected: &[&str]| {
            assert_eq!(left_behind(word, cwd), expected, "{word} in {cwd}");
        };
        check("a/../b", "/p", &["/p/a"]);
        check("../b", "/p/a", &["/p/a"]);
        check("a/b/../../c", "/p", &["/p/a/b", "/p/a"]);
        check("/x/y/../z", "/p", &["/x/y"]);
        check("./a/./../b", "/p", &["/p/a"]);
        check("a..b/c", "/p", &[]);
        check("../..", "/", &[]);
    }
}
