//! Policy bundles: every revision stays, the latest one counts.

use super::{ChangeKind, DatabaseError, FleetDevice, FleetStore, Organisation, Row, StoreChange};
use crate::values;

/// Who gets a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BundleStage {
    /// The canary group alone.
    Canary,
    Everyone,
}

impl BundleStage {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Canary => "canary",
            Self::Everyone => "everyone",
        }
    }

    fn read(word: &str) -> Self {
        if word == "everyone" {
            Self::Everyone
        } else {
            Self::Canary
        }
    }
}

/// The group that gets a revision first.
pub const CANARY: &str = "canary";

/// One revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    pub revision: u64,
    pub parent: u64,
    /// The text that is signed.
    pub manifest: String,
    pub policy: String,
    pub signature: String,
    pub stage: BundleStage,
    pub note: String,
    pub made_by: String,
    pub created: u64,
}

const COLUMNS: &str =
    "revision, parent, manifest, policy, signature, stage, note, made_by, created";

fn bundle(row: &Row) -> Bundle {
    let count = |column| u64::try_from(row.number(column)).unwrap_or_default();
    Bundle {
        revision: count(0),
        parent: count(1),
        manifest: row.text(2),
        policy: row.text(3),
        signature: row.text(4),
        stage: BundleStage::read(&row.text(5)),
        note: row.text(6),
        made_by: row.text(7),
        created: count(8),
    }
}

impl FleetStore {
    /// Stores a revision. False where another one took its number meanwhile.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn add_bundle(
        &self,
        organisation: Organisation,
        bundle: &Bundle,
    ) -> Result<bool, DatabaseError> {
        let added = self
            .database
            .execute(
                "INSERT INTO bundles (organisation, revision, parent, manifest, policy, signature,
                     stage, note, made_by, created)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
                values![
                    organisation.number(),
                    bundle.revision,
                    bundle.parent,
                    &bundle.manifest,
                    &bundle.policy,
                    &bundle.signature,
                    bundle.stage.name(),
                    &bundle.note,
                    &bundle.made_by,
                    bundle.created,
                ],
            )
            .await?;
        self.announce_bundle(organisation).await?;
        Ok(added > 0)
    }

    /// Gives a canary's revision to everyone.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn promote(
        &self,
        organisation: Organisation,
        revision: u64,
    ) -> Result<bool, DatabaseError> {
        let changed = self
            .database
            .execute(
                "UPDATE bundles SET stage = 'everyone'
                 WHERE organisation = $1 AND revision = $2 AND stage = 'canary'",
                values![organisation.number(), revision],
            )
            .await?;
        self.announce_bundle(organisation).await?;
        Ok(changed > 0)
    }

    async fn announce_bundle(&self, organisation: Organisation) -> Result<(), DatabaseError> {
        let change = StoreChange {
            kind: ChangeKind::Bundle,
            organisation: organisation.number(),
        };
        self.database.announce(change).await
    }

    /// Revisions, latest first.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn bundles(
        &self,
        organisation: Organisation,
        most: i64,
    ) -> Result<Vec<Bundle>, DatabaseError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM bundles WHERE organisation = $1 ORDER BY revision DESC LIMIT $2"
        );
        let rows = self
            .database
            .query(&sql, values![organisation.number(), most])
            .await?;
        Ok(rows.iter().map(bundle).collect())
    }

    /// The revision that a machine should have, if it is newer than the one it has. One that
    /// quarantines it reaches it whatever its stage.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn bundle_for(
        &self,
        device: &FleetDevice,
        above: u64,
    ) -> Result<Option<Bundle>, DatabaseError> {
        let canary = i64::from(device.group == CANARY);
        // A manifest names devices in its quarantine alone.
        let named = format!("%\"{}\"%", device.id);
        let sql = format!(
            "SELECT {COLUMNS} FROM bundles WHERE organisation = $1 AND revision > $2
             AND (stage = 'everyone' OR $3 = 1 OR manifest LIKE $4) ORDER BY revision DESC LIMIT 1"
        );
        let values = values![device.organisation.number(), above, canary, named];
        Ok(self.first(&sql, values).await?.as_ref().map(bundle))
    }
}
