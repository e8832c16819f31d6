//! What is sent to other systems: real receivers on loopback, every kind of alert.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod world;

use std::fs;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use automode_server::alert::Thresholds;
use automode_server::client::sync;
use automode_server::export::Exports;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::UdpSocket;
use world::{Member, Running};

/// What a receiver was sent, by the path.
#[derive(Clone, Default)]
struct Receiver {
    heard: Arc<Mutex<Vec<(String, Value)>>>,
    /// It answers that it cannot.
    is_down: Arc<Mutex<bool>>,
}

impl Receiver {
    async fn start(&self) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a listener");
        let address = listener.local_addr().expect("an address");
        let router = Router::new()
            .route("/{*path}", post(take))
            .with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        address
    }

    fn down(&self, is_down: bool) {
        *self.is_down.lock().expect("a switch") = is_down;
    }

    fn heard(&self, path: &str) -> Vec<Value> {
        let heard = self.heard.lock().expect("heard");
        let on = heard.iter().filter(|(own, _)| own == path);
        on.map(|(_, value)| value.clone()).collect()
    }

    /// All records of `/v1/logs` that carry this attribute.
    fn records(&self, attribute: &str) -> Vec<Value> {
        self.heard("v1/logs")
            .iter()
            .filter_map(|value| value["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array())
            .flatten()
            .filter(|record| attribute_of(record, attribute).is_some())
            .cloned()
            .collect()
    }
}

fn attribute_of(of: &Value, key: &str) -> Option<String> {
    let all = of["attributes"].as_array()?;
    let one = all.iter().find(|one| one["key"] == key)?;
    one["value"]["stringValue"].as_str().map(str::to_owned)
}

async fn take(
    State(receiver): State<Receiver>,
    Path(path): Path<String>,
    Json(value): Json<Value>,
) -> Result<Json<Value>, StatusCode> {
    if *receiver.is_down.lock().expect("a switch") {
        return Err(StatusCode::SERVICE_UNAVAILABLE);
    }
    receiver.heard.lock().expect("heard").push((path, value));
    Ok(Json(json!({})))
}

/// Waits until something holds.
async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("not in time: {what}");
}

async fn round(member: &Member) {
    sync(&member.state, &member.enrolment, 0)
        .await
        .expect("a round");
}

