//! Machines that are enrolled.

use std::collections::{BTreeMap, BTreeSet};

use automode::audit::chain::ChainLink;

use super::{DatabaseError, FleetStore, Organisation, Row, Value};
use crate::ingest::{LineBatch, LineRow};
use crate::values;

/// One machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetDevice {
    pub id: String,
    pub organisation: Organisation,
    pub name: String,
    pub public_key: String,
    pub group: String,
    pub enrolled: u64,
    pub seen: u64,
    pub version: String,
    /// The bundle in force there.
    pub revision: u64,
    /// What it last said of itself, as JSON.
    pub status: String,
    pub revoked: bool,
    pub last: ChainLink,
    /// When its last decision fell.
    pub last_time: u64,
}

/// Which machines; what is empty does not narrow.
#[derive(Clone, Debug, Default)]
pub struct DeviceFilter {
    /// A part of the name, an id or a group.
    pub words: String,
    /// Only behind this id, for the next page.
    pub before: String,
    pub most: i64,
}

const COLUMNS: &str = "id, organisation, name, public_key, device_group, enrolled, seen, version,
    revision, status, revoked, last_seq, last_hash, last_time";

fn device(row: &Row) -> FleetDevice {
    let count = |column| u64::try_from(row.number(column)).unwrap_or_default();
    FleetDevice {
        id: row.text(0),
        organisation: Organisation::found(row.number(1)),
        name: row.text(2),
        public_key: row.text(3),
        group: row.text(4),
        enrolled: count(5),
        seen: count(6),
        version: row.text(7),
        revision: count(8),
        status: row.text(9),
        revoked: row.number(10) != 0,
        last: link(row.number(11), &row.text(12)),
        last_time: count(13),
    }
}

/// A cursor as it is stored; an empty one stands before the first line.
pub(super) fn link(seq: i64, hash: &str) -> ChainLink {
    if hash.is_empty() {
        return ChainLink::genesis();
    }
    ChainLink {
        seq: u64::try_from(seq).unwrap_or_default(),
        hash: hash.to_owned(),
    }
}

/// Moves the cursor, in the transaction that wrote the lines.
pub(super) const SETTLE: &str = "UPDATE devices SET last_seq = $3, last_hash = $4, seen = $5,
    last_time = CASE WHEN $6 > last_time THEN $6 ELSE last_time END
    WHERE organisation = $1 AND id = $2";

pub(super) fn settled(batch: &LineBatch, last: &ChainLink, row: Option<&LineRow>) -> Vec<Value> {
    let hash = if last.seq == 0 { "" } else { &last.hash };
    values![
        batch.organisation.number(),
        &batch.device,
        last.seq,
        hash,
        batch.now,
        row.map_or(0, |row| row.entry.time),
    ]
}

