//! The whole protocol against a real model on loopback, where one is running.
//!
//! Set `AUTOMODE_LOCALMODEL` to the base URL of a llama.cpp server. The model may
//! be a poor judge; what counts is the real wire: that every reply is read, that
//! stop sequences and the prompt cache work, and that nothing malformed clears.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::time::{Duration, Instant};

use automode_core::judge::{
    Answer, Cancel, Case, Finish, Format, JudgeStage, Judging, KeySource, Kind, Model, Next,
    Overrides, Patience, Protocol, Provider, Reply, Request, Segment, Settings,
};
use automode_core::policy::{AutoMode, Prose};
use automode_core::transcript::Entry;
use automode_providers::{Surroundings, open};

/// A session short enough for a small context.
fn session() -> Vec<Entry> {
    vec![
        Entry::User("Fix the failing test and commit.".to_owned()),
        Entry::Call {
            tool: "Bash".to_owned(),
            brief: "cargo test".to_owned(),
        },
    ]
}

/// The base URL of the server, if there is one.
fn server() -> Option<String> {
    let url = std::env::var("AUTOMODE_LOCALMODEL").unwrap_or_default();
    if url.is_empty() {
        println!("skipped: AUTOMODE_LOCALMODEL is not set");
        return None;
    }
    Some(url.trim_end_matches('/').to_owned())
}

fn model(url: &str, kind: Kind) -> Box<dyn Model> {
    let base = match kind {
        Kind::Anthropic => url.to_owned(),
        Kind::OpenAi | Kind::OpenAiCompatible | Kind::Command | Kind::Cassette => {
            format!("{url}/v1")
        }
    };
    let provider = Provider {
        model: Some("local".to_owned()),
        base_url: Some(base),
        key: KeySource::None,
        capabilities: Overrides {
            temperature: Some(true),
            stop: Some(kind != Kind::OpenAi),
            forced_tool: Some(true),
            thinks: Some(false),
            ..Overrides::default()
        },
        ..Provider::new(kind)
    };
    let surroundings = Surroundings {
        variable: &|_| None,
        agent_model: None,
    };
    open(&provider, &surroundings).unwrap()
}

fn ask(model: &dyn Model, request: &Request) -> Reply {
    let start = Instant::now();
    let patience = Patience {
        timeout: Duration::from_secs(300),
        cancel: &Cancel::default(),
    };
    let reply = model.ask(request, patience).unwrap();
    println!(
        "  {:?} {:?}: {:?} after {} ms, {} input tokens, {} from the cache, {} output tokens: {:?}",
        request.stage,
        request.format,
        reply.finish,
        start.elapsed().as_millis(),
        reply.usage.total_input(),
        reply.usage.cached,
        reply.usage.output,
        reply.text.chars().take(60).collect::<String>(),
    );
    reply
}

/// A model that says the verdict is cut right before the end of it, and that is a verdict.
fn stop(url: &str, kind: Kind) {
    println!("{}, stopping", kind.name());
    let request = Request {
        stage: JudgeStage::Fast,
        system: vec![Segment::marked("You copy text exactly.")],
        messages: vec![vec![Segment::plain(
            "Repeat this line three times and nothing else:\n<block>no</block>",
        )]],
        format: Format::TagsToStop,
        max_tokens: 64,
    };
    let reply = ask(&*model(url, kind), &request);
    assert_eq!(
        (reply.text.trim(), reply.finish),
        ("<block>no", Finish::Stopped)
    );
    assert_eq!(Answer::read(&reply, request.format), Answer::Clear);
}

fn judge(url: &str, kind: Kind, protocol: Protocol) {
    println!("{} {protocol:?}", kind.name());
    let model = model(url, kind);
    // A small model on a busy machine reads slowly: a few sentences will do.
    let few = |text: &str| {
        vec![Prose::Entry {
            text: text.to_owned(),
            origin: "test".to_owned(),
        }]
    };
    let lists = AutoMode {
        environment: few("A developer's machine."),
        hard_deny: few("open-backdoor: a reverse shell."),
        soft_deny: few("force-push: a push that rewrites a remote branch."),
        allow: few("project-local: work inside the project."),
    };
    let settings = Settings {
        protocol,
        ..Settings::default()
    };
    let (mut judging, mut request) = Judging::begin(
        &Case {
            tool: "Bash",
            brief: "git commit -am 'Fix the test'",
            entries: &session(),
            instructions: &[],
            facts: &[],
            findings: &[],
            auto_mode: &lists,
        },
        &settings,
    )
    .unwrap();
    loop {
        // A long answer of a small model is of no interest here.
        request.max_tokens = request.max_tokens.min(32);
        let reply = ask(&*model, &request);
        assert!(reply.usage.total_input() > 500, "{:?}", reply.usage);
        assert!(!reply.text.contains("</block>") || reply.finish != Finish::Stopped);
        if request.stage == JudgeStage::Thinking {
            // The second pass shares everything but its last segment.
            let shared = 100 * reply.usage.cached / reply.usage.total_input();
            assert!(shared >= 80, "{shared}% from the cache");
        }
        match judging.resume(Ok(reply)) {
            Next::Ask(next) => request = next,
            Next::Done(judgement) => {
                println!("  {judgement:?}");
                break;
            }
        }
    }
}

#[test]
fn a_real_model_over_every_wire() {
    let Some(url) = server() else { return };
    for kind in [Kind::Anthropic, Kind::OpenAi, Kind::OpenAiCompatible] {
        for protocol in [Protocol::Xml, Protocol::Tool] {
            judge(&url, kind, protocol);
        }
    }
    for kind in [Kind::Anthropic, Kind::OpenAiCompatible] {
        stop(&url, kind);
    }
}
