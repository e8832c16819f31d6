//! Questions that wait for somebody's answer.
//!
//! The first answer counts and no later one changes it: one statement decides, in
//! the database, however many people and replicas race.

use super::{ChangeKind, DatabaseError, FleetStore, Organisation, Row, StoreChange};
use crate::values;

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    pub id: String,
    pub device: String,
    pub print: String,
    pub agent: String,
    pub session: String,
    pub tool: String,
    pub brief: String,
    /// The directory that it would run in.
    pub place: String,
    pub rule: String,
    pub reason: String,
    pub created: u64,
    pub deadline: u64,
    pub state: AskState,
}

/// How a question stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskState {
    Open,
    Answered {
        /// `allow` or `deny`.
        answer: String,
        by: String,
        at: u64,
        /// The same call of the same session needs no question until then.
        until: u64,
    },
}

/// Questions of one device that wait at the same time.
const MOST_OPEN: i64 = 20;

const COLUMNS: &str =
    "id, device, print, agent, session, tool, brief, rule, reason, created, deadline,
    answer, answered_by, answered, grant_until, place";

fn ask(row: &Row) -> Ask {
    let count = |column| u64::try_from(row.number(column)).unwrap_or_default();
    let state = match row.maybe(11) {
        Some(answer) => AskState::Answered {
            answer,
            by: row.text(12),
            at: count(13),
            until: count(14),
        },
        None => AskState::Open,
    };
    Ask {
        id: row.text(0),
        device: row.text(1),
        print: row.text(2),
        agent: row.text(3),
        session: row.text(4),
        tool: row.text(5),
        brief: row.text(6),
        place: row.text(15),
        rule: row.text(7),
        reason: row.text(8),
        created: count(9),
        deadline: count(10),
        state,
    }
}

impl FleetStore {
    /// Puts a question; the same one twice is one. False where the device has too many open:
    /// one that asks without end would hide what others ask.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn put_ask(
        &self,
        organisation: Organisation,
        ask: &Ask,
    ) -> Result<bool, DatabaseError> {
        let sql = "SELECT COUNT(*) FROM asks WHERE organisation = $1 AND device = $2
            AND deadline > $3 AND answer IS NULL";
        let values = values![organisation.number(), &ask.device, ask.created];
        let open = self.first(sql, values).await?;
        if open.is_some_and(|row| row.number(0) >= MOST_OPEN) {
            return Ok(false);
        }
        self.database
            .execute(
                "INSERT INTO asks (organisation, id, device, print, agent, session, tool, brief, rule,
                     reason, created, deadline, place)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
                 ON CONFLICT DO NOTHING",
                values![
                    organisation.number(),
                    &ask.id,
                    &ask.device,
                    &ask.print,
                    &ask.agent,
                    &ask.session,
                    &ask.tool,
                    &ask.brief,
                    &ask.rule,
                    &ask.reason,
                    ask.created,
                    ask.deadline,
                    &ask.place,
                ],
            )
            .await?;
        self.announce_ask(organisation).await?;
        Ok(true)
    }

    /// Drops questions and codes whose time was over before this one. How many went.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn forget_asks_before(&self, time: u64) -> Result<u64, DatabaseError> {
        let asks = "DELETE FROM asks WHERE deadline < $1";
        let asks = self.database.execute(asks, values![time]).await?;
        let codes = "DELETE FROM codes WHERE expires < $1";
        let codes = self.database.execute(codes, values![time]).await?;
        Ok(asks.saturating_add(codes))
    }

    /// Answers a question that is open and not too old. False where somebody was quicker.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn answer_ask(
        &self,
        organisation: Organisation,
        id: &str,
        answer: &str,
        by: &str,
        (now, until): (u64, u64),
    ) -> Result<bool, DatabaseError> {
        let changed = self
            .database
            .execute(
                "UPDATE asks SET answer = $3, answered_by = $4, answered = $5, grant_until = $6
                 WHERE organisation = $1 AND id = $2 AND answer IS NULL AND deadline > $5",
                values![organisation.number(), id, answer, by, now, until],
            )
            .await?;
        self.announce_ask(organisation).await?;
        Ok(changed > 0)
    }

    async fn announce_ask(&self, organisation: Organisation) -> Result<(), DatabaseError> {
        let change = StoreChange {
            kind: ChangeKind::Ask,
            organisation: organisation.number(),
        };
        self.database.announce(change).await
    }

    /// One question.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn ask(
        &self,
        organisation: Organisation,
        id: &str,
    ) -> Result<Option<Ask>, DatabaseError> {
        let sql = format!("SELECT {COLUMNS} FROM asks WHERE organisation = $1 AND id = $2");
        let row = self.first(&sql, values![organisation.number(), id]).await?;
        Ok(row.as_ref().map(ask))
    }

    /// Questions whose time is not over, and those answered lately.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn asks(
        &self,
        organisation: Organisation,
        since: u64,
        most: i64,
    ) -> Result<Vec<Ask>, DatabaseError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM asks WHERE organisation = $1 AND deadline > $2
             ORDER BY created DESC LIMIT $3"
        );
        let rows = self
            .database
            .query(&sql, values![organisation.number(), since, most])
            .await?;
        Ok(rows.iter().map(ask).collect())
    }
}
