//! Connections: what comes first decides how the sink speaks.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::{SinkLedger, Visit, http};

/// Ports that programs use without being told, and that attackers like.
const PORTS: &[u16] = &[
    21, 22, 23, 25, 43, 53, 70, 79, 80, 110, 143, 389, 443, 445, 465, 587, 636, 873, 993, 995,
    1080, 1234, 1337, 1433, 2222, 2375, 2376, 3000, 3128, 3306, 3389, 4000, 4242, 4443, 4444, 4873,
    5000, 5432, 5555, 5672, 6379, 6443, 6666, 6667, 7000, 7777, 8000, 8001, 8008, 8080, 8081, 8088,
    8443, 8888, 9000, 9001, 9090, 9200, 9418, 9999, 11211, 12345, 27017, 31337,
];
/// The most that one connection is listened to.
const MOST: usize = 8 << 20;
/// How long a peer may be silent.
const SILENCE: Duration = Duration::from_millis(700);

/// Listens on all ports, with one thread each.
pub fn open(ledger: &Arc<SinkLedger>, identity: &Arc<ServerConfig>) -> Result<()> {
    for port in PORTS {
        let listener = TcpListener::bind(("0.0.0.0", *port))
            .with_context(|| format!("no port {port} for the sink"))?;
        let (ledger, identity) = (Arc::clone(ledger), Arc::clone(identity));
        thread::Builder::new().stack_size(64 << 10).spawn(move || {
            for stream in listener.incoming().flatten() {
                let (ledger, identity) = (Arc::clone(&ledger), Arc::clone(&identity));
                ledger.open.fetch_add(1, Ordering::SeqCst);
                let talk = move || {
                    // A peer that breaks off has said what it said.
                    serve(&ledger, &identity, stream).unwrap_or_default();
                    ledger.open.fetch_sub(1, Ordering::SeqCst);
                };
                thread::Builder::new()
                    .stack_size(512 << 10)
                    .spawn(talk)
                    .map(drop)
                    .unwrap_or_default();
            }
        })?;
    }
    Ok(())
}

fn serve(ledger: &SinkLedger, identity: &Arc<ServerConfig>, stream: TcpStream) -> io::Result<()> {
    let to = stream.local_addr()?;
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(SILENCE))?;
    let mut first = [0_u8; 1];
    let heard = stream.peek(&mut first).unwrap_or_default();
    if heard == 1 && first == [0x16] {
        let connection = ServerConnection::new(Arc::clone(identity)).map_err(io::Error::other)?;
        let mut secure = StreamOwned::new(connection, stream);
        let outcome = converse(ledger, "tls", to, &mut secure);
        secure.conn.send_close_notify();
        secure.flush().unwrap_or_default();
        return outcome;
    }
    let mut plain = stream;
    if heard == 0 {
        // Some protocols begin on our side.
        plain.write_all(b"220 sink ready\r\n")?;
    }
    converse(ledger, "tcp", to, &mut plain)
}

fn converse(
    ledger: &SinkLedger,
    via: &'static str,
    to: SocketAddr,
    stream: &mut (impl Read + Write),
) -> io::Result<()> {
    let mut sent = Vec::new();
    let mut host = String::new();
    let outcome = loop {
        match http::request(stream, &mut sent, MOST) {
            Ok(Some(mut request)) => {
                request.is_secure = via == "tls";
                host.clone_from(&request.host);
                let reply = super::bait::reply(&request, &ledger.mark);
                if let Err(broken) = stream.write_all(&reply).and_then(|()| stream.flush()) {
                    break Err(broken);
                }
                if request.closes {
                    break Ok(());
                }
            }
            Ok(None) => break raw(stream, &mut sent),
            Err(error) => break Err(error),
        }
    };
    let via = match (via, host.is_empty()) {
        ("tcp", false) => "http",
        ("tls", false) => "https",
        (other, _) => other,
    };
    ledger.note(Visit {
        via,
        to,
        host,
        sent,
    });
    outcome
}

/// Listens to what is no request, and says yes to every line.
fn raw(stream: &mut (impl Read + Write), sent: &mut Vec<u8>) -> io::Result<()> {
    let mut buffer = [0_u8; 16 << 10];
    while sent.len() < MOST {
        let read = stream.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        sent.extend(buffer.get(..read).unwrap_or_default());
        stream.write_all(b"250 OK\r\n")?;
    }
    Ok(())
}
