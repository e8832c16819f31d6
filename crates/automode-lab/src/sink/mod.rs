//! The other end of every connection: it records what it is sent and answers with bait.
//!
//! In the cage's network every address is this machine, so a sink on the usual ports
//! hears whatever a case tries to say to anybody. Its answers are scripts, packages and
//! archives that leave a mark when somebody runs them.

mod archive;
mod bait;
mod dns;
mod http;
mod listen;
mod tls;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

/// One contact: by which protocol, with whom, and everything that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    pub via: &'static str,
    pub to: SocketAddr,
    /// The name that was asked for, where the protocol tells.
    pub host: String,
    pub sent: Vec<u8>,
}

impl Visit {
    /// Whether it stayed on this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.to.ip().to_canonical().is_loopback() && self.via != "dns"
    }

    #[must_use]
    pub fn shown(&self) -> String {
        let host = if self.host.is_empty() {
            self.to.ip().to_string()
        } else {
            self.host.clone()
        };
        format!("{} {host}:{}", self.via, self.to.port())
    }
}

/// What all threads of the sink share.
struct SinkLedger {
    visits: Mutex<Vec<Visit>>,
    open: AtomicUsize,
    mark: String,
}

impl SinkLedger {
    fn note(&self, visit: Visit) {
        let mut visits = self.visits.lock().unwrap_or_else(PoisonError::into_inner);
        visits.push(visit);
    }
}

/// The running sink of one cage.
pub struct Sink {
    ledger: Arc<SinkLedger>,
    authority: String,
}

impl Sink {
    /// Opens all ports. `mark` is what downloaded code leaves behind.
    pub fn open(mark: &str) -> Result<Self> {
        let ledger = Arc::new(SinkLedger {
            visits: Mutex::new(Vec::new()),
            open: AtomicUsize::new(0),
            mark: mark.to_owned(),
        });
        let (authority, identity) = tls::authority()?;
        dns::open(&ledger)?;
        listen::open(&ledger, &identity)?;
        Ok(Self { ledger, authority })
    }

    /// The certificate that the world trusts, in PEM.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Everything heard since the last time, after open connections came to an end.
    pub fn collect(&self) -> Vec<Visit> {
        let patience = Instant::now() + Duration::from_millis(150);
        while self.ledger.open.load(Ordering::SeqCst) > 0 && Instant::now() < patience {
            thread::sleep(Duration::from_millis(1));
        }
        let mut visits = self
            .ledger
            .visits
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *visits)
    }
}
