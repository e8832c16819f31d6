//! The host of a URL, and patterns on it.
//!
//! Two readings: a strict one for permits, which refuses everything that two
//! parsers may read differently (user info, control characters, backslashes,
//! percent signs, letters that map to others), and a lenient one for vetoes, which
//! follows what browsers and fetch libraries do with such text.

use core::net::Ipv6Addr;

use crate::host::normal;

/// A pattern on a host: `example.com`, `*.example.com`, `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HostPattern {
    Any,
    /// Any subdomain at any depth, not the domain itself.
    Below(String),
    /// Labels; a star stays within its label.
    Labels(Vec<String>),
}

impl HostPattern {
    pub(super) fn parse(pattern: &str) -> Self {
        let pattern = normal(pattern.trim());
        match pattern.strip_prefix("*.") {
            _ if pattern == "*" => Self::Any,
            Some(domain) if !domain.contains('*') => Self::Below(domain.to_owned()),
            _ => Self::Labels(pattern.split('.').map(str::to_owned).collect()),
        }
    }

    /// Whether there is a host that it could match: an address with a scheme, a port or a path
    /// is not one.
    pub(super) fn names_a_host(&self) -> bool {
        let is_label = |label: &str| {
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*');
            !label.is_empty() && label.chars().all(fits)
        };
        match self {
            Self::Any => true,
            Self::Below(domain) => domain.split('.').all(is_label),
            Self::Labels(labels) => {
                labels.iter().all(|label| is_label(label))
                    || labels.join(".").parse::<Ipv6Addr>().is_ok()
            }
        }
    }

    /// `host` as [`strict`] or [`lenient`] gives it.
    pub(super) fn matches(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Below(domain) => host
                .strip_suffix(domain.as_str())
                .and_then(|sub| sub.strip_suffix('.'))
                .is_some_and(|sub| !sub.is_empty()),
            Self::Labels(labels) => {
                let mut names = host.split('.');
                labels
                    .iter()
                    .all(|label| names.next().is_some_and(|name| label_fits(label, name)))
                    && names.next().is_none()
            }
        }
    }
}

fn label_fits(pattern: &str, label: &str) -> bool {
    super::glob::Glob::parse(pattern).matches(label)
}

/// The host of an `http` or `https` URL that can be read in one way only.
pub(super) fn strict(url: &str) -> Option<String> {
    let scheme_end = url.find("://")?;
    let (scheme, rest) = (
        url.get(..scheme_end)?,
        url.get(scheme_end.saturating_add(3)..)?,
    );
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next()?;
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !authority.ends_with(']') => (host, port),
        _ => (authority, ""),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let bracketed = |host: &str| {
        host.strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
            .is_some_and(|host| {
                host.chars()
                    .all(|c| c.is_ascii_hexdigit() || c == ':' || c == '.')
            })
    };
    let sound = !host.is_empty()
        && (host.chars().all(plain) || bracketed(host))
        && port.chars().all(|c| c.is_ascii_digit())
        && !url
            .chars()
            .any(|c| c.is_control() || c.is_whitespace() || c == '\\');
    sound.then(|| normal(host))
}

/// The host that a forgiving client would reach.
pub(super) fn lenient(url: &str) -> Option<String> {
    let text: String = url
        .trim()
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .map(|c| if c == '\\' { '/' } else { c })
        .collect();
    let rest = match text.split_once(':') {
        Some((scheme, rest)) if !scheme.is_empty() && !scheme.contains(['/', '.', '@', '[']) => {
            rest
        }
        _ => text.as_str(),
    };
    let authority = rest.trim_start_matches('/').split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = match host.rsplit_once(':') {
        Some((host, port)) if port.chars().all(|c| c.is_ascii_digit()) => host,
        _ => host,
    };
    let host = normal(&percent_decoded(host));
    (!host.is_empty()).then_some(host)
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digit = |byte: Option<&u8>| byte.and_then(|b| char::from(*b).to_digit(16));
        match (first, digit(tail.first()), digit(tail.get(1))) {
            (b'%', Some(high), Some(low)) => {
                let value = high.saturating_mul(16).saturating_add(low);
                bytes.push(u8::try_from(value).unwrap_or(b'%'));
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_reading() {
        let check =
            |url: &str, host: Option<&str>| assert_eq!(strict(url).as_deref(), host, "{url}");
        check("https://example.com/x", Some("example.com"));
        check("HTTPS://Example.COM.", Some("example.com"));
        check("https://example.com:8443/x", Some("example.com"));
        check("https://[::1]:80/", Some("::1"));
        check("https://user@example.com/", None);
        check("https://example.com@evil.com/", None);
        check("https://example.com\\@evil.com/", None);
        check("https://exam\tple.com/", None);
        check("https://example.com%2eevil.com/", None);
        check("https://ex\u{430}mple.com/", None);
        check("ftp://example.com/", None);
        check("example.com", None);
        check("https:///x", None);
    }

    #[test]
    fn lenient_reading() {
        let check =
            |url: &str, host: Option<&str>| assert_eq!(lenient(url).as_deref(), host, "{url}");
        check("https://a:b@evil.com:443/x", Some("evil.com"));
        check("https://good.com\\@evil.com/", Some("good.com"));
        check("https:/evil.com", Some("evil.com"));
        check("//evil.com/x", Some("evil.com"));
        check("evil.com/x", Some("evil.com"));
        check("https://ev\til.com", Some("evil.com"));
        check("https://evil%2ecom", Some("evil.com"));
        check("https://\u{ff45}vil\u{3002}com", Some("evil.com"));
        check("https://b\u{fc}cher.example", Some("xn--bcher-kva.example"));
        check("https://EVIL.com./", Some("evil.com"));
    }

    #[test]
    fn what_is_more_than_a_host_names_none() {
        for (pattern, named) in [
            ("example.com", true),
            ("*.example.com", true),
            ("b\u{fc}cher.example", true),
            ("127.0.0.1", true),
            ("[::1]", true),
            ("localhost", true),
            ("https://example.com", false),
            ("example.com/path", false),
            ("example.com:443", false),
            ("*.example.com/", false),
            ("user@example.com", false),
            ("example..com", false),
            ("", false),
        ] {
            assert_eq!(
                HostPattern::parse(pattern).names_a_host(),
                named,
                "{pattern}"
            );
        }
    }

    #[test]
    fn patterns() {
        let check = |pattern: &str, host: &str, expected: bool| {
            assert_eq!(
                HostPattern::parse(pattern).matches(host),
                expected,
                "`{pattern}` on `{host}`"
            );
        };
        check("example.com", "example.com", true);
        check("Example.com.", "example.com", true);
        check("example.com", "api.example.com", false);
        check("example.com", "notexample.com", false);
        check("*.example.com", "api.example.com", true);
        check("*.example.com", "a.b.example.com", true);
        check("*.example.com", "example.com", false);
        check("*.example.com", "evilexample.com", false);
        check("example.*", "example.org", true);
        check("example.*", "example.evil.com", false);
        check("*", "anything.at.all", true);
        check("b\u{fc}cher.example", "xn--bcher-kva.example", true);
        check("m\u{fc}nchen-ost.de", "xn--mnchen-ost-9db.de", true);
    }
}
