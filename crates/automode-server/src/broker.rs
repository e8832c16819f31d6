//! Answers to waiting questions.
//!
//! An answer is for what a hook asks about: guards and vetoes that deny never become a
//! question, so nothing here can reach them. The first answer counts.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::clock;
use crate::http::HttpRefusal;
use crate::store::{AdminAct, AskState, FleetStore, Organisation};

/// The longest that a grant holds, in minutes.
const LONGEST: u64 = 8 * 60;

/// Answers a question, and says whose answer counts.
///
/// # Errors
/// A refusal where there is no such question or its time is over.
pub async fn answer(
    store: &FleetStore,
    organisation: Organisation,
    id: &str,
    word: &str,
    minutes: u64,
    by: &str,
) -> Result<Value, HttpRefusal> {
    if !["allow", "deny"].contains(&word) {
        return Err(HttpRefusal::bad("an answer is `allow` or `deny`"));
    }
    let now = clock::now();
    let until = match minutes {
        0 => 0,
        minutes => now.saturating_add(minutes.min(LONGEST) * 60_000),
    };
    let ours = store
        .answer_ask(organisation, id, word, by, (now, until))
        .await?;
    let ask = store
        .ask(organisation, id)
        .await?
        .ok_or_else(HttpRefusal::not_found)?;
    let AskState::Answered {
        answer, by: who, ..
    } = &ask.state
    else {
        return Err(HttpRefusal::new(
            StatusCode::GONE,
            "its time is over: the client asked its own person",
        ));
    };
    if ours {
        let act = AdminAct {
            time: now,
            person: by.to_owned(),
            act: format!("answered {word}"),
            subject: format!("ask {id}"),
            detail: ask.brief.chars().take(200).collect(),
        };
        store.note_act(organisation, &act).await?;
    }
    Ok(json!({"answer": answer, "by": who, "counted": ours}))
}
