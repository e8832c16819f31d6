//! Every wire against a server that knows its vendor's schema, with every way to answer.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may fail loudly"
)]

mod support;

use std::time::{Duration, Instant};

use automode_core::Failure;
use automode_core::judge::{
    Cancel, Case, Finish, Instruction, Judgement, Judging, KeySource, Kind, Model, Next, Overrides,
    Patience, Protocol, Provider, Reply, Request, Retry, Settings, Trouble, Usage,
};
use automode_core::policy::AutoMode;
use automode_core::transcript::Entry;
use automode_providers::{Surroundings, open};
use serde_json::{Value, json};
use support::{Play, Received, Server, schema};

/// A vendor: its wire, a model, how it says things, and what it documents.
struct Vendor {
    kind: Kind,
    model: &'static str,
    check: fn(&Received) -> Result<(), String>,
    says: fn(&str, &str) -> Value,
    calls: fn(&str) -> Value,
    refusal: fn() -> Value,
}

const ANTHROPIC: Vendor = Vendor {
    kind: Kind::Anthropic,
    model: "claude-haiku-4-5",
    check: schema::anthropic,
    says: |text, end| {
        let (reason, stop) = match end {
            "stop" => ("stop_sequence", json!("</block>")),
            "cut" => ("max_tokens", Value::Null),
            _ => ("end_turn", Value::Null),
        };
        let content = if text.is_empty() {
            json!([])
        } else {
            json!([{"type": "text", "text": text}])
        };
        json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5-20251001",
            "content": content, "stop_reason": reason, "stop_sequence": stop,
            "usage": {"input_tokens": 10, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30, "output_tokens": 4}
        })
    },
    calls: |arguments| {
        json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "tool_use", "id": "t", "name": "classify_result", "input": serde_json::from_str::<Value>(arguments).unwrap()}],
            "stop_reason": "tool_use", "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}
        })
    },
    refusal: || {
        json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": "<block>no</block>"}], "stop_reason": "refusal", "stop_sequence": null,
            "usage": {"input_tokens": 1, "output_tokens": 1}
        })
    },
};

const OPENAI: Vendor = Vendor {
    kind: Kind::OpenAi,
    model: "gpt-4.1-mini",
    check: schema::responses,
    says: |text, end| {
        let (status, details) = match end {
            "cut" => ("incomplete", json!({"reason": "max_output_tokens"})),
            _ => ("completed", Value::Null),
        };
        let output = if text.is_empty() {
            json!([])
        } else {
            json!([
                {"type": "reasoning", "id": "r", "summary": []},
                {"type": "message", "id": "m", "role": "assistant", "status": status, "content": [{"type": "output_text", "text": text, "annotations": []}]}
            ])
        };
        json!({
            "id": "resp_1", "object": "response", "status": status, "incomplete_details": details, "model": "gpt-4.1-mini",
            "output": output, "usage": {"input_tokens": 60, "input_tokens_details": {"cached_tokens": 30}, "output_tokens": 4, "total_tokens": 64}
        })
    },
    calls: |arguments| {
        json!({
            "id": "resp_1", "object": "response", "status": "completed", "model": "m",
            "output": [{"type": "function_call", "id": "f", "call_id": "c", "name": "classify_result", "arguments": arguments}],
            "usage": {"input_tokens": 1, "output_tokens": 1}
        })
    },
    refusal: || {
        json!({
            "id": "resp_1", "object": "response", "status": "completed", "model": "m",
            "output": [{"type": "message", "content": [{"type": "refusal", "refusal": "I cannot"}]}],
            "usage": {"input_tokens": 1, "output_tokens": 1}
        })
    },
};

const COMPATIBLE: Vendor = Vendor {
    kind: Kind::OpenAiCompatible,
    model: "gpt-4o-mini",
    check: schema::chat,
    says: |text, end| {
        let reason = if end == "cut" { "length" } else { "stop" };
        let content = if text.is_empty() {
            Value::Null
        } else {
            json!(text)
        };
        json!({
            "id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-4o-mini",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": reason}],
            "usage": {"prompt_tokens": 60, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 30}}
        })
    },
    calls: |arguments| {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion", "model": "m",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "classify_result", "arguments": arguments}}
            ]}}]
        })
    },
    refusal: || {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion", "model": "m",
            "choices": [{"index": 0, "finish_reason": "content_filter", "message": {"role": "assistant", "content": "<block>no</block>"}}]
        })
    },
};

