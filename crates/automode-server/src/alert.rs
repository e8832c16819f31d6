//! What somebody should know: silent devices, gaps, a flood of denials, a judge that is
//! down, a budget that is spent.
//!
//! An alert is raised once and stays until its cause is gone; raising and clearing are
//! both told to whoever listens (webhook, syslog, OTLP), and told again until somebody
//! took it. Among several replicas one tells.

use crate::clock;
use crate::ingest::DAY;
use crate::store::{DatabaseError, FleetStore, Organisation, TallyColumn, TallyRow};
use crate::values;

/// A device that said nothing for so long is silent.
pub const SILENT: u64 = DAY;
/// A gap is told for so long.
const GAP: u64 = DAY;
/// Alerts of one kind at a time.
const MOST: i64 = 1_000;
/// How long one replica may take to tell, in milliseconds.
const CLAIM: u64 = 60_000;

/// When an organisation wants to be told; 0 is never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// Denials of one rule in a day.
    pub denials: i64,
    /// Millionths of a dollar in a day.
    pub budget: i64,
    /// Decisions in a day that failed for want of a judge.
    pub outages: i64,
    /// Milliseconds without a word of a device.
    pub silence: u64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            denials: 100,
            budget: 0,
            outages: 10,
            silence: SILENT,
        }
    }
}

/// Something to be told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alert {
    pub name: String,
    pub subject: String,
    pub text: String,
}

impl Alert {
    fn new(name: &str, subject: impl Into<String>, text: String) -> Self {
        Self {
            name: name.to_owned(),
            subject: subject.into(),
            text,
        }
    }
}

/// What holds now.
///
/// # Errors
/// Where the database does not answer.
pub async fn look(
    store: &FleetStore,
    own: Organisation,
    limits: Thresholds,
) -> Result<Vec<Alert>, DatabaseError> {
    let now = clock::now();
    let today = clock::day(now);
    let mut alerts = silent_devices(store, own, limits, now).await?;
    alerts.extend(gaps(store, own, now).await?);
    let rules = store.tally(own, TallyColumn::Rule, today).await?;
    alerts.extend(denials(&rules, limits));
    let grounds = store.tally(own, TallyColumn::Ground, today).await?;
    alerts.extend(outage(&grounds, limits));
    alerts.extend(budget(&grounds, limits));
    alerts.sort();
    Ok(alerts)
}

async fn silent_devices(
    store: &FleetStore,
    own: Organisation,
    limits: Thresholds,
    now: u64,
) -> Result<Vec<Alert>, DatabaseError> {
    if limits.silence == 0 {
        return Ok(Vec::new());
    }
    let since = now.saturating_sub(limits.silence);
    let devices = store.silent_devices(own, since, MOST).await?;
    let told = devices.into_iter().map(|device| {
        let ago = clock::ago(device.seen, now);
        let text = format!("device {} has been silent since {ago}", device.name);
        Alert::new("silent-device", device.id, text)
    });
    Ok(told.collect())
}

async fn gaps(
    store: &FleetStore,
    own: Organisation,
    now: u64,
) -> Result<Vec<Alert>, DatabaseError> {
    let gaps = store.gaps(own, MOST).await?;
    let fresh = gaps
        .into_iter()
        .filter(|gap| now.saturating_sub(gap.noticed) < GAP);
    let told = fresh.map(|gap| {
        let text = format!(
            "the log of device {} has a gap: {}, {} lines missing behind line {}",
            gap.device, gap.kind, gap.missing, gap.after_seq
        );
        Alert::new("gap", format!("{}-{}", gap.device, gap.next_seq), text)
    });
    Ok(told.collect())
}

fn denials(rules: &[TallyRow], limits: Thresholds) -> impl Iterator<Item = Alert> {
    let many = move |row: &&TallyRow| {
        row.verdict == "deny" && limits.denials > 0 && row.count >= limits.denials
    };
    rules.iter().filter(many).map(|row| {
        let text = format!("rule {} denied {} calls today", row.name, row.count);
        Alert::new("denials", row.name.clone(), text)
    })
}

fn outage(grounds: &[TallyRow], limits: Thresholds) -> Option<Alert> {
    let failures = grounds.iter().filter(|row| row.name == "failure");
    let failed: i64 = failures.map(|row| row.count).sum();
    (limits.outages > 0 && failed >= limits.outages).then(|| {
        let text = format!("{failed} decisions failed today, most likely for want of a judge");
        Alert::new("judge-outage", "", text)
    })
}

