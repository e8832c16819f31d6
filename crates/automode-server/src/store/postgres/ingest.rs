//! A batch of lines into PostgreSQL, in one transaction.

use std::collections::HashSet;

use automode::audit::chain::ChainLink;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Statement, Transaction};

use super::super::{ChangeKind, DatabaseError, StoreChange, Value};
use super::pool::{Pool, PooledClient};
use super::rows::parameters;
use super::{CHANNEL, failed};
use crate::ingest::{self, LineBatch, LineRow, ReadBatch, Receipt};
use crate::store::{device, gap, outbox};

const LAST: &str =
    "SELECT last_seq, last_hash FROM devices WHERE id = $1 AND organisation = $2 AND revoked = 0";
const LOCKED: &str = "SELECT last_seq, last_hash FROM devices WHERE id = $1 AND organisation = $2 AND revoked = 0 FOR UPDATE";

/// All lines of a batch as arrays: one statement, whatever their number.
const INSERT: &str = "
INSERT INTO lines (organisation, device, day, hash, seq, time, id, agent, session, tool, brief,
    verdict, ground, rule, latency, price, body)
SELECT $1, $2, * FROM UNNEST($3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::text[],
    $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
    $15::double precision[], $16::bigint[], $17::text[])
ON CONFLICT DO NOTHING RETURNING hash";

/// The sums of a batch, in the same way; their order is that of every other writer.
const ADD: &str = "
INSERT INTO tallies (organisation, shard, day, agent, verdict, ground, rule, model, count,
    latency, price, tokens)
SELECT $1, $2, * FROM UNNEST($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::bigint[], $10::double precision[], $11::bigint[], $12::bigint[])
ON CONFLICT (organisation, day, shard, agent, verdict, ground, rule, model) DO UPDATE SET
    count = tallies.count + excluded.count, latency = tallies.latency + excluded.latency,
    price = tallies.price + excluded.price, tokens = tallies.tokens + excluded.tokens";

const NOTIFY: &str = "SELECT pg_notify($1, $2)::text";

/// Everything that a batch needs, prepared.
struct BatchStatements {
    last: Statement,
    locked: Statement,
    insert: Statement,
    gap: Statement,
    add: Statement,
    settle: Statement,
    outbox: Statement,
    notify: Statement,
}

impl BatchStatements {
    async fn prepare(connection: &mut PooledClient) -> Result<Self, DatabaseError> {
        Ok(Self {
            last: connection.prepare(LAST).await?,
            locked: connection.prepare(LOCKED).await?,
            insert: connection.prepare(INSERT).await?,
            gap: connection.prepare(gap::INSERT).await?,
            add: connection.prepare(ADD).await?,
            settle: connection.prepare(device::SETTLE).await?,
            outbox: connection.prepare(outbox::PUT).await?,
            notify: connection.prepare(NOTIFY).await?,
        })
    }
}

/// Takes a batch in, whole or not at all.
///
/// # Errors
/// [`DatabaseError::Elsewhere`] where it does not follow the last accepted line.
pub async fn take_in(
    pool: &Pool,
    connection: &mut PooledClient,
    batch: &LineBatch,
) -> Result<Receipt, DatabaseError> {
    let statements = BatchStatements::prepare(connection).await?;
    let own: [&(dyn ToSql + Sync); 2] = [&batch.device, &batch.organisation.number()];
    // Reading the lines is the long part; the lock is held for the writing alone.
    let found = connection.client.query_opt(&statements.last, &own).await;
    let before = following(found, batch)?;
    let read = ingest::read(&before, &batch.lines, batch.now);
    let days = read.rows.iter().map(|row| row.day).collect();
    pool.partitions(connection, &days, batch.now).await;
    let transaction = connection.client.transaction().await;
    let transaction = transaction.map_err(|error| failed(&error))?;
    // Somebody else may have taken the same batch in meanwhile.
    following(transaction.query_opt(&statements.locked, &own).await, batch)?;
    let accepted = write(&transaction, &statements, batch, &read).await?;
    let done = transaction.commit().await;
    done.map_err(|error| failed(&error))?;
    if accepted > 0 {
        // Behind the commit: commits with news in them would wait for each other's disk.
        let change = StoreChange {
            kind: ChangeKind::Lines,
            organisation: batch.organisation.number(),
        };
        let word = change.word();
        let values: [&(dyn ToSql + Sync); 2] = [&CHANNEL, &word];
        // The lines are in; whoever waits for them sees them with the next news.
        let _ = connection.client.execute(&statements.notify, &values).await;
    }
    Ok(Receipt {
        accepted,
        gaps: read.gaps.len() as u64,
        seq: read.last.seq,
        hash: read.last.hash,
    })
}

