//! One request there, one reply back.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Frame, Incoming};
use hyper::header;
use hyper::{Request, Response, StatusCode};
use reqwest::Url;
use serde_json::{Map, Value};
use tokio::sync::mpsc::{Sender, channel};
use tokio::task::JoinHandle;

use super::brought::Looked;
use super::context::{self, JudgedCall, Safeguards};
use super::reply::{ReplyStep, StreamedReply, WholeCall};
use super::results::{self, Results};
use crate::deadline::in_time;
use crate::decider::{Decider, DoorDecision};
use crate::web::{Arriving, BodyPiece, event, is_packed, leads_elsewhere, passed_on, whole};

/// The largest request that is forwarded.
const MAX_REQUEST: usize = 64 * 1024 * 1024;
/// Pieces of a reply that may wait for a slow client.
const PIECES: usize = 64;
/// How long the last delta is held at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where requests go and who decides.
pub(super) struct Forwarder {
    pub client: reqwest::Client,
    pub upstream: Url,
    pub decider: Arc<dyn Decider>,
    pub looked: Looked,
}

/// Forwards a request and its reply. Never fails: a failure is a reply of ours.
pub(super) async fn forward(
    forwarder: Arc<Forwarder>,
    request: Request<Incoming>,
) -> Response<Arriving> {
    let replied = exchange(&forwarder, request).await;
    replied.unwrap_or_else(|(status, why)| refused(status, why))
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
    if is_packed(&head.headers) {
        let why = "the request is packed and cannot be looked into";
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
    }
    let (safeguards, warned) = context::read(&body, &forwarder.looked);
    let body = warned.map_or(body, Bytes::from);
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
    if leads_elsewhere(&reply) {
        let why =
            "the service sends its client elsewhere (hint: name that address with --upstream)";
        return Err((StatusCode::BAD_GATEWAY, why));
    }
    if safeguards != Safeguards::Unasked && is_packed(reply.headers()) {
        let why = "the service packs its reply, which was asked for as it is";
        return Err((StatusCode::BAD_GATEWAY, why));
    }
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
        Safeguards::Asked(judged) => {
            remember(forwarder, &judged);
            Some(Some(judged))
        }
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

/// Marks the session, beside the exchange: a record that is cut short later still says so.
fn remember(forwarder: &Arc<Forwarder>, judged: &JudgedCall) {
    if judged.suspicious.is_empty() {
        return;
    }
    let decider = Arc::clone(&forwarder.decider);
    let (session, suspicious) = (judged.session.clone(), judged.suspicious.clone());
    tokio::task::spawn_blocking(move || {
        for result in suspicious {
            decider.suspect(&session, result);
        }
    });
}

fn refused(status: StatusCode, why: &str) -> Response<Arriving> {
    let body = serde_json::json!({
        "type": "error",
        "error": {"type": "api_error", "message": format!("automode gateway: {why}")},
    });
    whole(status, body.to_string())
}

/// A reply that nobody asked about.
async fn pass(mut reply: reqwest::Response, to: Sender<BodyPiece>) {
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
    judged: Option<Box<JudgedCall>>,
    decider: Arc<dyn Decider>,
    to: Sender<BodyPiece>,
) {
    let mut judging = ForwardJudging {
        judged,
        decider,
        begun: Vec::new(),
    };
    let mut reply = StreamedReply::default();
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
                ReplyStep::Forward(bytes) => bytes,
                ReplyStep::Judge(call) => {
                    judging.begin(call);
                    continue;
                }
                ReplyStep::Finish(held) => {
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
    let delta = event::data(held)
        .and_then(|data| serde_json::from_str::<Map<String, Value>>(&data).ok())
        .and_then(|delta| results::write(delta, results));
    delta.map_or_else(|| held.to_vec(), |delta| event::with_data(held, &delta))
}

/// The calls of a reply that are being decided.
struct ForwardJudging {
    /// `None`: the request was not understood.
    judged: Option<Box<JudgedCall>>,
    decider: Arc<dyn Decider>,
    begun: Vec<(String, JoinHandle<DoorDecision>)>,
}

impl ForwardJudging {
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
