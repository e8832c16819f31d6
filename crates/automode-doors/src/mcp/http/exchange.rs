//! One request there, one reply back.

use std::sync::Arc;
use std::time::Duration;

use automode::ToolCall;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Frame, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use reqwest::Url;
use serde_json::{Map, Value};
use tokio::sync::mpsc::{Sender, channel};

use super::door::HttpDoor;
use super::reply::{AskedRequest, looked_at};
use crate::deadline::{in_time, lock};
use crate::decider::{DoorDecision, DoorRequest};
use crate::json_rpc::{self, Envelope, id_key};
use crate::mcp::asked::{AskedCall, AskedFor};
use crate::mcp::brought;
use crate::mcp::known_tools::objection;
use crate::mcp::wire::{MAX_PAGES, unreadable};
use crate::web::{Arriving, BodyPiece, event, leads_elsewhere, passed_on, whole};

/// The largest message that is looked into; a larger one goes nowhere.
const MAX_MESSAGE: usize = 32 * 1024 * 1024;
/// Pieces of a stream that may wait for a slow client.
const PIECES: usize = 64;
/// How long a list of tools may take.
const LIST: Duration = Duration::from_secs(30);
/// The code of a request that failed on the way.
const INTERNAL_ERROR: i64 = -32_603;

/// Forwards a request and its reply. Never fails: a failure is a reply of ours.
pub(super) async fn answer(door: Arc<HttpDoor>, request: Request<Incoming>) -> Response<Arriving> {
    let (head, body) = request.into_parts();
    if ![door.url.path(), "/", "/mcp"].contains(&head.uri.path()) {
        return failed(
            StatusCode::NOT_FOUND,
            "null",
            "there is nothing at this path",
        );
    }
    let Ok(body) = Limited::new(body, MAX_MESSAGE).collect().await else {
        let why = "the message is too large or broke off";
        return failed(StatusCode::PAYLOAD_TOO_LARGE, "null", why);
    };
    let body = body.to_bytes();
    if head.method == Method::POST {
        return posted(door, head, body).await;
    }
    if head.method != Method::GET && head.method != Method::DELETE {
        return failed(StatusCode::METHOD_NOT_ALLOWED, "null", "no such method");
    }
    let asked = AskedRequest {
        session: session(&head.headers),
        source: None,
    };
    if let (true, Some(session)) = (head.method == Method::DELETE, &asked.session) {
        door.forget(session);
    }
    forwarded(door, head, body, asked, "null").await
}

/// A message of the client.
async fn posted(door: Arc<HttpDoor>, head: Parts, body: Bytes) -> Response<Arriving> {
    let Some(message) = Envelope::read(&body) else {
        return whole(StatusCode::BAD_REQUEST, unreadable(&body));
    };
    let mut asked = AskedRequest {
        session: session(&head.headers),
        source: None,
    };
    let id = message.id().unwrap_or("null");
    match (message.method.as_deref(), message.id()) {
        (Some(method), id) if let Some(asks) = AskedFor::by_method(method) => {
            let Some(id) = id else {
                // What wants no answer cannot be told no.
                return whole(StatusCode::ACCEPTED, Bytes::new());
            };
            let refused = |why: &str| whole(StatusCode::OK, asks.refused(id, why));
            let call = match asks.call(&message) {
                Ok(call) => call,
                Err(why) => return refused(why),
            };
            let source = door.named(&call.tool);
            let may = match asks {
                AskedFor::Tool => called_tool(&door, &head.headers, &asked, call).await,
                AskedFor::Resource | AskedFor::Prompt | AskedFor::Completion => {
                    unlisted(&door, &asked, call).await
                }
            };
            if let Err(why) = may {
                return refused(&why);
            }
            asked.source = Some(source);
        }
        (Some(method), Some(_)) if brought::brings(method) => {
            asked.source = Some(door.named(method));
        }
        (_, _) => {}
    }
    let id = id.to_owned();
    drop(message);
    forwarded(door, head, body.clone(), asked, &id).await
}