const VENDORS: [Vendor; 3] = [ANTHROPIC, OPENAI, COMPATIBLE];

const NO: &str = "<block>no</block>";
const YES: &str = "<block>yes</block><rule>force-push</rule><reason>r</reason>";
const THOUGHT_NO: &str = "<thinking>t</thinking><block>no</block>";
const THOUGHT_YES: &str =
    "<thinking>t</thinking><block>yes</block><rule>force-push</rule><reason>r</reason>";

impl Vendor {
    fn model(&self, server: &Server) -> Box<dyn Model> {
        self.model_named(server, self.model)
    }

    fn model_named(&self, server: &Server, model: &str) -> Box<dyn Model> {
        let provider = Provider {
            model: Some(model.to_owned()),
            base_url: Some(server.url.clone()),
            key: KeySource::Env("TEST_KEY".to_owned()),
            ..Provider::new(self.kind)
        };
        open_with(&provider)
    }
}

fn open_with(provider: &Provider) -> Box<dyn Model> {
    let variable = |name: &str| (name == "TEST_KEY").then(|| "test-key".to_owned());
    let surroundings = Surroundings {
        variable: &variable,
        agent_model: None,
    };
    open(provider, &surroundings).unwrap()
}

fn begin(protocol: Protocol) -> (Judging, Request) {
    let entries: Vec<_> = (0..40)
        .map(|index| Entry::Call {
            tool: "Bash".to_owned(),
            brief: format!("cargo test -p part{index}"),
        })
        .collect();
    let instructions = [Instruction {
        path: "CLAUDE.md".to_owned(),
        text: "Be kind.".to_owned(),
    }];
    Judging::begin(
        &Case {
            tool: "Bash",
            brief: "git push --force",
            entries: &entries,
            instructions: &instructions,
            facts: &["git: on main".to_owned()],
            findings: &[],
            auto_mode: &AutoMode::default(),
        },
        &Settings {
            protocol,
            ..Settings::default()
        },
    )
    .unwrap()
}

fn ask(model: &dyn Model, request: &Request) -> Result<Reply, Trouble> {
    ask_for(model, request, Duration::from_secs(5))
}

fn ask_for(model: &dyn Model, request: &Request, timeout: Duration) -> Result<Reply, Trouble> {
    let cancel = Cancel::default();
    model.ask(
        request,
        Patience {
            timeout,
            cancel: &cancel,
        },
    )
}

/// Judges until it is done; every request must fit the vendor's schema.
fn judge(
    vendor: &Vendor,
    model: &str,
    protocol: Protocol,
    plays: Vec<Value>,
) -> Result<Judgement, Failure> {
    let count = plays.len();
    let server = Server::start(
        plays
            .into_iter()
            .map(|value| Play::Json(200, value))
            .collect(),
    );
    let model = vendor.model_named(&server, model);
    let (mut judging, mut request) = begin(protocol);
    let judgement = loop {
        let reply = ask(&*model, &request).map_err(|trouble| trouble.failure);
        match judging.resume(reply) {
            Next::Ask(next) => request = next,
            Next::Done(judgement) => break judgement,
        }
    };
    let received = server.received();
    assert_eq!(received.len(), count);
    for request in &received {
        assert_eq!((vendor.check)(request), Ok(()), "{}", request.raw);
    }
    judgement
}

fn blocked() -> Result<Judgement, Failure> {
    Ok(Judgement::Block {
        rule: Some("force-push".to_owned()),
        reason: "r".to_owned(),
    })
}

