//! One request there, one reply back.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Body, Frame, Incoming};
use hyper::header::{self, HeaderMap, HeaderName};
use hyper::{Request, Response, StatusCode};
use reqwest::Url;
use serde_json::{Map, Value};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

use super::context::{self, Judged, Safeguards};
use super::reply::{self, Reply, Step, WholeCall};
use super::results::{self, Results};
use crate::deadline::in_time;
use crate::decider::{Decider, DoorDecision};

/// The largest request that is forwarded.
const MAX_REQUEST: usize = 64 * 1024 * 1024;
/// Pieces of a reply that may wait for a slow client.
const PIECES: usize = 64;
/// How long the last delta is held at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// Headers that belong to one connection and not to the message.
const HOP_BY_HOP: [HeaderName; 8] = [
    header::CONNECTION,
    header::HOST,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::TE,
    header::TRAILER,
    header::UPGRADE,
    header::PROXY_AUTHORIZATION,
];

/// Where requests go and who decides.
pub(super) struct Forwarder {
    pub client: reqwest::Client,
    pub upstream: Url,
    pub decider: Arc<dyn Decider>,
}

type Piece = Result<Frame<Bytes>, std::io::Error>;

/// A reply that is still arriving.
pub(super) struct Arriving(Receiver<Piece>);

impl Body for Arriving {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        self.0.poll_recv(context)
    }
}

/// Forwards a request and its reply. Never fails: a failure is a reply of ours.
pub(super) async fn forward(
    forwarder: Arc<Forwarder>,
    request: Request<Incoming>,
) -> Result<Response<Arriving>, Infallible> {
    let replied = exchange(&forwarder, request).await;
    Ok(replied.unwrap_or_else(|(status, why)| refused(status, why)))
}

type Refused = (StatusCode, &'static str);

async fn exchange(
    forwarder: &Arc<Forwarder>,
    request: Request<Incoming>,
) -> Result<Response<Arriving>, Refused> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, MAX_REQUEST).collect().await;
    let body = body
        .map_err(|_| {
            (
                StatusCode::PAYLOAD_TOO_LARGE,
                "the request is too large or broke off",
            )
        })?
        .to_bytes();
    let safeguards = context::read(&body);
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let base = forwarder.upstream.as_str().trim_end_matches('/');
    let url = Url::parse(&format!("{base}{path}"))
        .map_err(|_| (StatusCode::BAD_REQUEST, "the path cannot be forwarded"))?;
    let mut headers = passed_on(&head.headers);
    if safeguards != Safeguards::Unasked {
        // What is to be read must not come packed.
        headers.remove(header::ACCEPT_ENCODING);
    }
    let reply = forwarder
        .client
        .request(head.method, url)
        .headers(headers)
        .body(body)
        .send()
        .await
        .map_err(|_| {
            (
                StatusCode::BAD_GATEWAY,
                "the service behind the gateway does not answer",
            )
        })?;
    let is_stream = reply
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .is_some_and(|kind| kind.contains("text/event-stream"));
    let (sender, receiver) = channel(PIECES);
    let mut response = Response::new(Arriving(receiver));
    *response.status_mut() = reply.status();
    *response.headers_mut() = passed_on(reply.headers());
    let judged = match safeguards {
        Safeguards::Unasked => None,
        Safeguards::Unclear(_) => Some(None),
        Safeguards::Asked(judged) => Some(Some(judged)),
    };
    match judged.filter(|_| is_stream) {
        Some(judged) => {
            let decider = Arc::clone(&forwarder.decider);
            tokio::spawn(answer(reply, judged, decider, sender));
        }
        None => {
            tokio::spawn(pass(reply, sender));
        }
    }
    Ok(response)
}

fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let mut passed = headers.clone();
    for name in HOP_BY_HOP {
        passed.remove(name);
    }
    passed
}

fn refused(status: StatusCode, why: &str) -> Response<Arriving> {
    let body = serde_json::json!({
        "type": "error",
        "error": {"type": "api_error", "message": format!("automode gateway: {why}")},
    });
    let (sender, receiver) = channel(1);
    let piece = Frame::data(Bytes::from(body.to_string()));
    // The channel is new and has room for one.
    sender.try_send(Ok(piece)).ok();
    let mut response = Response::new(Arriving(receiver));
    *response.status_mut() = status;
    let json = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// A reply that nobody asked about.
async fn pass(mut reply: reqwest::Response, to: Sender<Piece>) {
    loop {
        let piece = match reply.chunk().await {
            Ok(Some(bytes)) => Ok(Frame::data(bytes)),
            Ok(None) => return,
            Err(error) => Err(std::io::Error::other(error.without_url())),
        };
        let broken = piece.is_err();
        if to.send(piece).await.is_err() || broken {
            return;
        }
    }
}

/// A reply whose calls are to be judged.
async fn answer(
    mut from: reqwest::Response,
    judged: Option<Box<Judged>>,
    decider: Arc<dyn Decider>,
    to: Sender<Piece>,
) {
    let mut judging = Judging {
        judged,
        decider,
        begun: Vec::new(),
    };
    let mut reply = Reply::default();
    loop {
        let (steps, ended) = match from.chunk().await {
            Ok(Some(bytes)) => (reply.take(&bytes), false),
            Ok(None) => (reply.end(), true),
            Err(error) => {
                let broken = std::io::Error::other(error.without_url());
                to.send(Err(broken)).await.ok();
                return;
            }
        };
        for step in steps {
            let bytes = match step {
                Step::Forward(bytes) => bytes,
                Step::Judge(call) => {
                    judging.begin(call);
                    continue;
                }
                Step::Finish(held) => {
                    let results = judging.results(reply.is_doubtful()).await;
                    finished(&held, &results)
                }
            };
            if to.send(Ok(Frame::data(Bytes::from(bytes)))).await.is_err() {
                return;
            }
        }
        if ended {
            return;
        }
    }
}

/// The last delta with the results. One that cannot be written to is no delta.
fn finished(held: &[u8], results: &Results) -> Vec<u8> {
    let delta = reply::data(held)
        .and_then(|data| serde_json::from_str::<Map<String, Value>>(&data).ok())
        .and_then(|delta| results::write(delta, results));
    delta.map_or_else(|| held.to_vec(), |delta| reply::with_data(held, &delta))
}

/// The calls of a reply that are being decided.
struct Judging {
    /// `None`: the request was not understood.
    judged: Option<Box<Judged>>,
    decider: Arc<dyn Decider>,
    begun: Vec<(String, JoinHandle<DoorDecision>)>,
}

impl Judging {
    /// Begins to decide while the reply goes on.
    fn begin(&mut self, call: WholeCall) {
        let Some(judged) = &self.judged else {
            return;
        };
        let request = judged.request(call.tool, call.input);
        let decider = Arc::clone(&self.decider);
        let deciding = tokio::task::spawn_blocking(move || in_time(&decider, request));
        self.begun.push((call.id, deciding));
    }

    async fn results(&mut self, doubtful: bool) -> Results {
        let begun = std::mem::take(&mut self.begun);
        if doubtful || self.judged.is_none() {
            return Results::Unavailable;
        }
        let all = async {
            let mut decided = BTreeMap::new();
            for (id, deciding) in begun {
                decided.insert(id, deciding.await.ok().filter(|decision| !decision.failed)?);
            }
            Some(decided)
        };
        match tokio::time::timeout(PATIENCE, all).await {
            Ok(Some(decided)) => Results::Decided(decided),
            Ok(None) | Err(_) => Results::Unavailable,
        }
    }
}
