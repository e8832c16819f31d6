//! Where an organisation's policy may put a judge.
//!
//! What a judge is asked holds the user's words and the calls of a session. Whoever may sign
//! a policy must not be able to have these sent wherever they like, so a judge of a policy is
//! at its vendor's, or at an address that the machine's own settings name: one of its own
//! judges, or one of `judge.hosts`.

use std::collections::BTreeSet;

use automode_core::policy::{Layer, SettingAssignment, Value};

use super::fault::Fault;

/// A scheme, a host and a port, in one spelling.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct JudgeAddress(String);

impl JudgeAddress {
    /// Nothing where two readers might find two hosts in it.
    fn read(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        let default = match scheme.as_str() {
            "https" => ":443",
            "http" => ":80",
            _ => return None,
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
        let odd = |c: char| "\\@".contains(c) || c.is_whitespace() || c.is_control();
        if authority.is_empty() || !authority.chars().all(plain) || path.contains(odd) {
            return None;
        }
        let host = authority.strip_suffix(default).unwrap_or(authority);
        Some(Self(format!("{scheme}://{}", host.to_ascii_lowercase())))
    }

    /// A host alone is meant over https.
    fn of_host(text: &str) -> Option<Self> {
        match text.contains("://") {
            true => Self::read(text),
            false => Self::read(&format!("https://{text}")),
        }
    }
}

/// The addresses that the settings of a machine name.
pub(super) fn named<'a>(layers: impl IntoIterator<Item = &'a Layer>) -> BTreeSet<JudgeAddress> {
    let mut named = BTreeSet::new();
    for setting in layers.into_iter().flat_map(|layer| &layer.settings) {
        if let ("judge.hosts", Value::Texts(hosts)) = (setting.field.key, &setting.value) {
            named.extend(hosts.iter().filter_map(|host| JudgeAddress::of_host(host)));
        }
        named.extend(addresses(setting).filter_map(JudgeAddress::read));
    }
    named
}

/// Refuses a policy's judges at addresses that the machine does not name: none of that setting
/// is asked.
pub(super) fn hold(policy: &mut Layer, named: &BTreeSet<JudgeAddress>, faults: &mut Vec<Fault>) {
    let is_named = |url: &str| JudgeAddress::read(url).is_some_and(|url| named.contains(&url));
    let file = policy.origin.file.clone();
    policy.settings.retain(|setting| {
        let before = faults.len();
        let elsewhere = addresses(setting).filter(|url| !is_named(url));
        faults.extend(elsewhere.map(|url| Fault {
            file: file.clone(),
            line: setting.line,
            what: format!("no settings of this machine name the judge's address `{url}`"),
            hint: Some("[judge] hosts = [\"…\"] in the machine's own settings".to_owned()),
        }));
        faults.len() == before
    });
}

/// The addresses of the judges that a setting chooses.
pub(super) fn addresses(setting: &SettingAssignment) -> impl Iterator<Item = &str> {
    let tables = match (setting.field.key, &setting.value) {
        ("judge.chain", Value::Tables(tables)) => tables.as_slice(),
        _ => &[],
    };
    tables
        .iter()
        .filter_map(|table| match table.get("base_url") {
            Some(Value::Text(url)) => Some(url.as_str()),
            _ => None,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_however_it_is_spelled() {
        let same = |one: &str, other: &str| {
            let (one, other) = (JudgeAddress::of_host(one), JudgeAddress::read(other));
            one.is_some() && one == other
        };
        assert!(same("judge.example.com", "https://judge.example.com/v1"));
        assert!(same("Judge.example.com:443", "HTTPS://judge.EXAMPLE.com"));
        assert!(same("http://10.0.0.5:8000", "http://10.0.0.5:8000/v1"));
        for other in [
            "http://judge.example.com/v1",
            "https://judge.example.com:8443/v1",
            "https://judge.example.com.evil.example/v1",
            "https://judge.example.com@evil.example/v1",
            "https://evil.example/judge.example.com",
            "https://judge.example.com\\@evil.example/v1",
            "https://judge.example.com/\\@evil.example/",
            "https://judge.example.com?@evil.example",
            "https://judge.example.com\t.evil.example/",
            "https://judge.example.com%2eevil.example/",
            "ftp://judge.example.com/",
            "judge.example.com",
            "",
        ] {
            assert!(!same("judge.example.com", other), "{other}");
        }
    }
}
