//! PostgreSQL: several servers side by side on one database.
//!
//! A small pool with prepared statements; lines in partitions of a day; a batch in one
//! transaction behind a lock on its device; LISTEN and NOTIFY wake the waiting polls
//! of every replica. A connection that failed is thrown away, and the caller is told.

mod ingest;
mod listen;
mod pool;
mod rows;
mod tls;

use std::sync::{Arc, PoisonError};

use tokio::sync::broadcast;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::migration::{POSTGRES, STEPS, spell};
use super::{Database, DatabaseError, Row, StoreChange, Value, Wait};
use crate::ingest::{LineBatch, Receipt};
use pool::Pool;
use rows::{parameters, row};

/// Held while tables are made; any number that nothing else uses.
const LOCK: i64 = 7_466_241;
const CHANNEL: &str = "automode";

/// The shared database.
pub struct Postgres {
    pool: Arc<Pool>,
    changes: broadcast::Sender<StoreChange>,
}

impl Postgres {
    /// Connects and brings the tables up to date.
    ///
    /// # Errors
    /// Where there is no database, or a newer version wrote it.
    pub async fn open(address: &str) -> Result<Self, DatabaseError> {
        let pool = Arc::new(Pool::of_address(address)?);
        let mut connection = pool.connect().await?;
        migrate(&mut connection.client).await?;
        pool.give_back(connection);
        let changes = broadcast::channel(256).0;
        tokio::spawn(listen::listen(Arc::clone(&pool), changes.clone()));
        Ok(Self { pool, changes })
    }
}

/// The whole chain of an error; the outermost says little.
fn shown(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(error) => format!("{} ({})", error.message(), error.code().code()),
        None => {
            use std::error::Error as _;
            let cause = error.source().map(ToString::to_string).unwrap_or_default();
            format!("{error} {cause}")
        }
    }
}

fn failed(error: &tokio_postgres::Error) -> DatabaseError {
    // Class 57P: it starts, ends or was killed, and will be there again.
    let is_away = |code: &SqlState| code.code().starts_with("57P");
    if error.code().is_none_or(is_away) {
        DatabaseError::Unreachable(shown(error))
    } else {
        DatabaseError::Refused(shown(error))
    }
}

async fn migrate(client: &mut Client) -> Result<(), DatabaseError> {
    let fail = |error: tokio_postgres::Error| failed(&error);
    let transaction = client.transaction().await.map_err(fail)?;
    transaction
        .execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])
        .await
        .map_err(fail)?;
    transaction
        .batch_execute("CREATE TABLE IF NOT EXISTS migrations (step BIGINT PRIMARY KEY)")
        .await
        .map_err(fail)?;
    let row = transaction
        .query_one("SELECT COUNT(*) FROM migrations", &[])
        .await
        .map_err(fail)?;
    let done = usize::try_from(row.get::<_, i64>(0)).unwrap_or_default();
    if done > STEPS.len() {
        return Err(DatabaseError::Refused(
            "it was written by a newer automode (hint: update this one)".to_owned(),
        ));
    }
    for (at, step) in STEPS.iter().enumerate().skip(done) {
        transaction
            .batch_execute(&spell(step, &POSTGRES))
            .await
            .map_err(fail)?;
        let step = i64::try_from(at).unwrap_or_default();
        transaction
            .execute("INSERT INTO migrations (step) VALUES ($1)", &[&step])
            .await
            .map_err(fail)?;
    }
    transaction.commit().await.map_err(fail)
}

impl Database for Postgres {
    fn query<'a>(&'a self, sql: &'a str, values: Vec<Value>) -> Wait<'a, Vec<Row>> {
        Box::pin(async move {
            let _permit = self.pool.permits.acquire().await;
            let mut connection = self.pool.take().await?;
            let statement = connection.prepare(sql).await?;
            let rows = connection
                .client
                .query(&statement, &parameters(&values))
                .await
                .map_err(|error| failed(&error));
            self.pool.give_back(connection);
            Ok(rows?.iter().map(row).collect())
        })
    }

    fn execute<'a>(&'a self, sql: &'a str, values: Vec<Value>) -> Wait<'a, u64> {
        Box::pin(async move {
            let _permit = self.pool.permits.acquire().await;
            let mut connection = self.pool.take().await?;
            let statement = connection.prepare(sql).await?;
            let changed = connection
                .client
                .execute(&statement, &parameters(&values))
                .await
                .map_err(|error| failed(&error));
            self.pool.give_back(connection);
            changed
        })
    }

    fn ingest(&self, batch: LineBatch) -> Wait<'_, Receipt> {
        Box::pin(async move {
            let _permit = self.pool.permits.acquire().await;
            let mut connection = self.pool.take().await?;
            let done = ingest::take_in(&self.pool, &mut connection, &batch).await;
            // A transaction that was given up is rolled back before the connection is used again.
            self.pool.give_back(connection);
            done
        })
    }

    fn forget_before(&self, day: i64) -> Wait<'_, u64> {
        Box::pin(async move {
            let rows = self
                .query(
                    "SELECT relname::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
                     WHERE inhparent = 'lines'::regclass",
                    Vec::new(),
                )
                .await?;
            let mut dropped = 0_u64;
            for name in rows.iter().map(|row| row.text(0)) {
                let of = name
                    .strip_prefix("lines_")
                    .and_then(|day| day.parse::<i64>().ok());
                if of.is_some_and(|of| of < day) {
                    self.execute(&format!("DROP TABLE {name}"), Vec::new())
                        .await?;
                    dropped = dropped.saturating_add(1);
                }
            }
            self.execute(
                "DELETE FROM lines_other WHERE day < $1",
                vec![Value::Number(day)],
            )
            .await?;
            self.pool
                .days
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .retain(|kept| *kept >= day);
            Ok(dropped)
        })
    }

    fn announce(&self, change: StoreChange) -> Wait<'_, ()> {
        Box::pin(async move {
            let values = crate::values![CHANNEL, change.word()];
            self.query("SELECT pg_notify($1, $2)::text", values).await?;
            Ok(())
        })
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.changes.subscribe()
    }

    fn kind(&self) -> &'static str {
        "PostgreSQL"
    }
}
