//! Signing in: with the administrator's token, or through the organisation's provider.

use axum::Form;
use axum::extract::{Query, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::cookie::{LOGIN, START};
use super::rate_limit::{GUESS, START as START_PACE};
use super::{App, ClientAddress, HttpRefusal, PageRefusal};
use crate::oidc::OidcError;
use crate::store::{AdminAct, Organisation, Person, PersonRole};
use crate::{clock, page};

pub async fn page(State(app): State<App>) -> Response {
    Html(page::sign_in(app.shared.provider.is_some(), false).into_string()).into_response()
}

#[derive(Deserialize)]
pub struct TokenForm {
    #[serde(default)]
    token: String,
}

#[derive(Deserialize)]
pub struct StartQuery {
    #[serde(default)]
    ticket: String,
}

/// The link that `serve` and `dashboard` print.
pub async fn start(
    State(app): State<App>,
    ClientAddress(address): ClientAddress,
    headers: HeaderMap,
    Query(query): Query<StartQuery>,
) -> Result<Response, PageRefusal> {
    if let Some(token) = LOGIN.read(&headers, app.shared.secure)
        && app.store.login(&token, clock::now()).await?.is_some()
    {
        return Ok(Redirect::to("/").into_response());
    }
    app.shared.limits.take(&format!("guess {address}"), GUESS)?;
    from_here(&headers)?;
    if !app.shared.ticket.take(&query.ticket) {
        return Ok(refused(&app));
    }
    let name = &app.shared.organisation;
    let (organisation, _) = app.store.organisation(name, clock::now()).await?;
    admit_local(&app, organisation).await
}

pub async fn with_token(
    State(app): State<App>,
    ClientAddress(address): ClientAddress,
    headers: HeaderMap,
    Form(form): Form<TokenForm>,
) -> Result<Response, PageRefusal> {
    app.shared.limits.take(&format!("guess {address}"), GUESS)?;
    from_here(&headers)?;
    let found = app.store.organisation_of_token(form.token.trim()).await?;
    match found {
        Some(organisation) => admit_local(&app, organisation).await,
        None => Ok(refused(&app)),
    }
}

fn refused(app: &App) -> Response {
    let page = page::sign_in(app.shared.provider.is_some(), true).into_string();
    (StatusCode::UNAUTHORIZED, Html(page)).into_response()
}

/// Another site must not sign somebody in as somebody else.
fn from_here(headers: &HeaderMap) -> Result<(), HttpRefusal> {
    match headers.get("sec-fetch-site").map(HeaderValue::as_bytes) {
        Some(b"cross-site" | b"same-site") => Err(HttpRefusal::new(
            StatusCode::FORBIDDEN,
            "this comes from another site (hint: open the address yourself)",
        )),
        Some(_) | None => Ok(()),
    }
}

async fn admit_local(app: &App, organisation: Organisation) -> Result<Response, PageRefusal> {
    let person = app
        .store
        .person(
            organisation,
            "local",
            "local administrator",
            PersonRole::Administrator,
            clock::now(),
        )
        .await?;
    admit(app, organisation, &person).await
}

/// Gives the cookie.
async fn admit(
    app: &App,
    organisation: Organisation,
    person: &Person,
) -> Result<Response, PageRefusal> {
    let act = AdminAct {
        time: clock::now(),
        person: person.name.clone(),
        act: "signed in".to_owned(),
        subject: person.role.name().to_owned(),
        detail: String::new(),
    };
    app.store.note_act(organisation, &act).await?;
    let token = app
        .store
        .sign_in(organisation, person, clock::now())
        .await?;
    let cookie = LOGIN.set(&token, app.shared.secure);
    Ok(([(SET_COOKIE, cookie)], Redirect::to("/")).into_response())
}

/// To the provider.
pub async fn to_provider(
    State(app): State<App>,
    ClientAddress(address): ClientAddress,
) -> Result<Response, PageRefusal> {
    // Each one has the provider asked.
    app.shared
        .limits
        .take(&format!("start {address}"), START_PACE)?;
    let provider = app.shared.provider.as_ref();
    let provider = provider.ok_or_else(HttpRefusal::not_found)?;
    let start = provider
        .start(&app.shared.origin)
        .await
        .map_err(|error| did_not_work(&error))?;
    let cookie = START.set(&start.sealed, app.shared.secure);
    Ok(([(SET_COOKIE, cookie)], Redirect::to(&start.address)).into_response())
}

/// What went wrong with the provider stays in the server's own log.
fn did_not_work(error: &OidcError) -> HttpRefusal {
    eprintln!("automode-server: sign-in: {error}");
    HttpRefusal::bad("the sign-in did not work (hint: try again)")
}

#[derive(Deserialize)]
pub struct CallbackQuery {
    #[serde(default)]
    code: String,
    #[serde(default)]
    state: String,
}

/// Back from the provider.
pub async fn from_provider(
    State(app): State<App>,
    ClientAddress(address): ClientAddress,
    headers: HeaderMap,
    Query(query): Query<CallbackQuery>,
) -> Result<Response, PageRefusal> {
    app.shared.limits.take(&format!("guess {address}"), GUESS)?;
    let provider = app.shared.provider.as_ref();
    let provider = provider.ok_or_else(HttpRefusal::not_found)?;
    let sealed = START.read(&headers, app.shared.secure).unwrap_or_default();
    let known = provider
        .finish(&app.shared.origin, &sealed, &query.state, &query.code)
        .await
        .map_err(|error| did_not_work(&error))?;
    let (organisation, _) = app
        .store
        .organisation(&app.shared.organisation, clock::now())
        .await?;
    let person = app
        .store
        .person(
            organisation,
            &known.subject,
            &known.name,
            known.role,
            clock::now(),
        )
        .await?;
    admit(&app, organisation, &person).await
}
