//! The server: routes, who may use them, and what every answer carries.
//!
//! Devices sign their requests; people have a cookie, and forms carry a token of their
//! own; programs of an administrator bring the token. Each of the three is a type that
//! a handler must ask for, so that none can be forgotten.

mod admin_api;
mod client_address;
mod cookie;
mod device_api;
mod group_name;
mod headers;
mod openapi;
mod page;
mod posted_form;
mod rate_limit;
mod refusal;
mod serving;
mod sign_in;
mod signed_request;
mod start_ticket;
mod tls;
mod token_bearer;
mod visitor;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};

pub use client_address::ClientAddress;
use group_name::group_name;
pub use openapi::document as openapi_document;
pub use posted_form::PostedForm;
pub use rate_limit::RateLimit;
pub use refusal::{HttpRefusal, PageRefusal};
pub use serving::{Patience, serve};
pub use signed_request::{SignedRequest, signed_text};
pub use start_ticket::StartTicket;
pub use tls::{TlsListener, certificate};
pub use token_bearer::TokenBearer;
pub use visitor::{DeviceNames, Visitor};

use crate::oidc::OidcProvider;
use crate::store::FleetStore;

/// The most that a request may bring, in bytes.
pub const MAX_BODY: usize = 8 * 1024 * 1024;
/// The most that somebody who is not known yet may bring.
const MAX_STRANGE: usize = 16 * 1024;

/// What all handlers share.
#[derive(Clone)]
pub struct App {
    pub store: FleetStore,
    pub shared: Arc<ServerShared>,
}

/// What does not change while the server runs.
pub struct ServerShared {
    /// Where people reach the server; forms must come from there.
    pub origin: String,
    /// Cookies travel over TLS alone.
    pub secure: bool,
    /// A proxy in front tells the caller's address.
    pub behind_proxy: bool,
    /// The name of the organisation that tokens and sign-ins belong to.
    pub organisation: String,
    pub limits: RateLimit,
    pub ticket: StartTicket,
    pub provider: Option<OidcProvider>,
    /// The pages of one machine: nobody else enrols, nothing is sent.
    pub alone: bool,
    pub patience: Patience,
}

/// All routes.
pub fn router(app: App) -> Router {
    let small = DefaultBodyLimit::max(MAX_STRANGE);
    let devices = Router::new()
        .route("/v1/enrol", post(device_api::enrol).layer(small))
        .route("/v1/audit", post(device_api::audit))
        .route("/v1/cursor", get(device_api::cursor))
        .route("/v1/bundle", get(device_api::bundle))
        .route("/v1/status", post(device_api::status))
        .route("/v1/asks", post(device_api::put_ask))
        .route("/v1/asks/{id}", get(device_api::poll_ask));
    let programs = Router::new()
        .route("/v1/admin/codes", post(admin_api::make_code))
        .route("/v1/admin/push", post(admin_api::push))
        .route("/v1/admin/promote", post(admin_api::promote))
        .route("/v1/admin/rollback", post(admin_api::rollback))
        .route("/v1/admin/asks", get(admin_api::asks))
        .route("/v1/admin/asks/{id}", post(admin_api::answer))
        .route("/v1/admin/decisions", get(admin_api::decisions))
        .route("/v1/admin/devices", get(admin_api::devices))
        .route("/metrics", get(admin_api::metrics));
    let open = Router::new()
        .route("/health", get(|| async { "ok\n" }))
        .route("/openapi.json", get(openapi::serve))
        .route("/start", get(sign_in::start))
        .route(
            "/sign-in",
            get(sign_in::page).post(sign_in::with_token).layer(small),
        )
        .route("/sign-in/oidc", get(sign_in::to_provider))
        .route("/sign-in/callback", get(sign_in::from_provider))
        .route("/style.css", get(page::style))
        .route("/script.js", get(page::script))
        .route("/icon.svg", get(page::icon));
    devices
        .merge(programs)
        .merge(open)
        .merge(page::routes())
        .fallback(page::nowhere)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(axum::middleware::from_fn_with_state(
            app.clone(),
            serving::bound_body,
        ))
        .layer(axum::middleware::from_fn_with_state(
            app.clone(),
            headers::add,
        ))
        .with_state(app)
}
