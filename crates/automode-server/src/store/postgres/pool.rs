//! Connections to PostgreSQL, with what was prepared on them, and the partitions of days.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio_postgres::{Client, Config, Connection, Socket, Statement};

use super::super::DatabaseError;
use super::tls::{PostgresStream, PostgresTls, TlsWish};
use super::{failed, shown};
use crate::ingest;

/// Connections of one replica.
const CONNECTIONS: usize = 8;
/// How long a connection may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// What drives a connection.
pub type PostgresConnection = Connection<Socket, PostgresStream<Socket>>;

/// The connections of one replica.
pub struct Pool {
    config: Config,
    tls: PostgresTls,
    idle: Mutex<Vec<PooledClient>>,
    pub permits: Semaphore,
    /// Days whose partition is known to be there.
    pub days: Mutex<BTreeSet<i64>>,
}

/// A connection with what was prepared on it.
pub struct PooledClient {
    pub client: Client,
    prepared: HashMap<String, Statement>,
}

impl Pool {
    /// A pool of this address, with no connection yet.
    ///
    /// # Errors
    /// Where the address cannot be read.
    pub fn of_address(address: &str) -> Result<Self, DatabaseError> {
        let (address, wish) = TlsWish::of_address(address).map_err(DatabaseError::Refused)?;
        Ok(Self {
            config: address
                .parse()
                .map_err(|error: tokio_postgres::Error| DatabaseError::Refused(shown(&error)))?,
            tls: wish.connector().map_err(DatabaseError::Refused)?,
            idle: Mutex::new(Vec::new()),
            permits: Semaphore::new(CONNECTIONS),
            days: Mutex::new(BTreeSet::new()),
        })
    }

    /// A connection of its own, and the task that must drive it.
    ///
    /// # Errors
    /// Where there is none in time.
    pub async fn dial(&self) -> Result<(Client, PostgresConnection), DatabaseError> {
        tokio::time::timeout(PATIENCE, self.config.connect(self.tls.clone()))
            .await
            .map_err(|_| DatabaseError::Unreachable("no connection in time".to_owned()))?
            .map_err(|error| failed(&error))
    }

    pub async fn connect(&self) -> Result<PooledClient, DatabaseError> {
        let (client, connection) = self.dial().await?;
        tokio::spawn(connection);
        Ok(PooledClient {
            client,
            prepared: HashMap::new(),
        })
    }

    pub async fn take(&self) -> Result<PooledClient, DatabaseError> {
        loop {
            let known = self
                .idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop();
            match known {
                Some(connection) if connection.client.is_closed() => {}
                Some(connection) => return Ok(connection),
                None => return self.connect().await,
            }
        }
    }

    pub fn give_back(&self, connection: PooledClient) {
        if !connection.client.is_closed() {
            self.idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(connection);
        }
    }

    /// Makes the partitions of days that are near. What is far away lies in the rest.
    pub async fn partitions(&self, connection: &PooledClient, wanted: &BTreeSet<i64>, now: u64) {
        let today = i64::try_from(now / ingest::DAY).unwrap_or_default();
        let near = today.saturating_sub(120)..=today.saturating_add(1);
        for day in wanted.iter().filter(|day| near.contains(day)) {
            let known = |days: &Mutex<BTreeSet<i64>>| {
                let days = days.lock().unwrap_or_else(PoisonError::into_inner);
                days.contains(day)
            };
            if known(&self.days) {
                continue;
            }
            let sql = format!(
                "CREATE TABLE IF NOT EXISTS lines_{day} PARTITION OF lines FOR VALUES FROM ({day}) TO ({})",
                day.saturating_add(1)
            );
            // Another replica may make it at the same moment, and rows of that day may lie in
            // the rest already: both are fine, the rows go there.
            let _ = connection.client.batch_execute(&sql).await;
            self.days
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(*day);
        }
    }
}

impl PooledClient {
    pub async fn prepare(&mut self, sql: &str) -> Result<Statement, DatabaseError> {
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(statement.clone());
        }
        let prepared = self.client.prepare(sql).await;
        let statement = prepared.map_err(|error| failed(&error))?;
        self.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}
