//! Paths, and the proof that one lies inside a root.
//!
//! [`absolute`] folds text; it proves nothing. A [`ContainedPath`] can only be
//! made from observed canonical paths, so `..`, links and siblings that share a
//! prefix (`/home/dev/app-evil`) cannot pass for something inside.

use automode_shell::Context;

use crate::{Facts, PathFact};

/// A path proven to lie strictly inside one of the session's roots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainedPath {
    canonical: String,
    root: String,
}

impl ContainedPath {
    /// Proves that `path` (absolute) is inside one of `roots`, from what was observed.
    /// A path or root that was not observed, or could not be resolved, proves nothing,
    /// and neither does a file that has another name: what lies there lies here as well.
    #[must_use]
    pub fn prove(path: &str, roots: &[String], facts: &Facts) -> Option<Self> {
        let fact = facts.paths.get(path)?;
        let canonical = fact.canonical.as_deref().filter(|_| !fact.other_names)?;
        let root = roots.iter().find_map(|root| {
            let root = facts.paths.get(root)?.canonical.as_deref()?;
            inside(canonical, root, Case::of(fact)).then(|| root.to_owned())
        })?;
        Some(Self {
            canonical: canonical.to_owned(),
            root,
        })
    }

    /// The path with all links resolved.
    #[must_use]
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// The root it lies in, with all links resolved.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.root
    }
}

/// Whether letters of different case name the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Matters,
    Ignored,
}

impl Case {
    fn of(fact: &PathFact) -> Self {
        if fact.ignores_case {
            Self::Ignored
        } else {
            Self::Matters
        }
    }

    fn same(self, a: &str, b: &str) -> bool {
        match self {
            Self::Matters => a == b,
            Self::Ignored => a.to_lowercase() == b.to_lowercase(),
        }
    }
}

/// Strictly below, component by component. Both must be canonical.
fn inside(path: &str, root: &str, case: Case) -> bool {
    let mut path = parts(path);
    let below = parts(root).all(|part| path.next().is_some_and(|own| case.same(own, part)));
    below && path.next().is_some()
}

/// The names in a path, without empty ones.
pub fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