#[test]
fn both_verdicts_at_both_passes() {
    for vendor in &VENDORS {
        let says = vendor.says;
        let run = |plays| judge(vendor, vendor.model, Protocol::Xml, plays);
        assert_eq!(run(vec![says(NO, "end")]), Ok(Judgement::Clear));
        assert_eq!(
            run(vec![says(YES, "end"), says(THOUGHT_NO, "end")]),
            Ok(Judgement::Clear)
        );
        assert_eq!(
            run(vec![says(YES, "end"), says(THOUGHT_YES, "end")]),
            blocked()
        );
        assert_eq!(
            run(vec![says("", "end"), says("", "end")]),
            Err(Failure::Unreadable)
        );
        assert_eq!(
            run(vec![says(NO, "cut"), says(THOUGHT_NO, "cut")]),
            Err(Failure::Unreadable)
        );
        assert_eq!(run(vec![(vendor.refusal)()]), Err(Failure::Refused));
        assert_eq!(
            run(vec![says(YES, "end"), (vendor.refusal)()]),
            Err(Failure::Refused)
        );
    }
}

#[test]
fn the_stop_sequence_cuts_the_fast_verdict() {
    for vendor in [&ANTHROPIC, &COMPATIBLE] {
        let run = |plays| judge(vendor, vendor.model, Protocol::Xml, plays);
        assert_eq!(
            run(vec![(vendor.says)("<block>no", "stop")]),
            Ok(Judgement::Clear)
        );
        let yes = vec![
            (vendor.says)("<block>yes", "stop"),
            (vendor.says)(THOUGHT_YES, "end"),
        ];
        assert_eq!(run(yes), blocked());
    }
    // llama.cpp says `end_turn` and names the sequence.
    let odd = json!({
        "model": "m", "content": [{"type": "text", "text": "<block>no"}],
        "stop_reason": "end_turn", "stop_sequence": "</block>"
    });
    assert_eq!(
        judge(&ANTHROPIC, ANTHROPIC.model, Protocol::Xml, vec![odd]),
        Ok(Judgement::Clear)
    );
    // vLLM says `null` where nothing stopped it.
    let odd = json!({
        "model": "m", "choices": [{"message": {"content": "<block>no"}, "finish_reason": "stop", "stop_reason": null}]
    });
    let run = judge(
        &COMPATIBLE,
        COMPATIBLE.model,
        Protocol::Xml,
        vec![odd.clone(), odd],
    );
    assert_eq!(run, Err(Failure::Unreadable));
}

const CLEAR: &str = r#"{"thinking":"t","should_block":false,"rule":"","reason":""}"#;
const BLOCK: &str = r#"{"thinking":"t","should_block":true,"rule":"force-push","reason":"r"}"#;

#[test]
fn the_tool_protocol() {
    for vendor in &VENDORS {
        let (says, calls) = (vendor.says, vendor.calls);
        let run = |plays| judge(vendor, vendor.model, Protocol::Tool, plays);
        assert_eq!(run(vec![calls(CLEAR)]), Ok(Judgement::Clear));
        assert_eq!(run(vec![calls(BLOCK), calls(CLEAR)]), Ok(Judgement::Clear));
        assert_eq!(run(vec![calls(BLOCK), calls(BLOCK)]), blocked());
        // A server that did not force it.
        assert_eq!(
            run(vec![says(NO, "end"), says("no", "end")]),
            Err(Failure::Unreadable)
        );
    }
}

#[test]
fn a_model_that_refuses_a_forced_tool_is_held_to_the_schema() {
    for (vendor, model) in [
        (&ANTHROPIC, "claude-sonnet-5-5"),
        (&ANTHROPIC, "claude-opus-5-5"),
        (&ANTHROPIC, "claude-haiku-5-5"),
    ] {
        let run = judge(
            vendor,
            model,
            Protocol::Tool,
            vec![(vendor.says)(CLEAR, "end")],
        );
        assert_eq!(run, Ok(Judgement::Clear), "{model}");
    }
}

