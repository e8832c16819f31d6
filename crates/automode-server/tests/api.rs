//! A server and its members, over loopback, with the real client's code.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod world;

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use automode_server::client::{
    BundleKeeper, BundleOutcome, ServerConnection, enrol, run_agent, sync,
};
use automode_server::policy_review::program;
use automode_server::{http, outgoing};
use serde_json::{Value, json};
use world::{Member, PAGES, Running, Visit};

#[tokio::test(flavor = "multi_thread")]
async fn lines_arrive_once_and_breaks_show() {
    let server = Running::start().await;
    let member = server.member("everyone").await;
    let round = async |member: &Member| {
        sync(&member.state, &member.enrolment, 0)
            .await
            .expect("a round")
    };
    member.decide(1, 25);
    let report = round(&member).await;
    assert_eq!((report.sent, report.gaps, report.seq), (25, 0, 25));
    assert_eq!(round(&member).await.sent, 0);
    // The client forgets where it was: the server knows, and nothing is doubled.
    fs::remove_file(member.state.path("fleet/cursor.json")).expect("removed");
    member.decide(26, 5);
    assert_eq!(round(&member).await.sent, 5);
    // An old place, as after a restored backup.
    let old = json!({"seq": 3, "hash": "f".repeat(64), "place": null});
    fs::write(member.state.path("fleet/cursor.json"), old.to_string()).expect("written");
    member.decide(31, 2);
    assert_eq!(round(&member).await.sent, 2);
    // Somebody cuts three lines out, unsent ones, and decides on.
    member.decide(33, 5);
    let log = member.state.path("audit.jsonl");
    let text = fs::read_to_string(&log).expect("a log");
    let kept: Vec<&str> = text
        .lines()
        .enumerate()
        .filter(|(at, _)| !(33..36).contains(at))
        .map(|(_, line)| line)
        .collect();
    fs::write(&log, kept.join("\n") + "\n").expect("cut");
    let report = round(&member).await;
    assert_eq!((report.sent, report.gaps), (2, 1));
    let (ours, _) = server.store.organisation("test", 0).await.expect("known");
    let gaps = server.store.gaps(ours, 10).await.expect("listed");
    assert_eq!((gaps.len(), gaps[0].missing), (1, 3));
    assert_eq!(server.store.count_lines(ours).await.expect("counted"), 34);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_members_are_heard() {
    let server = Running::start().await;
    let code = server.code("everyone").await;
    enrol(&server.origin, &code, "one", false)
        .await
        .expect("enrolled");
    assert!(
        enrol(&server.origin, &code, "two", false).await.is_err(),
        "a code served twice"
    );
    assert!(
        enrol(&server.origin, "0000-0000", "three", false)
            .await
            .is_err()
    );
    assert!(
        enrol("http://example.com", &code, "four", false)
            .await
            .is_err(),
        "without TLS"
    );
    let member = server.member("everyone").await;
    let other = server.member("everyone").await;
    let connection = ServerConnection::new(&member.enrolment).expect("a connection");
    connection.cursor().await.expect("heard");
    // The key of one machine under the name of another.
    let mut stolen = member.enrolment.clone();
    stolen.device.clone_from(&other.enrolment.device);
    let stolen = ServerConnection::new(&stolen).expect("a connection");
    assert!(stolen.cursor().await.is_err());
    let (ours, _) = server.store.organisation("test", 0).await.expect("known");
    server
        .store
        .revoke(ours, &member.enrolment.device)
        .await
        .expect("revoked");
    assert!(connection.cursor().await.is_err());
    let client = outgoing::client().expect("a client");
    for path in ["/v1/cursor", "/v1/bundle", "/v1/admin/devices", "/metrics"] {
        let status = client
            .get(format!("{}{path}", server.origin))
            .send()
            .await
            .expect("an answer")
            .status();
        assert_eq!(status.as_u16(), 401, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_path_of_the_document_is_served() {
    let server = Running::start().await;
    let document = http::openapi_document();
    let client = outgoing::client().expect("a client");
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for method in methods.as_object().expect("methods").keys() {
            let address = format!("{}{}", server.origin, path.replace("{id}", "x"));
            let request = match method.as_str() {
                "get" => client.get(address),
                _ => client.post(address),
            };
            let status = request.send().await.expect("an answer").status().as_u16();
            assert!(
                ![404, 405, 500].contains(&status),
                "{method} {path}: {status}"
            );
        }
    }
}

/// The routes as they are written, against the document.
#[test]
fn every_route_is_in_the_document() {
    let document = http::openapi_document();
    let mut routes = 0;
    for line in include_str!("../src/http/mod.rs").lines() {
        let Some((path, handler)) = line
            .trim()
            .strip_prefix(".route(\"")
            .and_then(|rest| rest.split_once("\", "))
        else {
            continue;
        };
        if !path.starts_with("/v1/") && path != "/metrics" && path != "/health" {
            continue;
        }
        routes += 1;
        let method = handler.split('(').next().expect("a method");
        let entry = &document["paths"][path][method];
        assert!(entry.is_object(), "{method} {path} is not in the document");
        // What it refers to is there.
        let text = entry.to_string();
        for name in text.split("#/components/schemas/").skip(1) {
            let name = name.split('"').next().expect("a name");
            assert!(
                document["components"]["schemas"][name].is_object(),
                "{name}"
            );
        }
    }
    let documented = document["paths"].as_object().expect("paths").len();
    assert!(
        routes >= 15 && routes == documented,
        "{routes} routes, {documented} documented"
    );
}

/// A body as the document has it is taken; one that lacks what is required is not.
#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_as_the_document_says() {
    let server = Running::start().await;
    let document = http::openapi_document();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let Some(schema) = methods["post"]["requestBody"]["content"]["application/json"]["schema"]
            ["$ref"]
            .as_str()
        else {
            continue;
        };
        if !path.starts_with("/v1/admin/") {
            continue;
        }
        let name = schema.rsplit('/').next().expect("a name");
        let fields = &document["components"]["schemas"][name];
        let mut body = serde_json::Map::new();
        for (field, kind) in fields["properties"].as_object().expect("fields") {
            let value = match kind["type"].as_str() {
                Some("integer") => json!(1),
                Some("boolean") => json!(true),
                Some("array") => json!(["x"]),
                _ => json!(""),
            };
            body.insert(field.clone(), value);
        }
        let path = path.replace("{id}", "x");
        let (status, reply) = server.admin(&path, Value::Object(body.clone())).await;
        assert!(![415, 422].contains(&status), "{path}: {status} {reply}");
        for required in fields["required"].as_array().expect("a list") {
            let mut lacking = body.clone();
            lacking.remove(required.as_str().expect("a name"));
            let (status, _) = server.admin(&path, Value::Object(lacking)).await;
            assert_eq!(status, 422, "{path} without {required}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_closed_to_strangers_and_other_sites() {
    let server = Running::start().await;
    let client = outgoing::client().expect("a client");
    let page = client.get(&server.origin).send().await.expect("an answer");
    assert_eq!(
        (
            page.status().as_u16(),
            page.headers()["location"].to_str().ok()
        ),
        (303, Some("/sign-in"))
    );
    let policy = page.headers()["content-security-policy"]
        .to_str()
        .expect("a policy");
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    let visit = Visit::sign_in(&server.origin, &server.token).await;
    assert!(
        visit.cookie.contains("HttpOnly") && visit.cookie.contains("SameSite=Lax"),
        "{}",
        visit.cookie
    );
    for path in PAGES {
        let (status, text) = visit.get(path).await;
        assert_eq!(status, 200, "{path}");
        assert!(
            text.contains("automode") && !text.contains("style=") && !text.contains("onclick"),
            "{path}"
        );
    }
    let csrf = visit.csrf().await;
    let post = async |csrf: &str, origin: Option<&str>| {
        let body = format!("csrf={csrf}&group=everyone");
        visit.post("/devices/code", body, origin).await
    };
    assert_eq!(post("", None).await, 403);
    assert_eq!(post("0000", None).await, 403);
    assert_eq!(post(&csrf, Some("https://evil.example")).await, 403);
    assert_eq!(post(&csrf, Some("null")).await, 403);
    assert_eq!(post(&csrf, Some(&server.origin)).await, 200);
    // Guessing is slowed down.
    let mut last = 0;
    for _ in 0..15 {
        last = client
            .get(format!("{}/start?ticket=wrong", server.origin))
            .send()
            .await
            .expect("an answer")
            .status()
            .as_u16();
    }
    assert_eq!(last, 429);
}

async fn push(server: &Running, policy: &str, more: Value) -> (u16, Value) {
    let mut body = json!({"policy": policy, "everyone": true});
    if let (Value::Object(body), Value::Object(more)) = (&mut body, more) {
        body.extend(more);
    }
    server.admin("/v1/admin/push", body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_reaches_its_members_and_never_goes_back() {
    let server = Running::start().await;
    let member = server.member("web").await;
    let keeper = BundleKeeper::new(&member.state, &member.enrolment).expect("a keeper");
    let policy = || fs::read_to_string(member.state.path("fleet/policy.toml")).expect("a policy");
    let first =
        "[permissions]\ndeny = [\"Bash(a)\"]\n\n[group.web.permissions]\nallow = [\"Bash(b)\"]\n";
    let (status, reply) = push(&server, first, json!({})).await;
    assert_eq!((status, &reply["revision"]), (200, &json!(1)), "{reply}");
    let report = sync(&member.state, &member.enrolment, 0)
        .await
        .expect("a round");
    assert_eq!(report.bundle, Some(BundleOutcome::InForce(1)));
    assert!(
        policy().starts_with("# automode-bundle revision=1 expires=0 on_stale=keep\n"),
        "{}",
        policy()
    );
    assert!(
        policy().contains("Bash(b)") && !policy().contains("group"),
        "{}",
        policy()
    );
    // A policy that does not pass its review stays here.
    let (status, reply) = push(&server, "[permissions]\ndeni = []\n", json!({})).await;
    assert_eq!(status, 422, "{reply}");
    // What is not signed, or older, changes nothing.
    let connection = ServerConnection::new(&member.enrolment).expect("a connection");
    let old = connection
        .bundle(0, 0)
        .await
        .expect("asked")
        .expect("a bundle");
    assert!(matches!(
        keeper.take(&old).expect("looked at"),
        BundleOutcome::Refused(_)
    ));
    push(&server, "", json!({"on_stale": "deny", "expires": 1})).await;
    let mut forged = connection
        .bundle(1, 0)
        .await
        .expect("asked")
        .expect("a bundle");
    forged
        .policy
        .push_str("[permissions]\nallow = [\"Bash\"]\n");
    assert!(matches!(
        keeper.take(&forged).expect("looked at"),
        BundleOutcome::Refused(_)
    ));
    assert_eq!(keeper.revision(), 1);
    sync(&member.state, &member.enrolment, 0)
        .await
        .expect("a round");
    assert_eq!(
        (keeper.revision(), policy().contains("on_stale=deny")),
        (2, true)
    );
    // Going back is a new revision.
    let (_, reply) = server
        .admin("/v1/admin/rollback", json!({"revision": 1}))
        .await;
    assert_eq!(reply["revision"], 3);
    sync(&member.state, &member.enrolment, 0)
        .await
        .expect("a round");
    assert_eq!((keeper.revision(), policy().contains("Bash(a)")), (3, true));
    let quarantined = json!({"quarantined": [member.enrolment.device]});
    push(&server, first, quarantined).await;
    sync(&member.state, &member.enrolment, 0)
        .await
        .expect("a round");
    assert!(policy().contains("deny = [\"*\"]"), "{}", policy());
    // A canary's revision is for the canary group, and for whom it quarantines.
    push(&server, first, json!({"quarantined": []})).await;
    let round = sync(&member.state, &member.enrolment, 0).await;
    round.expect("a round");
    push(&server, first, json!({"everyone": false})).await;
    assert_eq!(
        sync(&member.state, &member.enrolment, 0)
            .await
            .expect("a round")
            .bundle,
        None
    );
}

/// Calls the hook of the real program; none where it is not built.
fn hook(member: &Member, command: &str) -> Option<Value> {
    let program = program();
    if !program.is_file() {
        eprintln!("skipped: the program automode is not built");
        return None;
    }
    let folder = member.folder.path();
    let mut child = Command::new(program)
        .args(["hook", "claude-code"])
        .env("AUTOMODE_STATE_DIR", member.state.root())
        .env("HOME", folder)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a hook");
    let event = json!({"session_id": "s1", "cwd": folder, "hook_event_name": "PreToolUse",
        "permission_mode": "default", "tool_name": "Bash", "tool_input": {"command": command}});
    child
        .stdin
        .take()
        .expect("stdin")
        .write_all(event.to_string().as_bytes())
        .expect("written");
    let output = child.wait_with_output().expect("an answer");
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    Some(value["hookSpecificOutput"]["permissionDecision"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hook_follows_the_organisation() {
    let server = Running::start().await;
    let member = server.member("web").await;
    let Some(before) = hook(&member, "git status") else {
        return;
    };
    assert_eq!(before, "allow");
    let follow = async |policy: &str, terms: Value| {
        push(&server, policy, terms).await;
        sync(&member.state, &member.enrolment, 0)
            .await
            .expect("a round");
    };
    follow("[permissions]\ndeny = [\"Bash(git status)\"]\n", json!({})).await;
    assert_eq!(hook(&member, "git status"), Some(json!("deny")));
    assert_eq!(hook(&member, "git log"), Some(json!("allow")));
    // An allow rule of the organisation reaches no veto.
    follow("[permissions]\nallow = [\"Bash(rm -rf ~/)\"]\n", json!({})).await;
    assert_eq!(hook(&member, "rm -rf ~/"), Some(json!("deny")));
    for (on_stale, expected) in [("keep", "allow"), ("ask", "ask"), ("deny", "deny")] {
        follow("", json!({"on_stale": on_stale, "expires": 1})).await;
        assert_eq!(
            hook(&member, "git log"),
            Some(json!(expected)),
            "{on_stale}"
        );
    }
    // A policy that was in force and is gone allows nothing.
    push(&server, "", json!({})).await;
    sync(&member.state, &member.enrolment, 0)
        .await
        .expect("a round");
    assert_eq!(hook(&member, "git log"), Some(json!("allow")));
    fs::remove_file(member.state.path("fleet/policy.toml")).expect("removed");
    assert_ne!(hook(&member, "git log"), Some(json!("allow")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_from_elsewhere() {
    let server = Running::start().await;
    let mut member = server.member("web").await;
    member.enrolment.broker = true;
    member.enrolment.save(&member.state).expect("saved");
    let agent = tokio::spawn(run_agent(member.state.clone(), member.enrolment.clone()));
    let carrier = member.state.path("fleet/asks/carrier");
    while !carrier.exists() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let member = std::sync::Arc::new(member);
    let ask = async |command: &'static str, answer: Option<Value>| {
        let own = std::sync::Arc::clone(&member);
        let hook = tokio::task::spawn_blocking(move || hook(&own, command));
        if let Some(answer) = answer {
            let client = outgoing::client().expect("a client");
            let id = loop {
                let asks: Value = client
                    .get(format!("{}/v1/admin/asks", server.origin))
                    .bearer_auth(&server.token)
                    .send()
                    .await
                    .expect("an answer")
                    .json()
                    .await
                    .expect("JSON");
                if let Some(id) = asks["asks"][0]["id"].as_str() {
                    break id.to_owned();
                }
                if hook.is_finished() {
                    return hook.await.expect("done");
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            };
            server.admin(&format!("/v1/admin/asks/{id}"), answer).await;
        }
        hook.await.expect("done")
    };
    let push = "git push --force origin main";
    let Some(denied) = ask(push, Some(json!({"answer": "deny"}))).await else {
        return;
    };
    assert_eq!(denied, "deny");
    let allowed = ask(push, Some(json!({"answer": "allow", "minutes": 5}))).await;
    assert_eq!(allowed, Some(json!("allow")));
    // The grant holds for the same call of the same session, and for nothing else.
    assert_eq!(ask(push, None).await, Some(json!("allow")));
    // A veto and a guard never become a question for others.
    let began = std::time::Instant::now();
    assert_eq!(ask("rm -rf ~/", None).await, Some(json!("deny")));
    assert_eq!(ask("echo x >> .git/config", None).await, Some(json!("ask")));
    assert!(began.elapsed() < Duration::from_secs(5));
    // An answer that the organisation did not sign is none.
    let grant = fs::read_dir(member.state.path("fleet/asks"))
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|ending| ending == "grant"))
        .expect("a grant");
    let forged = fs::read_to_string(&grant)
        .expect("a grant")
        .replace("\\\"until\\\":1", "\\\"until\\\":9");
    fs::write(&grant, forged).expect("written");
    agent.abort();
    fs::remove_file(&carrier).expect("removed");
    assert_eq!(hook(&member, push), Some(json!("ask")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_for_what_was_shown_and_as_it_was() {
    let server = Running::start().await;
    let mut member = server.member("web").await;
    member.enrolment.broker = true;
    member.enrolment.save(&member.state).expect("saved");
    let agent = tokio::spawn(run_agent(member.state.clone(), member.enrolment.clone()));
    let carrier = member.state.path("fleet/asks/carrier");
    while !carrier.exists() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let script = member.folder.path().join("deploy.sh");
    fs::write(&script, "git push --force origin main\n").expect("written");
    let member = std::sync::Arc::new(member);
    let own = std::sync::Arc::clone(&member);
    let asked = tokio::task::spawn_blocking(move || hook(&own, "bash deploy.sh"));
    let (ours, _) = server.store.organisation("test", 0).await.expect("known");
    let question = loop {
        let now = automode_server::clock::now();
        let waiting = server.store.asks(ours, now, 5).await.expect("listed");
        if let Some(ask) = waiting.first() {
            break ask.clone();
        }
        if asked.is_finished() {
            assert_eq!(asked.await.expect("done"), None, "it was not carried");
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    // Whoever answers sees the whole call, and where it would run.
    let place = member.folder.path().display().to_string();
    assert_eq!(
        (question.brief.as_str(), question.place),
        ("bash deploy.sh", place)
    );
    let path = format!("/v1/admin/asks/{}", question.id);
    let answer = json!({"answer": "allow", "minutes": 10});
    server.admin(&path, answer).await;
    assert_eq!(asked.await.expect("done"), Some(json!("allow")));
    // From here on nobody carries: what is allowed is allowed by the grant.
    agent.abort();
    fs::remove_file(&carrier).expect("removed");
    assert_eq!(hook(&member, "bash deploy.sh"), Some(json!("allow")));
    fs::write(&script, "git push --force origin main release\n").expect("written");
    assert_eq!(hook(&member, "bash deploy.sh"), Some(json!("ask")));
    // A call that is too long to be shown is not put to anybody elsewhere.
    let beat = automode_server::clock::now().to_string();
    fs::write(&carrier, beat).expect("a beat");
    let long = format!("git push --force origin {}", "x ".repeat(8_000));
    let began = std::time::Instant::now();
    assert_ne!(hook(&member, &long), Some(json!("allow")));
    assert!(
        began.elapsed() < Duration::from_secs(8),
        "somebody was waited for"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_of_a_command_reaches_neither_the_server_nor_its_pages() {
    let server = Running::start().await;
    let mut member = server.member("web").await;
    member.enrolment.broker = true;
    member.enrolment.save(&member.state).expect("saved");
    let secret = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5";
    let command = format!(
        "curl -H 'Authorization: Bearer {secret}' -X DELETE https://api.example.com/repos/a/b"
    );
    // Nobody carries its question: the carrier's beat is this test's.
    let asks = member.state.path("fleet/asks");
    fs::create_dir_all(&asks).expect("a folder");
    fs::write(
        asks.join("carrier"),
        automode_server::clock::now().to_string(),
    )
    .expect("a beat");
    if hook(&member, &command).is_none() {
        return;
    }
    for entry in fs::read_dir(&asks).expect("a folder").flatten() {
        let left = fs::read_to_string(entry.path()).expect("a question");
        assert!(!left.contains(secret), "{left}");
    }
    let report = sync(&member.state, &member.enrolment, 0)
        .await
        .expect("a round");
    assert!(report.sent > 0);
    let stored = fs::read(server.folder.path().join("server.sqlite")).expect("a database");
    let journal = fs::read(server.folder.path().join("server.sqlite-wal")).unwrap_or_default();
    for bytes in [stored, journal] {
        let found = bytes
            .windows(secret.len())
            .any(|part| part == secret.as_bytes());
        assert!(!found, "the secret is in the database");
    }
    let visit = Visit::sign_in(&server.origin, &server.token).await;
    let (_, page) = visit.get("/decisions").await;
    assert!(
        page.contains("api.example.com") && !page.contains(secret),
        "{page}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_is_moved_follows_its_new_group() {
    let server = Running::start().await;
    let member = server.member("web").await;
    let policy = "[group.web.permissions]\ndeny = [\"Bash(a)\"]\n\n[group.data.permissions]\ndeny = [\"Bash(b)\"]\n";
    push(&server, policy, json!({})).await;
    let round = async || {
        let done = sync(&member.state, &member.enrolment, 0).await;
        done.expect("a round");
        fs::read_to_string(member.state.path("fleet/policy.toml")).expect("a policy")
    };
    let before = round().await;
    assert!(
        before.contains("Bash(a)") && !before.contains("Bash(b)"),
        "{before}"
    );
    let (ours, _) = server.store.organisation("test", 0).await.expect("known");
    let moved = server.store.regroup(ours, &member.enrolment.device, "data");
    assert!(moved.await.expect("moved"));
    let after = round().await;
    assert!(
        after.contains("Bash(b)") && !after.contains("Bash(a)"),
        "{after}"
    );
    assert!(
        after.starts_with("# automode-bundle revision=1 "),
        "{after}"
    );
    // And so does the next revision.
    push(&server, policy, json!({})).await;
    assert!(round().await.contains("Bash(b)"));
}