/// The path made absolute as text: `~` is the home, `.` and `..` are folded.
#[must_use]
pub fn absolute(path: &str, cwd: &str, home: Option<&str>) -> String {
    let tilde = path
        .strip_prefix('~')
        .filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let full = match (tilde, home) {
        (Some(rest), Some(home)) => format!("{home}{rest}"),
        _ if path.starts_with('/') => path.to_owned(),
        _ => format!("{cwd}/{path}"),
    };
    let mut names: Vec<&str> = Vec::new();
    for part in parts(&full) {
        match part {
            "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

/// The paths that a tool may mean by this text. `..` after a link leads elsewhere
/// for a tool that folds text and for one that asks the system, and a file's URI is a
/// relative path for a tool that knows no URIs: both count.
#[must_use]
pub fn spellings(path: &str, context: &Context) -> Vec<String> {
    let folded = absolute(path, &context.cwd, context.home.as_deref());
    if let Some(named) = uri_path(path) {
        return vec![folded, absolute(named, &context.cwd, None)];
    }
    if !parts(path).any(|part| part == "..") {
        return vec![folded];
    }
    let raw = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{}/{path}", context.cwd)
    };
    vec![folded, raw]
}

/// Where a file's URI points; the root, which lies in no project, where it hides letters.
fn uri_path(text: &str) -> Option<&str> {
    let scheme = text.get(..5)?;
    if !scheme.eq_ignore_ascii_case("file:") {
        return None;
    }
    let rest = text.get(5..)?;
    let local = rest.strip_prefix("//").unwrap_or(rest);
    let path = local.find('/').and_then(|at| local.get(at..));
    Some(path.filter(|path| !path.contains('%')).unwrap_or("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GitState, PathKind};

    #[test]
    fn a_path_is_every_path_it_may_be() {
        let context = Context {
            cwd: "/app".to_owned(),
            home: Some("/home/dev".to_owned()),
            ..Context::default()
        };
        let check = |path: &str, expected: &[&str]| {
            assert_eq!(spellings(path, &context), expected, "{path}");
        };
        check("a", &["/app/a"]);
        check("~/a", &["/home/dev/a"]);
        check("b/../a", &["/app/a", "/app/b/../a"]);
        check("file:///etc/x", &["/app/file:/etc/x", "/etc/x"]);
        check("FILE:/etc/x", &["/app/FILE:/etc/x", "/etc/x"]);
        check("file://host/etc/x", &["/app/file:/host/etc/x", "/etc/x"]);
        check("file:///app/%2e%2e/x", &["/app/file:/app/%2e%2e/x", "/"]);
        check("file:x", &["/app/file:x", "/"]);
        check("filed/x", &["/app/filed/x"]);
        check("é:é", &["/app/é:é"]);
    }

    fn fact(canonical: Option<&str>, ignores_case: bool) -> PathFact {
        PathFact {
            kind: PathKind::File,
            canonical: canonical.map(str::to_owned),
            git: GitState::None,
            ignores_case,
            size: None,
            other_names: false,
        }
    }

    /// Observes `path` as `canonical` under the roots `/home/dev/app` and `/srv/extra`.
    fn proves(path: &str, canonical: Option<&str>, ignores_case: bool) -> bool {
        let roots = ["/home/dev/app".to_owned(), "/srv/extra".to_owned()];
        let mut facts = Facts::default();
        for root in &roots {
            facts.paths.insert(root.clone(), fact(Some(root), false));
        }
        facts
            .paths
            .insert(path.to_owned(), fact(canonical, ignores_case));
        ContainedPath::prove(path, &roots, &facts).is_some()
    }

    #[test]
    fn containment_is_proven_by_canonical_components() {
        let check = |path: &str, canonical: Option<&str>, expected: bool| {
            assert_eq!(
                proves(path, canonical, false),
                expected,
                "{path} {canonical:?}"
            );
        };
        check("/home/dev/app/a", Some("/home/dev/app/a"), true);
        check("/srv/extra/a", Some("/srv/extra/a"), true);
        check("/home/dev/app/a", Some("/home/dev/elsewhere"), false);
        check("/home/dev/app-evil/a", Some("/home/dev/app-evil/a"), false);
        check("/tmp/link", Some("/home/dev/app/a"), true);
        check("/home/dev/app/a", None, false);
        check("/home/dev/app/.", Some("/home/dev/app"), false);
        check("/home/dev/APP/a", Some("/home/dev/APP/a"), false);
    }

    #[test]
    fn case_is_ignored_where_the_file_system_does() {
        assert!(proves("/home/dev/APP/a", Some("/home/dev/APP/a"), true));
        assert!(!proves("/home/dev/APP2/a", Some("/home/dev/APP2/a"), true));
    }

    #[test]
    fn a_file_with_another_name_is_not_contained() {
        let roots = ["/home/dev/app".to_owned()];
        let mut facts = Facts::default();
        let root = fact(Some("/home/dev/app"), false);
        facts.paths.insert("/home/dev/app".to_owned(), root);
        for other_names in [false, true] {
            let path = PathFact {
                other_names,
                ..fact(Some("/home/dev/app/a"), false)
            };
            facts.paths.insert("/home/dev/app/a".to_owned(), path);
            let contained = ContainedPath::prove("/home/dev/app/a", &roots, &facts);
            assert_eq!(contained.is_some(), !other_names);
        }
    }

    #[test]
    fn what_was_not_observed_proves_nothing() {
        let roots = ["/home/dev/app".to_owned()];
        let mut facts = Facts::default();
        assert!(ContainedPath::prove("/home/dev/app/a", &roots, &facts).is_none());
        let path = fact(Some("/home/dev/app/a"), false);
        facts.paths.insert("/home/dev/app/a".to_owned(), path);
        assert!(ContainedPath::prove("/home/dev/app/a", &roots, &facts).is_none());
    }

    #[test]
    fn text_is_folded() {
        let check = |path: &str, expected: &str| {
            assert_eq!(absolute(path, "/home/dev/app", Some("/home/dev")), expected);
        };
        check("a.rs", "/home/dev/app/a.rs");
        check("./a//b/../c", "/home/dev/app/a/c");
        check("../../../../x", "/x");
        check("~", "/home/dev");
        check("~/x", "/home/dev/x");
        check("~x", "/home/dev/app/~x");
        check("/etc/./passwd", "/etc/passwd");
        check("", "/home/dev/app");
    }
}
