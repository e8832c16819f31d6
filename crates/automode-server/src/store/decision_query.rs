//! Looking for decisions.
//!
//! A page is a step along an index, whatever the number of rows; a search for words
//! looks at the latest ones only, and says so.

use super::{DatabaseError, FleetStore, Organisation, Row};
use crate::values;

/// Milliseconds of a day.
const DAY_LONG: i64 = 86_400_000;

/// Rows that a search for words looks at.
pub const SEARCHED: i64 = 20_000;

/// A decision as the lists show it.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionRow {
    pub time: u64,
    pub hash: String,
    pub id: String,
    pub device: String,
    pub agent: String,
    pub session: String,
    pub tool: String,
    pub brief: String,
    pub verdict: String,
    pub ground: String,
    pub rule: String,
    pub latency: f64,
    pub day: i64,
}

/// Which decisions; what is empty does not narrow.
#[derive(Clone, Debug, Default)]
pub struct DecisionFilter {
    pub verdict: String,
    pub agent: String,
    pub device: String,
    pub rule: String,
    pub words: String,
    /// Only what stands behind this, for the next page.
    pub before: Option<PagePlace>,
    /// Only younger than this, for what is new.
    pub after: Option<u64>,
    pub most: i64,
}

/// Where a page ends: many decisions may fall in one millisecond.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagePlace {
    pub time: u64,
    pub hash: String,
}

impl PagePlace {
    /// The place of a row.
    #[must_use]
    pub fn of(row: &DecisionRow) -> Self {
        Self {
            time: row.time,
            hash: row.hash.clone(),
        }
    }

    /// As it stands in an address: `TIME-HASH`, or a time alone.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (time, hash) = text.split_once('-').unwrap_or((text, ""));
        Some(Self {
            time: time.parse().ok()?,
            hash: hash.to_owned(),
        })
    }
}

impl std::fmt::Display for PagePlace {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}-{}", self.time, self.hash)
    }
}

const COLUMNS: &str =
    "time, hash, id, device, agent, session, tool, brief, verdict, ground, rule, latency, day";

pub(super) fn decision_of(row: &Row) -> DecisionRow {
    DecisionRow {
        time: u64::try_from(row.number(0)).unwrap_or_default(),
        hash: row.text(1),
        id: row.text(2),
        device: row.text(3),
        agent: row.text(4),
        session: row.text(5),
        tool: row.text(6),
        brief: row.text(7),
        verdict: row.text(8),
        ground: row.text(9),
        rule: row.text(10),
        latency: row.fraction(11),
        day: row.number(12),
    }
}

impl FleetStore {
    /// Decisions, latest first.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn decisions(
        &self,
        organisation: Organisation,
        filter: &DecisionFilter,
    ) -> Result<Vec<DecisionRow>, DatabaseError> {
        let mut sql = format!("SELECT {COLUMNS} FROM lines WHERE organisation = $1");
        let mut values = values![organisation.number()];
        let mut narrow = |condition: &str, value: super::Value| {
            values.push(value);
            sql.push_str(&condition.replace("{}", &format!("${}", values.len())));
        };
        for (condition, wanted) in [
            (" AND verdict = {}", &filter.verdict),
            (" AND agent = {}", &filter.agent),
            (" AND device = {}", &filter.device),
            (" AND rule = {}", &filter.rule),
        ] {
            if !wanted.is_empty() {
                narrow(condition, wanted.into());
            }
        }
        if let Some(days) = self.days_of(organisation, filter).await? {
            let (Some(first), Some(last)) = days else {
                return Ok(Vec::new());
            };
            narrow(" AND time >= {}", first.saturating_mul(DAY_LONG).into());
            let end = last.saturating_add(1).saturating_mul(DAY_LONG);
            narrow(" AND time < {}", end.into());
        }
        if let Some(before) = &filter.before {
            narrow(" AND time <= {} AND (time < {}", before.time.into());
            narrow(" OR hash < {})", (&before.hash).into());
        }
        if let Some(after) = filter.after {
            narrow(" AND time > {}", after.into());
        }
        if filter.words.is_empty() {
            values.push(filter.most.into());
            sql.push_str(&format!(
                " ORDER BY time DESC, hash DESC LIMIT ${}",
                values.len()
            ));
        } else {
            values.push(SEARCHED.into());
            values.push(pattern(&filter.words).into());
            values.push(filter.most.into());
            let at = values.len();
            sql = format!(
                "SELECT {COLUMNS} FROM ({sql} ORDER BY time DESC, hash DESC LIMIT ${}) AS latest
                 WHERE LOWER(brief) LIKE ${} ESCAPE '!' ORDER BY time DESC, hash DESC LIMIT ${at}",
                at.saturating_sub(2),
                at.saturating_sub(1),
            );
        }
        let rows = self.database.query(&sql, values).await?;
        Ok(rows.iter().map(decision_of).collect())
    }

    /// The first and the last day that the sums know of such decisions, where several
    /// words narrow at once: each has an index, and all of them together have none.
    async fn days_of(
        &self,
        organisation: Organisation,
        filter: &DecisionFilter,
    ) -> Result<Option<(Option<i64>, Option<i64>)>, DatabaseError> {
        let words = [&filter.verdict, &filter.agent, &filter.rule];
        if words.iter().filter(|word| !word.is_empty()).count() < 2 {
            return Ok(None);
        }
        let [verdict, agent, rule] = words;
        let sql = "SELECT MIN(day), MAX(day) FROM tallies WHERE organisation = $1
            AND (verdict = $2 OR $2 = '') AND (agent = $3 OR $3 = '') AND (rule = $4 OR $4 = '')";
        let values = values![organisation.number(), verdict, agent, rule];
        let row = self.first(sql, values).await?.unwrap_or_default();
        let day = |column: usize| match row.0.get(column) {
            Some(super::Value::Number(day)) => Some(*day),
            Some(super::Value::Nothing | super::Value::Fraction(_) | super::Value::Text(_))
            | None => None,
        };
        Ok(Some((day(0), day(1))))
    }

    /// The line of one decision, as it was written. A machine names its decisions itself, so
    /// two may have one name; the digest, where it is given, tells which is meant.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn line(
        &self,
        organisation: Organisation,
        id: &str,
        hash: &str,
    ) -> Result<Option<(DecisionRow, String)>, DatabaseError> {
        let sql = format!(
            "SELECT {COLUMNS}, body FROM lines WHERE organisation = $1 AND id = $2
             AND (hash = $3 OR $3 = '') ORDER BY time DESC LIMIT 1"
        );
        let values = values![organisation.number(), id, hash];
        let row = self.first(&sql, values).await?;
        Ok(row.map(|row| (decision_of(&row), row.text(13))))
    }

    /// How many lines are stored. Reads all of them: for tests and figures.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn count_lines(&self, organisation: Organisation) -> Result<i64, DatabaseError> {
        let row = self
            .first(
                "SELECT COUNT(*) FROM lines WHERE organisation = $1",
                values![organisation.number()],
            )
            .await?;
        Ok(row.map_or(0, |row| row.number(0)))
    }
}

/// Words as a pattern, whatever stands in them.
pub(super) fn pattern(words: &str) -> String {
    let words = words.to_lowercase();
    let escaped = words
        .replace('!', "!!")
        .replace('%', "!%")
        .replace('_', "!_");
    format!("%{escaped}%")
}
