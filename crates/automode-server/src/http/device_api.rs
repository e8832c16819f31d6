//! What devices use.

use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::rate_limit::{ENROL, GUESS};
use super::{App, ClientAddress, HttpRefusal, SignedRequest};
use crate::bundle::SignedBundle;
use crate::clock;
use crate::ingest::{LineBatch, Receipt};
use crate::store::{Ask, AskState, ChangeKind, CodeError, DatabaseError};
use crate::wire::{
    AnswerText, AskRequest, AuditRequest, EnrolReply, EnrolRequest, StatusReply, StatusRequest,
};

/// The longest that a poll waits.
const LONGEST: u64 = 55;
/// Letters of a question's texts.
const LONGEST_TEXT: usize = 16_000;
/// Lines of one batch.
const MOST_LINES: usize = 5_000;

pub async fn enrol(
    State(app): State<App>,
    ClientAddress(address): ClientAddress,
    body: Bytes,
) -> Result<Json<EnrolReply>, HttpRefusal> {
    app.shared.limits.take(&format!("enrol {address}"), ENROL)?;
    let request: EnrolRequest =
        serde_json::from_slice(&body).map_err(|error| HttpRefusal::bad(error.to_string()))?;
    if !request.is_proven() {
        return Err(HttpRefusal::bad("the key does not sign for itself"));
    }
    let device = crate::secret::name();
    let now = clock::now();
    let used = app.store.use_code(&request.code, &device, now).await;
    let (organisation, group) = match used {
        Ok(used) => used,
        Err(CodeError::Useless) => {
            app.shared.limits.take(&format!("guess {address}"), GUESS)?;
            return Err(HttpRefusal::new(
                StatusCode::FORBIDDEN,
                CodeError::Useless.to_string(),
            ));
        }
        Err(CodeError::Store(error)) => return Err(error.into()),
    };
    let name: String = request
        .name
        .chars()
        .filter(|letter| !letter.is_control())
        .take(80)
        .collect();
    app.store
        .enrol(
            organisation,
            &device,
            &name,
            &request.public_key,
            &group,
            now,
        )
        .await?;
    let key = app.store.signing_key(organisation).await?;
    Ok(Json(EnrolReply {
        device,
        group,
        organisation_key: key.public(),
    }))
}

pub async fn audit(
    State(app): State<App>,
    request: SignedRequest,
) -> Result<Response, HttpRefusal> {
    let asked: AuditRequest = request.json()?;
    if asked.lines.len() > MOST_LINES {
        return Err(HttpRefusal::bad(format!(
            "at most {MOST_LINES} lines at a time"
        )));
    }
    let taken = app
        .store
        .ingest(LineBatch {
            organisation: request.device.organisation,
            device: request.device.id.clone(),
            after: asked.after,
            lines: asked.lines,
            now: clock::now(),
        })
        .await;
    match taken {
        Ok(receipt) => Ok(Json(receipt).into_response()),
        Err(DatabaseError::Elsewhere(link)) => {
            let receipt = Receipt {
                accepted: 0,
                gaps: 0,
                seq: link.seq,
                hash: link.hash,
            };
            Ok((StatusCode::CONFLICT, Json(receipt)).into_response())
        }
        Err(error) => Err(error.into()),
    }
}

pub async fn cursor(request: SignedRequest) -> Json<Receipt> {
    Json(Receipt {
        accepted: 0,
        gaps: 0,
        seq: request.device.last.seq,
        hash: request.device.last.hash,
    })
}

/// The newest bundle above `have`; with `wait` it waits for one.
pub async fn bundle(
    State(app): State<App>,
    request: SignedRequest,
) -> Result<Response, HttpRefusal> {
    let have = request.number("have").unwrap_or_default();
    let wait = request.number("wait").unwrap_or_default().min(LONGEST);
    let mut changes = app.store.changes();
    let end = tokio::time::Instant::now() + Duration::from_secs(wait);
    let mut device = request.device;
    loop {
        if let Some(bundle) = app.store.bundle_for(&device, have).await? {
            return Ok(Json(SignedBundle::from(bundle)).into_response());
        }
        loop {
            match tokio::time::timeout_at(end, changes.recv()).await {
                Err(_) => return Ok(StatusCode::NOT_MODIFIED.into_response()),
                Ok(Ok(change)) => {
                    let ours = change.organisation == device.organisation.number();
                    if ours && change.kind == ChangeKind::Bundle {
                        break;
                    }
                }
                // News were missed: look.
                Ok(Err(_)) => break,
            }
        }
        // It may be in another group by now, or gone.
        device = app
            .store
            .device(&device.id)
            .await?
            .filter(|device| !device.revoked)
            .ok_or_else(HttpRefusal::unknown)?;
    }
}

