//! Models in a row: an outage of one goes to the next, within one deadline.
//!
//! The deadline is for a whole decision: the thinking pass has what the fast
//! pass left. Asking again waits as long as the service said, if that fits.
//! When nobody answered, the failure of the last one asked is the answer, and
//! the failure table says what that means.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use automode_core::Failure;
use automode_core::judge::{
    Cancel, JudgeStage, Model, Patience, Reply, Request, Retry, Service, Trouble,
};
use serde_json::json;

use super::{Folder, SpendLog, charge};
use crate::ports::{Clock as _, Judge, SystemClock};

/// The most attempts with one model.
const ATTEMPTS: u32 = 3;
/// Asking is pointless with less time than this.
const LEAST: Duration = Duration::from_millis(50);
/// With somebody else to ask, waiting longer than this is a waste.
const SHORT: Duration = Duration::from_secs(1);
const BACKOFF: Duration = Duration::from_millis(250);
/// Decisions under way whose start is remembered.
const CLOCKS: usize = 64;

/// A model, or why it cannot be asked.
pub enum Link {
    Ready(Box<dyn Model>),
    Broken { name: String, why: String },
}

/// What a chain writes down, where there is a place for it.
#[derive(Default)]
pub struct Notes {
    pub purse: Option<SpendLog>,
    pub dumps: Option<Folder>,
    pub errors: Option<Folder>,
}

/// Judges in the order they are asked.
pub struct Chain {
    links: Vec<Link>,
    service: Service,
    notes: Notes,
    cancel: Cancel,
    /// When the decision of a request began, by what its passes share.
    started: Mutex<Vec<(u64, Instant)>>,
}

impl Chain {
    #[must_use]
    pub fn new(links: Vec<Link>, service: Service) -> Self {
        Self {
            links,
            service,
            notes: Notes::default(),
            cancel: Cancel::default(),
            started: Mutex::new(Vec::new()),
        }
    }

    #[must_use]
    pub fn with_notes(mut self, notes: Notes) -> Self {
        self.notes = notes;
        self
    }

    /// The switch that ends all waiting.
    #[must_use]
    pub fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// When the decision began: now for a new one, earlier for its second pass.
    fn began(&self, request: &Request) -> (Instant, bool) {
        let key = key(request);
        let now = Instant::now();
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        let place = started.iter().position(|(own, _)| *own == key);
        match (request.stage, place) {
            (JudgeStage::Thinking, Some(place)) => (started.remove(place).1, false),
            (JudgeStage::Thinking, None) => (now, true),
            (JudgeStage::Fast, place) => {
                if let Some(place) = place {
                    started.remove(place);
                }
                if started.len() >= CLOCKS {
                    started.remove(0);
                }
                started.push((key, now));
                (now, true)
            }
        }
    }

    fn attempt(
        &self,
        model: &dyn Model,
        request: &Request,
        left: Duration,
    ) -> Result<Reply, Trouble> {
        let limit = match request.stage {
            JudgeStage::Fast => self.service.fast_timeout,
            JudgeStage::Thinking => self.service.thinking_timeout,
        };
        let patience = Patience {
            timeout: limit.min(left),
            cancel: &self.cancel,
        };
        let start = Instant::now();
        let outcome = model.ask(request, patience);
        self.note(model, request, &outcome, start.elapsed());
        outcome
    }

