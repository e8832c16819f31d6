//! Where a request comes from.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;

use super::App;

/// The caller's address, as callers are counted; a proxy's word counts only where one stands
/// in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    /// Of IPv6 the network: whoever has one address of it has all.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = address.to_bits() & (u128::MAX << 64);
                Self(IpAddr::V6(Ipv6Addr::from_bits(network)))
            }
            address @ IpAddr::V4(_) => Self(address),
        }
    }
}

impl FromRequestParts<App> for ClientAddress {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let direct = parts
            .extensions
            .get::<ConnectInfo<Self>>()
            .map_or(Self(IpAddr::V4(Ipv4Addr::UNSPECIFIED)), |info| info.0);
        let told = parts
            .headers
            .get_all("x-forwarded-for")
            .iter()
            .next_back()
            .and_then(|value| value.to_str().ok())
            .and_then(|list| list.rsplit(',').next())
            .and_then(|last| last.trim().parse().ok());
        let told = told.filter(|_| app.shared.behind_proxy).map(Self::of);
        Ok(told.unwrap_or(direct))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_counts_as_one() {
        let of = |text: &str| ClientAddress::of(text.parse().unwrap()).0.to_string();
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(of("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(of("192.0.2.7"), "192.0.2.7");
    }
}
