//! Breaks of a device's chain, as rows.

use super::{DatabaseError, FleetStore, Organisation, Value};
use crate::ingest::{LineBatch, LogGap};
use crate::values;

/// A break that was noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GapRow {
    pub device: String,
    pub kind: String,
    pub missing: i64,
    pub after_seq: i64,
    pub next_seq: i64,
    pub noticed: u64,
}

pub(super) const INSERT: &str =
    "INSERT INTO gaps (organisation, device, after_hash, next_hash, kind,
    missing, after_seq, next_seq, noticed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT DO NOTHING";

pub(super) fn values(batch: &LineBatch, gap: &LogGap) -> Vec<Value> {
    values![
        batch.organisation.number(),
        &batch.device,
        &gap.after.hash,
        &gap.next.hash,
        gap.kind.name(),
        gap.missing(),
        gap.after.seq,
        gap.next.seq,
        batch.now,
    ]
}

impl FleetStore {
    /// The breaks that were noticed, latest first.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn gaps(
        &self,
        organisation: Organisation,
        most: i64,
    ) -> Result<Vec<GapRow>, DatabaseError> {
        let rows = self
            .database
            .query(
                "SELECT device, kind, missing, after_seq, next_seq, noticed FROM gaps
                 WHERE organisation = $1 ORDER BY noticed DESC LIMIT $2",
                values![organisation.number(), most],
            )
            .await?;
        Ok(rows
            .iter()
            .map(|row| GapRow {
                device: row.text(0),
                kind: row.text(1),
                missing: row.number(2),
                after_seq: row.number(3),
                next_seq: row.number(4),
                noticed: u64::try_from(row.number(5)).unwrap_or_default(),
            })
            .collect())
    }

    /// How many there are.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn count_gaps(&self, organisation: Organisation) -> Result<i64, DatabaseError> {
        let sql = "SELECT COUNT(*) FROM gaps WHERE organisation = $1";
        let row = self.first(sql, values![organisation.number()]).await?;
        Ok(row.map_or(0, |row| row.number(0)))
    }
}
