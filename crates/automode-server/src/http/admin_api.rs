//! What an administrator's programs use: `automode fleet push`, `automode fleet code`, scripts.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{App, HttpRefusal, TokenBearer, group_name};
use crate::bundle::OnStale;
use crate::clock;
use crate::release::{self, BundleTerms, PolicyDraft, QuarantineChange, Released, overtaken};
use crate::store::{AdminAct, AskState, BundleStage, DecisionFilter, PagePlace};

/// Who did it, in the record of acts.
const BY: &str = "administrator token";

#[derive(Deserialize)]
pub struct CodeRequest {
    #[serde(default = "everyone")]
    group: String,
    /// Minutes that it may be used.
    #[serde(default = "hour")]
    minutes: u64,
    /// How many codes.
    #[serde(default = "one")]
    count: u64,
}

fn everyone() -> String {
    "everyone".to_owned()
}

const fn hour() -> u64 {
    60
}

const fn one() -> u64 {
    1
}

pub async fn make_code(
    State(app): State<App>,
    bearer: TokenBearer,
    Json(asked): Json<CodeRequest>,
) -> Result<Json<Value>, HttpRefusal> {
    let group = group_name(&asked.group)?;
    let expires = clock::now().saturating_add(asked.minutes.min(60 * 24 * 7) * 60_000);
    let mut codes = Vec::new();
    for _ in 0..asked.count.min(10_000) {
        let code = app
            .store
            .make_code(bearer.organisation, &group, BY, expires)
            .await?;
        codes.push(code);
    }
    note(
        &app,
        &bearer,
        "made codes",
        &format!("group {group}"),
        &format!("codes: {}", codes.len()),
    )
    .await?;
    let first = codes.first().cloned().unwrap_or_default();
    Ok(Json(
        json!({"code": first, "codes": codes, "expires": expires}),
    ))
}

#[derive(Deserialize)]
pub struct PushRequest {
    policy: String,
    #[serde(default)]
    note: String,
    /// Straight to everyone, without the canary group.
    #[serde(default)]
    everyone: bool,
    #[serde(default)]
    on_stale: String,
    #[serde(default)]
    expires: u64,
    /// Devices that may do nothing, these and no others; those of the revision before where it
    /// is left out.
    quarantined: Option<Vec<String>>,
    /// Devices that may do nothing either, beside those of the revision before.
    #[serde(default)]
    quarantine: Vec<String>,
    /// The revision that this one was written upon; it goes out only right behind that one.
    base: Option<u64>,
}

pub async fn push(
    State(app): State<App>,
    bearer: TokenBearer,
    Json(asked): Json<PushRequest>,
) -> Result<Response, HttpRefusal> {
    // A name with a mistake in it would stop nobody, and nobody would notice.
    for id in asked.quarantined.iter().flatten().chain(&asked.quarantine) {
        let known = app.store.device(id).await?;
        if !known.is_some_and(|device| device.organisation == bearer.organisation) {
            return Err(HttpRefusal::bad(format!(
                "there is no device `{id}` (hint: the page of devices has their ids)"
            )));
        }
    }
    let draft = PolicyDraft {
        policy: asked.policy,
        note: asked.note,
        stage: if asked.everyone {
            BundleStage::Everyone
        } else {
            BundleStage::Canary
        },
        terms: BundleTerms {
            on_stale: OnStale::read(&asked.on_stale),
            expires: asked.expires,
        },
        quarantine: match asked.quarantined {
            Some(devices) => QuarantineChange::Exactly(devices),
            None if asked.quarantine.is_empty() => QuarantineChange::None,
            None => QuarantineChange::Also(asked.quarantine),
        },
        base: asked.base,
        by: BY.to_owned(),
    };
    let stage = draft.stage.name();
    match release::release(&app.store, bearer.organisation, draft).await? {
        Released::As { revision, notes } => {
            let told = json!({"revision": revision, "stage": stage, "notes": notes});
            Ok(Json(told).into_response())
        }
        Released::Refused(review) => {
            Ok((StatusCode::UNPROCESSABLE_ENTITY, Json(review)).into_response())
        }
        Released::Overtaken(by) => Err(HttpRefusal::new(StatusCode::CONFLICT, overtaken(by))),
    }
}

#[derive(Deserialize)]
pub struct RevisionRequest {
    revision: u64,
}

pub async fn promote(
    State(app): State<App>,
    bearer: TokenBearer,
    Json(asked): Json<RevisionRequest>,
) -> Result<Json<Value>, HttpRefusal> {
    if !app
        .store
        .promote(bearer.organisation, asked.revision)
        .await?
    {
        return Err(HttpRefusal::not_found());
    }
    let subject = format!("revision {}", asked.revision);
    note(&app, &bearer, "promoted to everyone", &subject, "").await?;
    Ok(Json(
        json!({"revision": asked.revision, "stage": "everyone"}),
    ))
}