fn budget(grounds: &[TallyRow], limits: Thresholds) -> Option<Alert> {
    let spent: i64 = grounds.iter().map(|row| row.price).sum();
    (limits.budget > 0 && spent >= limits.budget).then(|| {
        let text = format!("the judges cost {spent} millionths of a dollar today");
        Alert::new("budget", "", text)
    })
}

/// Makes the stored alerts those that hold.
///
/// # Errors
/// Where the database does not answer.
pub async fn update(
    store: &FleetStore,
    own: Organisation,
    holding: &[Alert],
) -> Result<(), DatabaseError> {
    let rows = store
        .database
        .query(
            "SELECT name, subject, cleared FROM alerts WHERE organisation = $1",
            values![own.number()],
        )
        .await?;
    let known: Vec<_> = rows
        .iter()
        .map(|row| (row.text(0), row.text(1), row.number(2) > 0))
        .collect();
    for (name, subject, cleared) in &known {
        let holds = |alert: &Alert| alert.name == *name && alert.subject == *subject;
        let holds = holding.iter().any(holds);
        if holds == *cleared {
            let sql = "UPDATE alerts SET cleared = $4, sent = 0
                WHERE organisation = $1 AND name = $2 AND subject = $3";
            let since = if holds { 0 } else { clock::now() };
            store
                .database
                .execute(sql, values![own.number(), name, subject, since])
                .await?;
        }
    }
    for alert in holding {
        let is_known = |(name, subject, _): &(String, String, bool)| {
            alert.name == *name && alert.subject == *subject
        };
        if !known.iter().any(is_known) {
            let sql = "INSERT INTO alerts (organisation, name, subject, text, raised)
                VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
            let (own, now) = (own.number(), clock::now());
            let values = values![own, &alert.name, &alert.subject, &alert.text, now];
            store.database.execute(sql, values).await?;
        }
    }
    Ok(())
}

/// An alert that this replica is to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedAlert {
    pub alert: Alert,
    /// Its cause is gone.
    pub is_over: bool,
}

impl FleetStore {
    /// Takes the alerts that nobody told yet. What is then neither settled nor given back
    /// within a minute may be taken again.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn claim_alerts(
        &self,
        own: Organisation,
        now: u64,
    ) -> Result<Vec<ClaimedAlert>, DatabaseError> {
        // A claim is a time below zero.
        let sql = "UPDATE alerts SET sent = 0 - CAST($2 AS BIGINT)
             WHERE organisation = $1 AND (sent = 0 OR (sent < 0 AND 0 - sent < $3))
             RETURNING name, subject, text, cleared";
        let stale = now.saturating_sub(CLAIM);
        let values = values![own.number(), now, stale];
        let rows = self.database.query(sql, values).await?;
        Ok(rows
            .iter()
            .map(|row| ClaimedAlert {
                alert: Alert::new(&row.text(0), row.text(1), row.text(2)),
                is_over: row.number(3) > 0,
            })
            .collect())
    }

    /// It was told, or must be told again.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn settle_alert(
        &self,
        own: Organisation,
        claimed: &ClaimedAlert,
        was_told: bool,
    ) -> Result<(), DatabaseError> {
        let alert = &claimed.alert;
        let mut values = values![own.number(), &alert.name, &alert.subject];
        let sql = if was_told && claimed.is_over {
            "DELETE FROM alerts WHERE organisation = $1 AND name = $2 AND subject = $3
                AND cleared > 0"
        } else {
            values.push(if was_told { clock::now() } else { 0 }.into());
            "UPDATE alerts SET sent = $4 WHERE organisation = $1 AND name = $2
                AND subject = $3 AND sent < 0"
        };
        self.database.execute(sql, values).await.map(drop)
    }

    /// The texts of what holds, latest first.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn alerts(&self, own: Organisation) -> Result<Vec<String>, DatabaseError> {
        let rows = self
            .database
            .query(
                "SELECT text FROM alerts WHERE organisation = $1 AND cleared = 0
                 ORDER BY raised DESC LIMIT 5",
                values![own.number()],
            )
            .await?;
        Ok(rows.iter().map(|row| row.text(0)).collect())
    }
}
