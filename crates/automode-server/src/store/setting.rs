//! Small settings of an organisation: labelled cases, exports, alerts.

use super::{DatabaseError, FleetStore, Organisation};
use crate::values;

impl FleetStore {
    /// A setting, where it was set.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn setting(
        &self,
        organisation: Organisation,
        name: &str,
    ) -> Result<Option<String>, DatabaseError> {
        let row = self
            .first(
                "SELECT value FROM settings WHERE organisation = $1 AND name = $2",
                values![organisation.number(), name],
            )
            .await?;
        Ok(row.map(|row| row.text(0)))
    }

    /// Sets it.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn set(
        &self,
        organisation: Organisation,
        name: &str,
        value: &str,
    ) -> Result<(), DatabaseError> {
        self.database
            .execute(
                "INSERT INTO settings (organisation, name, value) VALUES ($1, $2, $3)
                 ON CONFLICT (organisation, name) DO UPDATE SET value = excluded.value",
                values![organisation.number(), name, value],
            )
            .await
            .map(drop)
    }

    /// Whether this replica is the first to ask for this minute.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn claim_minute(
        &self,
        organisation: Organisation,
        minute: u64,
    ) -> Result<bool, DatabaseError> {
        let own = organisation.number();
        self.database
            .execute(
                "INSERT INTO settings (organisation, name, value) VALUES ($1, 'minute', '0')
                 ON CONFLICT DO NOTHING",
                values![own],
            )
            .await?;
        let claimed = self
            .database
            .execute(
                "UPDATE settings SET value = $2 WHERE organisation = $1 AND name = 'minute'
                 AND CAST(value AS BIGINT) < $3",
                values![own, minute.to_string(), minute],
            )
            .await?;
        Ok(claimed > 0)
    }
}
