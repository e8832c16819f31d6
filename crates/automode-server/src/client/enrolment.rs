//! Belonging to an organisation: the server, this machine's key, and the pinned key.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, bail};
use automode::state::State;
use serde::{Deserialize, Serialize};

use crate::key::SigningKey;
use crate::outgoing;
use crate::wire::{EnrolReply, EnrolRequest};

/// Everything that makes this machine a member. It holds the private key.
#[derive(Clone, Serialize, Deserialize)]
pub struct Enrolment {
    pub server: String,
    pub device: String,
    pub name: String,
    pub group: String,
    key: String,
    pub organisation_key: String,
    /// Questions are carried to the server too.
    #[serde(default)]
    pub broker: bool,
}

impl Enrolment {
    /// The folder of the state that belongs to the fleet.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn folder(state: &State) -> Result<PathBuf> {
        Ok(state.directory("fleet")?)
    }

    /// The enrolment of this machine.
    ///
    /// # Errors
    /// Where it is not enrolled or the file cannot be read.
    pub fn load(state: &State) -> Result<Self> {
        let path = state.path("fleet/enrolment.json");
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                bail!("this machine is not enrolled\nhint: automode fleet enroll SERVER CODE")
            }
            Err(error) => {
                return Err(error).with_context(|| format!("`{}` cannot be read", path.display()));
            }
        };
        serde_json::from_str(&text).with_context(|| format!("`{}` is broken", path.display()))
    }

    /// Writes it, for its user alone.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn save(&self, state: &State) -> Result<()> {
        write_private(
            &Self::folder(state)?.join("enrolment.json"),
            &serde_json::to_string(self)?,
        )
    }

    /// This machine's key.
    ///
    /// # Errors
    /// Where the file holds none.
    pub fn key(&self) -> Result<SigningKey> {
        Ok(SigningKey::read(&self.key)?)
    }
}

static TURN: AtomicU64 = AtomicU64::new(0);

/// Replaces a file of this user as a whole.
pub(super) fn write_private(path: &std::path::Path, text: &str) -> Result<()> {
    // Tasks of one process may replace the same file at once.
    let turn = TURN.fetch_add(1, Ordering::Relaxed);
    let fresh = path.with_extension(format!("new-{}-{turn}", std::process::id()));
    let _ = fs::remove_file(&fresh);
    let mut file = automode::state::open_private(&fresh)?;
    file.write_all(text.as_bytes())?;
    file.sync_data()?;
    fs::rename(&fresh, path)?;
    Ok(())
}

/// Enrols with a code. Nothing is kept until the server has answered.
///
/// # Errors
/// Where the server refuses or cannot be reached.
pub async fn enrol(server: &str, code: &str, name: &str, broker: bool) -> Result<Enrolment> {
    let server = server.trim_end_matches('/');
    let address = url::Url::parse(server).context("the server's address is none")?;
    let local = matches!(
        address.host_str(),
        Some("localhost" | "127.0.0.1" | "[::1]")
    );
    if address.scheme() != "https" && !local {
        bail!(
            "a server elsewhere is reached by https:// alone\nhint: put a proxy with a certificate in front of it, or start it with --tls"
        );
    }
    let key = SigningKey::generate()?;
    let request = EnrolRequest::new(code.trim(), name, &key);
    let response = outgoing::client()?
        .post(format!("{server}/v1/enrol"))
        .json(&request)
        .send()
        .await
        .context("the server cannot be reached")?;
    if !response.status().is_success() {
        let status = response.status();
        let why = super::connection::refusal(response).await;
        bail!("the server refused ({status}): {why}");
    }
    let reply: EnrolReply = response
        .json()
        .await
        .context("the server's answer is none")?;
    Ok(Enrolment {
        server: server.to_owned(),
        device: reply.device,
        name: name.to_owned(),
        group: reply.group,
        key: key.text().to_owned(),
        organisation_key: reply.organisation_key,
        broker,
    })
}
