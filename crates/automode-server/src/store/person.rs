//! People and what they may do.

use serde::{Deserialize, Serialize};

use super::{DatabaseError, FleetStore, Organisation};
use crate::values;

/// What a person may do; each may what the one before may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PersonRole {
    /// Looks.
    Viewer,
    /// Answers waiting questions.
    Approver,
    /// Writes policy, enrols devices, gives roles.
    Administrator,
}

impl PersonRole {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Approver => "approver",
            Self::Administrator => "administrator",
        }
    }

    /// What is not a role reads as the least.
    #[must_use]
    pub fn read(word: &str) -> Self {
        match word {
            "administrator" => Self::Administrator,
            "approver" => Self::Approver,
            _ => Self::Viewer,
        }
    }
}

/// Somebody who has signed in once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub id: i64,
    pub subject: String,
    pub name: String,
    pub role: PersonRole,
    pub seen: u64,
}

impl FleetStore {
    /// The person of this subject, made where there is none. A role that was given here
    /// stays; `role` is for the first time.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn person(
        &self,
        organisation: Organisation,
        subject: &str,
        name: &str,
        role: PersonRole,
        now: u64,
    ) -> Result<Person, DatabaseError> {
        let rows = self
            .database
            .query(
                "INSERT INTO people (organisation, subject, name, role, created, seen)
                 VALUES ($1, $2, $3, $4, $5, $5)
                 ON CONFLICT (organisation, subject) DO UPDATE SET name = excluded.name, seen = excluded.seen
                 RETURNING id, subject, name, role, seen",
                values![organisation.number(), subject, name, role.name(), now],
            )
            .await?;
        let row = rows
            .first()
            .ok_or_else(|| DatabaseError::Refused("the person was not made".to_owned()))?;
        Ok(person(row))
    }

    /// Everybody.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn people(&self, organisation: Organisation) -> Result<Vec<Person>, DatabaseError> {
        let rows = self
            .database
            .query(
                "SELECT id, subject, name, role, seen FROM people WHERE organisation = $1 ORDER BY name",
                values![organisation.number()],
            )
            .await?;
        Ok(rows.iter().map(person).collect())
    }

    /// Gives a role. Whoever is signed in has it at the next request.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn give_role(
        &self,
        organisation: Organisation,
        id: i64,
        role: PersonRole,
    ) -> Result<bool, DatabaseError> {
        let changed = self
            .database
            .execute(
                "UPDATE people SET role = $3 WHERE organisation = $1 AND id = $2",
                values![organisation.number(), id, role.name()],
            )
            .await?;
        Ok(changed > 0)
    }
}

pub(super) fn person(row: &super::Row) -> Person {
    Person {
        id: row.number(0),
        subject: row.text(1),
        name: row.text(2),
        role: PersonRole::read(&row.text(3)),
        seen: u64::try_from(row.number(4)).unwrap_or_default(),
    }
}