/// The device's last line, where the batch stands behind it.
fn following(
    found: Result<Option<Row>, tokio_postgres::Error>,
    batch: &LineBatch,
) -> Result<ChainLink, DatabaseError> {
    let row = found.map_err(|error| failed(&error))?;
    let row = row.ok_or_else(|| DatabaseError::Refused("there is no such device".to_owned()))?;
    let (seq, hash): (i64, String) = (row.get(0), row.get(1));
    let last = device::link(seq, &hash);
    if last.hash == batch.after {
        Ok(last)
    } else {
        Err(DatabaseError::Elsewhere(last))
    }
}

/// Everything that a batch changes. How many lines are new.
async fn write(
    transaction: &Transaction<'_>,
    statements: &BatchStatements,
    batch: &LineBatch,
    read: &ReadBatch,
) -> Result<u64, DatabaseError> {
    let execute = async |statement: &Statement, values: &[Value]| {
        let done = transaction.execute(statement, &parameters(values)).await;
        done.map_err(|error| failed(&error))
    };
    let fresh = insert_lines(transaction, &statements.insert, batch, read).await?;
    for one in &read.gaps {
        execute(&statements.gap, &gap::values(batch, one)).await?;
    }
    let settled = device::settled(batch, &read.last, read.rows.last());
    execute(&statements.settle, &settled).await?;
    if let Some(parcel) = outbox::values(batch, &fresh) {
        execute(&statements.outbox, &parcel).await?;
        // Last, because others wait for these rows.
        add_tallies(transaction, &statements.add, batch, &fresh).await?;
    }
    Ok(fresh.len() as u64)
}

async fn insert_lines<'r>(
    transaction: &Transaction<'_>,
    insert: &Statement,
    batch: &LineBatch,
    read: &'r ReadBatch,
) -> Result<Vec<&'r LineRow>, DatabaseError> {
    let rows = &read.rows;
    let number = |of: fn(&LineRow) -> i64| rows.iter().map(of).collect::<Vec<i64>>();
    fn texts<'r>(rows: &'r [LineRow], of: fn(&'r LineRow) -> &'r str) -> Vec<&'r str> {
        rows.iter().map(of).collect()
    }
    let latency: Vec<f64> = rows.iter().map(|row| row.entry.latency).collect();
    let signed = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let seq: Vec<i64> = rows.iter().map(|row| signed(row.link.seq)).collect();
    let time: Vec<i64> = rows.iter().map(|row| signed(row.entry.time)).collect();
    let found = transaction
        .query(
            insert,
            &[
                &batch.organisation.number(),
                &batch.device,
                &number(|row| row.day),
                &texts(rows, |row| &row.link.hash),
                &seq,
                &time,
                &texts(rows, |row| &row.entry.id),
                &texts(rows, |row| &row.entry.agent),
                &texts(rows, |row| &row.entry.session),
                &texts(rows, |row| &row.entry.tool),
                &texts(rows, |row| &row.entry.brief),
                &texts(rows, |row| ingest::verdict_name(row.entry.verdict)),
                &texts(rows, |row| &row.entry.ground),
                &texts(rows, |row| row.entry.rule.as_deref().unwrap_or_default()),
                &latency,
                &number(|row| ingest::price(&row.entry)),
                &texts(rows, |row| &row.body),
            ],
        )
        .await
        .map_err(|error| failed(&error))?;
    let fresh: HashSet<&str> = found.iter().map(|row| row.get(0)).collect();
    Ok(rows
        .iter()
        .filter(|row| fresh.contains(row.link.hash.as_str()))
        .collect())
}

async fn add_tallies(
    transaction: &Transaction<'_>,
    add: &Statement,
    batch: &LineBatch,
    fresh: &[&LineRow],
) -> Result<(), DatabaseError> {
    let sums = ingest::tally(fresh.iter().copied());
    let keys: Vec<_> = sums.keys().collect();
    let sums: Vec<_> = sums.values().collect();
    let text = |of: fn(&ingest::TallyKey) -> &str| -> Vec<&str> {
        keys.iter().map(|key| of(key)).collect()
    };
    let number =
        |of: fn(&ingest::TallySum) -> i64| -> Vec<i64> { sums.iter().map(|sum| of(sum)).collect() };
    transaction
        .execute(
            add,
            &[
                &batch.organisation.number(),
                &ingest::shard(&batch.device),
                &keys.iter().map(|key| key.day).collect::<Vec<_>>(),
                &text(|key| &key.agent),
                &text(|key| key.verdict),
                &text(|key| &key.ground),
                &text(|key| &key.rule),
                &text(|key| &key.model),
                &number(|sum| sum.count),
                &sums.iter().map(|sum| sum.latency).collect::<Vec<_>>(),
                &number(|sum| sum.price),
                &number(|sum| sum.tokens),
            ],
        )
        .await
        .map(drop)
        .map_err(|error| failed(&error))
}
