//! Programs of an administrator: `Authorization: Bearer TOKEN`.

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use super::rate_limit::{GUESS, PERSON};
use super::{App, ClientAddress, HttpRefusal};
use crate::store::Organisation;

/// Whoever holds the administrator's token.
pub struct TokenBearer {
    pub organisation: Organisation,
}

impl FromRequestParts<App> for TokenBearer {
    type Rejection = HttpRefusal;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, HttpRefusal> {
        let token = parts
            .headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix("Bearer "))
            .ok_or_else(HttpRefusal::unknown)?
            .to_owned();
        let found = app.store.organisation_of_token(&token).await?;
        let Some(organisation) = found else {
            // Only wrong tokens are slowed down: the right one may come often.
            let Ok(ClientAddress(address)) = ClientAddress::from_request_parts(parts, app).await;
            app.shared.limits.take(&format!("guess {address}"), GUESS)?;
            return Err(HttpRefusal::unknown());
        };
        let name = format!("token {}", organisation.number());
        app.shared.limits.take(&name, PERSON)?;
        Ok(Self { organisation })
    }
}
