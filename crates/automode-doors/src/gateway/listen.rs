//! Who may come, and where it goes: the listening socket and the upstream address.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use reqwest::Url;
use tokio::net::TcpListener;

use super::forward::{Forwarder, forward};
use crate::decider::Decider;

/// How long a connection to the service may take.
const CONNECT: Duration = Duration::from_secs(30);
/// The socket broke; it may work again.
const PAUSE: Duration = Duration::from_millis(50);

/// Where the gateway stands.
#[derive(Clone, Debug)]
pub struct GatewaySettings {
    pub listen: SocketAddr,
    pub upstream: String,
    /// Other machines may come too.
    pub exposed: bool,
}

/// Why there is no gateway.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    #[error(
        "`{0}` can be reached from other machines, and keys pass through here (hint: listen on 127.0.0.1, or add `--expose`)"
    )]
    Exposed(SocketAddr),
    #[error("the upstream `{0}` is not an http or https address")]
    Upstream(String),
    #[error(
        "the upstream can only be reached without encryption, and is not on this machine (hint: use https)"
    )]
    Plain,
    #[error("nothing can listen on `{0}`: {1}")]
    Listen(SocketAddr, io::Error),
    #[error("the gateway could not be started: {0}")]
    Start(String),
}

/// Listens and forwards until the process ends. Says where, once it listens.
///
/// # Errors
/// Where it cannot listen.
pub fn run(
    settings: &GatewaySettings,
    decider: Arc<dyn Decider>,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), GatewayError> {
    if !settings.listen.ip().is_loopback() && !settings.exposed {
        return Err(GatewayError::Exposed(settings.listen));
    }
    let forwarder = Arc::new(Forwarder {
        client: client()?,
        upstream: upstream(&settings.upstream)?,
        decider,
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| GatewayError::Start(error.to_string()))?;
    runtime.block_on(listen(settings.listen, forwarder, ready))
}

fn client() -> Result<reqwest::Client, GatewayError> {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT)
        .build()
        .map_err(|error| GatewayError::Start(error.to_string()))
}

fn upstream(address: &str) -> Result<Url, GatewayError> {
    let wrong = || GatewayError::Upstream(address.to_owned());
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
        "http" => Err(GatewayError::Plain),
        _ => Err(wrong()),
    }
}

async fn listen(
    address: SocketAddr,
    forwarder: Arc<Forwarder>,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), GatewayError> {
    let failed = |error| GatewayError::Listen(address, error);
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    ready(listener.local_addr().map_err(failed)?);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        stream.set_nodelay(true).ok();
        let forwarder = Arc::clone(&forwarder);
        tokio::spawn(async move {
            let serve = service_fn(move |request| forward(Arc::clone(&forwarder), request));
            // A client that goes away is no error of ours.
            http1::Builder::new()
                .serve_connection(TokioIo::new(stream), serve)
                .await
                .ok();
        });
    }
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
