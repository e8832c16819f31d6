//! Sums by day, kept with the lines: a chart never reads the lines themselves.

use super::{DatabaseError, FleetStore, Organisation, Value};
use crate::ingest::{LineBatch, TallyKey, TallySum, shard};
use crate::values;

pub(super) const ADD: &str =
    "INSERT INTO tallies (organisation, day, shard, agent, verdict, ground, rule,
    model, count, latency, price, tokens) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    ON CONFLICT (organisation, day, shard, agent, verdict, ground, rule, model) DO UPDATE SET
    count = tallies.count + excluded.count, latency = tallies.latency + excluded.latency,
    price = tallies.price + excluded.price, tokens = tallies.tokens + excluded.tokens";

pub(super) fn values(batch: &LineBatch, key: &TallyKey, sum: TallySum) -> Vec<Value> {
    values![
        batch.organisation.number(),
        key.day,
        shard(&batch.device),
        &key.agent,
        key.verdict,
        &key.ground,
        &key.rule,
        &key.model,
        sum.count,
        sum.latency,
        sum.price,
        sum.tokens,
    ]
}

/// What a chart stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TallyColumn {
    Day,
    Agent,
    Rule,
    Ground,
    Model,
}

impl TallyColumn {
    const fn sql(self) -> &'static str {
        match self {
            Self::Day => "CAST(day AS TEXT)",
            Self::Agent => "agent",
            Self::Rule => "rule",
            Self::Ground => "ground",
            Self::Model => "model",
        }
    }
}

/// A sum of one name and verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct TallyRow {
    pub name: String,
    pub verdict: String,
    pub count: i64,
    pub latency: f64,
    pub price: i64,
    pub tokens: i64,
}

impl FleetStore {
    /// Sums since a day, by a column and the verdict.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn tally(
        &self,
        organisation: Organisation,
        column: TallyColumn,
        since: i64,
    ) -> Result<Vec<TallyRow>, DatabaseError> {
        let name = column.sql();
        let sql = format!(
            "SELECT {name}, verdict, CAST(SUM(count) AS BIGINT), SUM(latency),
                CAST(SUM(price) AS BIGINT), CAST(SUM(tokens) AS BIGINT)
             FROM tallies WHERE organisation = $1 AND day >= $2 GROUP BY 1, 2 ORDER BY 1, 2"
        );
        let rows = self
            .database
            .query(&sql, values![organisation.number(), since])
            .await?;
        Ok(rows
            .iter()
            .map(|row| TallyRow {
                name: row.text(0),
                verdict: row.text(1),
                count: row.number(2),
                latency: row.fraction(3),
                price: row.number(4),
                tokens: row.number(5),
            })
            .collect())
    }
}
