//! Requests of devices: each is signed, with its time, path and body.
//!
//! A replayed request is one of the last minutes and does nothing twice: lines follow
//! a cursor, a status is the same status, a question has its own name.

use axum::extract::{FromRequest, FromRequestParts as _, Request};
use axum::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::rate_limit::{DEVICE, STRANGER};
use super::{App, ClientAddress, HttpRefusal, MAX_BODY};
use crate::store::FleetDevice;
use crate::{clock, key};

/// How far clocks may be apart, in milliseconds.
const SKEW: u64 = 10 * 60_000;

/// A request that one of our devices signed.
pub struct SignedRequest {
    pub device: FleetDevice,
    pub query: String,
    body: Bytes,
}

/// What is signed.
#[must_use]
pub fn signed_text(method: &str, path: &str, time: u64, body: &[u8]) -> String {
    let digest = automode_core::digest(body);
    format!("automode-request\n{method}\n{path}\n{time}\n{digest}")
}

impl SignedRequest {
    /// The body as JSON.
    ///
    /// # Errors
    /// A refusal where it is none.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, HttpRefusal> {
        serde_json::from_slice(&self.body).map_err(|error| HttpRefusal::bad(error.to_string()))
    }

    /// A number of the query.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        url::form_urlencoded::parse(self.query.as_bytes())
            .find(|(own, _)| own == name)
            .and_then(|(_, value)| value.parse().ok())
    }
}

impl FromRequest<App> for SignedRequest {
    type Rejection = HttpRefusal;

    async fn from_request(request: Request, app: &App) -> Result<Self, HttpRefusal> {
        let (mut parts, body) = request.into_parts();
        let Ok(ClientAddress(address)) = ClientAddress::from_request_parts(&mut parts, app).await;
        let header = |name: &str| text(&parts.headers, name).ok_or_else(HttpRefusal::unknown);
        let (id, signature) = (
            header("x-automode-device")?,
            header("x-automode-signature")?,
        );
        let time: u64 = header("x-automode-time")?
            .parse()
            .map_err(|_| HttpRefusal::unknown())?;
        let now = clock::now();
        if time.abs_diff(now) > SKEW {
            return Err(HttpRefusal::new(
                StatusCode::UNAUTHORIZED,
                format!("the clocks are too far apart (here it is {now})"),
            ));
        }
        let device = app
            .store
            .device(&id)
            .await?
            .filter(|device| !device.revoked);
        // Strangers are slowed down by where they come from: under a device's name they
        // would only silence the device.
        let stranger = || match app
            .shared
            .limits
            .take(&format!("stranger {address}"), STRANGER)
        {
            Ok(()) => HttpRefusal::unknown(),
            Err(too_often) => too_often,
        };
        let device = device.ok_or_else(stranger)?;
        let body = axum::body::to_bytes(body, MAX_BODY)
            .await
            .map_err(|_| HttpRefusal::bad("the body is too large or broke off"))?;
        let path = parts
            .uri
            .path_and_query()
            .map_or_else(String::new, ToString::to_string);
        let message = signed_text(parts.method.as_str(), &path, time, &body);
        if !key::verify(&device.public_key, message.as_bytes(), &signature) {
            return Err(stranger());
        }
        app.shared.limits.take(&format!("device {id}"), DEVICE)?;
        let query = parts.uri.query().unwrap_or_default().to_owned();
        Ok(Self {
            device,
            query,
            body,
        })
    }
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
