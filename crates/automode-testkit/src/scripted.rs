//! A judge that reads its replies from a script.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use automode::ports::Judge;
use automode_core::Failure;
use automode_core::judge::{Finish, Reply, Request, Trouble, Usage};

/// Answers in order; when the script ends it is unavailable. Clones share the script.
#[derive(Clone, Debug, Default)]
pub struct Scripted {
    replies: Arc<Mutex<VecDeque<Result<Reply, Failure>>>>,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Scripted {
    #[must_use]
    pub fn new(replies: impl IntoIterator<Item = Result<Reply, Failure>>) -> Self {
        Self {
            replies: Arc::new(Mutex::new(replies.into_iter().collect())),
            requests: Arc::default(),
        }
    }

    /// What it was asked so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.requests
            .lock()
            .map_or_else(|_| Vec::new(), |all| all.clone())
    }
}

impl Judge for Scripted {
    fn ask(&self, request: &Request) -> Result<Reply, Trouble> {
        if let Ok(mut requests) = self.requests.lock() {
            requests.push(request.clone());
        }
        let next = self.replies.lock().ok().and_then(|mut all| all.pop_front());
        next.unwrap_or(Err(Failure::Unavailable))
            .map_err(Trouble::from)
    }
}

fn reply(text: &str) -> Result<Reply, Failure> {
    Ok(Reply {
        text: text.to_owned(),
        finish: Finish::Ended,
        usage: Usage::default(),
        model: "scripted".to_owned(),
    })
}

/// A reply that clears.
pub fn clear() -> Result<Reply, Failure> {
    reply("<block>no</block>")
}

/// A reply that blocks.
pub fn block() -> Result<Reply, Failure> {
    reply("<block>yes</block><rule>force-push</rule><reason>it rewrites a shared branch</reason>")
}

/// A reply that is no verdict.
pub fn garbled() -> Result<Reply, Failure> {
    reply("I think <block>no</block> is right")
}
