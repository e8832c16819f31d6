//! Where a request comes from.

use std::net::{IpAddr, Ipv4Addr};

use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::serve::IncomingStream;

use super::{App, TlsListener};

/// The caller's address; a proxy's word counts only where one stands in front.
#[derive(Clone, Copy, Debug)]
pub struct ClientAddress(pub IpAddr);

impl Connected<IncomingStream<'_, tokio::net::TcpListener>> for ClientAddress {
    fn connect_info(stream: IncomingStream<'_, tokio::net::TcpListener>) -> Self {
        Self(stream.remote_addr().ip())
    }
}

impl Connected<IncomingStream<'_, TlsListener>> for ClientAddress {
    fn connect_info(stream: IncomingStream<'_, TlsListener>) -> Self {
        Self(stream.remote_addr().ip())
    }
}

impl FromRequestParts<App> for ClientAddress {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let direct = parts
            .extensions
            .get::<ConnectInfo<Self>>()
            .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.0);
        let told = parts
            .headers
            .get("x-forwarded-for")
            .and_then(|value| value.to_str().ok())
            .and_then(|list| list.rsplit(',').next())
            .and_then(|last| last.trim().parse().ok());
        let address = told.filter(|_| app.shared.behind_proxy).unwrap_or(direct);
        Ok(Self(address))
    }
}
