//! One round: lines to the server, a bundle from it, a word on how this machine stands.

use std::fs;

use anyhow::Result;
use automode::audit::Log;
use automode::state::State;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::enrolment::write_private;
use super::{
    BundleKeeper, BundleOutcome, ConnectionError, DoctorReport, Enrolment, LogLines, LogPlace,
    ServerConnection,
};
use crate::ingest::Receipt;
use crate::wire::StatusRequest;

/// Lines and bytes of one batch.
const LINES: usize = 1_000;
const BYTES: usize = 2 * 1024 * 1024;
/// Batches of one round: the rest goes next time.
const ROUNDS: usize = 10_000;

/// What a round did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// Lines that the server took.
    pub sent: u64,
    /// Breaks of the chain that it noticed.
    pub gaps: u64,
    /// The last line that it has.
    pub seq: u64,
    pub bundle: Option<BundleOutcome>,
}

/// The last accepted line, and where it ends.
#[derive(Clone, Serialize, Deserialize)]
struct SyncCursor {
    seq: u64,
    hash: String,
    place: Option<LogPlace>,
}

impl SyncCursor {
    fn of(receipt: &Receipt) -> Self {
        Self {
            seq: receipt.seq,
            hash: receipt.hash.clone(),
            place: None,
        }
    }

    fn load(state: &State) -> Option<Self> {
        let text = fs::read_to_string(state.path("fleet/cursor.json")).ok()?;
        serde_json::from_str(&text).ok()
    }

    fn save(&self, state: &State) -> Result<()> {
        let path = Enrolment::folder(state)?.join("cursor.json");
        write_private(&path, &serde_json::to_string(self)?)
    }
}

/// A whole round.
///
/// # Errors
/// Where the server does not answer; what it took stays taken, the rest stays here.
pub async fn sync(state: &State, enrolment: &Enrolment, wait: u64) -> Result<SyncReport> {
    let connection = ServerConnection::new(enrolment)?;
    let mut report = send_lines(state, &connection).await?;
    // The group may have changed since this process began.
    let keeper = BundleKeeper::new(state, &Enrolment::load(state)?)?;
    if let Some(bundle) = connection.bundle(keeper.revision(), wait).await? {
        report.bundle = Some(keeper.take(&bundle)?);
    }
    let refused = match &report.bundle {
        Some(BundleOutcome::Refused(why)) => Some(format!("policy not taken: {why}")),
        Some(BundleOutcome::InForce(_) | BundleOutcome::Later(_)) | None => None,
    };
    let doctor = DoctorReport::load(state).unwrap_or_default();
    let problem = refused.or_else(|| doctor.faults.first().cloned());
    let told = connection
        .status(&StatusRequest {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: keeper.revision(),
            detail: json!({"problem": problem, "lines": report.seq,
                "agents": doctor.agents, "faults": doctor.faults}),
        })
        .await?;
    let mut moved = Enrolment::load(state)?;
    if told.group != moved.group {
        moved.group = told.group;
        // First the rules: a cut in between only has them written once more.
        BundleKeeper::new(state, &moved)?.write_again()?;
        moved.save(state)?;
    }
    Ok(report)
}

/// Sends what the server does not have.
///
/// # Errors
/// Where the server does not answer or the log cannot be read.
pub async fn send_lines(state: &State, connection: &ServerConnection) -> Result<SyncReport> {
    let log = Log::new(state);
    let mut report = SyncReport::default();
    let mut cursor = match SyncCursor::load(state) {
        Some(cursor) => cursor,
        None => SyncCursor::of(&connection.cursor().await?),
    };
    report.seq = cursor.seq;
    // Lines that the server looked at and could not take: not sent again in this round.
    let mut passed = 0_usize;
    for _ in 0..ROUNDS {
        let mut lines = LogLines::behind(log.files(), &cursor.hash, cursor.place.as_ref())?;
        let (batch, place) = gather(&mut lines, passed)?;
        if batch.is_empty() {
            break;
        }
        let count = batch.len();
        match connection.audit(&cursor.hash, batch).await {
            Ok(receipt) => {
                report.sent = report.sent.saturating_add(receipt.accepted);
                report.gaps = report.gaps.saturating_add(receipt.gaps);
                passed = if receipt.hash == cursor.hash {
                    passed.saturating_add(count)
                } else {
                    0
                };
                let whole = receipt.seq == place.0;
                cursor = SyncCursor {
                    place: whole.then_some(place.1),
                    ..SyncCursor::of(&receipt)
                };
            }
            // An answer was lost, or the state was put back: the server knows better.
            Err(ConnectionError::Elsewhere(receipt)) => {
                cursor = SyncCursor::of(&receipt);
                passed = 0;
            }
            Err(error) => return Err(error.into()),
        }
        report.seq = cursor.seq;
        cursor.save(state)?;
    }
    Ok(report)
}

/// The next lines, the number of the last one and where it ends.
fn gather(lines: &mut LogLines, passed: usize) -> Result<(Vec<String>, (u64, LogPlace))> {
    let mut batch = Vec::new();
    let mut bytes = 0_usize;
    let mut end = (0, LogPlace::default());
    for _ in 0..passed {
        lines.next()?;
    }
    while batch.len() < LINES && bytes < BYTES {
        let Some((line, place)) = lines.next()? else {
            break;
        };
        bytes = bytes.saturating_add(line.len());
        let seq = automode::audit::chain::link(&line).map_or(0, |link| link.seq);
        end = (seq, place);
        batch.push(line);
    }
    Ok((batch, end))
}
