//! One model that can be asked, as the runtime implements it.
//!
//! The engine never calls it. The trait stands here so that whoever chains
//! models and whoever speaks a wire need not know each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{Price, Reply, Request, price_of};
use crate::Failure;

/// A model behind some wire.
pub trait Model: Send + Sync {
    /// The model's name, as its price and its canaries are kept.
    fn model(&self) -> &str;

    /// Where it is asked, for people: `anthropic`, `http://127.0.0.1:11434/v1`.
    fn place(&self) -> &str;

    /// What it costs, where that is known.
    fn price(&self) -> Option<Price> {
        price_of(self.model())
    }

    /// Asks once.
    ///
    /// # Errors
    /// What went wrong, and whether asking again could help.
    fn ask(&self, request: &Request, patience: Patience<'_>) -> Result<Reply, Trouble>;
}

/// How long to wait, and whether to wait at all.
#[derive(Clone, Copy, Debug)]
pub struct Patience<'a> {
    pub timeout: Duration,
    pub cancel: &'a Cancel,
}

/// A switch that ends the waiting from another thread.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Why one attempt brought no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub failure: Failure,
    /// For the diagnostics of a person: one clean line, without secrets.
    pub detail: String,
    pub retry: Retry,
}

/// Whether asking the same model again could help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    Never,
    /// Not before this, where the service said so.
    After(Option<Duration>),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::new(failure, "")
    }
}

impl Trouble {
    /// Trouble that will not go away by itself. The detail is made fit to print.
    #[must_use]
    pub fn new(failure: Failure, detail: &str) -> Self {
        Self {
            failure,
            detail: super::reason::sanitise(&crate::redact::redact(detail)),
            retry: Retry::Never,
        }
    }

    #[must_use]
    pub fn retry(self, after: Option<Duration>) -> Self {
        Self {
            retry: Retry::After(after),
            ..self
        }
    }
}
