//! What an adversary would try: forged and replayed requests, other organisations,
//! stolen codes, bodies without end, two people at once.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod policy;
mod role;
mod slow;
#[path = "../world/mod.rs"]
mod world;

use automode::audit::chain::{ChainLink, GENESIS};
use automode_server::client::{ServerConnection, enrol, sync};
use automode_server::http::signed_text;
use automode_server::key::SigningKey;
use automode_server::store::AskState;
use automode_server::wire::{AskRequest, EnrolRequest};
use automode_server::{clock, outgoing, sample};
use serde_json::{Value, json};
use world::{Database, PAGES, Running, Visit};

/// A signed request as it goes over the wire, to be bent.
struct Forged {
    method: &'static str,
    path: &'static str,
    body: Vec<u8>,
    time: u64,
    device: String,
    signature: String,
}

impl Forged {
    /// The client is one for all: making one takes longer than a busy server waits for a head.
    async fn send(&self, client: &reqwest::Client, origin: &str) -> u16 {
        let address = format!("{origin}{}", self.path);
        let request = match self.method {
            "GET" => client.get(address),
            _ => client.post(address),
        };
        let request = request
            .header("x-automode-device", &self.device)
            .header("x-automode-time", self.time.to_string())
            .header("x-automode-signature", &self.signature)
            .body(self.body.clone());
        request.send().await.expect("an answer").status().as_u16()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_signed_so_is_not_heard() {
    let server = Running::start().await;
    let member = server.member("everyone").await;
    let other = server.member("everyone").await;
    let client = outgoing::client().expect("a client");
    let key = member.enrolment.key().expect("a key");
    let (lines, _) = sample::lines(&ChainLink::genesis(), 1, 3, "d");
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let body = serde_json::to_vec(&json!({"after": GENESIS, "lines": lines})).expect("JSON");
    let signed = |time: u64, key: &SigningKey| Forged {
        method: "POST",
        path: "/v1/audit",
        signature: key.sign(signed_text("POST", "/v1/audit", time, &body).as_bytes()),
        body: body.clone(),
        time,
        device: member.enrolment.device.clone(),
    };
    let now = clock::now();
    let stranger = SigningKey::generate().expect("a key");
    let bent: Vec<(&str, Forged)> = vec![
        ("another key", signed(now, &stranger)),
        ("long ago", signed(now - 11 * 60_000, &key)),
        ("far ahead", signed(now + 11 * 60_000, &key)),
        (
            "another time",
            Forged {
                time: now + 1,
                ..signed(now, &key)
            },
        ),
        (
            "another path",
            Forged {
                path: "/v1/status",
                ..signed(now, &key)
            },
        ),
        (
            "a query added",
            Forged {
                path: "/v1/audit?x=1",
                ..signed(now, &key)
            },
        ),
        (
            "another method",
            Forged {
                method: "GET",
                path: "/v1/cursor",
                ..signed(now, &key)
            },
        ),
        (
            "another body",
            Forged {
                body: b"{}".to_vec(),
                ..signed(now, &key)
            },
        ),
        (
            "another device",
            Forged {
                device: other.enrolment.device.clone(),
                ..signed(now, &key)
            },
        ),
        (
            "no signature",
            Forged {
                signature: String::new(),
                ..signed(now, &key)
            },
        ),
        (
            "an odd signature",
            Forged {
                signature: "zz".repeat(64),
                ..signed(now, &key)
            },
        ),
    ];
    for (name, forged) in &bent {
        assert_eq!(forged.send(&client, &server.origin).await, 401, "{name}");
    }
    // As it was signed it is heard; heard again it changes nothing.
    let right = signed(now, &key);
    assert_eq!(right.send(&client, &server.origin).await, 200);
    assert_eq!(right.send(&client, &server.origin).await, 409);
    let (ours, _) = server.store.organisation("test", 0).await.expect("known");
    assert_eq!(server.store.count_lines(ours).await.expect("counted"), 3);
    // Strangers who use a device's name do not silence the device.
    let forged = signed(now, &stranger);
    let many =
        futures_util::future::join_all((0..250).map(|_| forged.send(&client, &server.origin)));
    assert!(many.await.contains(&429));
    let connection = ServerConnection::new(&member.enrolment).expect("a connection");
    connection.cursor().await.expect("the device is heard");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_code_opens_little() {
    let server = Running::start().await;
    let code = server.code("everyone").await;
    // A key that is not the sender's own.
    let key = SigningKey::generate().expect("a key");
    let mut request = EnrolRequest::new(&code, "thief", &key);
    request.public_key = SigningKey::generate().expect("a key").public();
    let client = outgoing::client().expect("a client");
    let post = async |request: &EnrolRequest| {
        let address = format!("{}/v1/enrol", server.origin);
        let sent = client.post(address).json(request).send().await;
        sent.expect("an answer").status().as_u16()
    };
    assert_eq!(post(&request).await, 400);
    // Two at once: one is enrolled.
    let (one, other) = tokio::join!(
        enrol(&server.origin, &code, "one", false),
        enrol(&server.origin, &code, "other", false)
    );
    assert_eq!(u8::from(one.is_ok()) + u8::from(other.is_ok()), 1);
    let (ours, _) = server.store.organisation("test", 0).await.expect("known");
    let old = server
        .store
        .make_code(ours, "everyone", "test", clock::now() - 1);
    let old = old.await.expect("a code");
    assert_eq!(post(&EnrolRequest::new(&old, "late", &key)).await, 403);
    // Who enrolled with it sees nothing but its own, and goes with a revocation.
    let thief = one.or(other).expect("enrolled");
    let device = thief.device.clone();
    let connection = ServerConnection::new(&thief).expect("a connection");
    connection.cursor().await.expect("heard");
    assert!(server.store.revoke(ours, &device).await.expect("revoked"));
    assert!(connection.cursor().await.is_err());
    // Guesses are slowed down.
    let mut last = 0;
    for _ in 0..15 {
        last = post(&EnrolRequest::new("0000-0000-0000-0000", "x", &key)).await;
    }
    assert_eq!(last, 429);
}

#[tokio::test(flavor = "multi_thread")]
async fn organisations_do_not_see_each_other() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("s.sqlite").display().to_string();
    separate(path).await;
    if let Some(database) = Database::start() {
        separate(database.address()).await;
    }
}

/// Everything of one organisation, asked for with the token and the login of another.
async fn separate(database: String) {
    let server = Running::with(|options| options.database = database.clone()).await;
    let member = server.member("everyone").await;
    member.decide(1, 30);
    sync(&member.state, &member.enrolment, 0)
        .await
        .expect("a round");
    let connection = ServerConnection::new(&member.enrolment).expect("a connection");
    connection.ask(&ask("q1", "curl evil")).await.expect("put");
    let pushed =
        json!({"policy": "[permissions]\ndeny = [\"Bash(secret-name)\"]\n", "everyone": true});
    assert_eq!(server.admin("/v1/admin/push", pushed).await.0, 200);
    let others = Running::with(|options| {
        options.database = database;
        options.organisation = "others".to_owned();
    })
    .await;
    let device = &member.enrolment.device;
    let client = outgoing::client().expect("a client");
    for origin in [&server.origin, &others.origin] {
        for path in ["decisions", "decisions?words=curl", "devices", "asks"] {
            let address = format!("{origin}/v1/admin/{path}");
            let answer = client.get(address).bearer_auth(&others.token).send().await;
            let text = answer.expect("an answer").text().await.expect("a text");
            assert!(
                !text.contains("sample") && !text.contains(device) && !text.contains("q1"),
                "{path}: {text}"
            );
        }
    }
    for (path, body) in [
        ("/v1/admin/asks/q1", json!({"answer": "allow"})),
        ("/v1/admin/promote", json!({"revision": 1})),
        ("/v1/admin/rollback", json!({"revision": 1})),
    ] {
        let (status, reply) = others.admin(path, body).await;
        assert_eq!(status, 404, "{path}: {reply}");
    }
    let visit = Visit::sign_in(&others.origin, &others.token).await;
    for path in ["/decisions/sample4", "/stops/sample4/allow"] {
        assert_eq!(visit.get(path).await.0, 404, "{path}");
    }
    for path in PAGES {
        let (status, page) = visit.get(path).await;
        assert_eq!(status, 200, "{path}");
        for word in ["sample4", device, "secret-name", "curl evil", "home-loss"] {
            assert!(!page.contains(word), "{path} shows {word}");
        }
    }
    let csrf = visit.csrf().await;
    for path in [
        format!("/devices/{device}/revoke"),
        format!("/devices/{device}/group"),
        "/asks/q1".to_owned(),
        "/policy/stage".to_owned(),
    ] {
        let body = format!("csrf={csrf}&group=x&answer=allow&revision=1&do=promote");
        assert_eq!(visit.post(&path, body, None).await, 404, "{path}");
    }
    connection
        .cursor()
        .await
        .expect("the device is still heard");
}

fn ask(id: &str, brief: &str) -> AskRequest {
    let text = |text: &str| text.to_owned();
    AskRequest {
        id: text(id),
        print: text("p"),
        agent: text("claude-code"),
        session: text("s"),
        tool: text("Bash"),
        brief: text(brief),
        place: text("/home/dev/app"),
        rule: text("force-push"),
        reason: text("it rewrites history"),
        patience: 60_000,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_answers_one_counts() {
    let server = Running::start().await;
    let member = server.member("everyone").await;
    let other = server.member("everyone").await;
    let connection = ServerConnection::new(&member.enrolment).expect("a connection");
    let (ours, _) = server.store.organisation("test", 0).await.expect("known");
    for round in 0..10 {
        let id = format!("race{round}");
        connection
            .ask(&ask(&id, "git push --force"))
            .await
            .expect("put");
        let path = format!("/v1/admin/asks/{id}");
        let answers = futures_util::future::join_all(
            ["allow", "deny", "allow", "deny", "allow"]
                .map(|word| server.admin(&path, json!({"answer": word}))),
        );
        let answers: Vec<(u16, Value)> = answers.await;
        let counted = answers.iter().filter(|(_, told)| told["counted"] == true);
        assert_eq!(counted.count(), 1, "{answers:?}");
        // All are told the same answer, and the device gets it.
        let words: std::collections::BTreeSet<String> = answers
            .iter()
            .map(|(_, told)| told["answer"].to_string())
            .collect();
        assert_eq!(words.len(), 1, "{answers:?}");
        let stored = server
            .store
            .ask(ours, &id)
            .await
            .expect("asked")
            .expect("there");
        let AskState::Answered { answer, .. } = stored.state else {
            continue;
        };
        assert_eq!(words.first(), Some(&format!("{answer:?}")));
    }
    // Another device's question is nobody's.
    let stranger = ServerConnection::new(&other.enrolment).expect("a connection");
    assert!(stranger.answer("race0", 0).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_without_end_are_refused() {
    let server = Running::start().await;
    let visit = Visit::sign_in(&server.origin, &server.token).await;
    let csrf = visit.csrf().await;
    let large = "x".repeat(9 * 1024 * 1024);
    let client = outgoing::client().expect("a client");
    for path in ["/v1/enrol", "/v1/audit", "/sign-in", "/v1/admin/push"] {
        let sent = client
            .post(format!("{}{path}", server.origin))
            .bearer_auth(&server.token)
            .header("content-type", "application/json")
            .body(large.clone())
            .send()
            .await;
        // It may hang up before all was sent.
        if let Ok(answer) = sent {
            assert!(
                answer.status().is_client_error(),
                "{path}: {}",
                answer.status()
            );
        }
    }
    let member = server.member("everyone").await;
    let connection = ServerConnection::new(&member.enrolment).expect("a connection");
    assert!(
        connection
            .audit(GENESIS, vec![large.clone()])
            .await
            .is_err()
    );
    assert!(
        connection
            .audit(GENESIS, vec![String::new(); 6_000])
            .await
            .is_err()
    );
    // A text nested without end is a fault of the policy, not of the server.
    let nested = "[".repeat(200_000);
    let (status, _) = server
        .admin("/v1/admin/push", json!({"policy": format!("a = {nested}")}))
        .await;
    assert_eq!(status, 422);
    let body = format!("csrf={csrf}&policy={}", "x".repeat(9 * 1024 * 1024));
    assert_eq!(visit.post("/policy", body, None).await, 400);
    // A question that cannot be shown whole is none.
    let long = connection.ask(&ask("long", &"y".repeat(100_000))).await;
    assert!(long.is_err());
    let (_, page) = visit.get("/asks").await;
    assert!(page.len() < 100_000 && !page.contains("yyy"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_link_that_is_printed_opens_once_and_from_no_other_site() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("s.sqlite").display().to_string();
    let server = automode_server::server::Server::bind(world::options(path)).await;
    let server = server.expect("a server");
    let (page, token) = (server.start_page(), server.token.clone().expect("a token"));
    assert!(!page.contains(&token));
    tokio::spawn(server.run(std::future::pending()));
    let client = outgoing::client().expect("a client");
    let open = async |site: &str| {
        let request = client.get(&page).header("sec-fetch-site", site);
        request.send().await.expect("an answer").status().as_u16()
    };
    assert_eq!(open("cross-site").await, 403);
    assert_eq!(open("none").await, 303);
    assert_eq!(open("none").await, 401);
}
