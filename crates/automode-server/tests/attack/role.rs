//! People who do what is not theirs to do, and sites that have their browsers do it.

use automode_server::client::{ServerConnection, sync};
use automode_server::store::PersonRole;

use super::ask;
use super::world::{Running, Visit};

#[tokio::test(flavor = "multi_thread")]
async fn nobody_acts_above_their_role() {
    let server = Running::start().await;
    let member = server.member("web").await;
    member.decide(1, 8);
    let round = sync(&member.state, &member.enrolment, 0).await;
    round.expect("a round");
    let connection = ServerConnection::new(&member.enrolment).expect("a connection");
    connection.ask(&ask("q1", "git push")).await.expect("put");
    let viewer = Visit::with_role(&server, PersonRole::Viewer).await;
    let approver = Visit::with_role(&server, PersonRole::Approver).await;
    let device = &member.enrolment.device;
    let administer = [
        "/devices/code".to_owned(),
        format!("/devices/{device}/group"),
        format!("/devices/{device}/revoke"),
        "/policy".to_owned(),
        "/policy/stage".to_owned(),
        "/stops/sample7/allow".to_owned(),
        "/people/1".to_owned(),
    ];
    let fields = "group=web&answer=allow&policy=&cases=&do=everyone&revision=1&rule=Bash&stage=everyone&role=administrator";
    for visit in [&viewer, &approver] {
        let (_, page) = visit.get("/").await;
        let token = page.split("name=\"csrf\" value=\"").nth(1);
        let token = token.and_then(|rest| rest.split('"').next()).expect("one");
        for path in &administer {
            let body = format!("csrf={token}&{fields}");
            assert_eq!(visit.post(path, body, None).await, 403, "{path}");
        }
        for path in ["/people", "/acts"] {
            assert_eq!(visit.get(path).await.0, 403, "{path}");
        }
        // A rule is shown to everybody; the cases run for those who may release it.
        let (status, page) = visit.get("/stops/sample7/allow").await;
        assert_eq!(status, 200);
        assert!(!page.contains("It may go out"), "{page}");
        let (ours, _) = server.store.organisation("test", 0).await.expect("known");
        assert!(
            server
                .store
                .bundles(ours, 5)
                .await
                .expect("listed")
                .is_empty()
        );
    }
    let answer = async |visit: &Visit| {
        let (_, page) = visit.get("/").await;
        let token = page.split("name=\"csrf\" value=\"").nth(1);
        let token = token.and_then(|rest| rest.split('"').next()).expect("one");
        let body = format!("csrf={token}&answer=allow");
        visit.post("/asks/q1", body, None).await
    };
    assert_eq!(answer(&viewer).await, 403);
    assert_eq!(answer(&approver).await, 303);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_site_sends_no_form() {
    let server = Running::start().await;
    let visit = Visit::sign_in(&server.origin, &server.token).await;
    let other = Visit::with_role(&server, PersonRole::Administrator).await;
    let (own, foreign) = (visit.csrf().await, other.csrf().await);
    let post = async |token: &str, origin: Option<&str>| {
        let body = format!("csrf={token}&group=web");
        visit.post("/devices/code", body, origin).await
    };
    for (token, origin, expected) in [
        ("", None, 403),
        ("x", None, 403),
        (foreign.as_str(), None, 403),
        (own.as_str(), Some("https://evil.example"), 403),
        (own.as_str(), Some("null"), 403),
        (own.as_str(), Some(server.origin.as_str()), 200),
        (own.as_str(), None, 200),
    ] {
        assert_eq!(post(token, origin).await, expected, "{token} {origin:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cookie_that_somebody_planted_signs_nobody_in() {
    let server = Running::with(|options| {
        options.origin = Some("https://automode.example.com".to_owned());
        options.behind_proxy = true;
    })
    .await;
    let local = format!("http://{}", server.address);
    let visit = Visit::sign_in(&local, &server.token).await;
    // Only this host can set a cookie of this name, and each login has a new one.
    assert!(visit.cookie.starts_with("__Host-automode_login="));
    assert!(visit.cookie.contains("; Secure") && visit.cookie.contains("; HttpOnly"));
    let again = Visit::sign_in(&local, &server.token).await;
    assert_ne!(visit.cookie, again.cookie);
    assert_eq!(visit.get("/").await.0, 200);
    let mut planted = again;
    planted.cookie = visit.cookie.replace("__Host-", "");
    assert_eq!(planted.get("/").await.0, 303);
}
