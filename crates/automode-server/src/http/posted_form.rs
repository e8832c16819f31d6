//! Forms: a login, the form's own token, and the page it came from.
//!
//! Whatever another site makes a browser send lacks the token; the origin is checked
//! beside it.

use std::collections::BTreeMap;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::header::ORIGIN;

use super::{App, HttpRefusal, MAX_BODY, PageRefusal, Visitor};
use crate::store::PersonRole;

/// A form that this person filled in on our page.
pub struct PostedForm {
    pub visitor: Visitor,
    fields: BTreeMap<String, String>,
}

impl PostedForm {
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// The number of a revision.
    ///
    /// # Errors
    /// A refusal where the field holds none.
    pub fn revision(&self, name: &str) -> Result<u64, PageRefusal> {
        let told = self.text(name).parse();
        Ok(told.map_err(|_| HttpRefusal::bad("that is no revision"))?)
    }

    /// The person; refuses those who may less.
    ///
    /// # Errors
    /// A refusal.
    pub fn at_least(&self, role: PersonRole) -> Result<&Visitor, PageRefusal> {
        self.visitor.at_least(role)?;
        Ok(&self.visitor)
    }
}

impl FromRequest<App> for PostedForm {
    type Rejection = PageRefusal;

    async fn from_request(request: Request, app: &App) -> Result<Self, PageRefusal> {
        let (mut parts, body) = request.into_parts();
        let visitor = Visitor::from_request_parts(&mut parts, app).await?;
        let foreign = |text: &str| PageRefusal::from(HttpRefusal::new(StatusCode::FORBIDDEN, text));
        if let Some(origin) = parts.headers.get(ORIGIN) {
            let host = parts
                .headers
                .get("host")
                .and_then(|host| host.to_str().ok());
            let same = origin.to_str().is_ok_and(|origin| {
                origin == app.shared.origin
                    || origin.split_once("://").map(|(_, rest)| rest) == host
            });
            if !same {
                return Err(foreign("the form comes from another site"));
            }
        }
        let body = axum::body::to_bytes(body, MAX_BODY)
            .await
            .map_err(|_| HttpRefusal::bad("the form is too large"))?;
        let fields: BTreeMap<String, String> =
            url::form_urlencoded::parse(&body).into_owned().collect();
        let token = fields.get("csrf").map_or("", String::as_str);
        if !same_secret(token, &visitor.login.csrf) {
            return Err(foreign(
                "the form is too old (hint: go back and load the page again)",
            ));
        }
        Ok(Self { visitor, fields })
    }
}

/// Compares without telling by its time how much was right.
fn same_secret(one: &str, other: &str) -> bool {
    automode_core::digest(one.as_bytes()) == automode_core::digest(other.as_bytes())
        && !other.is_empty()
}
