//! Signing in through a provider that is made for the test.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod world;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use automode_server::outgoing;
use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use world::{Running, provider};

/// A provider that names whomever the test wants.
#[derive(Clone)]
struct Named {
    issuer: String,
    key: Arc<EcdsaKeyPair>,
    claims: Arc<Mutex<Value>>,
    /// Signs with another algorithm's name, as a forger would.
    header: Arc<Mutex<Value>>,
}

impl Named {
    async fn start() -> Self {
        let random = SystemRandom::new();
        let document =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
        let key =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random)
                .expect("a key");
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a listener");
        let named = Self {
            issuer: format!("http://{}", listener.local_addr().expect("an address")),
            key: Arc::new(key),
            claims: Arc::default(),
            header: Arc::new(Mutex::new(json!({"alg": "ES256", "kid": "k"}))),
        };
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/token", post(token))
            .route("/keys", get(keys))
            .with_state(named.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        named
    }
}

async fn discovery(State(named): State<Named>) -> Json<Value> {
    let issuer = &named.issuer;
    Json(
        json!({"issuer": issuer, "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"), "jwks_uri": format!("{issuer}/keys")}),
    )
}

async fn keys(State(named): State<Named>) -> Json<Value> {
    let point = named.key.public_key().as_ref();
    Json(json!({"keys": [{"kty": "EC", "crv": "P-256", "kid": "k",
        "x": URL_SAFE_NO_PAD.encode(&point[1..33]), "y": URL_SAFE_NO_PAD.encode(&point[33..])}]}))
}

async fn token(State(named): State<Named>, body: String) -> Json<Value> {
    assert!(
        body.contains("code_verifier=") && body.contains("client_secret=hush"),
        "{body}"
    );
    let claims = named.claims.lock().expect("claims").clone();
    let header = named.header.lock().expect("a header").clone();
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", part(&header), part(&claims));
    let signature = named
        .key
        .sign(&SystemRandom::new(), message.as_bytes())
        .expect("signed");
    Json(json!({"id_token": format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))}))
}

#[tokio::test(flavor = "multi_thread")]
async fn people_come_through_their_provider() {
    let named = Named::start().await;
    let issuer = named.issuer.clone();
    let server = Running::with(|options| options.provider = Some(provider(&issuer))).await;
    let client = outgoing::client().expect("a client");
    let good = json!({"iss": issuer, "aud": "automode", "sub": "ada", "name": "Ada", "exp": 4_000_000_000_u64, "groups": ["admins"]});
    // Signs in with these claims; the page that follows, or none.
    let sign_in = async |claims: &Value, spoil: &str| -> Option<String> {
        let start = client
            .get(format!("{}/sign-in/oidc", server.origin))
            .send()
            .await
            .expect("an answer");
        let address = url::Url::parse(start.headers()["location"].to_str().expect("a place"))
            .expect("an address");
        let query = |name: &str| {
            address
                .query_pairs()
                .find(|(own, _)| own == name)
                .expect("a pair")
                .1
                .into_owned()
        };
        let cookie = start.headers()["set-cookie"]
            .to_str()
            .expect("a cookie")
            .split(';')
            .next()
            .expect("a pair")
            .to_owned();
        let mut claims = claims.clone();
        claims["nonce"] = json!(if spoil == "nonce" {
            "other".to_owned()
        } else {
            query("nonce")
        });
        *named.claims.lock().expect("claims") = claims;
        let state = if spoil == "state" {
            "other".to_owned()
        } else {
            query("state")
        };
        let back = client
            .get(format!(
                "{}/sign-in/callback?code=c&state={state}",
                server.origin
            ))
            .header("cookie", if spoil == "cookie" { "" } else { &cookie })
            .send()
            .await
            .expect("an answer");
        let cookie = back
            .headers()
            .get("set-cookie")?
            .to_str()
            .ok()?
            .split(';')
            .next()?
            .to_owned();
        let page = client
            .get(&server.origin)
            .header("cookie", cookie)
            .send()
            .await
            .ok()?;
        page.text().await.ok()
    };
    let page = sign_in(&good, "").await.expect("signed in");
    assert!(page.contains("Ada · administrator"), "{page}");
    let mut other = good.clone();
    for (field, value) in [
        ("iss", json!("https://evil.example")),
        ("aud", json!("another")),
        ("aud", json!(["automode", "another"])),
        ("exp", json!(1_000_000_000)),
        ("sub", json!("")),
    ] {
        let before = other[field].take();
        other[field] = value.clone();
        assert!(sign_in(&other, "").await.is_none(), "{field} {value}");
        other[field] = before;
    }
    assert!(sign_in(&good, "nonce").await.is_none());
    assert!(sign_in(&good, "cookie").await.is_none());
    *named.header.lock().expect("a header") = json!({"alg": "none", "kid": "k"});
    assert!(
        sign_in(&good, "").await.is_none(),
        "the token chose its algorithm"
    );
    *named.header.lock().expect("a header") = json!({"alg": "ES256", "kid": "k"});
    other["sub"] = json!("bob");
    other["name"] = json!("Bob");
    other["groups"] = json!(["oncall"]);
    // The brake for guesses counts these sign-ins too.
    tokio::time::sleep(Duration::from_secs(6)).await;
    let page = sign_in(&other, "").await.expect("signed in");
    assert!(
        page.contains("Bob · approver") && !page.contains("href=\"/people\""),
        "{page}"
    );
}
