//! What administrators and approvers did. Rows are added and never changed.

use super::{DatabaseError, FleetStore, Organisation};
use crate::values;

/// One act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdminAct {
    pub time: u64,
    pub person: String,
    pub act: String,
    pub subject: String,
    pub detail: String,
}

impl FleetStore {
    /// Writes an act down.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn note_act(
        &self,
        organisation: Organisation,
        act: &AdminAct,
    ) -> Result<(), DatabaseError> {
        self.database
            .execute(
                "INSERT INTO acts (organisation, time, person, act, subject, detail)
                 VALUES ($1, $2, $3, $4, $5, $6)",
                values![
                    organisation.number(),
                    act.time,
                    &act.person,
                    &act.act,
                    &act.subject,
                    &act.detail
                ],
            )
            .await
            .map(drop)
    }

    /// The latest acts first.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn acts(
        &self,
        organisation: Organisation,
        most: i64,
    ) -> Result<Vec<AdminAct>, DatabaseError> {
        let rows = self
            .database
            .query(
                "SELECT time, person, act, subject, detail FROM acts WHERE organisation = $1
                 ORDER BY time DESC, id DESC LIMIT $2",
                values![organisation.number(), most],
            )
            .await?;
        Ok(rows
            .iter()
            .map(|row| AdminAct {
                time: u64::try_from(row.number(0)).unwrap_or_default(),
                person: row.text(1),
                act: row.text(2),
                subject: row.text(3),
                detail: row.text(4),
            })
            .collect())
    }
}
