//! Lines of syslog (RFC 5424), one datagram each.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use anyhow::{Context, Result};
use tokio::net::UdpSocket;

use crate::alert::ClaimedAlert;
use crate::clock;
use crate::store::DecisionRow;

// Facility 16 (local0) with a severity.
const INFORMATIONAL: u8 = 134;
const WARNING: u8 = 132;
const ERROR: u8 = 131;

/// Sends lines to `host:port`.
///
/// # Errors
/// Where the host has no address or the system refuses.
pub async fn send(address: &str, lines: impl Iterator<Item = String>) -> Result<()> {
    let mut found = tokio::net::lookup_host(address).await?;
    let to = found.next().context("the host has no address")?;
    let own: SocketAddr = match to {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(own).await?;
    for line in lines {
        socket.send_to(line.as_bytes(), to).await?;
    }
    Ok(())
}

/// A decision as a line.
pub fn decision(device: &str, row: &DecisionRow) -> String {
    let priority = match row.verdict.as_str() {
        "allow" => INFORMATIONAL,
        "ask" => WARNING,
        _ => ERROR,
    };
    let host: String = device
        .chars()
        .filter(char::is_ascii_graphic)
        .take(60)
        .collect();
    let host = if host.is_empty() { "-" } else { &host };
    let brief: String = row.brief.chars().take(400).collect();
    let text = format!(
        "{} {} {} {} {brief}",
        row.verdict, row.rule, row.agent, row.id
    );
    line(priority, row.time, host, "decision", &text)
}

/// An alert as a line.
pub fn alert(claimed: &ClaimedAlert) -> String {
    let (priority, state) = if claimed.is_over {
        (INFORMATIONAL, "over")
    } else {
        (WARNING, "raised")
    };
    let alert = &claimed.alert;
    let text = format!("{state} {}: {}", alert.name, alert.text);
    line(priority, clock::now(), "-", "alert", &text)
}

fn line(priority: u8, time: u64, host: &str, kind: &str, text: &str) -> String {
    let when = clock::stamp(time).replace(' ', "T");
    // A text of an agent must not begin a line of its own.
    let text: String = text
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    format!("<{priority}>1 {when}Z {host} automode - {kind} - {text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_one_line() {
        let row = DecisionRow {
            time: 1_794_833_698_729,
            hash: String::new(),
            id: "ab12".to_owned(),
            device: "d".to_owned(),
            agent: "codex".to_owned(),
            session: "s".to_owned(),
            tool: "Bash".to_owned(),
            brief: "echo a\n<13>1 forged".to_owned(),
            verdict: "deny".to_owned(),
            ground: "rule".to_owned(),
            rule: "home-loss".to_owned(),
            latency: 1.0,
            day: 0,
        };
        assert_eq!(
            decision("my laptop", &row),
            "<131>1 2026-11-16T12:54:58Z mylaptop automode - decision - deny home-loss codex ab12 echo a <13>1 forged"
        );
    }
}