pub async fn status(
    State(app): State<App>,
    request: SignedRequest,
) -> Result<Json<StatusReply>, HttpRefusal> {
    let told: StatusRequest = request.json()?;
    let text = told.detail.to_string();
    if text.len() > 64 * 1024 {
        return Err(HttpRefusal::bad("the status is too long"));
    }
    let version: String = told.version.chars().take(40).collect();
    app.store
        .tell_status(
            &request.device,
            &version,
            told.revision,
            &text,
            clock::now(),
        )
        .await?;
    Ok(Json(StatusReply {
        group: request.device.group,
    }))
}

pub async fn put_ask(
    State(app): State<App>,
    request: SignedRequest,
) -> Result<Response, HttpRefusal> {
    let asked: AskRequest = request.json()?;
    // Nobody answers for what they do not see: a part of a call is no question.
    let longest = [&asked.brief, &asked.print, &asked.session, &asked.place];
    if longest
        .iter()
        .any(|text| text.chars().count() > LONGEST_TEXT)
    {
        return Err(HttpRefusal::bad("the question is too long to be shown"));
    }
    let now = clock::now();
    let ask = Ask {
        id: asked
            .id
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(32)
            .collect(),
        device: request.device.id.clone(),
        print: bounded(&asked.print),
        agent: bounded(&asked.agent),
        session: bounded(&asked.session),
        tool: bounded(&asked.tool),
        brief: bounded(&asked.brief),
        place: bounded(&asked.place),
        rule: bounded(&asked.rule),
        reason: bounded(&asked.reason),
        created: now,
        deadline: now.saturating_add(asked.patience.min(10 * 60_000)),
        state: AskState::Open,
    };
    if ask.id.is_empty() {
        return Err(HttpRefusal::bad("the question has no name"));
    }
    if !app.store.put_ask(request.device.organisation, &ask).await? {
        return Err(HttpRefusal::too_often());
    }
    Ok(Json(json!({"id": ask.id})).into_response())
}

/// A text that a page can show and a database can hold.
fn bounded(text: &str) -> String {
    let letters = text.chars().filter(|letter| *letter != '\0');
    letters.take(LONGEST_TEXT).collect()
}

/// What a waiting device gets: the answer, signed for this question alone.
#[derive(Serialize, Deserialize)]
struct AnswerReply {
    text: String,
    signature: String,
}

pub async fn poll_ask(
    State(app): State<App>,
    Path(id): Path<String>,
    request: SignedRequest,
) -> Result<Response, HttpRefusal> {
    let wait = request.number("wait").unwrap_or_default().min(LONGEST);
    let organisation = request.device.organisation;
    let mut changes = app.store.changes();
    let end = tokio::time::Instant::now() + Duration::from_secs(wait);
    loop {
        let ask = app.store.ask(organisation, &id).await?;
        // Another device's question is nobody's.
        let ask = ask
            .filter(|ask| ask.device == request.device.id)
            .ok_or_else(HttpRefusal::not_found)?;
        if let AskState::Answered {
            answer, by, until, ..
        } = &ask.state
        {
            let text = AnswerText {
                ask: ask.id.clone(),
                device: ask.device.clone(),
                print: ask.print.clone(),
                session: ask.session.clone(),
                answer: answer.clone(),
                by: by.clone(),
                until: *until,
                deadline: ask.deadline,
            };
            let text = serde_json::to_string(&text)
                .map_err(|error| HttpRefusal::bad(error.to_string()))?;
            let key = app.store.signing_key(organisation).await?;
            let signature = key.sign(AnswerText::signed(&text).as_bytes());
            return Ok(Json(AnswerReply { text, signature }).into_response());
        }
        loop {
            match tokio::time::timeout_at(end, changes.recv()).await {
                Err(_) => return Ok(StatusCode::NO_CONTENT.into_response()),
                Ok(Ok(change)) => {
                    let ours = change.organisation == organisation.number();
                    if ours && change.kind == ChangeKind::Ask {
                        break;
                    }
                }
                Ok(Err(_)) => break,
            }
        }
    }
}
