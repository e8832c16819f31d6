//! What the door knows: the server's tools, and what became of each session.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use automode_core::SuspiciousResult;
use reqwest::Url;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::{HttpError, HttpSettings};
use crate::deadline::lock;
use crate::decider::{Decider, DoorSession};
use crate::mcp::known_tools::KnownTools;
use crate::mcp::pins::PinStore;
use crate::web;

/// Decisions at once; more are refused.
const MAX_DECISIONS: usize = 32;
/// Sessions that are remembered; the oldest goes first, and is then asked about anew.
const MAX_SESSIONS: usize = 1024;

/// One server behind an address, and everybody who talks to it.
pub(super) struct HttpDoor {
    pub url: Url,
    pub client: reqwest::Client,
    pub decider: Arc<dyn Decider>,
    pub deciding: Semaphore,
    pub name: String,
    pub cwd: String,
    pub tools: Mutex<KnownTools>,
    store: PinStore,
    key: Vec<String>,
    like: DoorSession,
    sessions: Mutex<BTreeMap<String, SessionState>>,
    /// Requests without a session, and lists that were asked for.
    count: AtomicU64,
}

#[derive(Clone, Copy, Default)]
struct SessionState {
    /// The list of tools was read since it last changed.
    listed: bool,
    /// A result spoke to the agent.
    suspicious: bool,
    since: u64,
}

impl HttpDoor {
    pub(super) fn new(
        settings: HttpSettings,
        decider: Arc<dyn Decider>,
    ) -> Result<Self, HttpError> {
        let url = web::upstream(&settings.upstream)?;
        let key = vec![url.to_string()];
        let pins = settings
            .store
            .read(&settings.name, &key)
            .map_err(HttpError::Pins)?;
        Ok(Self {
            url,
            client: web::client()?,
            decider,
            deciding: Semaphore::new(MAX_DECISIONS),
            name: settings.name,
            cwd: settings.cwd,
            tools: Mutex::new(KnownTools::new(pins)),
            store: settings.store,
            key,
            like: settings.session,
            sessions: Mutex::default(),
            count: AtomicU64::new(0),
        })
    }

    /// A tool by its name in rules.
    pub(super) fn named(&self, tool: &str) -> String {
        format!("mcp__{}__{tool}", self.name)
    }

    /// A number that nothing else has.
    pub(super) fn next(&self) -> u64 {
        self.count.fetch_add(1, Ordering::Relaxed)
    }

    /// The session as the record calls it. Requests without one share no record: they may be
    /// anybody's.
    pub(super) fn session(&self, named: Option<&str>) -> DoorSession {
        let own = match named {
            Some(named) => automode_core::digest(named),
            None => format!("request-{}", self.next()),
        };
        DoorSession {
            id: format!("{}-{own}", self.like.id),
            ..self.like.clone()
        }
    }

    /// Whether the tools are known as this session sees them. Without a session nobody would
    /// say that they changed.
    pub(super) fn is_listed(&self, session: Option<&str>) -> bool {
        let sessions = lock(&self.sessions);
        session
            .and_then(|session| sessions.get(session))
            .is_some_and(|state| state.listed)
    }

    pub(super) fn is_suspicious(&self, session: Option<&str>) -> bool {
        let sessions = lock(&self.sessions);
        let state = sessions.get(session.unwrap_or_default());
        state.is_some_and(|state| state.suspicious)
    }

    pub(super) fn listed(&self, session: Option<&str>, listed: bool) {
        self.change(session, |state| state.listed = listed);
    }

    /// A result spoke to the agent of this session.
    pub(super) fn suspect(&self, session: Option<&str>, result: SuspiciousResult) {
        self.change(session, |state| state.suspicious = true);
        self.decider.suspect(&self.session(session), result);
    }

    pub(super) fn forget(&self, session: &str) {
        lock(&self.sessions).remove(session);
    }

    fn change(&self, session: Option<&str>, change: impl FnOnce(&mut SessionState)) {
        let since = self.next();
        let mut sessions = lock(&self.sessions);
        let name = session.unwrap_or_default();
        if sessions.len() >= MAX_SESSIONS && !sessions.contains_key(name) {
            // Suspicion is not forgotten for want of room.
            let oldest = sessions
                .iter()
                .filter(|(name, state)| !name.is_empty() && !state.suspicious)
                .min_by_key(|(_, state)| state.since)
                .map(|(name, _)| name.clone());
            oldest.map(|name| sessions.remove(&name));
        }
        let state = sessions.entry(name.to_owned()).or_insert(SessionState {
            since,
            ..SessionState::default()
        });
        change(state);
    }

    /// Takes over what a person accepted meanwhile, and what other doors saw first.
    ///
    /// # Errors
    /// Where the pins cannot be read.
    pub(super) fn meet(&self) -> io::Result<()> {
        let kept = self.store.read(&self.name, &self.key)?;
        lock(&self.tools).pins.meet(&kept);
        Ok(())
    }

    /// The tools of a page that may be used. Pins that cannot be kept would let a change pass at
    /// the next start.
    ///
    /// # Errors
    /// Where the pins could not be kept.
    pub(super) fn admit(&self, tools: Option<&Value>, last: bool) -> io::Result<Vec<Value>> {
        self.meet()?;
        let mut known = lock(&self.tools);
        let before = known.pins.clone();
        let admitted = known.admit(tools);
        known.pins.seen |= last;
        if known.pins != before {
            self.store.write(&self.key, &known.pins)?;
        }
        Ok(admitted)
    }
}
