//! From settings to a model: keys, addresses, and what a person knows better.

use automode_core::judge::{Finish, KeySource, Kind, Overrides, Protocol, Provider};
use automode_providers::{Surroundings, open};

use crate::support::{Play, Server};
use crate::vendor::{ANTHROPIC, COMPATIBLE, NO, ask, begin, open_with};

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
    let model = open_with(&provider);
    assert_eq!(model.place(), server.url);
    let reply = ask(&*model, &request).unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), (NO, Finish::Ended));
    let body = &server.received()[0].body;
    assert_eq!(
        (body.get("stop"), body["max_tokens"].as_u64()),
        (None, Some(64 + 2048))
    );
}
