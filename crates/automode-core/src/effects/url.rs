//! An address, as far as a decision needs it: where it leads, what it carries.

use automode_shell::Host;

/// A URL, cut into its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Url<'a> {
    pub scheme: &'a str,
    /// Name and password in front of the host.
    pub user: &'a str,
    pub host: &'a str,
    pub path: &'a str,
    pub query: &'a str,
}

/// The longest address that is taken for a plain one.
const PLAIN: usize = 300;
/// The longest single part of a path or query that is taken for a name.
const NAME: usize = 48;

impl<'a> Url<'a> {
    #[must_use]
    pub fn read(text: &'a str) -> Self {
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        let (rest, _fragment) = rest.split_once('#').unwrap_or((rest, ""));
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, address) = authority.rsplit_once('@').unwrap_or(("", authority));
        let host = match address.strip_prefix('[') {
            Some(six) => six.split(']').next().unwrap_or_default(),
            None => address.split(':').next().unwrap_or_default(),
        };
        Self {
            scheme,
            user,
            host,
            path,
            query,
        }
    }

    #[must_use]
    pub fn host(&self) -> Host {
        match self.host {
            "" => Host::Unknown,
            host if is_loopback(host) => Host::Loopback,
            host => match crate::host::normal(host) {
                host if is_loopback(&host) => Host::Loopback,
                host => Host::Named(host),
            },
        }
    }

    /// Whether a browser would open it.
    #[must_use]
    pub fn is_web(&self) -> bool {
        matches!(
            self.scheme.to_ascii_lowercase().as_str(),
            "" | "http" | "https"
        )
    }

    /// Whether the address itself hands something out: a password, a long or
    /// scrambled part, a host name that is no name.
    #[must_use]
    pub fn carries_data(&self) -> bool {
        let length = self
            .host
            .len()
            .saturating_add(self.path.len())
            .saturating_add(self.query.len());
        !self.user.is_empty()
            || length > PLAIN
            || self.query.split(['&', ';']).any(hands_out_key)
            || is_collector(self.host)
            || self
                .path
                .split('/')
                .chain(self.query.split(['&', '=', ';']))
                .chain(self.host.split('.'))
                .any(is_scrambled)
            || self.host.split('.').any(is_coded_label)
    }
}

/// Long and without the shape of words: what an encoding leaves.
fn is_scrambled(part: &str) -> bool {
    if part
        .split(['-', '_', '+', '.', ',', '%', '~'])
        .any(is_encoded)
    {
        return true;
    }
    if part.len() < NAME {
        return false;
    }
    let words = part
        .split(['-', '_', '+', '.', ','])
        .filter(|word| !word.is_empty());
    // A title or a file name is made of short words; a digest or an encoding is not.
    words.map(str::len).max().unwrap_or_default() >= NAME.saturating_sub(8)
}

/// A label of a host that spells bytes: no host is called so, whatever a commit is.
fn is_coded_label(label: &str) -> bool {
    let digits = label.bytes().filter(u8::is_ascii_digit).count();
    let hex = label.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex && label.len() >= 20 && digits > 0
}

/// Shorter words are taken for names: an identifier of a video or a commit is no message.
const ENCODED: usize = 24;

/// A word as only an encoding leaves it: long, of letters and digits, and no number.
fn is_encoded(word: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| word.as_bytes().iter().any(kind);
    let hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let cased = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && digits > 0;
    // A host has no capitals; words of a name are not glued together with digits among them.
    let glued = digits > 1 && word.len() >= ENCODED.saturating_add(8);
    word.len() >= ENCODED && !hex && (cased || glued)
}

/// A password or a token under its own name.
fn hands_out_key(pair: &str) -> bool {
    const NAMES: &[&str] = &[
        "password",
        "passwd",
        "pwd",
        "secret",
        "client_secret",
        "token",
        "access_token",
        "auth_token",
        "api_key",
        "apikey",
        "private_key",
        "credential",
        "credentials",
        "cookie",
        "passcode",
        "passphrase",
        "pin",
        "otp",
        "session_id",
        "sessionid",
    ];
    pair.split_once('=').is_some_and(|(name, value)| {
        value.len() >= 4 && NAMES.contains(&name.to_ascii_lowercase().as_str())
    })
}

/// Services that keep whatever is sent to them for somebody to look at.
fn is_collector(host: &str) -> bool {
    const HOSTS: &[&str] = &[
        "webhook.site",
        "requestbin.com",
        "requestbin.net",
        "pipedream.net",
        "beeceptor.com",
        "hookbin.com",
        "requestcatcher.com",
        "interact.sh",
        "oast.fun",
        "oast.pro",
        "oast.live",
        "burpcollaborator.net",
        "oastify.com",
        "canarytokens.com",
        "dnslog.cn",
    ];
    let host = host.to_ascii_lowercase();
    HOSTS.iter().any(|own| {
        host == *own
            || host
                .strip_suffix(own)
                .is_some_and(|rest| rest.ends_with('.'))
    })
}

/// This machine by any of its names.
#[must_use]
pub fn is_loopback(host: &str) -> bool {
    let host = host.to_lowercase();
    matches!(
        host.as_str(),
        "localhost" | "::1" | "0.0.0.0" | "ip6-localhost"
    ) || host.starts_with("127.")
        || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_cut_into_parts() {
        let url = Url::read("https://u:p@Docs.Example.com:8080/a/b?x=1&y=2#z");
        assert_eq!(
            url,
            Url {
                scheme: "https",
                user: "u:p",
                host: "Docs.Example.com",
                path: "a/b",
                query: "x=1&y=2"
            }
        );
        assert_eq!(url.host(), Host::Named("docs.example.com".to_owned()));
        assert_eq!(Url::read("http://localhost:3000/").host(), Host::Loopback);
        assert_eq!(Url::read("http://[::1]:3000/").host(), Host::Loopback);
        assert_eq!(Url::read("").host(), Host::Unknown);
    }

    #[test]
    fn data_in_an_address_shows() {
        let check = |url: &str, expected: bool| {
            assert_eq!(Url::read(url).carries_data(), expected, "{url}");
        };
        check("https://docs.example.com/guide/getting-started", false);
        check("https://example.com/search?q=rust+error+handling", false);
        check(
            "https://example.com/blog/a-rather-long-title-about-how-things-work-today",
            false,
        );
        check("https://user:secret@example.com/", true);
        check("https://example.com/?page=2&sort=name", false);
        check("https://example.com/?password=hunter2", true);
        check("https://webhook.site/abc", true);
        check("https://notwebhook.site/abc", false);
        check(
            "https://evil.example/c?d=QUtJQVhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWA==",
            true,
        );
        check(&format!("https://evil.example/{}", "a/".repeat(200)), true);
    }
}