#[tokio::test(flavor = "multi_thread")]
async fn decisions_are_sent_once_and_wait_for_a_receiver_that_is_down() {
    let receiver = Receiver::default();
    let address = receiver.start().await;
    let syslog = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
    let to = syslog.local_addr().expect("an address").to_string();
    let server = Running::with(|options| {
        options.exports.otlp = Some(format!("http://{address}"));
        options.exports.syslog = Some(to);
    })
    .await;
    let (ours, _) = server.store.organisation("test", 0).await.expect("known");
    let begun = async || {
        let begun = server.store.setting(ours, "exporting").await;
        begun.expect("asked").is_some()
    };
    while !begun().await {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let member = server.member("everyone").await;
    member.decide(1, 24);
    round(&member).await;
    until("24 records", || {
        receiver.records("automode.verdict").len() == 24
    })
    .await;
    let mut line = vec![0; 2_000];
    let received = tokio::time::timeout(Duration::from_secs(30), syslog.recv(&mut line)).await;
    let length = received.expect("in time").expect("a line");
    let line = String::from_utf8_lossy(&line[..length]).into_owned();
    assert!(
        line.starts_with("<1") && line.contains("Z laptop automode - decision - "),
        "{line}"
    );
    // What comes while the receiver is down waits, in the order of the chain, and nothing
    // that was taken is sent again.
    receiver.down(true);
    member.decide(25, 6);
    round(&member).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(receiver.records("automode.verdict").len(), 24);
    receiver.down(false);
    member.decide(31, 1);
    round(&member).await;
    until("31 records", || {
        receiver.records("automode.verdict").len() >= 31
    })
    .await;
    let hashes: Vec<String> = receiver
        .records("automode.verdict")
        .iter()
        .filter_map(|record| attribute_of(record, "automode.hash"))
        .collect();
    let different: std::collections::BTreeSet<&String> = hashes.iter().collect();
    assert_eq!((hashes.len(), different.len()), (31, 31));
    let first = &receiver.records("automode.verdict")[0];
    assert!(first["timeUnixNano"].is_string() && first["severityNumber"].is_number());
}

/// A device with a gap, denials, failures of a judge and a price.
async fn trouble(server: &Running) {
    let member = server.member("everyone").await;
    member.decide(1, 24);
    round(&member).await;
    let log = automode::audit::Log::new(&member.state);
    let text = automode_server::sample::entry(25);
    let mut failed: Value = serde_json::from_str(&text).expect("JSON");
    failed["ground"] = json!("failure");
    let failed = serde_json::from_value(failed).expect("an entry");
    for _ in 0..3 {
        log.append(&failed, Duration::from_secs(5))
            .expect("written");
    }
    let path = member.state.path("audit.jsonl");
    let text = fs::read_to_string(&path).expect("a log");
    let lines: Vec<&str> = text.lines().collect();
    let kept = [&lines[..24], &lines[25..]].concat();
    fs::write(&path, kept.join("\n") + "\n").expect("cut");
    round(&member).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_alert_is_told_until_it_is_taken_and_once_more_when_it_is_over() {
    let receiver = Receiver::default();
    let address = receiver.start().await;
    let syslog = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
    let exports = Exports {
        otlp: Some(format!("http://{address}")),
        webhook: Some(format!("http://{address}/alerts")),
        syslog: Some(syslog.local_addr().expect("an address").to_string()),
    };
    let server = Running::start().await;
    trouble(&server).await;
    let limits = Thresholds {
        denials: 2,
        budget: 900,
        outages: 2,
        silence: 1,
    };
    let minute = async |limits| exports.each_minute(&server.store, limits).await;
    let told = |state: &str| {
        let heard = receiver.heard("alerts");
        let of = heard.iter().filter(|value| value["state"] == state);
        let mut names: Vec<String> = of
            .filter_map(|value| value["alert"].as_str().map(str::to_owned))
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let all = ["budget", "denials", "gap", "judge-outage", "silent-device"];
    receiver.down(true);
    let _ = minute(limits).await;
    assert!(told("raised").is_empty());
    receiver.down(false);
    minute(limits).await.expect("told");
    assert_eq!(told("raised"), all);
    let count = receiver.heard("alerts").len();
    minute(limits).await.expect("told");
    assert_eq!(receiver.heard("alerts").len(), count, "told twice");
    assert!(
        !server
            .store
            .alerts(organisation(&server).await)
            .await
            .expect("shown")
            .is_empty()
    );
    let records = receiver.records("automode.alert");
    assert_eq!(records.len(), count, "an alert is a record too");
    let mut line = vec![0; 2_000];
    let length = syslog.recv(&mut line).await.expect("a line");
    let line = String::from_utf8_lossy(&line[..length]).into_owned();
    assert!(line.contains(" automode - alert - raised "), "{line}");
    // Over: all but the gap, which is told for a day.
    let none = Thresholds {
        denials: 0,
        budget: 0,
        outages: 0,
        silence: 0,
    };
    minute(none).await.expect("told");
    assert_eq!(
        told("over"),
        ["budget", "denials", "judge-outage", "silent-device"]
    );
    // And again, from the start.
    let before = receiver.heard("alerts").len();
    minute(limits).await.expect("told");
    assert!(receiver.heard("alerts").len() > before);
}

async fn organisation(server: &Running) -> automode_server::store::Organisation {
    server.store.organisation("test", 0).await.expect("known").0
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_are_metrics() {
    let receiver = Receiver::default();
    let address = receiver.start().await;
    let server = Running::start().await;
    trouble(&server).await;
    let exports = Exports {
        otlp: Some(format!("http://{address}")),
        ..Exports::default()
    };
    let again = exports.each_minute(&server.store, Thresholds::default());
    again.await.expect("sent");
    let sent = receiver.heard("v1/metrics");
    assert_eq!(sent.len(), 1, "{sent:?}");
    let resource = &sent[0]["resourceMetrics"][0];
    assert_eq!(
        attribute_of(&resource["resource"], "automode.organisation").as_deref(),
        Some("test")
    );
    let metrics = resource["scopeMetrics"][0]["metrics"]
        .as_array()
        .expect("metrics");
    let metric = |name: &str| {
        let found = metrics.iter().find(|metric| metric["name"] == name);
        found
            .unwrap_or_else(|| panic!("{name}: {metrics:?}"))
            .clone()
    };
    // 64 bits are texts, enumerations are numbers, a sum says since when.
    let decisions = metric("automode.decisions");
    assert_eq!(decisions["sum"]["aggregationTemporality"], 2);
    assert_eq!(decisions["sum"]["isMonotonic"], true);
    let points = decisions["sum"]["dataPoints"].as_array().expect("points");
    let whole = |point: &Value| {
        point["asInt"]
            .as_str()
            .and_then(|text| text.parse::<i64>().ok())
    };
    assert_eq!(points.iter().filter_map(whole).sum::<i64>(), 26);
    for point in points {
        for time in ["startTimeUnixNano", "timeUnixNano"] {
            assert!(
                point[time].as_str().is_some_and(|text| text.len() >= 19),
                "{point}"
            );
        }
        assert!(attribute_of(point, "automode.verdict").is_some());
    }
    let cost = metric("automode.judge.cost");
    let cost = cost["sum"]["dataPoints"][0]["asDouble"]
        .as_f64()
        .expect("a number");
    assert!((cost - 3.0 * 0.000_95).abs() < 1e-9, "{cost}");
    let devices = metric("automode.devices");
    assert_eq!(devices["gauge"]["dataPoints"][0]["asInt"], "1");
    assert_eq!(
        metric("automode.gaps")["gauge"]["dataPoints"][0]["asInt"],
        "1"
    );
}
