//! What is to be sent to other systems: one row a batch, written with its lines.
//!
//! A row is there until it was sent, so a receiver that is down, a server that is killed
//! and several servers side by side neither lose nor pass over anything, and nobody
//! walks through all devices to find what is new. Rows are only written where an export
//! was at work within the last week.

use super::{DatabaseError, DecisionRow, FleetStore, Organisation, Value, decision_of};
use crate::ingest::{DAY, LineBatch, LineRow};
use crate::values;

/// The setting that says when an export last looked.
const EXPORTING: &str = "exporting";
/// How long batches are put aside for an export that went away.
const WAITS: u64 = 7 * DAY;
/// How long one server keeps a parcel to itself, in milliseconds.
const CLAIM: u64 = 60_000;

pub(super) const PUT: &str =
    "INSERT INTO outbox (organisation, device, first_seq, last_seq, first_time, last_time, put)
    SELECT $1, $2, $3, $4, $5, $6, $7
    WHERE EXISTS (SELECT 1 FROM settings WHERE organisation = $1 AND name = 'exporting'
        AND CAST(value AS BIGINT) > $8)";

/// The row of a batch; none where nothing in it is new.
pub(super) fn values(batch: &LineBatch, fresh: &[&LineRow]) -> Option<Vec<Value>> {
    let seqs = || fresh.iter().map(|row| row.link.seq);
    let times = || fresh.iter().map(|row| row.entry.time);
    Some(values![
        batch.organisation.number(),
        &batch.device,
        seqs().min()?,
        seqs().max()?,
        times().min()?,
        times().max()?,
        batch.now,
        batch.now.saturating_sub(WAITS),
    ])
}

/// Lines that wait to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxParcel {
    id: i64,
    pub device: String,
    pub rows: Vec<DecisionRow>,
}

impl FleetStore {
    /// Says that an export is at work: from now on batches are put aside for it.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn begin_export(&self, own: Organisation, now: u64) -> Result<(), DatabaseError> {
        self.set(own, EXPORTING, &now.to_string()).await
    }

    /// The oldest parcel that nobody else is sending.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn claim_parcel(
        &self,
        own: Organisation,
        now: u64,
    ) -> Result<Option<OutboxParcel>, DatabaseError> {
        // Among several that choose the same one, the second finds it claimed.
        let sql = "UPDATE outbox SET claimed = $2 WHERE claimed < $3 AND id =
                (SELECT MIN(id) FROM outbox WHERE organisation = $1 AND claimed < $3)
             RETURNING id, device, first_seq, last_seq, first_time, last_time";
        let stale = now.saturating_sub(CLAIM);
        let Some(row) = self.first(sql, values![own.number(), now, stale]).await? else {
            return Ok(None);
        };
        let device = row.text(1);
        let lines = self
            .database
            .query(
                "SELECT time, hash, id, device, agent, session, tool, brief, verdict, ground, rule,
                     latency, day
                 FROM lines WHERE organisation = $1 AND device = $2 AND time >= $3 AND time <= $4
                     AND seq >= $5 AND seq <= $6
                 ORDER BY seq",
                values![
                    own.number(),
                    &device,
                    row.number(4),
                    row.number(5),
                    row.number(2),
                    row.number(3)
                ],
            )
            .await?;
        let named = "SELECT name FROM devices WHERE organisation = $1 AND id = $2";
        let name = self.first(named, values![own.number(), &device]).await?;
        Ok(Some(OutboxParcel {
            id: row.number(0),
            device: name.map_or(device, |row| row.text(0)),
            rows: lines.iter().map(decision_of).collect(),
        }))
    }

    /// It was sent: it is not sent again.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn settle_parcel(
        &self,
        own: Organisation,
        parcel: &OutboxParcel,
    ) -> Result<(), DatabaseError> {
        let statement = "DELETE FROM outbox WHERE organisation = $1 AND id = $2";
        self.on_parcel(statement, own, parcel).await
    }

    /// It was not sent: anybody may try again at once.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn give_parcel_back(
        &self,
        own: Organisation,
        parcel: &OutboxParcel,
    ) -> Result<(), DatabaseError> {
        let statement = "UPDATE outbox SET claimed = 0 WHERE organisation = $1 AND id = $2";
        self.on_parcel(statement, own, parcel).await
    }

    async fn on_parcel(
        &self,
        statement: &str,
        own: Organisation,
        parcel: &OutboxParcel,
    ) -> Result<(), DatabaseError> {
        let which = values![own.number(), parcel.id];
        self.database.execute(statement, which).await.map(drop)
    }
}
