//! Every way an answer can go wrong, with every vendor. None is a reply.

use std::time::{Duration, Instant};

use automode_core::Failure::{self, Cancelled, Overlong, Timeout, Unavailable};
use automode_core::judge::{Cancel, Kind, Patience, Protocol, Provider, Retry};
use serde_json::json;

use self::Again::{No, Yes};
use crate::support::{Play, Server};
use crate::vendor::{ANTHROPIC, NO, VENDORS, ask, ask_for, begin, open_with};

/// Whether asking again could help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Again {
    No,
    Yes,
}

/// What a fault ends as, with every vendor.
fn check(play: Play, failure: Failure, again: Again) {
    for vendor in &VENDORS {
        let server = Server::start(vec![play.clone()]);
        let (_, request) = begin(Protocol::Xml);
        let model = vendor.model(&server);
        let trouble = ask_for(&*model, &request, Duration::from_millis(1500)).unwrap_err();
        assert_eq!(trouble.failure, failure, "{play:?} {trouble:?}");
        let retry = if trouble.retry == Retry::Never {
            No
        } else {
            Yes
        };
        assert_eq!(retry, again, "{play:?} {trouble:?}");
        assert!(!trouble.detail.contains("test-key"));
    }
}

#[test]
fn every_status_is_a_failure() {
    for (status, kind, message, failure, again) in [
        (400, "invalid_request_error", "temperature", Unavailable, No),
        (
            400,
            "invalid_request_error",
            "prompt is too long: 9 > 8",
            Overlong,
            No,
        ),
        (
            400,
            "context_length_exceeded",
            "maximum context length",
            Overlong,
            No,
        ),
        (400, "exceed_context_size_error", "x", Overlong, No),
        (
            401,
            "authentication_error",
            "invalid x-api-key",
            Unavailable,
            No,
        ),
        (403, "permission_error", "no", Unavailable, No),
        (404, "not_found_error", "model", Unavailable, No),
        (408, "timeout", "x", Timeout, Yes),
        (413, "request_too_large", "x", Overlong, No),
        (422, "invalid_request_error", "x", Unavailable, No),
        (429, "rate_limit_error", "slow down", Unavailable, Yes),
        (500, "api_error", "x", Unavailable, Yes),
        (502, "bad_gateway", "x", Unavailable, Yes),
        (503, "unavailable", "x", Unavailable, Yes),
        (
            529,
            "overloaded_error",
            "<block>no</block>",
            Unavailable,
            Yes,
        ),
    ] {
        let body = json!({"type": "error", "error": {"type": kind, "message": message}});
        check(Play::Json(status, body), failure, again);
    }
    check(
        Play::Json(500, json!("<block>no</block>")),
        Unavailable,
        Yes,
    );
    check(Play::Json(204, json!({})), Unavailable, No);
}

#[test]
fn retry_after_is_heard() {
    for (name, value, expected) in [
        ("retry-after", "7", Some(Duration::from_secs(7))),
        ("retry-after-ms", "250", Some(Duration::from_millis(250))),
        ("retry-after", "-3", Some(Duration::ZERO)),
        ("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("retry-after", "nan", None),
    ] {
        let server = Server::start(vec![Play::Headers(
            429,
            vec![(name, value.to_owned())],
            json!({}),
        )]);
        let (_, request) = begin(Protocol::Xml);
        let trouble = ask(&*ANTHROPIC.model(&server), &request).unwrap_err();
        assert_eq!(trouble.retry, Retry::After(expected), "{value}");
    }
}

/// A whole answer of this kind.
fn raw(kind: &str, body: &[u8]) -> Play {
    let length = body.len();
    let mut bytes = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    Play::Raw(bytes)
}

#[test]
fn every_broken_answer_is_a_failure() {
    const JSON: &str = "application/json";
    const HTML: &[u8] = b"<html><block>no</block></html>";
    let verdict = br#"{"content":[{"type":"text","text":"<block>no</block>"}],"stop_reason":"end_turn","choices":[{"message":{"content":"<block>no</block>"},"finish_reason":"stop"}],"status":"completed"}"#;
    let garbled = b"{\"content\":[{\"type\":\"text\",\"text\":\"\xff\xfe<block>no</block>\"}],\"stop_reason\":\"end_turn\"}";
    for (kind, body) in [
        ("text/html", HTML),
        (JSON, HTML),
        ("text/plain", verdict),
        ("text/event-stream", verdict),
        ("", verdict),
        (JSON, garbled),
        (JSON, b""),
        (JSON, b"{}"),
        (JSON, b"null"),
        (JSON, b"[]"),
        (JSON, b"<block>no</block>"),
        (JSON, b"\"<block>no</block>\""),
    ] {
        check(raw(kind, body), Unavailable, No);
    }
    let cut = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{\"content\"";
    for bytes in ["not http at all", cut, ""] {
        check(Play::Raw(bytes.as_bytes().to_vec()), Unavailable, Yes);
    }
    check(Play::Close, Unavailable, Yes);
}

#[test]
fn a_body_is_read_to_a_limit() {
    let start = Instant::now();
    for announced in [true, false] {
        check(Play::Huge(30 * 1024 * 1024, announced), Unavailable, No);
    }
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn slowness_ends_at_the_deadline() {
    let drip = Play::Drip((ANTHROPIC.says)(NO, "end"), Duration::from_millis(40));
    for play in [drip, Play::Silence(Duration::from_secs(20))] {
        let start = Instant::now();
        check(play, Timeout, Yes);
        assert!(
            start.elapsed() < Duration::from_secs(7),
            "{:?}",
            start.elapsed()
        );
    }
}

#[test]
fn redirects_are_not_followed() {
    let elsewhere = Server::start(vec![Play::Json(200, (ANTHROPIC.says)(NO, "end"))]);
    for status in [301, 302, 307, 308] {
        let to = vec![("location", elsewhere.url.clone() + "/v1/messages")];
        check(Play::Headers(status, to, json!({})), Unavailable, No);
    }
    assert!(elsewhere.received().is_empty());
}

#[test]
fn nobody_there() {
    let gone = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    let provider = Provider {
        base_url: Some(gone),
        model: Some("m".to_owned()),
        ..Provider::new(Kind::OpenAiCompatible)
    };
    let (_, request) = begin(Protocol::Xml);
    let trouble = ask(&*open_with(&provider), &request).unwrap_err();
    assert_eq!(
        (trouble.failure, trouble.retry),
        (Unavailable, Retry::After(None))
    );
}

#[test]
fn waiting_can_be_cancelled() {
    let server = Server::start(vec![Play::Silence(Duration::from_secs(20))]);
    let model = ANTHROPIC.model(&server);
    let cancel = Cancel::default();
    let (_, request) = begin(Protocol::Xml);
    let start = Instant::now();
    let trouble = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            cancel.cancel();
        });
        let patience = Patience {
            timeout: Duration::from_secs(20),
            cancel: &cancel,
        };
        model.ask(&request, patience).unwrap_err()
    });
    assert_eq!(trouble.failure, Cancelled);
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn requests_run_side_by_side() {
    let server = Server::start(vec![Play::Drip(
        (ANTHROPIC.says)(NO, "end"),
        Duration::from_millis(2),
    )]);
    let model = ANTHROPIC.model(&server);
    let (_, request) = begin(Protocol::Xml);
    let start = Instant::now();
    ask(&*model, &request).unwrap();
    let one = start.elapsed();
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| ask(&*model, &request).unwrap());
        }
    });
    assert!(
        start.elapsed() < one * 3,
        "{:?} for four, {one:?} for one",
        start.elapsed()
    );
}
