//! The handlers of the pages: who asks, what is read, which page shows it.
//!
//! One file a page. A handler takes a [`Visitor`](super::Visitor) where it shows and a
//! [`PostedForm`](super::PostedForm) where it changes something.

mod acts;
mod asks;
mod assets;
mod decisions;
mod devices;
mod judge;
mod live;
mod overview;
mod people;
mod policy;
mod rules;
mod stops;

use axum::Router;
use axum::response::Response;
use axum::routing::{get, post};

pub use assets::{icon, script, style};

use super::{App, HttpRefusal, PageRefusal};

/// Days that charts show.
const DAYS: i64 = 30;

type PageResult = Result<Response, PageRefusal>;

/// All pages for people who are signed in.
pub fn routes() -> Router<App> {
    Router::new()
        .route("/", get(overview::overview))
        .route("/decisions", get(decisions::decisions))
        .route("/decisions/{id}", get(decisions::decision))
        .route("/live/decisions", get(live::decisions))
        .route("/live/asks", get(live::asks))
        .route("/asks", get(asks::asks))
        .route("/asks/{id}", post(asks::answer))
        .route("/stops", get(stops::stops))
        .route(
            "/stops/{id}/allow",
            get(stops::allow).post(stops::allow_for_group),
        )
        .route("/rules", get(rules::rules))
        .route("/judge", get(judge::judge))
        .route("/devices", get(devices::devices))
        .route("/devices/code", post(devices::make_code))
        .route("/devices/{id}/group", post(devices::regroup))
        .route("/devices/{id}/revoke", post(devices::revoke))
        .route("/policy", get(policy::policy).post(policy::edit))
        .route("/policy/stage", post(policy::stage))
        .route("/people", get(people::people))
        .route("/people/{id}", post(people::give_role))
        .route("/acts", get(acts::acts))
        .route("/sign-out", post(people::sign_out))
}

pub async fn nowhere() -> PageRefusal {
    HttpRefusal::not_found().into()
}
