//! Where the gateway stands: the listening socket and the upstream address.

use std::net::SocketAddr;
use std::sync::Arc;

use super::brought::Looked;
use super::forward::{Forwarder, forward};
use crate::decider::Decider;
use crate::web::{self, ListenError, UpstreamError};

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
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
    #[error(transparent)]
    Listen(#[from] ListenError),
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
    let forwarder = Arc::new(Forwarder {
        client: web::client()?,
        upstream: web::upstream(&settings.upstream)?,
        decider,
        looked: Looked::default(),
    });
    web::listen(settings.listen, settings.exposed, ready, move |request| {
        forward(Arc::clone(&forwarder), request)
    })?;
    Ok(())
}
