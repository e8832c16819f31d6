//! Callers who take their time, and callers who ask without end.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use automode_server::client::ServerConnection;
use automode_server::http::Patience;

use super::ask;
use super::world::Running;

fn impatient() -> Patience {
    Patience {
        head: Duration::from_secs(1),
        body: Duration::from_secs(1),
    }
}

/// Sends the beginning, then a letter at a time, until the server hangs up or answers.
fn drip(address: &str, beginning: &str) -> (Duration, String) {
    let began = Instant::now();
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.write_all(beginning.as_bytes()).expect("sent");
    let pause = Some(Duration::from_millis(100));
    stream.set_read_timeout(pause).expect("a pause");
    let mut heard = Vec::new();
    while began.elapsed() < Duration::from_secs(20) {
        let mut bytes = [0_u8; 512];
        match stream.read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => heard.extend_from_slice(&bytes[..count]),
            Err(_) if heard.is_empty() => {}
            Err(_) => break,
        }
        if stream.write_all(b"x").is_err() {
            break;
        }
    }
    (
        began.elapsed(),
        String::from_utf8_lossy(&heard).into_owned(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_sends_letter_by_letter_is_not_waited_for() {
    let server = Running::with(|options| options.patience = impatient()).await;
    let address = server.origin.replace("http://", "");
    let form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\n";
    let slow = [
        "GET / HTTP/1.1\r\nHost: a\r\nX-Long: ".to_owned(),
        "G".to_owned(),
        format!("POST /sign-in HTTP/1.1\r\nHost: a\r\n{form}token="),
        "POST /v1/enrol HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n{"
            .to_owned(),
    ];
    for beginning in slow {
        let address = address.clone();
        let told = beginning.clone();
        let dripped = tokio::task::spawn_blocking(move || drip(&address, &beginning));
        let (took, heard) = dripped.await.expect("done");
        assert!(took < Duration::from_secs(10), "{told}: {took:?}");
        assert!(!heard.contains("200 OK"), "{heard}");
    }
    // A poll that waits longer than that is no such caller.
    let member = server.member("everyone").await;
    let connection = ServerConnection::new(&member.enrolment).expect("a connection");
    let began = Instant::now();
    let bundle = connection.bundle(0, 3).await.expect("an answer");
    assert!(bundle.is_none() && began.elapsed() >= Duration::from_secs(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_asks_without_end_does_not_hide_the_others() {
    let server = Running::start().await;
    let (noisy, quiet) = (server.member("web").await, server.member("web").await);
    let connection = ServerConnection::new(&noisy.enrolment).expect("a connection");
    let mut refused = 0;
    for at in 0..40 {
        let put = connection.ask(&ask(&format!("noise{at}"), "ls")).await;
        refused += u32::from(put.is_err());
    }
    assert_eq!(refused, 20);
    let connection = ServerConnection::new(&quiet.enrolment).expect("a connection");
    connection
        .ask(&ask("quiet", "git push"))
        .await
        .expect("put");
    let (status, _) = server
        .admin(
            "/v1/admin/asks/quiet",
            serde_json::json!({"answer": "deny"}),
        )
        .await;
    assert_eq!(status, 200);
    // What is over goes with its retention.
    let later = automode_server::clock::now() + 3_600_000;
    let gone = server.store.forget_asks_before(later).await.expect("gone");
    assert!(gone >= 21, "{gone}");
}
