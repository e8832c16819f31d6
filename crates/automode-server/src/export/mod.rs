//! Decisions, figures and alerts to other systems: OTLP over HTTP, syslog, webhooks.
//!
//! Exports take what waits in the outbox, so a receiver that is down delays them and
//! loses nothing; what it accepted is not sent again. A parcel whose sending was cut off
//! by a kill is sent again: its lines carry their digests. Nothing of this holds up a
//! device.

mod otlp;
mod syslog;

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use crate::alert::{self, ClaimedAlert, Thresholds};
use crate::store::{ChangeKind, DecisionRow, FleetStore, Organisation};
use crate::{clock, outgoing};

/// Decisions of one message.
const PARCEL: usize = 500;
/// How long a receiver that was down is left alone without news.
const AGAIN: Duration = Duration::from_secs(15);

/// Where things are sent.
#[derive(Clone, Debug, Default)]
pub struct Exports {
    /// The base of an OTLP receiver: `http://collector:4318`.
    pub otlp: Option<String>,
    /// `host:port`, over UDP (RFC 5424).
    pub syslog: Option<String>,
    /// Gets every alert as JSON.
    pub webhook: Option<String>,
}

impl Exports {
    /// Sends decisions as they come, until aborted.
    pub async fn run(self, store: FleetStore) {
        if self.otlp.is_none() && self.syslog.is_none() {
            return;
        }
        let mut changes = store.changes();
        loop {
            if let Err(error) = self.send_waiting(&store).await {
                eprintln!("automode-server: export: {error}");
            }
            let news = async {
                while let Ok(change) = changes.recv().await {
                    if change.kind == ChangeKind::Lines {
                        break;
                    }
                }
            };
            // A receiver that was down is tried again without news.
            let _ = tokio::time::timeout(AGAIN, news).await;
        }
    }

    async fn send_waiting(&self, store: &FleetStore) -> Result<()> {
        for (own, name) in store.organisations().await? {
            store.begin_export(own, clock::now()).await?;
            while let Some(parcel) = store.claim_parcel(own, clock::now()).await? {
                let sent = self
                    .send_decisions(&name, &parcel.device, &parcel.rows)
                    .await;
                if let Err(error) = sent {
                    store.give_parcel_back(own, &parcel).await?;
                    return Err(error);
                }
                store.settle_parcel(own, &parcel).await?;
            }
        }
        Ok(())
    }

    async fn send_decisions(
        &self,
        organisation: &str,
        device: &str,
        rows: &[DecisionRow],
    ) -> Result<()> {
        for some in rows.chunks(PARCEL) {
            self.post_otlp("logs", &otlp::decisions(organisation, device, some))
                .await?;
            let lines = some.iter().map(|row| syslog::decision(device, row));
            self.send_syslog(lines).await?;
        }
        Ok(())
    }

    async fn post_otlp(&self, signal: &str, body: &Value) -> Result<()> {
        if let Some(base) = &self.otlp {
            let address = format!("{}/v1/{signal}", base.trim_end_matches('/'));
            post(&address, body).await?;
        }
        Ok(())
    }

    async fn send_syslog(&self, lines: impl Iterator<Item = String>) -> Result<()> {
        if let Some(address) = &self.syslog {
            syslog::send(address, lines).await?;
        }
        Ok(())
    }

    /// What is done every minute: alerts are looked for and told, figures are sent.
    ///
    /// # Errors
    /// Where the database does not answer.
    pub async fn each_minute(&self, store: &FleetStore, limits: Thresholds) -> Result<()> {
        for (own, name) in store.organisations().await? {
            let holding = alert::look(store, own, limits).await?;
            alert::update(store, own, &holding).await?;
            for claimed in store.claim_alerts(own, clock::now()).await? {
                let told = self.tell_alert(&name, &claimed).await;
                if let Err(error) = &told {
                    eprintln!("automode-server: alert not told: {error}");
                }
                store.settle_alert(own, &claimed, told.is_ok()).await?;
            }
            // One replica a minute sends the figures.
            let minute = clock::now() / 60_000;
            if self.otlp.is_some() && store.claim_minute(own, minute).await? {
                self.send_figures(store, own, &name).await?;
            }
        }
        Ok(())
    }

    async fn send_figures(&self, store: &FleetStore, own: Organisation, name: &str) -> Result<()> {
        let figures = otlp::FleetFigures::look(store, own).await?;
        self.post_otlp("metrics", &otlp::metrics(name, &figures))
            .await
    }

    /// Tells an alert to everyone who listens.
    async fn tell_alert(&self, organisation: &str, claimed: &ClaimedAlert) -> Result<()> {
        let alert = &claimed.alert;
        let state = if claimed.is_over { "over" } else { "raised" };
        eprintln!("automode-server: alert {state}: {}", alert.text);
        if let Some(address) = &self.webhook {
            let body = json!({"organisation": organisation, "alert": alert.name, "state": state,
                "subject": alert.subject, "text": alert.text, "time": clock::now()});
            post(address, &body).await?;
        }
        self.post_otlp("logs", &otlp::alert(organisation, claimed))
            .await?;
        self.send_syslog(std::iter::once(syslog::alert(claimed)))
            .await
    }
}

/// An address may hold a secret, as those of webhooks do: no error names it.
async fn post(address: &str, body: &Value) -> Result<()> {
    let request = outgoing::client()?.post(address).json(body);
    let sent = request.send().await;
    let taken = sent.and_then(reqwest::Response::error_for_status);
    taken.map_err(reqwest::Error::without_url)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_address_of_a_webhook_is_in_no_error() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = listener.local_addr().unwrap();
        drop(listener);
        let address = format!("http://{place}/services/T0/hush-hush");
        let error = post(&address, &json!({})).await.unwrap_err();
        let told = format!("{error:#} {error:?}");
        assert!(!told.contains("hush"), "{told}");
    }
}
