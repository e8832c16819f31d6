//! Who is signed in: a cookie's digest, and the token that forms must carry.

use super::person::person;
use super::{DatabaseError, FleetStore, Organisation, Person};
use crate::{secret, values};

/// How long a login lasts.
const LASTS: u64 = 12 * 3_600_000;

/// A signed-in person.
#[derive(Clone, Debug)]
pub struct Login {
    pub organisation: Organisation,
    pub person: Person,
    /// What every form of this login carries.
    pub csrf: String,
}

impl FleetStore {
    /// Signs a person in. The cookie's value, which is kept as a digest only.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn sign_in(
        &self,
        organisation: Organisation,
        person: &Person,
        now: u64,
    ) -> Result<String, DatabaseError> {
        let token = secret::token();
        self.database
            .execute("DELETE FROM logins WHERE expires < $1", values![now])
            .await?;
        self.database
            .execute(
                "INSERT INTO logins (token_hash, organisation, person, csrf, expires)
                 VALUES ($1, $2, $3, $4, $5)",
                values![
                    secret::digest(&token),
                    organisation.number(),
                    person.id,
                    secret::token(),
                    now.saturating_add(LASTS)
                ],
            )
            .await?;
        Ok(token)
    }

    /// Whose cookie this is.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn login(&self, token: &str, now: u64) -> Result<Option<Login>, DatabaseError> {
        let row = self
            .first(
                "SELECT people.id, subject, name, role, seen, logins.organisation, csrf
                 FROM logins JOIN people ON people.id = logins.person
                      AND people.organisation = logins.organisation
                 WHERE token_hash = $1 AND expires > $2",
                values![secret::digest(token), now],
            )
            .await?;
        Ok(row.map(|row| Login {
            organisation: Organisation::found(row.number(5)),
            person: person(&row),
            csrf: row.text(6),
        }))
    }

    /// Forgets a login.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn sign_out(&self, token: &str) -> Result<(), DatabaseError> {
        self.database
            .execute(
                "DELETE FROM logins WHERE token_hash = $1",
                values![secret::digest(token)],
            )
            .await
            .map(drop)
    }
}
