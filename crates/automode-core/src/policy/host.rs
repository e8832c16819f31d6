//! The host of a URL, and patterns on it.
//!
//! Two readings: a strict one for permits, which refuses everything that two
//! parsers may read differently (user info, control characters, backslashes,
//! percent signs, letters that map to others), and a lenient one for vetoes, which
//! follows what browsers and fetch libraries do with such text.

use automode_shell::invisible::is_invisible;

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

/// Lower case, no trailing dot, look-alike forms of ASCII folded, other letters in
/// their ASCII encoding.
pub(super) fn normal(host: &str) -> String {
    let folded: String = host
        .chars()
        .filter(|c| !is_invisible(*c))
        .map(|c| match c {
            '\u{3002}' | '\u{ff0e}' | '\u{ff61}' => '.',
            '\u{ff01}'..='\u{ff5e}' => u32::from(c)
                .checked_sub(0xfee0)
                .and_then(char::from_u32)
                .unwrap_or(c),
            c => c,
        })
        .flat_map(char::to_lowercase)
        .collect();
    let labels: Vec<String> = folded
        .trim_end_matches('.')
        .split('.')
        .map(|label| {
            if label.is_ascii() {
                label.to_owned()
            } else {
                punycode(label).map_or_else(|| label.to_owned(), |code| format!("xn--{code}"))
            }
        })
        .collect();
    labels.join(".")
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

/// RFC 3492, encoding only.
fn punycode(label: &str) -> Option<String> {
    const BASE: u32 = 36;
    let digit = |d: u32| {
        let at = usize::try_from(d).ok()?;
        "abcdefghijklmnopqrstuvwxyz0123456789".chars().nth(at)
    };
    let mut output: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(output.len()).ok()?;
    let mut handled = basic;
    if basic > 0 {
        output.push('-');
    }
    let total = u32::try_from(label.chars().count()).ok()?;
    let (mut n, mut delta, mut bias) = (128_u32, 0_u32, 72_u32);
    while handled < total {
        let next = label.chars().map(u32::from).filter(|c| *c >= n).min()?;
        delta = delta.checked_add(next.checked_sub(n)?.checked_mul(handled.checked_add(1)?)?)?;
        n = next;
        for c in label.chars().map(u32::from) {
            if c < n {
                delta = delta.checked_add(1)?;
            }
            if c == n {
                let mut q = delta;
                let mut k = BASE;
                loop {
                    let t = k.saturating_sub(bias).clamp(1, 26);
                    if q < t {
                        break;
                    }
                    let (over, step) = (q.checked_sub(t)?, BASE.checked_sub(t)?);
                    output.push(digit(t.checked_add(over.checked_rem(step)?)?)?);
                    q = over.checked_div(step)?;
                    k = k.checked_add(BASE)?;
                }
                output.push(digit(q)?);
                bias = adapted(delta, handled.checked_add(1)?, handled == basic)?;
                delta = 0;
                handled = handled.checked_add(1)?;
            }
        }
        delta = delta.checked_add(1)?;
        n = n.checked_add(1)?;
    }
    Some(output)
}

fn adapted(delta: u32, points: u32, first: bool) -> Option<u32> {
    let mut delta = delta.checked_div(if first { 700 } else { 2 })?;
    delta = delta.checked_add(delta.checked_div(points)?)?;
    let mut k = 0_u32;
    while delta > 455 {
        delta = delta.checked_div(35)?;
        k = k.checked_add(36)?;
    }
    k.checked_add(delta.checked_mul(36)?.checked_div(delta.checked_add(38)?)?)
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
        check("https://[::1]:80/", Some("[::1]"));
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
