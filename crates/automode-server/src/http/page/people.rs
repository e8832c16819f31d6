//! People, their roles, and signing out.

use axum::extract::Path;
use axum::http::HeaderMap;
use axum::http::header::SET_COOKIE;
use axum::response::{IntoResponse, Redirect};

use super::PageResult;
use crate::http::cookie::LOGIN;
use crate::http::{HttpRefusal, PostedForm, Visitor};
use crate::store::PersonRole;
use crate::{clock, page};

pub async fn people(visitor: Visitor) -> PageResult {
    visitor.at_least(PersonRole::Administrator)?;
    let people = visitor.app.store.people(visitor.organisation()).await?;
    let body = page::people(&people, &visitor.login, clock::now());
    visitor.show("People", "/people", &body).await
}

pub async fn give_role(Path(id): Path<i64>, form: PostedForm) -> PageResult {
    let visitor = form.at_least(PersonRole::Administrator)?;
    if id == visitor.login.person.id {
        return Err(HttpRefusal::bad("nobody changes their own role").into());
    }
    let role = PersonRole::read(form.text("role"));
    let given = visitor
        .app
        .store
        .give_role(visitor.organisation(), id, role);
    if !given.await? {
        return Err(HttpRefusal::not_found().into());
    }
    let subject = format!("person {id}");
    visitor.note("gave a role", &subject, role.name()).await?;
    Ok(Redirect::to("/people").into_response())
}

pub async fn sign_out(headers: HeaderMap, form: PostedForm) -> PageResult {
    let app = &form.visitor.app;
    if let Some(token) = LOGIN.read(&headers, app.shared.secure) {
        app.store.sign_out(&token).await?;
    }
    let cleared = LOGIN.clear(app.shared.secure);
    Ok(([(SET_COOKIE, cleared)], Redirect::to("/sign-in")).into_response())
}
