//! One-time codes, by which a machine enrols.

use super::{DatabaseError, FleetStore, Organisation};
use crate::{secret, values};

/// Why a code opens nothing.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    #[error("the code is unknown, used or too old (hint: ask for a new one)")]
    Useless,
    #[error(transparent)]
    Store(#[from] DatabaseError),
}

impl FleetStore {
    /// Makes a code for one machine of this group.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn make_code(
        &self,
        organisation: Organisation,
        group: &str,
        by: &str,
        expires: u64,
    ) -> Result<String, DatabaseError> {
        let code = secret::code();
        self.database
            .execute(
                "INSERT INTO codes (hash, organisation, device_group, made_by, expires)
                 VALUES ($1, $2, $3, $4, $5)",
                values![
                    secret::digest(&code),
                    organisation.number(),
                    group,
                    by,
                    expires
                ],
            )
            .await?;
        Ok(code)
    }

    /// Uses a code up, for this device. Whose it was, and the group.
    ///
    /// # Errors
    /// [`CodeError`] where it opens nothing.
    pub async fn use_code(
        &self,
        code: &str,
        device: &str,
        now: u64,
    ) -> Result<(Organisation, String), CodeError> {
        let rows = self
            .database
            .query(
                "UPDATE codes SET used_by = $2 WHERE hash = $1 AND used_by IS NULL AND expires > $3
                 RETURNING organisation, device_group",
                values![secret::digest(code), device, now],
            )
            .await?;
        let row = rows.first().ok_or(CodeError::Useless)?;
        Ok((Organisation::found(row.number(0)), row.text(1)))
    }
}
