//! SQLite: one file, nothing to set up, one server.
//!
//! One connection writes, a few read beside it (WAL). Every call runs on a thread of
//! its own, because SQLite blocks. A commit is on disk before it is answered.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use automode::audit::chain::ChainLink;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ToSql, params_from_iter};
use tokio::sync::{Semaphore, broadcast};

use super::migration::{SQLITE, STEPS, spell};
use super::{ChangeKind, Database, DatabaseError, Row, StoreChange, Value, Wait};
use crate::ingest::{self, LineBatch, LineRow, ReadBatch, Receipt};

/// Connections that read at the same time.
const READERS: usize = 4;
/// How long a writer waits for another process.
const PATIENCE: Duration = Duration::from_secs(10);

/// The embedded database.
pub struct Sqlite {
    shared: Arc<SqliteFiles>,
    changes: broadcast::Sender<StoreChange>,
}

struct SqliteFiles {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    permits: Semaphore,
}

impl Sqlite {
    /// Opens or makes the file and brings it up to date.
    ///
    /// # Errors
    /// Where it cannot be opened or was written by a newer version.
    pub fn open(path: PathBuf) -> Result<Self, DatabaseError> {
        let mut writer = connect(&path)?;
        migrate(&mut writer)?;
        Ok(Self {
            shared: Arc::new(SqliteFiles {
                path,
                writer: Mutex::new(writer),
                readers: Mutex::new(Vec::new()),
                permits: Semaphore::new(READERS),
            }),
            changes: broadcast::channel(256).0,
        })
    }

    /// Runs on the connection that writes.
    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, DatabaseError> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        let shared = Arc::clone(&self.shared);
        let done = tokio::task::spawn_blocking(move || {
            let mut writer = shared.writer.lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut writer)
        });
        done.await
            .map_err(|error| DatabaseError::Unreachable(error.to_string()))?
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, DatabaseError> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        let shared = Arc::clone(&self.shared);
        let _permit = self.shared.permits.acquire().await;
        let done = tokio::task::spawn_blocking(move || {
            let readers = || {
                shared
                    .readers
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
            };
            let known = readers().pop();
            let connection = match known {
                Some(connection) => connection,
                None => connect(&shared.path)?,
            };
            let done = work(&connection);
            readers().push(connection);
            done
        });
        done.await
            .map_err(|error| DatabaseError::Unreachable(error.to_string()))?
    }
}

fn connect(path: &Path) -> Result<Connection, DatabaseError> {
    let unreachable = |error: rusqlite::Error| DatabaseError::Unreachable(error.to_string());
    keep_private(path)?;
    let connection = Connection::open(path).map_err(unreachable)?;
    connection.busy_timeout(PATIENCE).map_err(unreachable)?;
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
             PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY;",
        )
        .map_err(unreachable)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// The file holds the key that signs policy: it is its owner's alone. What SQLite puts beside
/// it gets the rights of it.
fn keep_private(path: &Path) -> Result<(), DatabaseError> {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt};
    let private = |path: &Path| {
        let file = std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)?;
        let rights = file.metadata()?.permissions();
        if rights.mode() & 0o077 != 0 {
            file.set_permissions(PermissionsExt::from_mode(0o600))?;
        }
        std::io::Result::Ok(())
    };
    private(path).map_err(|error| DatabaseError::Refused(format!("{}: {error}", path.display())))
}

fn refused(error: rusqlite::Error) -> DatabaseError {
    DatabaseError::Refused(error.to_string())
}

fn migrate(connection: &mut Connection) -> Result<(), DatabaseError> {
    let transaction = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .map_err(refused)?;
    let done: i64 = transaction
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .map_err(refused)?;
    let done = usize::try_from(done).unwrap_or_default();
    if done > STEPS.len() {
        return Err(DatabaseError::Refused(
            "it was written by a newer automode (hint: update this one)".to_owned(),
        ));
    }
    for (at, step) in STEPS.iter().enumerate().skip(done) {
        transaction
            .execute_batch(&spell(step, &SQLITE))
            .map_err(refused)?;
        transaction
            .execute_batch(&format!("PRAGMA user_version = {}", at.saturating_add(1)))
            .map_err(refused)?;
    }
    transaction.commit().map_err(refused)
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        match self {
            Self::Nothing => rusqlite::types::Null.to_sql(),
            Self::Number(number) => number.to_sql(),
            Self::Fraction(fraction) => fraction.to_sql(),
            Self::Text(text) => text.to_sql(),
        }
    }
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Nothing,
        ValueRef::Integer(number) => Value::Number(number),
        ValueRef::Real(fraction) => Value::Fraction(fraction),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            Value::Text(String::from_utf8_lossy(text).into_owned())
        }
    }
}

/// `$1` is `?1` here.
fn numbered(sql: &str) -> String {
    sql.replace('$', "?")
}

fn select(connection: &Connection, sql: &str, values: &[Value]) -> Result<Vec<Row>, DatabaseError> {
    let mut statement = connection.prepare_cached(&numbered(sql)).map_err(refused)?;
    let columns = statement.column_count();
    let mut rows = statement.query(params_from_iter(values)).map_err(refused)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(refused)? {
        let cells = (0..columns).map(|at| row.get_ref(at).map_or(Value::Nothing, value));
        found.push(Row(cells.collect()));
    }
    Ok(found)
}

/// Statements that change something and answer with rows run on the writer too.
fn is_read(sql: &str) -> bool {
    let start = sql.trim_start();
    start.starts_with("SELECT") || start.starts_with("WITH")
}

