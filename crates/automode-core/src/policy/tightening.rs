//! What a repository may say of a setting: what takes something away.
//!
//! A setting that has no row here is not a repository's to set. What it says beyond its row is
//! not obeyed: a stranger's file opens nothing, and a person's or an administrator's value is
//! what it starts from.

use std::path::{Component, Path};

use super::field::{Field, Value};

/// How a repository's value is combined with the one in force.
enum Tightening {
    /// The first word gives way to the second.
    Steps(&'static [(&'static str, &'static str)]),
    /// The trees that lie in a tree of both.
    Trees,
    /// The texts that both name.
    Texts,
    /// The smaller number.
    Least,
}

/// The settings that a repository may tighten.
///
/// `confine.mode` has no step to `off`, which would let code run unconfined that is allowed
/// anyway, nor to `unread`, which allows where `off` asks. `undo` has none to `off`, which keeps
/// nothing before unread code.
const TIGHTENINGS: &[(&str, Tightening)] = &[
    ("confine.mode", Tightening::Steps(&[("unread", "always")])),
    ("confine.home", Tightening::Steps(&[("hide", "empty")])),
    ("confine.read", Tightening::Trees),
    ("confine.write", Tightening::Trees),
    ("confine.net", Tightening::Texts),
    ("confine.loopback", Tightening::Texts),
    (
        "undo",
        Tightening::Steps(&[("on", "confined"), ("off", "confined")]),
    ),
    ("undo_limits.files", Tightening::Least),
    ("undo_limits.megabytes", Tightening::Least),
    ("undo_limits.milliseconds", Tightening::Least),
];

impl Field {
    /// Whether a repository may say anything of it.
    #[must_use]
    pub fn is_tightenable(&self) -> bool {
        self.tightening().is_some()
    }

    /// The value in force once a repository has said its own.
    pub(super) fn tightened(&self, now: &Value, said: &Value) -> Value {
        let tightened = match (self.tightening(), now, said) {
            (Some(Tightening::Steps(steps)), Value::Text(from), Value::Text(to)) => steps
                .contains(&(from.as_str(), to.as_str()))
                .then(|| said.clone()),
            (Some(Tightening::Trees), Value::Texts(now), Value::Texts(said)) => {
                Some(Value::Texts(meet(now, said)))
            }
            (Some(Tightening::Texts), Value::Texts(now), Value::Texts(said)) => {
                let both = now.iter().filter(|text| said.contains(text));
                Some(Value::Texts(both.cloned().collect()))
            }
            (Some(Tightening::Least), Value::Count(now), Value::Count(said)) => {
                Some(Value::Count(*now.min(said)))
            }
            (Some(_) | None, _, _) => None,
        };
        tightened.unwrap_or_else(|| now.clone())
    }

    fn tightening(&self) -> Option<&'static Tightening> {
        let mut rows = TIGHTENINGS.iter();
        rows.find(|(key, _)| *key == self.key)
            .map(|(_, tightening)| tightening)
    }
}

/// The trees of one list that lie in a tree of the other.
fn meet(first: &[String], second: &[String]) -> Vec<String> {
    let mut both = Vec::new();
    for (mine, theirs) in [(first, second), (second, first)] {
        for inner in mine {
            let inside = theirs.iter().any(|outer| lies_in(inner, outer));
            if inside && !both.contains(inner) {
                both.push(inner.clone());
            }
        }
    }
    both
}

/// A path that climbs may leave the tree that it begins in.
fn lies_in(inner: &str, outer: &str) -> bool {
    let inner = Path::new(inner);
    let climbs = inner
        .components()
        .any(|part| matches!(part, Component::ParentDir));
    !climbs && inner.starts_with(outer)
}

#[cfg(test)]
mod tests {
    use super::super::{Settings, fields::FIELDS};
    use super::*;
    use crate::confine::{ConfineMode, Home, Undo};

    fn check(key: &str, now: Value, said: Value, then: Value) {
        let field = Field::find(key).expect(key);
        assert_eq!(
            field.tightened(&now, &said),
            then,
            "{key}: {now:?} {said:?}"
        );
    }

    fn word(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn list(texts: &[&str]) -> Value {
        Value::Texts(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    #[test]
    fn words_only_step_towards_less() {
        for (key, now, said, then) in [
            ("confine.mode", "unread", "always", "always"),
            ("confine.mode", "unread", "off", "unread"),
            ("confine.mode", "always", "unread", "always"),
            ("confine.mode", "always", "off", "always"),
            ("confine.mode", "off", "unread", "off"),
            ("confine.mode", "off", "always", "off"),
            ("confine.home", "hide", "empty", "empty"),
            ("confine.home", "empty", "hide", "empty"),
            ("undo", "on", "confined", "confined"),
            ("undo", "off", "confined", "confined"),
            ("undo", "confined", "on", "confined"),
            ("undo", "confined", "off", "confined"),
            ("undo", "off", "on", "off"),
            ("undo", "on", "off", "on"),
        ] {
            check(key, word(now), word(said), word(then));
        }
    }

    #[test]
    fn lists_only_lose_entries() {
        let trees = |now: &[&str], said: &[&str], then: &[&str]| {
            check("confine.write", list(now), list(said), list(then));
        };
        trees(&["/data", "/srv"], &["/data"], &["/data"]);
        trees(&["/data"], &["/data/in"], &["/data/in"]);
        trees(&["/data/in"], &["/data"], &["/data/in"]);
        trees(&["/data"], &["/"], &["/data"]);
        trees(&[], &["/data"], &[]);
        trees(&["/data"], &[], &[]);
        trees(&["/data"], &["/data/../home", "/data-evil"], &[]);
        let hosts = |now: &[&str], said: &[&str], then: &[&str]| {
            check("confine.net", list(now), list(said), list(then));
        };
        hosts(
            &["a.example", "b.example"],
            &["b.example", "c.example"],
            &["b.example"],
        );
        hosts(&[], &["evil.example"], &[]);
        hosts(&["a.example"], &[], &[]);
    }

    #[test]
    fn limits_only_shrink() {
        check(
            "undo_limits.files",
            Value::Count(2_000),
            Value::Count(5),
            Value::Count(5),
        );
        check(
            "undo_limits.files",
            Value::Count(5),
            Value::Count(2_000),
            Value::Count(5),
        );
    }

    #[test]
    fn whatever_a_repository_says_of_other_settings_changes_nothing() {
        for field in FIELDS.iter().filter(|field| !field.is_tightenable()) {
            let now = field.value(&Settings::default());
            assert_eq!(field.tightened(&now, &word("x")), now, "{}", field.key);
        }
        for (key, _) in TIGHTENINGS {
            assert!(Field::find(key).is_some(), "{key}");
        }
        let confine = Settings::default().confine;
        assert_eq!(confine.mode, ConfineMode::Unread);
        assert_eq!((confine.home, confine.undo), (Home::Empty, Undo::Confined));
    }
}
