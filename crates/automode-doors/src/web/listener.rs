//! The listening socket of a door.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use super::body::{Arriving, whole};
use super::visitor::is_admitted;

/// The socket broke; it may work again.
const PAUSE: Duration = Duration::from_millis(50);

/// Why nothing listens.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error(
        "`{0}` can be reached from other machines, and keys pass through here (hint: listen on 127.0.0.1, or add `--expose`)"
    )]
    Exposed(SocketAddr),
    #[error("nothing can listen on `{0}`: {1}")]
    Address(SocketAddr, io::Error),
    #[error("the door could not be started: {0}")]
    Start(io::Error),
}

/// Answers requests until the process ends. Says where, once it listens.
///
/// # Errors
/// Where it cannot listen.
pub(crate) fn listen<Answered>(
    address: SocketAddr,
    exposed: bool,
    ready: impl FnOnce(SocketAddr),
    answer: impl Fn(Request<Incoming>) -> Answered + Clone + Send + 'static,
) -> Result<(), ListenError>
where
    Answered: Future<Output = Response<Arriving>> + Send + 'static,
{
    if !address.ip().is_loopback() && !exposed {
        return Err(ListenError::Exposed(address));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(ListenError::Start)?;
    runtime.block_on(async move {
        let failed = |error| ListenError::Address(address, error);
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        ready(listener.local_addr().map_err(failed)?);
        loop {
            let Ok((stream, _)) = listener.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            stream.set_nodelay(true).ok();
            let answer = answer.clone();
            tokio::spawn(async move {
                let serve = service_fn(move |request: Request<Incoming>| {
                    let admitted = is_admitted(request.headers(), exposed);
                    let answered = admitted.then(|| answer(request));
                    async move {
                        Ok::<_, Infallible>(match answered {
                            Some(answered) => answered.await,
                            None => whole(StatusCode::FORBIDDEN, FORBIDDEN),
                        })
                    }
                });
                // A client that goes away is no error of ours.
                http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), serve)
                    .await
                    .ok();
            });
        }
    })
}

const FORBIDDEN: &str =
    r#"{"error":{"message":"automode: this door is for programs on this machine, not for pages"}}"#;
