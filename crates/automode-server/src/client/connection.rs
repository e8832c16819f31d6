//! Signed requests to the server.

use std::time::Duration;

use reqwest::{Method, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Enrolment;
use crate::bundle::SignedBundle;
use crate::http::signed_text;
use crate::ingest::Receipt;
use crate::key::SigningKey;
use crate::wire::{AskRequest, AuditRequest, StatusReply, StatusRequest};
use crate::{clock, outgoing};

/// Why the server did not do it.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    #[error("the server cannot be reached: {0}")]
    Unreachable(#[from] reqwest::Error),
    #[error("the server refused: {0} {1}")]
    Refused(StatusCode, String),
    /// The lines do not follow what the server has; this does.
    #[error("the server stands elsewhere")]
    Elsewhere(Receipt),
}

/// One member's way to the server.
#[derive(Clone)]
pub struct ServerConnection {
    client: reqwest::Client,
    server: String,
    device: String,
    key: std::sync::Arc<SigningKey>,
}

impl ServerConnection {
    /// A connection of this member.
    ///
    /// # Errors
    /// Where its key cannot be read.
    pub fn new(enrolment: &Enrolment) -> anyhow::Result<Self> {
        Self::with_client(enrolment, outgoing::client()?)
    }

    /// The same over a client that others use too.
    ///
    /// # Errors
    /// Where its key cannot be read.
    pub fn with_client(enrolment: &Enrolment, client: reqwest::Client) -> anyhow::Result<Self> {
        Ok(Self {
            client,
            server: enrolment.server.clone(),
            device: enrolment.device.clone(),
            key: std::sync::Arc::new(enrolment.key()?),
        })
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Vec<u8>,
        patience: Duration,
    ) -> Result<Response, ConnectionError> {
        let time = clock::now();
        let text = signed_text(method.as_str(), path, time, &body);
        let request = self
            .client
            .request(method, format!("{}{path}", self.server))
            .header("x-automode-device", &self.device)
            .header("x-automode-time", time.to_string())
            .header("x-automode-signature", self.key.sign(text.as_bytes()))
            .header("content-type", "application/json")
            .timeout(patience)
            .body(body);
        Ok(request.send().await?)
    }

    async fn post<T: Serialize>(&self, path: &str, body: &T) -> Result<Response, ConnectionError> {
        let body = serde_json::to_vec(body).unwrap_or_default();
        self.send(Method::POST, path, body, Duration::from_secs(30))
            .await
    }

    async fn read<T: DeserializeOwned>(response: Response) -> Result<T, ConnectionError> {
        if response.status().is_success() {
            return Ok(response.json().await?);
        }
        let status = response.status();
        Err(ConnectionError::Refused(status, refusal(response).await))
    }

    /// Sends lines behind a line.
    ///
    /// # Errors
    /// [`ConnectionError::Elsewhere`] with the server's place where they do not follow.
    pub async fn audit(&self, after: &str, lines: Vec<String>) -> Result<Receipt, ConnectionError> {
        let request = AuditRequest {
            after: after.to_owned(),
            lines,
        };
        let response = self.post("/v1/audit", &request).await?;
        if response.status() == StatusCode::CONFLICT {
            return Err(ConnectionError::Elsewhere(response.json().await?));
        }
        Self::read(response).await
    }

    /// Where the server stands.
    ///
    /// # Errors
    /// Where it does not say.
    pub async fn cursor(&self) -> Result<Receipt, ConnectionError> {
        let patience = Duration::from_secs(30);
        Self::read(
            self.send(Method::GET, "/v1/cursor", Vec::new(), patience)
                .await?,
        )
        .await
    }

    /// A bundle above this revision, waiting for one up to `wait` seconds.
    ///
    /// # Errors
    /// Where the server does not say.
    pub async fn bundle(
        &self,
        have: u64,
        wait: u64,
    ) -> Result<Option<SignedBundle>, ConnectionError> {
        let path = format!("/v1/bundle?have={have}&wait={wait}");
        let patience = Duration::from_secs(wait.saturating_add(30));
        let response = self.send(Method::GET, &path, Vec::new(), patience).await?;
        if response.status() == StatusCode::NOT_MODIFIED {
            return Ok(None);
        }
        Self::read(response).await.map(Some)
    }

    /// Tells how this machine stands.
    ///
    /// # Errors
    /// Where the server does not take it.
    pub async fn status(&self, status: &StatusRequest) -> Result<StatusReply, ConnectionError> {
        Self::read(self.post("/v1/status", status).await?).await
    }

    /// Puts a question.
    ///
    /// # Errors
    /// Where the server does not take it.
    pub async fn ask(&self, ask: &AskRequest) -> Result<(), ConnectionError> {
        let _: serde_json::Value = Self::read(self.post("/v1/asks", ask).await?).await?;
        Ok(())
    }

    /// The signed answer to a question, as the server sent it; waits up to `wait` seconds.
    ///
    /// # Errors
    /// Where the server does not say.
    pub async fn answer(&self, id: &str, wait: u64) -> Result<Option<String>, ConnectionError> {
        let path = format!("/v1/asks/{id}?wait={wait}");
        let patience = Duration::from_secs(wait.saturating_add(30));
        let response = self.send(Method::GET, &path, Vec::new(), patience).await?;
        if response.status() == StatusCode::NO_CONTENT {
            return Ok(None);
        }
        let value: serde_json::Value = Self::read(response).await?;
        Ok(Some(value.to_string()))
    }
}

/// What the server says of why it refused; empty where it says nothing.
pub(super) async fn refusal(response: Response) -> String {
    let told: serde_json::Value = response.json().await.unwrap_or_default();
    let why = told.get("error").and_then(serde_json::Value::as_str);
    why.unwrap_or_default().to_owned()
}
