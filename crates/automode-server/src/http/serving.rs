//! Connections: how long somebody may take to say what they want.
//!
//! A caller who sends a head letter by letter, or a body that never ends, holds a
//! connection and a little memory, and both not for long. How long an answer may take is
//! the handlers' to say: a poll waits for a minute.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use axum::serve::Listener;
use futures_util::StreamExt as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::watch;
use tower_service::Service as _;

use super::{App, ClientAddress, router};

/// How long callers are waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// With a head, and with a connection that stands idle.
    pub head: Duration,
    /// With a body.
    pub body: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(30),
            body: Duration::from_secs(60),
        }
    }
}

/// Serves until `stop` is done.
///
/// # Errors
/// None for now: a listener that fails is tried again.
pub async fn serve<L>(
    mut listener: L,
    app: App,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()>
where
    L: Listener<Addr = SocketAddr>,
{
    let patience = app.shared.patience;
    let router = router(app);
    let (tell, told) = watch::channel(());
    let mut stop = pin!(stop);
    loop {
        let (io, from) = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        tokio::spawn(converse(
            io,
            ConnectInfo(ClientAddress::of(from.ip())),
            (router.clone(), patience),
            told.clone(),
        ));
    }
    // Each connection ends behind the request that it is at.
    drop(told);
    let _ = tell.send(());
    tell.closed().await;
    Ok(())
}

async fn converse<Io>(
    io: Io,
    from: ConnectInfo<ClientAddress>,
    (router, patience): (Router, Patience),
    mut told: watch::Receiver<()>,
) where
    Io: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
{
    let answer = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(from);
        let mut router = router.clone();
        async move {
            Ok::<_, Infallible>(
                router
                    .call(request)
                    .await
                    .unwrap_or_else(|never| match never {}),
            )
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .serve_connection(TokioIo::new(io), answer);
    let mut connection = pin!(connection);
    tokio::select! {
        // Whoever hung up or said nothing is no fault of ours.
        _ = connection.as_mut() => return,
        _ = told.changed() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Ends a body that takes too long with an error.
pub async fn bound_body(State(app): State<App>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let end = tokio::time::Instant::now() + app.shared.patience.body;
    let bounded = request.map(|body| {
        let parts =
            futures_util::stream::unfold(Some(body.into_data_stream()), move |parts| async move {
                let mut parts = parts?;
                match tokio::time::timeout_at(end, parts.next()).await {
                    Ok(part) => part.map(|part| (part.map_err(io::Error::other), Some(parts))),
                    Err(_) => Some((Err(io::ErrorKind::TimedOut.into()), None)),
                }
            });
        Body::from_stream(parts)
    });
    next.run(bounded).await
}
