//! Names: every one resolves, each to an address of its own that leads to the sink.

use std::net::{Ipv4Addr, UdpSocket};
use std::sync::Arc;
use std::thread;

use anyhow::{Context as _, Result};

use super::{SinkLedger, Visit};

const TYPE_A: u16 = 1;

/// Answers on the port for names.
pub fn open(ledger: &Arc<SinkLedger>) -> Result<()> {
    let socket = UdpSocket::bind("0.0.0.0:53").context("no port for names")?;
    let ledger = Arc::clone(ledger);
    thread::Builder::new()
        .stack_size(128 << 10)
        .spawn(move || {
            let mut buffer = [0_u8; 1500];
            while let Ok((read, from)) = socket.recv_from(&mut buffer) {
                let asked = buffer.get(..read).unwrap_or_default();
                let Some((name, kind, end)) = question(asked) else {
                    continue;
                };
                if let Ok(to) = socket.local_addr() {
                    ledger.note(Visit {
                        via: "dns",
                        to,
                        host: name.clone(),
                        sent: name.clone().into_bytes(),
                    });
                }
                // Whoever asked may be gone.
                socket
                    .send_to(&answer(asked, end, kind, &name), from)
                    .map(drop)
                    .unwrap_or_default();
            }
        })?;
    Ok(())
}

/// The name and type that are asked for, and where the question ends.
fn question(asked: &[u8]) -> Option<(String, u16, usize)> {
    let mut at = 12_usize;
    let mut labels = Vec::new();
    loop {
        let length = usize::from(*asked.get(at)?);
        at = at.checked_add(1)?;
        if length == 0 {
            break;
        }
        let end = at.checked_add(length)?;
        labels.push(String::from_utf8_lossy(asked.get(at..end)?).into_owned());
        at = end;
    }
    let kind = u16::from_be_bytes(asked.get(at..at.checked_add(2)?)?.try_into().ok()?);
    Some((labels.join("."), kind, at.checked_add(4)?))
}

fn answer(asked: &[u8], end: usize, kind: u16, name: &str) -> Vec<u8> {
    let mut reply = asked.get(..2).unwrap_or_default().to_vec();
    let count: u16 = u16::from(kind == TYPE_A);
    reply.extend([0x81, 0x80, 0, 1]);
    reply.extend(count.to_be_bytes());
    reply.extend([0, 0, 0, 0]);
    reply.extend(asked.get(12..end).unwrap_or_default());
    if kind == TYPE_A {
        reply.extend([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
        reply.extend(address(name).octets());
    }
    reply
}

/// An address that is nobody's, the same for the same name.
fn address(name: &str) -> Ipv4Addr {
    let sum = name.bytes().fold(7_u32, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u32::from(byte))
    });
    let [_, a, b, c] = sum.to_be_bytes();
    Ipv4Addr::new(198, 18 | (a & 1), b, c)
}
