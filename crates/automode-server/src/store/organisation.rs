//! Whose data it is.
//!
//! An [`Organisation`] cannot be made from a number: it comes from a token, a login or
//! a device that was found. What takes one cannot mix two up.

use super::{DatabaseError, FleetStore};
use crate::key::SigningKey;
use crate::{secret, values};

/// Whose data a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Organisation(i64);

impl Organisation {
    #[must_use]
    pub const fn number(self) -> i64 {
        self.0
    }

    /// Only rows that were found make one.
    pub(super) const fn found(number: i64) -> Self {
        Self(number)
    }
}

impl FleetStore {
    /// The organisation of this name, made where there is none. The token is told once,
    /// when it is made, and kept as a digest.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn organisation(
        &self,
        name: &str,
        now: u64,
    ) -> Result<(Organisation, Option<String>), DatabaseError> {
        let token = secret::token();
        let key =
            SigningKey::generate().map_err(|error| DatabaseError::Refused(error.to_string()))?;
        let made = self
            .database
            .execute(
                "INSERT INTO organisations (name, signing_key, token_hash, created)
                 VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
                values![name, key.text(), secret::digest(&token), now],
            )
            .await?;
        let row = self
            .first(
                "SELECT id FROM organisations WHERE name = $1",
                values![name],
            )
            .await?
            .ok_or_else(|| DatabaseError::Refused("the organisation was not made".to_owned()))?;
        Ok((Organisation(row.number(0)), (made > 0).then_some(token)))
    }

    /// A new token for the local administrator; the old one no longer opens anything.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn renew_token(&self, organisation: Organisation) -> Result<String, DatabaseError> {
        let token = secret::token();
        self.database
            .execute(
                "UPDATE organisations SET token_hash = $2 WHERE id = $1",
                values![organisation.0, secret::digest(&token)],
            )
            .await?;
        Ok(token)
    }

    /// Whose administrator token this is.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn organisation_of_token(
        &self,
        token: &str,
    ) -> Result<Option<Organisation>, DatabaseError> {
        let row = self
            .first(
                "SELECT id FROM organisations WHERE token_hash = $1",
                values![secret::digest(token)],
            )
            .await?;
        Ok(row.map(|row| Organisation(row.number(0))))
    }

    /// Every organisation, for the work that is done behind the requests.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn organisations(&self) -> Result<Vec<(Organisation, String)>, DatabaseError> {
        let rows = self
            .database
            .query("SELECT id, name FROM organisations ORDER BY id", Vec::new())
            .await?;
        Ok(rows
            .iter()
            .map(|row| (Organisation(row.number(0)), row.text(1)))
            .collect())
    }

    /// When the organisation was made.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn made_at(&self, organisation: Organisation) -> Result<u64, DatabaseError> {
        let sql = "SELECT created FROM organisations WHERE id = $1";
        let row = self.first(sql, values![organisation.0]).await?;
        let created = row.map_or(0, |row| row.number(0));
        Ok(u64::try_from(created).unwrap_or_default())
    }

    /// The key that signs this organisation's bundles and answers.
    ///
    /// # Errors
    /// Where the database does not answer or holds no key.
    pub async fn signing_key(
        &self,
        organisation: Organisation,
    ) -> Result<SigningKey, DatabaseError> {
        let row = self
            .first(
                "SELECT signing_key FROM organisations WHERE id = $1",
                values![organisation.0],
            )
            .await?;
        let text = row.map(|row| row.text(0)).unwrap_or_default();
        SigningKey::read(&text).map_err(|error| DatabaseError::Refused(error.to_string()))
    }
}
