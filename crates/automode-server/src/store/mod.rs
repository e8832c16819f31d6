//! What the server keeps, in SQLite or PostgreSQL.
//!
//! [`Database`] is the whole difference between the two: statements with `$1`, an
//! atomic ingest, partitions and news of changes. Everything above it is written
//! once, in SQL that both understand. Every statement about an organisation takes an
//! [`Organisation`], and only signing in or a device's signature makes one.

mod act;
mod ask;
mod bundle_store;
mod code;
mod decision_query;
mod device;
mod gap;
mod login;
mod migration;
mod organisation;
mod outbox;
mod person;
mod postgres;
mod setting;
mod sqlite;
mod tally;
mod value;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::broadcast;

pub use act::AdminAct;
pub use ask::{Ask, AskState};
pub use bundle_store::{Bundle, BundleStage, CANARY};
pub use code::CodeError;
use decision_query::decision_of;
pub use decision_query::{DecisionFilter, DecisionRow, PagePlace};
pub use device::{DeviceFilter, FleetDevice};
pub use gap::GapRow;
pub use login::Login;
pub use organisation::Organisation;
pub use outbox::OutboxParcel;
pub use person::{Person, PersonRole};
pub use postgres::Postgres;
pub use sqlite::Sqlite;
pub use tally::{TallyColumn, TallyRow};
pub use value::{Row, Value, real};

use crate::ingest::{LineBatch, Receipt};

/// Why the store did not answer.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    #[error("the database does not answer: {0}")]
    Unreachable(String),
    #[error("the database refused a statement: {0}")]
    Refused(String),
    /// The batch does not follow what is stored; this does.
    #[error("the batch does not follow the last accepted line")]
    Elsewhere(automode::audit::chain::ChainLink),
}

/// An answer that is waited for.
pub type Wait<'a, T> = Pin<Box<dyn Future<Output = Result<T, DatabaseError>> + Send + 'a>>;

/// What changed, told to whoever waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreChange {
    pub kind: ChangeKind,
    pub organisation: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    Lines,
    Bundle,
    Ask,
}

impl StoreChange {
    pub(crate) fn word(self) -> String {
        let kind = match self.kind {
            ChangeKind::Lines => "lines",
            ChangeKind::Bundle => "bundle",
            ChangeKind::Ask => "ask",
        };
        format!("{kind}:{}", self.organisation)
    }

    pub(crate) fn read(word: &str) -> Option<Self> {
        let (kind, organisation) = word.split_once(':')?;
        let kind = match kind {
            "lines" => ChangeKind::Lines,
            "bundle" => ChangeKind::Bundle,
            "ask" => ChangeKind::Ask,
            _ => return None,
        };
        Some(Self {
            kind,
            organisation: organisation.parse().ok()?,
        })
    }
}

/// A database.
pub trait Database: Send + Sync {
    fn query<'a>(&'a self, sql: &'a str, values: Vec<Value>) -> Wait<'a, Vec<Row>>;
    /// How many rows were changed.
    fn execute<'a>(&'a self, sql: &'a str, values: Vec<Value>) -> Wait<'a, u64>;
    /// Takes a batch in whole or not at all, behind the device's last line.
    fn ingest(&self, batch: LineBatch) -> Wait<'_, Receipt>;
    /// Drops lines of days before this one. How many days or rows went.
    fn forget_before(&self, day: i64) -> Wait<'_, u64>;
    /// Tells every replica.
    fn announce(&self, change: StoreChange) -> Wait<'_, ()>;
    fn changes(&self) -> broadcast::Receiver<StoreChange>;
    fn kind(&self) -> &'static str;
}

/// The store, cheap to clone.
#[derive(Clone)]
pub struct FleetStore {
    pub(crate) database: Arc<dyn Database>,
}

impl FleetStore {
    /// Opens what the address names: `postgres://…`, or a file for SQLite.
    ///
    /// # Errors
    /// Where it cannot be opened or brought up to date.
    pub async fn open(address: &str) -> Result<Self, DatabaseError> {
        let database: Arc<dyn Database> =
            if address.starts_with("postgres://") || address.starts_with("postgresql://") {
                Arc::new(Postgres::open(address).await?)
            } else {
                let path = address.strip_prefix("sqlite://").unwrap_or(address);
                Arc::new(Sqlite::open(path.into())?)
            };
        Ok(Self { database })
    }

    /// The first row, where there is one.
    pub(crate) async fn first(
        &self,
        sql: &str,
        values: Vec<Value>,
    ) -> Result<Option<Row>, DatabaseError> {
        let rows = self.database.query(sql, values).await?;
        Ok(rows.into_iter().next())
    }

    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.database.changes()
    }

    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.database.kind()
    }
}
