//! Who may come to a listening door.
//!
//! A page in a browser can reach loopback, by name after its own name has come to mean this
//! machine, or across origins. It gives itself away by the host it asks for, or by its origin.

use hyper::header::{self, HeaderMap, HeaderValue};
use reqwest::Url;

/// Whether a request comes from a program on this machine and not from a page. Where other
/// machines may come, a page may only come from the door's own address.
pub(crate) fn is_admitted(headers: &HeaderMap, exposed: bool) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next().and_then(text), hosts.next()) else {
        return false;
    };
    let Ok(asked) = Url::parse(&format!("http://{host}/")) else {
        return false;
    };
    let from_page = |origin: &HeaderValue| {
        text(origin)
            .and_then(|origin| Url::parse(origin).ok())
            .is_some_and(|origin| {
                is_here(&origin) || exposed && origin.authority() == asked.authority()
            })
    };
    (exposed || is_here(&asked)) && headers.get_all(header::ORIGIN).iter().all(from_page)
}

fn text(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok()
}

fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(host: Option<&str>, origin: Option<&str>, exposed: bool, admitted: bool) {
        let mut headers = HeaderMap::new();
        for (name, value) in [(header::HOST, host), (header::ORIGIN, origin)] {
            if let Some(value) = value {
                headers.insert(name, value.parse().unwrap());
            }
        }
        assert_eq!(
            is_admitted(&headers, exposed),
            admitted,
            "{host:?} {origin:?} {exposed}"
        );
    }

    #[test]
    fn pages_stay_outside() {
        check(Some("127.0.0.1:8377"), None, false, true);
        check(Some("localhost"), None, false, true);
        check(Some("[::1]:1"), Some("http://localhost:3000"), false, true);
        check(Some("evil.example:8377"), None, false, false);
        check(Some("127.0.0.1.evil.example"), None, false, false);
        check(
            Some("127.0.0.1"),
            Some("https://evil.example"),
            false,
            false,
        );
        check(Some("127.0.0.1"), Some("null"), false, false);
        check(
            Some("127.0.0.1"),
            Some("http://localhost.evil.example"),
            false,
            false,
        );
        check(None, None, false, false);
        check(Some("door.example:1"), None, true, true);
        check(
            Some("door.example:1"),
            Some("http://door.example:1"),
            true,
            true,
        );
        check(
            Some("door.example:1"),
            Some("http://evil.example"),
            true,
            false,
        );
    }
}
