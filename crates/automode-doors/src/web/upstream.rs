//! The address behind a door: encrypted, or on this machine.

use std::time::Duration;

use reqwest::Url;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(30);

/// Why an address cannot stand behind a door.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpstreamError {
    #[error("the upstream `{0}` is not an http or https address")]
    Address(String),
    #[error(
        "the upstream can only be reached without encryption, and is not on this machine (hint: use https)"
    )]
    Plain,
    #[error("no connection can be made: {0}")]
    Client(String),
}

/// The address, where keys may travel to it.
pub(crate) fn upstream(address: &str) -> Result<Url, UpstreamError> {
    let wrong = || UpstreamError::Address(address.to_owned());
    let url = Url::parse(address).map_err(|_| wrong())?;
    let here = match url.host() {
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => return Err(wrong()),
    };
    match url.scheme() {
        "https" => Ok(url),
        "http" if here => Ok(url),
        "http" => Err(UpstreamError::Plain),
        _ => Err(wrong()),
    }
}

/// Follows no redirects: an answer comes from the address that was named, or not at all.
pub(crate) fn client() -> Result<reqwest::Client, UpstreamError> {
    // Whoever installed one first is as good.
    rustls::crypto::ring::default_provider()
        .install_default()
        .ok();
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT)
        .build()
        .map_err(|error| UpstreamError::Client(error.to_string()))
}

/// Whether a reply would make its client ask elsewhere, past the door.
pub(crate) fn leads_elsewhere(reply: &reqwest::Response) -> bool {
    reply.status().is_redirection() && reply.headers().contains_key(reqwest::header::LOCATION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_travel_encrypted_or_not_at_all() {
        let check =
            |address: &str, fits: bool| assert_eq!(upstream(address).is_ok(), fits, "{address}");
        check("https://api.example.com", true);
        check("https://api.example.com/base", true);
        check("http://127.0.0.1:8080", true);
        check("http://[::1]:8080", true);
        check("http://localhost", true);
        check("http://api.example.com", false);
        check("http://127.0.0.1.example.com", false);
        check("ftp://127.0.0.1", false);
        check("api.example.com", false);
    }
}