#[test]
fn each_model_gets_a_request_it_takes() {
    for (vendor, model, absent, present) in [
        (
            &ANTHROPIC,
            "claude-haiku-5-5",
            &["temperature", "output_config"][..],
            &["thinking", "stop_sequences"][..],
        ),
        (
            &ANTHROPIC,
            "claude-opus-5-5",
            &["temperature", "thinking"],
            &["output_config"],
        ),
        (
            &ANTHROPIC,
            "claude-unknown",
            &["temperature", "thinking", "stop_sequences", "output_config"],
            &[],
        ),
        (
            &OPENAI,
            "gpt-6-luna",
            &["temperature", "stop"],
            &["reasoning"],
        ),
        (
            &OPENAI,
            "gpt-5-mini",
            &["temperature", "stop"],
            &["reasoning"],
        ),
        (
            &OPENAI,
            "unknown",
            &["temperature", "stop", "reasoning"],
            &[],
        ),
        (
            &COMPATIBLE,
            "qwen3:8b",
            &["reasoning_effort", "response_format"],
            &["temperature", "stop"],
        ),
    ] {
        let server = Server::start(vec![Play::Json(200, (vendor.says)(NO, "end"))]);
        let (_, request) = begin(Protocol::Xml);
        ask(&*vendor.model_named(&server, model), &request).unwrap();
        let received = server.received().remove(0);
        assert_eq!((vendor.check)(&received), Ok(()));
        let body = received.body.as_object().unwrap();
        assert!(
            absent.iter().all(|field| !body.contains_key(*field)),
            "{model}"
        );
        assert!(
            present.iter().all(|field| body.contains_key(*field)),
            "{model}"
        );
    }
}

#[test]
fn the_passes_share_their_prefix_on_the_wire() {
    for vendor in &VENDORS {
        let (mut judging, first) = begin(Protocol::Xml);
        let server = Server::start(vec![Play::Json(200, (vendor.says)(YES, "end"))]);
        let model = vendor.model(&server);
        let reply = ask(&*model, &first).map_err(|trouble| trouble.failure);
        let Next::Ask(second) = judging.resume(reply) else {
            panic!()
        };
        ask(&*model, &second).unwrap();
        let [a, b] = &server.received()[..] else {
            panic!()
        };
        for (a, b) in texts(&a.body).iter().zip(texts(&b.body)) {
            let shared = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
            let tail = "Judge the last action of the transcript.";
            assert!(
                *a == b || a[shared.saturating_sub(80)..].contains(tail),
                "{:?}",
                vendor.kind
            );
        }
    }
}

/// All text a model would read, in order.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(map) => [
            "instructions",
            "system",
            "messages",
            "input",
            "content",
            "text",
        ]
        .iter()
        .filter_map(|key| map.get(*key))
        .flat_map(texts)
        .collect(),
        _ => Vec::new(),
    }
}

#[test]
fn tokens_are_counted_alike() {
    for vendor in &VENDORS {
        let server = Server::start(vec![Play::Json(200, (vendor.says)(NO, "end"))]);
        let (_, request) = begin(Protocol::Xml);
        let usage = ask(&*vendor.model(&server), &request).unwrap().usage;
        assert_eq!(
            (usage.total_input(), usage.cached, usage.output),
            (60, 30, 4),
            "{:?}",
            vendor.kind
        );
    }
    let usage = Usage {
        input: 10,
        cached: 30,
        written: 20,
        output: 4,
    };
    assert_eq!(usage.total_input(), 60);
}

/// What a fault ends as, and whether asking again could help.
fn fault(play: Play, failure: Failure, again: bool) {
    for vendor in &VENDORS {
        let server = Server::start(vec![play.clone()]);
        let (_, request) = begin(Protocol::Xml);
        let trouble = ask_for(
            &*vendor.model(&server),
            &request,
            Duration::from_millis(1500),
        )
        .unwrap_err();
        assert_eq!(trouble.failure, failure, "{play:?} {trouble:?}");
        assert_eq!(trouble.retry != Retry::Never, again, "{play:?} {trouble:?}");
        assert!(!trouble.detail.contains("test-key"));
    }
}

