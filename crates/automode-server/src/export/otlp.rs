//! OTLP over HTTP, as JSON: numbers of 64 bits are texts, enumerations are numbers.
//!
//! Figures are sums since the organisation was made, so that a figure that was missed
//! is in the next one.

use serde_json::{Value, json};

use crate::alert::{ClaimedAlert, SILENT};
use crate::clock;
use crate::store::{
    DatabaseError, DecisionRow, FleetStore, Organisation, TallyColumn, TallyRow, real,
};

/// `AGGREGATION_TEMPORALITY_CUMULATIVE`.
const CUMULATIVE: u8 = 2;

fn text(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

fn nanoseconds(time: u64) -> String {
    time.saturating_mul(1_000_000).to_string()
}

fn resource(organisation: &str, device: Option<&str>) -> Value {
    let mut attributes = vec![
        text("service.name", "automode"),
        text("automode.organisation", organisation),
    ];
    attributes.extend(device.map(|device| text("host.name", device)));
    json!({"attributes": attributes})
}

fn scope() -> Value {
    json!({"name": "automode", "version": env!("CARGO_PKG_VERSION")})
}

/// Decisions of one device as log records.
pub fn decisions(organisation: &str, device: &str, rows: &[DecisionRow]) -> Value {
    let records: Vec<Value> = rows.iter().map(decision).collect();
    json!({"resourceLogs": [{
        "resource": resource(organisation, Some(device)),
        "scopeLogs": [{"scope": scope(), "logRecords": records}],
    }]})
}

fn decision(row: &DecisionRow) -> Value {
    let (number, word) = match row.verdict.as_str() {
        "allow" => (9, "INFO"),
        "ask" => (13, "WARN"),
        _ => (17, "ERROR"),
    };
    json!({
        "timeUnixNano": nanoseconds(row.time),
        "observedTimeUnixNano": nanoseconds(clock::now()),
        "severityNumber": number,
        "severityText": word,
        "body": {"stringValue": row.brief},
        "attributes": [
            text("automode.id", &row.id),
            text("automode.hash", &row.hash),
            text("automode.verdict", &row.verdict),
            text("automode.ground", &row.ground),
            text("automode.rule", &row.rule),
            text("automode.agent", &row.agent),
            text("automode.session", &row.session),
            text("automode.tool", &row.tool),
        ],
    })
}

/// An alert as a log record.
pub fn alert(organisation: &str, claimed: &ClaimedAlert) -> Value {
    let (number, word, state) = if claimed.is_over {
        (9, "INFO", "over")
    } else {
        (13, "WARN", "raised")
    };
    let alert = &claimed.alert;
    let now = nanoseconds(clock::now());
    json!({"resourceLogs": [{
        "resource": resource(organisation, None),
        "scopeLogs": [{"scope": scope(), "logRecords": [{
            "timeUnixNano": now,
            "observedTimeUnixNano": now,
            "severityNumber": number,
            "severityText": word,
            "body": {"stringValue": alert.text},
            "attributes": [
                text("automode.alert", &alert.name),
                text("automode.subject", &alert.subject),
                text("automode.state", state),
            ],
        }]}],
    }]})
}

/// The figures of an organisation.
pub struct FleetFigures {
    since: u64,
    agents: Vec<TallyRow>,
    rules: Vec<TallyRow>,
    models: Vec<TallyRow>,
    devices: i64,
    silent: i64,
    gaps: i64,
}

impl FleetFigures {
    /// Reads them.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn look(store: &FleetStore, own: Organisation) -> Result<Self, DatabaseError> {
        let quiet = clock::now().saturating_sub(SILENT);
        let (devices, silent) = store.count_devices(own, quiet).await?;
        Ok(Self {
            since: store.made_at(own).await?,
            agents: store.tally(own, TallyColumn::Agent, 0).await?,
            rules: store.tally(own, TallyColumn::Rule, 0).await?,
            models: store.tally(own, TallyColumn::Model, 0).await?,
            devices,
            silent,
            gaps: store.count_gaps(own).await?,
        })
    }
}

/// The figures as metrics.
pub fn metrics(organisation: &str, figures: &FleetFigures) -> Value {
    let (since, now) = (nanoseconds(figures.since), nanoseconds(clock::now()));
    let point = |attributes: Vec<Value>, (key, number): (&str, Value)| json!({"attributes": attributes, "startTimeUnixNano": since, "timeUnixNano": now, key: number});
    let whole = |number: i64| ("asInt", json!(number.to_string()));
    let fraction = |number: f64| ("asDouble", json!(number));
    let sum = |name: &str, unit: &str, told: &str, points: Vec<Value>| {
        json!({"name": name, "unit": unit, "description": told, "sum": {
            "aggregationTemporality": CUMULATIVE, "isMonotonic": true, "dataPoints": points}})
    };
    let gauge = |name: &str, unit: &str, told: &str, number: i64| {
        json!({"name": name, "unit": unit, "description": told, "gauge": {
            "dataPoints": [{"timeUnixNano": now, "asInt": number.to_string()}]}})
    };
    let by = |key: &'static str, row: &TallyRow| {
        vec![text(key, &row.name), text("automode.verdict", &row.verdict)]
    };
    let agents = || figures.agents.iter();
    let judged = || figures.models.iter().filter(|row| !row.name.is_empty());
    let metrics = [
        sum(
            "automode.decisions",
            "{decision}",
            "Decisions by agent and verdict",
            agents()
                .map(|row| point(by("automode.agent", row), whole(row.count)))
                .collect(),
        ),
        sum(
            "automode.decision.time",
            "ms",
            "Time that decisions took",
            agents()
                .map(|row| point(by("automode.agent", row), fraction(row.latency)))
                .collect(),
        ),
        sum(
            "automode.rule.decisions",
            "{decision}",
            "Decisions by rule and verdict",
            figures
                .rules
                .iter()
                .map(|row| point(by("automode.rule", row), whole(row.count)))
                .collect(),
        ),
        sum(
            "automode.judge.cost",
            "USD",
            "What judges cost",
            judged()
                .map(|row| point(by("automode.model", row), fraction(real(row.price) / 1e6)))
                .collect(),
        ),
        sum(
            "automode.judge.tokens",
            "{token}",
            "Tokens of judges",
            judged()
                .map(|row| point(by("automode.model", row), whole(row.tokens)))
                .collect(),
        ),
        gauge(
            "automode.devices",
            "{device}",
            "Devices in use",
            figures.devices,
        ),
        gauge(
            "automode.devices.silent",
            "{device}",
            "Devices that said nothing for a day",
            figures.silent,
        ),
        gauge(
            "automode.gaps",
            "{gap}",
            "Gaps in the logs of devices",
            figures.gaps,
        ),
    ];
    json!({"resourceMetrics": [{
        "resource": resource(organisation, None),
        "scopeMetrics": [{"scope": scope(), "metrics": metrics}],
    }]})
}
