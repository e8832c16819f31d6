//! A resource, by the name that its server gave it.
//!
//! `notes://work/7` is a server's own word for something that it keeps, and reading it is a
//! look at that server. What may be more than such a name is an address like any other: a
//! page of the web, a host, anything that carries data. What stands behind the scheme may
//! still be a place of this machine or the name of a secret, and counts as one.

use automode_shell::Host;

use super::super::Url;
use crate::escape::percent_decoded;

/// A name that leads nowhere but to its server.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResourceName {
    pub scheme: String,
    /// What stands behind the scheme, spelled out.
    pub rest: String,
}

/// Schemes under which clients of databases and queues name a machine and what it keeps.
const ADDRESSES: &[&str] = &[
    "amqp",
    "jdbc",
    "ldap",
    "mariadb",
    "mongodb",
    "mysql",
    "postgres",
    "postgresql",
    "redis",
    "rediss",
    "sqlserver",
];

impl ResourceName {
    /// Nothing where the text may be an address of something else.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let url = Url::read(text);
        // The server is handed all of it, also what a browser keeps to itself.
        let whole = !text.contains(['#', '\\']) && !text.contains(char::is_whitespace);
        let first = rest.split(['/', '?']).next().unwrap_or_default();
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let client = ADDRESSES.contains(&scheme.to_lowercase().as_str());
        let is_host = client || !first.chars().all(word) || url.host() == Host::Loopback;
        let rest = percent_decoded(rest);
        let odd = rest.contains("://") || rest.contains(char::is_control);
        let own =
            whole && !is_host && !odd && !url.is_web() && !url.carries_data() && only_looks(&rest);
        own.then(|| Self {
            scheme: scheme.to_owned(),
            rest,
        })
    }

    /// The paths that it may stand for: what is behind the first part, and all of it.
    pub(super) fn places(&self) -> Vec<String> {
        let rest = self.rest.split('?').next().unwrap_or_default();
        let behind = rest.split_once('/').map(|(_, path)| path);
        let mut places: Vec<String> = behind
            .into_iter()
            .chain([rest])
            .map(|path| format!("/{}", path.trim_start_matches('/')))
            .filter(|path| path.len() > 1)
            .collect();
        // `fs://read?path=/home/me/.ssh/id_rsa` names its place as a value.
        let values = self.rest.split_once('?').map_or("", |(_, values)| values);
        let values = values.split(['&', ';', '=']);
        let values = values.filter(|value| value.contains('/') || value.starts_with('~'));
        places.extend(values.map(|value| match value.starts_with(['/', '~']) {
            true => value.to_owned(),
            false => format!("/{value}"),
        }));
        places.dedup();
        places
    }
}

/// Whether the words behind a name only say how much of it is shown, and how.
fn only_looks(rest: &str) -> bool {
    const LOOKS: [&str; 15] = [
        "count", "depth", "fields", "format", "lang", "limit", "locale", "offset", "order", "page",
        "per_page", "revision", "size", "sort", "version",
    ];
    let words = rest.split_once('?').map_or("", |(_, words)| words);
    words
        .split(['&', ';'])
        .filter(|word| !word.is_empty())
        .all(|word| LOOKS.contains(&word.split('=').next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_the_server_leads_nowhere_else() {
        for (text, own) in [
            ("notes://work/7", true),
            ("demo://resource/static/document/1.md", true),
            ("note:///daily", true),
            ("pg://users/schema?limit=5", true),
            ("postgres://prod/users?drop=1", false),
            ("https://example.com/x", false),
            ("HTTP://example.com/x", false),
            ("ftp://example.com/x", false),
            ("gopher://localhost/x", false),
            ("redis://127.0.0.1/x", false),
            ("redis://2130706433/x", false),
            ("ssh://box:22/x", false),
            ("x://user@box/x", false),
            ("x://%6cocalhost/x", false),
            ("x://y/http://example.com", false),
            ("x://y/http%3a//example.com", false),
            ("x://y/z#everything-that-was-read", false),
            ("x://y/z\nw", false),
            (
                "x://y/c2VjcmV0IG9mIHRoZSBwZXJzb24gd2hvIHdvcmtzIGhlcmU",
                false,
            ),
            ("x://y/z?token=abcdef", false),
            ("postgres://prod/users?drop=1", false),
            ("pg://users/rows?limit=5&delete=all", false),
            ("notes", false),
        ] {
            assert_eq!(ResourceName::read(text).is_some(), own, "{text}");
        }
    }

    #[test]
    fn what_stands_behind_the_scheme_may_be_a_place() {
        let places = |text: &str| ResourceName::read(text).unwrap().places();
        assert_eq!(places("x:///etc/shadow"), ["/etc/shadow"]);
        assert_eq!(
            places("x://home/dev/%2essh"),
            ["/dev/.ssh", "/home/dev/.ssh"]
        );
        assert_eq!(places("x://one"), ["/one"]);
        assert!(places("x://").is_empty());
    }
}