/// Whether a call may go on; else why not.
async fn called_tool(
    door: &Arc<HttpDoor>,
    headers: &HeaderMap,
    asked: &AskedRequest,
    call: AskedCall,
) -> Result<(), String> {
    let session = asked.session.as_deref();
    let tool = call.tool.as_str();
    if !door.is_listed(session) {
        let listing = tokio::time::timeout(LIST, list(door, headers));
        let listed = listing.await.unwrap_or(None);
        listed.ok_or("the server's list of tools cannot be read")?;
        door.listed(session, true);
    }
    if !lock(&door.tools).pins.holds(tool) {
        door.meet().map_err(|_| "the pins cannot be read")?;
    }
    {
        let known = lock(&door.tools);
        if !known.pins.holds(tool) {
            return Err(known.unpinned(tool));
        }
    }
    let (decision, suspicious) = decided(door, session, tool, call.arguments).await?;
    match lock(&door.tools).objection(tool, decision, suspicious) {
        Some(why) => Err(why),
        None => Ok(()),
    }
}

/// Whether what is in no list of tools may go on; else why not.
async fn unlisted(
    door: &Arc<HttpDoor>,
    asked: &AskedRequest,
    call: AskedCall,
) -> Result<(), String> {
    let session = asked.session.as_deref();
    let (decision, suspicious) = decided(door, session, &call.tool, call.arguments).await?;
    objection(decision, suspicious).map_or(Ok(()), Err)
}

/// What is decided about a request, and whether a result spoke to the agent before it.
async fn decided(
    door: &Arc<HttpDoor>,
    session: Option<&str>,
    tool: &str,
    arguments: Map<String, Value>,
) -> Result<(DoorDecision, bool), String> {
    let Ok(_place) = door.deciding.try_acquire() else {
        return Err("too much is being decided at once".to_owned());
    };
    let request = DoorRequest {
        session: door.session(session),
        call: ToolCall {
            tool: door.named(tool),
            input: arguments,
            cwd: door.cwd.clone(),
        },
        transcript: None,
        suspicious: Vec::new(),
        // The files and notes of a server behind an address are elsewhere.
        meaning: None,
    };
    let decider = Arc::clone(&door.decider);
    let decision = tokio::task::spawn_blocking(move || in_time(&decider, request)).await;
    let decision = decision.unwrap_or_else(|_| DoorDecision::failed("it panicked"));
    let suspicious = door.is_suspicious(session) || door.is_suspicious(None);
    Ok((decision, suspicious))
}

/// Reads the whole list of tools as this client sees it. `None`: it cannot be read.
async fn list(door: &Arc<HttpDoor>, headers: &HeaderMap) -> Option<()> {
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let id = format!("\"automode-list-{}\"", door.next());
        let params = cursor.map_or_else(
            || serde_json::json!({}),
            |cursor: Value| serde_json::json!({"cursor": cursor}),
        );
        let body = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\",\"params\":{params}}}"
        );
        let mut own = to_upstream(headers);
        let json = HeaderValue::from_static("application/json");
        own.insert(header::CONTENT_TYPE, json);
        let both = HeaderValue::from_static("application/json, text/event-stream");
        own.insert(header::ACCEPT, both);
        let post = door.client.post(door.url.clone()).headers(own).body(body);
        let reply = post
            .send()
            .await
            .ok()
            .filter(|reply| reply.status().is_success())?;
        let result = own_result(reply, &id).await?;
        cursor = result
            .get("nextCursor")
            .filter(|next| next.is_string())
            .cloned();
        door.admit(Some(result.get("tools")?), cursor.is_none())
            .ok()?;
        if cursor.is_none() {
            return Some(());
        }
    }
    None
}

fn is_own(message: &Envelope<'_>, id: &str) -> bool {
    message.method.is_none() && message.id().map(id_key) == Some(id_key(id))
}

/// The result of a request of our own, from a message or from a stream.
async fn own_result(mut reply: reqwest::Response, id: &str) -> Option<Map<String, Value>> {
    let is_stream = kind(reply.headers()) == ExchangeKind::Stream;
    let mut bytes = Vec::new();
    while let Some(piece) = reply.chunk().await.ok()? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > MAX_MESSAGE {
            return None;
        }
        while is_stream && let Some(end) = event::end(&bytes) {
            let rest = bytes.split_off(end);
            let one = std::mem::replace(&mut bytes, rest);
            if event::is_ambiguous(&one) {
                return None;
            }
            let Some(data) = event::data(&one) else {
                continue;
            };
            let message = Envelope::read(data.as_bytes());
            if let Some(message) = message.filter(|message| is_own(message, id)) {
                return message.result();
            }
        }
    }
    let message = Envelope::read(&bytes).filter(|message| is_own(message, id))?;
    (!is_stream).then(|| message.result())?
}