    /// Asks one model until it answers or asking again is pointless.
    fn persist(
        &self,
        model: &dyn Model,
        request: &Request,
        end: Instant,
        others: bool,
    ) -> Result<Reply, Trouble> {
        let mut attempt = 0;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left < LEAST {
                return Err(Trouble::new(Failure::Timeout, "the deadline has passed"));
            }
            let trouble = match self.attempt(model, request, left) {
                Ok(reply) => return Ok(reply),
                Err(trouble) => trouble,
            };
            attempt += 1;
            let Retry::After(after) = trouble.retry else {
                return Err(trouble);
            };
            let pause = after.unwrap_or_else(|| backoff(attempt));
            let left = end.saturating_duration_since(Instant::now());
            let pointless = attempt >= ATTEMPTS
                || pause + LEAST > left
                || (others && (pause > SHORT || trouble.failure == Failure::Timeout));
            if pointless || !self.sleep(pause) {
                return Err(trouble);
            }
        }
    }

    /// Waits; `false` when cancelled.
    fn sleep(&self, time: Duration) -> bool {
        let start = Instant::now();
        while start.elapsed() < time {
            if self.cancel.is_cancelled() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10).min(time - start.elapsed().min(time)));
        }
        !self.cancel.is_cancelled()
    }

    /// Money, dumps and diagnostics. None of it can change the outcome.
    fn note(
        &self,
        model: &dyn Model,
        request: &Request,
        outcome: &Result<Reply, Trouble>,
        time: Duration,
    ) {
        if let (Ok(reply), Some(purse)) = (outcome, &self.notes.purse) {
            let amount = charge(model, request, reply);
            // An expense that cannot be written down is found at the next check of the book.
            let _ = purse.pay(amount, SystemClock.now());
        }
        if let Some(dumps) = self.notes.dumps.as_ref().filter(|_| self.service.dump) {
            let answer = match outcome {
                Ok(reply) => json!({"reply": reply}),
                Err(trouble) => json!({"failure": trouble.failure, "detail": trouble.detail}),
            };
            let document = json!({
                "model": model.model(),
                "place": model.place(),
                "milliseconds": time.as_millis(),
                "request": request,
                "answer": answer,
            });
            let _ = dumps.keep(stage(request), &document);
        }
        if let (Err(trouble), Some(errors)) = (outcome, &self.notes.errors) {
            let document = json!({
                "model": model.model(),
                "place": model.place(),
                "milliseconds": time.as_millis(),
                "failure": trouble.failure,
                "detail": trouble.detail,
                "bytes": request.segments().map(|segment| segment.text.len()).sum::<usize>(),
            });
            let _ = errors.keep(stage(request), &document);
        }
    }

    fn broken(&self, name: &str, why: &str, request: &Request) {
        if let Some(errors) = &self.notes.errors {
            let _ = errors.keep(stage(request), &json!({"model": name, "detail": why}));
        }
    }
}

impl Judge for Chain {
    fn ask(&self, request: &Request) -> Result<Reply, Trouble> {
        let (start, fresh) = self.began(request);
        if let (Some(purse), true) = (&self.notes.purse, fresh)
            && let Some(reached) = purse.reached(&self.service.budget, SystemClock.now())
        {
            return Err(Trouble::new(
                Failure::Budget,
                &format!(
                    "{reached} (hint: raise `[judge.budget]`, or wait; `automode stats` has the expense)"
                ),
            ));
        }
        let end = start.checked_add(self.service.deadline).unwrap_or(start);
        let mut last = Trouble::new(Failure::Unavailable, "no judge is in the chain");
        let mut links = self.links.iter().peekable();
        while let Some(link) = links.next() {
            let model = match link {
                Link::Ready(model) => model,
                Link::Broken { name, why } => {
                    self.broken(name, why, request);
                    last = Trouble::new(Failure::Unavailable, why);
                    continue;
                }
            };
            match self.persist(&**model, request, end, links.peek().is_some()) {
                Ok(reply) => return Ok(reply),
                Err(trouble) => last = trouble,
            }
            if self.cancel.is_cancelled() {
                return Err(Failure::Cancelled.into());
            }
        }
        Err(last)
    }
}

const fn stage(request: &Request) -> &'static str {
    match request.stage {
        JudgeStage::Fast => "fast",
        JudgeStage::Thinking => "thinking",
    }
}

/// A fingerprint of what the passes of a decision share: all but the last segment.
fn key(request: &Request) -> u64 {
    let mut hasher = DefaultHasher::new();
    if let Some(turn) = request.messages.last() {
        for segment in turn.iter().rev().skip(1).take(3) {
            segment.text.hash(&mut hasher);
        }
        turn.len().hash(&mut hasher);
    }
    hasher.finish()
}

/// A pause that grows, with a jitter so that many do not ask at once.
fn backoff(attempt: u32) -> Duration {
    let pause = BACKOFF.saturating_mul(1 << attempt.min(6).saturating_sub(1));
    let noise = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos() % 1000);
    pause + pause.saturating_mul(noise) / 2000
}

#[cfg(test)]
mod tests;
