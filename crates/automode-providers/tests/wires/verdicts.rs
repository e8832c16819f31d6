//! Both verdicts at both passes, in every form a vendor has for them.

use automode_core::Failure;
use automode_core::judge::{Judgement, Next, Protocol, Usage};
use serde_json::{Value, json};

use crate::support::{Play, Server};
use crate::vendor::{
    ANTHROPIC, COMPATIBLE, NO, OPENAI, THOUGHT_NO, THOUGHT_YES, VENDORS, Vendor, YES, ask, begin,
};

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
