//! The door between MCP clients and a server that is reached over HTTP.
//!
//! Every request goes on to the one address that was named, with the client's own headers,
//! and every reply comes back, as one message or as a stream. Each request is looked at by
//! itself: clients that number theirs alike are never taken for each other. What is known
//! of a session is kept under the name that the server gave it; requests without one share
//! nothing but suspicion. A list of tools is held against the pins on whatever way it comes.

mod door;
mod exchange;
mod reply;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use self::door::HttpDoor;
use super::pins::PinStore;
use crate::decider::{Decider, DoorSession};
use crate::web::{self, ListenError, UpstreamError};

/// Where the door stands, and under which name the server behind it is decided about.
pub struct HttpSettings {
    pub listen: SocketAddr,
    pub upstream: String,
    /// Other machines may come too.
    pub exposed: bool,
    pub name: String,
    /// The session that every session of a client is like, but for its name.
    pub session: DoorSession,
    pub cwd: String,
    pub store: PinStore,
}

/// Why there is no door.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error("the pins of this server cannot be read: {0} (hint: `automode mcp pins forget`)")]
    Pins(io::Error),
}

/// Listens and forwards until the process ends. Says where, once it listens.
///
/// # Errors
/// Where it cannot listen, or the pins cannot be read.
pub fn serve(
    settings: HttpSettings,
    decider: Arc<dyn Decider>,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), HttpError> {
    let (listen, exposed) = (settings.listen, settings.exposed);
    let door = Arc::new(HttpDoor::new(settings, decider)?);
    web::listen(listen, exposed, ready, move |request| {
        exchange::answer(Arc::clone(&door), request)
    })?;
    Ok(())
}