#[test]
fn every_status_is_a_failure() {
    let error = |kind: &str, message: &str| json!({"type": "error", "error": {"type": kind, "message": message}});
    fault(
        Play::Json(400, error("invalid_request_error", "temperature")),
        Failure::Unavailable,
        false,
    );
    fault(
        Play::Json(
            400,
            error("invalid_request_error", "prompt is too long: 9 > 8"),
        ),
        Failure::Overlong,
        false,
    );
    fault(
        Play::Json(
            400,
            json!({"error": {"code": "context_length_exceeded", "message": "maximum context length"}}),
        ),
        Failure::Overlong,
        false,
    );
    fault(
        Play::Json(
            400,
            json!({"error": {"type": "exceed_context_size_error", "message": "x"}}),
        ),
        Failure::Overlong,
        false,
    );
    fault(
        Play::Json(401, error("authentication_error", "invalid x-api-key")),
        Failure::Unavailable,
        false,
    );
    fault(
        Play::Json(403, error("permission_error", "no")),
        Failure::Unavailable,
        false,
    );
    fault(
        Play::Json(404, error("not_found_error", "model")),
        Failure::Unavailable,
        false,
    );
    fault(Play::Json(408, json!({})), Failure::Timeout, true);
    fault(
        Play::Json(413, error("request_too_large", "x")),
        Failure::Overlong,
        false,
    );
    fault(
        Play::Json(429, error("rate_limit_error", "slow down")),
        Failure::Unavailable,
        true,
    );
    fault(
        Play::Json(500, error("api_error", "x")),
        Failure::Unavailable,
        true,
    );
    fault(
        Play::Json(502, json!("bad gateway")),
        Failure::Unavailable,
        true,
    );
    fault(
        Play::Json(529, error("overloaded_error", "x")),
        Failure::Unavailable,
        true,
    );
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

#[test]
fn every_broken_answer_is_a_failure() {
    let html = "<html><block>no</block></html>";
    let raw = |kind: &str, body: &[u8]| {
        let mut bytes = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len()).into_bytes();
        bytes.extend_from_slice(body);
        Play::Raw(bytes)
    };
    fault(
        raw("text/html", html.as_bytes()),
        Failure::Unavailable,
        false,
    );
    fault(
        raw("application/json", html.as_bytes()),
        Failure::Unavailable,
        false,
    );
    fault(raw("text/plain", br#"{"content":[{"type":"text","text":"<block>no</block>"}],"stop_reason":"end_turn","choices":[{"message":{"content":"<block>no</block>"},"finish_reason":"stop"}],"status":"completed"}"#), Failure::Unavailable, false);
    fault(raw("application/json", b"{\"content\":[{\"type\":\"text\",\"text\":\"\xff\xfe<block>no</block>\"}],\"stop_reason\":\"end_turn\"}"), Failure::Unavailable, false);
    fault(raw("application/json", b""), Failure::Unavailable, false);
    fault(raw("application/json", b"{}"), Failure::Unavailable, false);
    fault(
        raw("application/json", b"null"),
        Failure::Unavailable,
        false,
    );
    fault(
        Play::Raw(b"not http at all".to_vec()),
        Failure::Unavailable,
        true,
    );
    fault(Play::Raw(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{\"content\"".to_vec()), Failure::Unavailable, true);
    fault(Play::Close, Failure::Unavailable, true);
}

#[test]
fn a_body_is_read_to_a_limit() {
    let start = Instant::now();
    fault(
        Play::Huge(30 * 1024 * 1024, true),
        Failure::Unavailable,
        false,
    );
    fault(
        Play::Huge(30 * 1024 * 1024, false),
        Failure::Unavailable,
        false,
    );
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn slowness_ends_at_the_deadline() {
    let drip = Play::Drip((ANTHROPIC.says)(NO, "end"), Duration::from_millis(40));
    for play in [drip, Play::Silence(Duration::from_secs(20))] {
        let start = Instant::now();
        fault(play, Failure::Timeout, true);
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
        fault(
            Play::Headers(
                status,
                vec![("location", elsewhere.url.clone() + "/v1/messages")],
                json!({}),
            ),
            Failure::Unavailable,
            false,
        );
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
        (Failure::Unavailable, Retry::After(None))
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
    assert_eq!(trouble.failure, Failure::Cancelled);
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

fn setup_error(provider: &Provider, variables: &[(&str, &str)]) -> String {
    let variable = |name: &str| {
        variables
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| (*value).to_owned())
    };
    let surroundings = Surroundings {
        variable: &variable,
        agent_model: None,
    };
    match open(provider, &surroundings) {
        Ok(model) => format!("opened {}", model.model()),
        Err(setup) => setup.to_string(),
    }
}

#[test]
fn settings_that_cannot_work_say_so() {
    let anthropic = Provider::new(Kind::Anthropic);
    assert!(setup_error(&anthropic, &[]).starts_with("no key for the judge `anthropic` (hint:"));
    assert_eq!(
        setup_error(&anthropic, &[("ANTHROPIC_API_KEY", "k")]),
        "opened claude-haiku-5-5"
    );
    assert_eq!(
        setup_error(&Provider::new(Kind::OpenAi), &[("AUTOMODE_API_KEY", "k")]),
        "opened gpt-6-luna"
    );
    let with = |url: &str| Provider {
        base_url: Some(url.to_owned()),
        model: Some("m".to_owned()),
        ..Provider::new(Kind::OpenAiCompatible)
    };
    let key = [("AUTOMODE_API_KEY", "k")];
    assert!(setup_error(&with("http://192.0.2.1/v1"), &key).contains("plain http"));
    assert_eq!(setup_error(&with("http://192.0.2.1/v1"), &[]), "opened m");
    assert_eq!(setup_error(&with("http://[::1]:9/v1"), &key), "opened m");
    assert!(setup_error(&with("ftp://a/v1"), &key).contains("not an http URL"));
    assert!(setup_error(&with("https://u:p@a/v1"), &key).contains("password"));
    assert!(setup_error(&with("nonsense"), &key).contains("not a URL"));
    let odd_key = [("AUTOMODE_API_KEY", "a b\nc")];
    assert!(setup_error(&with("https://a/v1"), &odd_key).contains("not plain text"));
    assert!(!setup_error(&with("https://a/v1"), &odd_key).contains("a b"));
    assert!(setup_error(&Provider::new(Kind::Command), &[]).contains("no program"));
    assert!(setup_error(&Provider::new(Kind::Cassette), &[]).contains("no file"));
}

#[test]
fn a_key_comes_from_where_the_settings_say() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("key");
    std::fs::write(&file, "test-key\n").unwrap();
    for key in [
        KeySource::File(file.to_string_lossy().into_owned()),
        KeySource::Command(vec!["echo".to_owned(), "test-key".to_owned()]),
    ] {
        let server = Server::start(vec![Play::Json(200, (ANTHROPIC.says)(NO, "end"))]);
        let provider = Provider {
            base_url: Some(server.url.clone()),
            headers: [("x-team".to_owned(), "blue".to_owned())].into(),
            key,
            ..Provider::new(Kind::Anthropic)
        };
        let (_, request) = begin(Protocol::Xml);
        ask(&*open_with(&provider), &request).unwrap();
        let received = server.received().remove(0);
        assert_eq!(received.header("x-api-key"), Some("test-key"));
        assert_eq!(received.header("x-team"), Some("blue"));
    }
}

#[test]
fn a_person_can_say_what_a_model_takes() {
    let server = Server::start(vec![Play::Json(
        200,
        (COMPATIBLE.says)("<think>hm</think><block>no</block>", "end"),
    )]);
    let provider = Provider {
        base_url: Some(server.url.clone()),
        model: Some("local".to_owned()),
        capabilities: Overrides {
            stop: Some(false),
            thinks: Some(true),
            ..Overrides::default()
        },
        ..Provider::new(Kind::OpenAiCompatible)
    };
    let (_, request) = begin(Protocol::Xml);
    let reply = ask(&*open_with(&provider), &request).unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), (NO, Finish::Ended));
    let body = &server.received()[0].body;
    assert_eq!(
        (body.get("stop"), body["max_tokens"].as_u64()),
        (None, Some(64 + 2048))
    );
}