/// Sends a request on, and looks at everything that comes back.
async fn forwarded(
    door: Arc<HttpDoor>,
    head: Parts,
    body: Bytes,
    asked: AskedRequest,
    id: &str,
) -> Response<Arriving> {
    let mut url: Url = door.url.clone();
    if let Some(query) = head.uri.query() {
        url.set_query(Some(query));
    }
    let sent = door
        .client
        .request(head.method, url)
        .headers(to_upstream(&head.headers))
        .body(body)
        .send()
        .await;
    let Ok(reply) = sent else {
        return failed(StatusCode::BAD_GATEWAY, id, "the server does not answer");
    };
    if leads_elsewhere(&reply) {
        // The client would follow, past this door.
        let why = "the server sends its client elsewhere (hint: name that address with --upstream)";
        return failed(StatusCode::BAD_GATEWAY, id, why);
    }
    let (status, headers) = (reply.status(), passed_on(reply.headers()));
    let mut response = match kind(&headers) {
        ExchangeKind::Stream => {
            let (sender, receiver) = channel(PIECES);
            tokio::spawn(streamed(door, asked, reply, sender));
            Response::new(Arriving(receiver))
        }
        ExchangeKind::Message => match collected(reply).await {
            Some(bytes) => match looked_at(&door, &asked, &bytes) {
                Some(bytes) => whole(status, bytes),
                None => return failed(StatusCode::BAD_GATEWAY, id, "its answer cannot be read"),
            },
            None => return failed(StatusCode::BAD_GATEWAY, id, "its answer cannot be read"),
        },
        // Nothing that a client takes for a message.
        ExchangeKind::Other => whole(status, Bytes::new()),
    };
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

async fn collected(mut reply: reqwest::Response) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(piece) = reply.chunk().await.ok()? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > MAX_MESSAGE {
            return None;
        }
    }
    Some(bytes)
}

/// A stream, event by event. What cannot be read is left out.
async fn streamed(
    door: Arc<HttpDoor>,
    asked: AskedRequest,
    mut reply: reqwest::Response,
    to: Sender<BodyPiece>,
) {
    let mut begun = Vec::new();
    loop {
        match reply.chunk().await {
            Ok(Some(piece)) => begun.extend_from_slice(&piece),
            Ok(None) => return,
            Err(error) => {
                let broken = std::io::Error::other(error.without_url());
                to.send(Err(broken)).await.ok();
                return;
            }
        }
        while let Some(end) = event::end(&begun) {
            let rest = begun.split_off(end);
            let one = std::mem::replace(&mut begun, rest);
            let Some(passed) = one_event(&door, &asked, one) else {
                continue;
            };
            if to.send(Ok(Frame::data(Bytes::from(passed)))).await.is_err() {
                return;
            }
        }
        if begun.len() > MAX_MESSAGE {
            let broken = std::io::Error::other("an event is too long to be looked into");
            to.send(Err(broken)).await.ok();
            return;
        }
    }
}

/// An event as it goes on; nothing where it does not.
fn one_event(door: &HttpDoor, asked: &AskedRequest, one: Vec<u8>) -> Option<Vec<u8>> {
    if event::is_ambiguous(&one) {
        return None;
    }
    // A comment, or the mark of a place in the stream.
    let Some(data) = event::data(&one).filter(|data| !data.trim().is_empty()) else {
        return Some(one);
    };
    let passed = looked_at(door, asked, data.as_bytes())?;
    if passed == data.as_bytes() {
        return Some(one);
    }
    let passed = serde_json::from_slice::<Value>(&passed).ok()?;
    Some(event::with_data(&one, &passed))
}

#[derive(PartialEq, Eq)]
enum ExchangeKind {
    Message,
    Stream,
    Other,
}

fn kind(headers: &HeaderMap) -> ExchangeKind {
    let named = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .map(|kind| {
            kind.split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase()
        });
    match named.as_deref() {
        Some("text/event-stream") => ExchangeKind::Stream,
        Some("application/json") => ExchangeKind::Message,
        Some(_) | None => ExchangeKind::Other,
    }
}

/// The client's headers; what comes back must not come packed.
fn to_upstream(headers: &HeaderMap) -> HeaderMap {
    let mut passed = passed_on(headers);
    passed.remove(header::ACCEPT_ENCODING);
    passed
}

fn session(headers: &HeaderMap) -> Option<String> {
    let named = headers.get("mcp-session-id")?.to_str().ok()?;
    (!named.is_empty()).then(|| named.to_owned())
}

fn failed(status: StatusCode, id: &str, why: &str) -> Response<Arriving> {
    let why = format!("automode: {why}");
    whole(status, json_rpc::error(id, INTERNAL_ERROR, &why))
}