pub async fn rollback(
    State(app): State<App>,
    bearer: TokenBearer,
    Json(asked): Json<RevisionRequest>,
) -> Result<Json<Value>, HttpRefusal> {
    let back = release::roll_back(&app.store, bearer.organisation, asked.revision, BY).await?;
    let revision = back.ok_or_else(HttpRefusal::not_found)?;
    Ok(Json(json!({"revision": revision, "stage": "everyone"})))
}

pub async fn asks(State(app): State<App>, bearer: TokenBearer) -> Result<Json<Value>, HttpRefusal> {
    let now = clock::now();
    let asks = app.store.asks(bearer.organisation, now, 100).await?;
    let open = asks.iter().filter(|ask| ask.state == AskState::Open);
    let shown: Vec<Value> = open
        .map(|ask| {
            json!({"id": ask.id, "device": ask.device, "agent": ask.agent, "tool": ask.tool,
                "brief": ask.brief, "place": ask.place, "rule": ask.rule, "reason": ask.reason,
                "seconds_left": ask.deadline.saturating_sub(now) / 1_000})
        })
        .collect();
    Ok(Json(json!({"asks": shown})))
}

#[derive(Deserialize)]
pub struct AnswerRequest {
    /// `allow` or `deny`.
    answer: String,
    /// Minutes that the same call of the same session needs no question.
    #[serde(default)]
    minutes: u64,
}

pub async fn answer(
    State(app): State<App>,
    bearer: TokenBearer,
    Path(id): Path<String>,
    Json(asked): Json<AnswerRequest>,
) -> Result<Response, HttpRefusal> {
    crate::broker::answer(
        &app.store,
        bearer.organisation,
        &id,
        &asked.answer,
        asked.minutes,
        BY,
    )
    .await
    .map(|told| Json(told).into_response())
}

#[derive(Deserialize)]
pub struct DecisionsRequest {
    #[serde(default)]
    verdict: String,
    #[serde(default)]
    agent: String,
    #[serde(default)]
    device: String,
    #[serde(default)]
    rule: String,
    #[serde(default)]
    words: String,
    #[serde(default)]
    before: String,
}

pub async fn decisions(
    State(app): State<App>,
    bearer: TokenBearer,
    Query(asked): Query<DecisionsRequest>,
) -> Result<Json<Value>, HttpRefusal> {
    let filter = DecisionFilter {
        verdict: asked.verdict,
        agent: asked.agent,
        device: asked.device,
        rule: asked.rule,
        words: asked.words,
        before: PagePlace::read(&asked.before),
        after: None,
        most: 100,
    };
    let rows = app.store.decisions(bearer.organisation, &filter).await?;
    let shown: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({"time": row.time, "id": row.id, "hash": row.hash, "device": row.device,
                "agent": row.agent, "session": row.session, "tool": row.tool, "brief": row.brief,
                "verdict": row.verdict, "ground": row.ground, "rule": row.rule, "latency": row.latency})
        })
        .collect();
    let next = rows.last().map(|row| PagePlace::of(row).to_string());
    Ok(Json(json!({"decisions": shown, "before": next})))
}

pub async fn devices(
    State(app): State<App>,
    bearer: TokenBearer,
) -> Result<Json<Value>, HttpRefusal> {
    let devices = app.store.devices(bearer.organisation, 100_000).await?;
    let shown: Vec<Value> = devices
        .iter()
        .map(|device| {
            json!({"id": device.id, "name": device.name, "group": device.group,
                "version": device.version, "revision": device.revision, "seen": device.seen,
                "revoked": device.revoked, "lines": device.last.seq})
        })
        .collect();
    Ok(Json(json!({"devices": shown})))
}

/// Figures for Prometheus.
pub async fn metrics(State(app): State<App>, bearer: TokenBearer) -> Result<String, HttpRefusal> {
    let today = clock::day(clock::now());
    let rows = app
        .store
        .tally(bearer.organisation, crate::store::TallyColumn::Agent, today)
        .await?;
    let mut text = String::from("# TYPE automode_decisions_today gauge\n");
    for row in rows {
        let agent: String = row
            .name
            .chars()
            .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-')
            .collect();
        text.push_str(&format!(
            "automode_decisions_today{{agent=\"{agent}\",verdict=\"{}\"}} {}\n",
            row.verdict, row.count
        ));
    }
    let groups = app.store.groups(bearer.organisation).await?;
    let devices: i64 = groups.iter().map(|(_, count)| count).sum();
    text.push_str(&format!(
        "# TYPE automode_devices gauge\nautomode_devices {devices}\n"
    ));
    Ok(text)
}

async fn note(
    app: &App,
    bearer: &TokenBearer,
    act: &str,
    subject: &str,
    detail: &str,
) -> Result<(), HttpRefusal> {
    let act = AdminAct {
        time: clock::now(),
        person: BY.to_owned(),
        act: act.to_owned(),
        subject: subject.to_owned(),
        detail: detail.to_owned(),
    };
    Ok(app.store.note_act(bearer.organisation, &act).await?)
}