impl FleetStore {
    /// Enrols a machine.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn enrol(
        &self,
        organisation: Organisation,
        id: &str,
        name: &str,
        public_key: &str,
        group: &str,
        now: u64,
    ) -> Result<(), DatabaseError> {
        self.database
            .execute(
                "INSERT INTO devices (id, organisation, name, public_key, device_group, enrolled, seen)
                 VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT DO NOTHING",
                values![id, organisation.number(), name, public_key, group, now],
            )
            .await
            .map(drop)
    }

    /// The machine of this id, whoever's it is: its signature says whether it is believed.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn device(&self, id: &str) -> Result<Option<FleetDevice>, DatabaseError> {
        let sql = format!("SELECT {COLUMNS} FROM devices WHERE id = $1");
        Ok(self.first(&sql, values![id]).await?.as_ref().map(device))
    }

    /// All machines, those that spoke last first.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn devices(
        &self,
        organisation: Organisation,
        most: i64,
    ) -> Result<Vec<FleetDevice>, DatabaseError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM devices WHERE organisation = $1 ORDER BY seen DESC LIMIT $2"
        );
        let rows = self
            .database
            .query(&sql, values![organisation.number(), most])
            .await?;
        Ok(rows.iter().map(device).collect())
    }

    /// Machines that fit, by their ids, so that a page goes on where the last one ended.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn find_devices(
        &self,
        organisation: Organisation,
        filter: &DeviceFilter,
    ) -> Result<Vec<FleetDevice>, DatabaseError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM devices WHERE organisation = $1 AND id > $2
             AND (LOWER(name) LIKE $3 ESCAPE '!' OR id = $4 OR device_group = $4)
             ORDER BY id LIMIT $5"
        );
        let pattern = super::decision_query::pattern(&filter.words);
        let own = organisation.number();
        let values = values![own, &filter.before, pattern, &filter.words, filter.most];
        let rows = self.database.query(&sql, values).await?;
        Ok(rows.iter().map(device).collect())
    }

    /// Machines in use that said nothing since then, the longest silent first.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn silent_devices(
        &self,
        organisation: Organisation,
        since: u64,
        most: i64,
    ) -> Result<Vec<FleetDevice>, DatabaseError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM devices WHERE organisation = $1 AND seen < $2 AND revoked = 0
             ORDER BY seen LIMIT $3"
        );
        let values = values![organisation.number(), since, most];
        let rows = self.database.query(&sql, values).await?;
        Ok(rows.iter().map(device).collect())
    }

    /// How many machines are in use, and how many of them said nothing since then.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn count_devices(
        &self,
        organisation: Organisation,
        since: u64,
    ) -> Result<(i64, i64), DatabaseError> {
        let sql = "SELECT COUNT(*), CAST(COALESCE(SUM(CASE WHEN seen < $2 THEN 1 ELSE 0 END), 0) AS BIGINT)
            FROM devices WHERE organisation = $1 AND revoked = 0";
        let row = self
            .first(sql, values![organisation.number(), since])
            .await?;
        Ok(row.map_or((0, 0), |row| (row.number(0), row.number(1))))
    }

    /// What people call these machines.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn device_names(
        &self,
        organisation: Organisation,
        ids: &BTreeSet<&str>,
    ) -> Result<BTreeMap<String, String>, DatabaseError> {
        let ids: Vec<&str> = ids.iter().copied().collect();
        let mut names = BTreeMap::new();
        for some in ids.chunks(100) {
            let mut values = values![organisation.number()];
            // Always a hundred places, so that one statement serves every page.
            let given = some.iter().copied().map(Value::from);
            values.extend(given.chain(std::iter::repeat(Value::from(""))).take(100));
            let places: Vec<String> = (2..=101).map(|at| format!("${at}")).collect();
            let sql = format!(
                "SELECT id, name FROM devices WHERE organisation = $1 AND id IN ({})",
                places.join(", ")
            );
            let rows = self.database.query(&sql, values).await?;
            names.extend(rows.iter().map(|row| (row.text(0), row.text(1))));
        }
        Ok(names)
    }

    /// The groups that machines are in.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn groups(
        &self,
        organisation: Organisation,
    ) -> Result<Vec<(String, i64)>, DatabaseError> {
        let rows = self
            .database
            .query(
                "SELECT device_group, COUNT(*) FROM devices WHERE organisation = $1 AND revoked = 0
                 GROUP BY device_group ORDER BY device_group",
                values![organisation.number()],
            )
            .await?;
        Ok(rows
            .iter()
            .map(|row| (row.text(0), row.number(1)))
            .collect())
    }

    /// How a machine says it stands.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn tell_status(
        &self,
        device: &FleetDevice,
        version: &str,
        revision: u64,
        status: &str,
        now: u64,
    ) -> Result<(), DatabaseError> {
        self.database
            .execute(
                "UPDATE devices SET version = $3, revision = $4, status = $5, seen = $6
                 WHERE organisation = $1 AND id = $2",
                values![
                    device.organisation.number(),
                    &device.id,
                    version,
                    revision,
                    status,
                    now
                ],
            )
            .await
            .map(drop)
    }

    /// Takes a machine's key away.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn revoke(
        &self,
        organisation: Organisation,
        id: &str,
    ) -> Result<bool, DatabaseError> {
        let changed = self
            .database
            .execute(
                "UPDATE devices SET revoked = 1 WHERE organisation = $1 AND id = $2",
                values![organisation.number(), id],
            )
            .await?;
        Ok(changed > 0)
    }

    /// Puts a machine into another group.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn regroup(
        &self,
        organisation: Organisation,
        id: &str,
        group: &str,
    ) -> Result<bool, DatabaseError> {
        let changed = self
            .database
            .execute(
                "UPDATE devices SET device_group = $3 WHERE organisation = $1 AND id = $2",
                values![organisation.number(), id, group],
            )
            .await?;
        Ok(changed > 0)
    }
}

impl FleetStore {
    /// Takes a batch in, whole or not at all.
    ///
    /// # Errors
    /// [`DatabaseError::Elsewhere`] where it does not follow.
    pub async fn ingest(&self, batch: LineBatch) -> Result<crate::ingest::Receipt, DatabaseError> {
        self.database.ingest(batch).await
    }

    /// Drops lines of days before this one.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn forget_before(&self, day: i64) -> Result<u64, DatabaseError> {
        self.database.forget_before(day).await
    }
}
