//! People: the cookie of a login.

use std::collections::BTreeMap;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse, Response};
use maud::Markup;

use super::cookie::LOGIN;
use super::rate_limit::PERSON;
use super::{App, HttpRefusal, PageRefusal};
use crate::store::{AdminAct, AskState, Login, Organisation, PersonRole};
use crate::{clock, page};

/// Somebody who is signed in, at our pages.
pub struct Visitor {
    pub app: App,
    pub login: Login,
}

impl Visitor {
    #[must_use]
    pub const fn organisation(&self) -> Organisation {
        self.login.organisation
    }

    /// Refuses those who may less.
    ///
    /// # Errors
    /// A refusal.
    pub fn at_least(&self, role: PersonRole) -> Result<(), PageRefusal> {
        if self.login.person.role >= role {
            Ok(())
        } else {
            Err(HttpRefusal::not_allowed(role.name()).into())
        }
    }

    /// A body in the frame of all pages.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn show(
        &self,
        title: &str,
        at: &str,
        body: &Markup,
    ) -> Result<Response, PageRefusal> {
        let asks = self.app.store.asks(self.organisation(), clock::now(), 100);
        let waiting = asks.await?;
        let open = waiting.iter().filter(|ask| ask.state == AskState::Open);
        let frame = page::PageFrame {
            title,
            at,
            login: &self.login,
            waiting: open.count(),
            alone: self.app.shared.alone,
        };
        Ok(Html(page::frame(&frame, body).into_string()).into_response())
    }

    /// What people call these devices.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn device_names(
        &self,
        ids: impl Iterator<Item = &str>,
    ) -> Result<DeviceNames, PageRefusal> {
        let ids: std::collections::BTreeSet<&str> = ids.collect();
        let named = self.app.store.device_names(self.organisation(), &ids);
        Ok(DeviceNames(named.await?))
    }

    /// Writes down what this person did.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn note(&self, act: &str, subject: &str, detail: &str) -> Result<(), PageRefusal> {
        let act = AdminAct {
            time: clock::now(),
            person: self.login.person.name.clone(),
            act: act.to_owned(),
            subject: subject.to_owned(),
            detail: detail.to_owned(),
        };
        Ok(self.app.store.note_act(self.organisation(), &act).await?)
    }
}

/// Names of devices by their ids.
pub struct DeviceNames(BTreeMap<String, String>);

impl DeviceNames {
    /// The name, or the id where there is none.
    #[must_use]
    pub fn of(&self, id: &str) -> String {
        self.0.get(id).cloned().unwrap_or_else(|| id.to_owned())
    }
}

impl FromRequestParts<App> for Visitor {
    type Rejection = PageRefusal;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, PageRefusal> {
        let token = LOGIN.read(&parts.headers, app.shared.secure);
        let token = token.ok_or_else(HttpRefusal::sign_in)?;
        let login = app.store.login(&token, clock::now()).await?;
        let login = login.ok_or_else(HttpRefusal::sign_in)?;
        let name = format!("person {} {}", login.organisation.number(), login.person.id);
        app.shared.limits.take(&name, PERSON)?;
        Ok(Self {
            app: app.clone(),
            login,
        })
    }
}