impl Database for Sqlite {
    fn query<'a>(&'a self, sql: &'a str, values: Vec<Value>) -> Wait<'a, Vec<Row>> {
        let sql = sql.to_owned();
        Box::pin(async move {
            if is_read(&sql) {
                self.read(move |connection| select(connection, &sql, &values))
                    .await
            } else {
                self.write(move |connection| select(connection, &sql, &values))
                    .await
            }
        })
    }

    fn execute<'a>(&'a self, sql: &'a str, values: Vec<Value>) -> Wait<'a, u64> {
        let sql = numbered(sql);
        Box::pin(self.write(move |connection| {
            let mut statement = connection.prepare_cached(&sql).map_err(refused)?;
            let changed = statement
                .execute(params_from_iter(&values))
                .map_err(refused)?;
            Ok(changed as u64)
        }))
    }

    fn ingest(&self, batch: LineBatch) -> Wait<'_, Receipt> {
        Box::pin(async move {
            let change = StoreChange {
                kind: ChangeKind::Lines,
                organisation: batch.organisation.number(),
            };
            // Reading the lines is the long part, and it needs nobody's lock.
            let (batch, read) = self
                .read(move |connection| {
                    let before = following(connection, &batch)?;
                    let read = ingest::read(&before, &batch.lines, batch.now);
                    Ok((batch, read))
                })
                .await?;
            let receipt = self
                .write(move |connection| {
                    let accepted = write_batch(connection, &batch, &read)?;
                    Ok(Receipt {
                        accepted,
                        gaps: read.gaps.len() as u64,
                        seq: read.last.seq,
                        hash: read.last.hash,
                    })
                })
                .await?;
            if receipt.accepted > 0 {
                let _ = self.changes.send(change);
            }
            Ok(receipt)
        })
    }

    fn forget_before(&self, day: i64) -> Wait<'_, u64> {
        self.execute("DELETE FROM lines WHERE day < $1", vec![Value::Number(day)])
    }

    fn announce(&self, change: StoreChange) -> Wait<'_, ()> {
        Box::pin(async move {
            // Nobody listening is no fault.
            let _ = self.changes.send(change);
            Ok(())
        })
    }

    fn changes(&self) -> broadcast::Receiver<StoreChange> {
        self.changes.subscribe()
    }

    fn kind(&self) -> &'static str {
        "SQLite"
    }
}

/// The device's last line, where the batch stands behind it.
fn following(connection: &Connection, batch: &LineBatch) -> Result<ChainLink, DatabaseError> {
    let last = connection
        .query_row(
            "SELECT last_seq, last_hash FROM devices WHERE id = ?1 AND organisation = ?2 AND revoked = 0",
            (&batch.device, batch.organisation.number()),
            |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)),
        )
        .map_err(refused)?;
    let last = super::device::link(last.0, &last.1);
    if last.hash == batch.after {
        Ok(last)
    } else {
        Err(DatabaseError::Elsewhere(last))
    }
}

fn write_batch(
    connection: &mut Connection,
    batch: &LineBatch,
    read: &ReadBatch,
) -> Result<u64, DatabaseError> {
    let transaction = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .map_err(refused)?;
    // Somebody else may have taken the same batch in meanwhile.
    following(&transaction, batch)?;
    let mut fresh = Vec::new();
    for row in &read.rows {
        if insert_line(&transaction, batch, row)? {
            fresh.push(row);
        }
    }
    let run = |sql: &str, values: &[Value]| {
        transaction
            .prepare_cached(&numbered(sql))
            .and_then(|mut statement| statement.execute(params_from_iter(values)))
            .map(drop)
            .map_err(refused)
    };
    for gap in &read.gaps {
        run(super::gap::INSERT, &super::gap::values(batch, gap))?;
    }
    for (key, sum) in ingest::tally(fresh.iter().copied()) {
        run(super::tally::ADD, &super::tally::values(batch, &key, sum))?;
    }
    let settled = super::device::settled(batch, &read.last, read.rows.last());
    run(super::device::SETTLE, &settled)?;
    if let Some(parcel) = super::outbox::values(batch, &fresh) {
        run(super::outbox::PUT, &parcel)?;
    }
    let accepted = fresh.len() as u64;
    transaction.commit().map_err(refused)?;
    Ok(accepted)
}

fn insert_line(
    transaction: &rusqlite::Transaction<'_>,
    batch: &LineBatch,
    row: &LineRow,
) -> Result<bool, DatabaseError> {
    let mut statement = transaction
        .prepare_cached(
            "INSERT INTO lines (organisation, day, hash, device, seq, time, id, agent, session, tool,
                 brief, verdict, ground, rule, latency, price, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
             ON CONFLICT DO NOTHING",
        )
        .map_err(refused)?;
    let entry = &row.entry;
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let values: [&dyn ToSql; 17] = [
        &batch.organisation.number(),
        &row.day,
        &row.link.hash,
        &batch.device,
        &signed(row.link.seq),
        &signed(entry.time),
        &entry.id,
        &entry.agent,
        &entry.session,
        &entry.tool,
        &entry.brief,
        &ingest::verdict_name(entry.verdict),
        &entry.ground,
        &entry.rule.as_deref().unwrap_or_default(),
        &entry.latency,
        &ingest::price(entry),
        &row.body,
    ];
    let inserted = statement.execute(&values[..]).map_err(refused)?;
    Ok(inserted > 0)
}
