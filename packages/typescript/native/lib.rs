//! The gate for Node: one call in, one decision out.
//!
//! The module holds no thread and no cache: a gate reads the settings of its directory
//! when it is made, a session is the caller's. A decision runs beside the event loop or in
//! place. A failure is a decision or an exception, and never an allow.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use automode::ToolCall;
use automode::config::{self, Places};
use automode_core::transcript::Entry;
use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Error, Result, Task};
use napi_derive::napi;

/// Decides tool calls under the settings of a directory.
#[napi]
pub struct NativeGate {
    gate: Arc<automode::Gate>,
    cwd: String,
}

/// A session so far: where it works, what the user said, what was called.
#[napi]
pub struct NativeSession {
    session: Arc<Mutex<automode::Session>>,
}

/// The answer to one tool call.
#[napi(object)]
pub struct NativeDecision {
    /// allow, ask or deny.
    pub verdict: String,
    /// One line for the model and the person.
    pub reason: String,
    /// What decided, as JSON.
    pub ground: String,
    /// The run must end.
    pub stop: bool,
    /// What every stage said.
    pub trace: Vec<String>,
    /// What the rules saw.
    pub findings: Vec<String>,
    /// What the call would do, as far as it is known.
    pub effects: Vec<String>,
}

/// A call that is decided beside the event loop.
pub struct CheckTask {
    gate: Arc<automode::Gate>,
    session: Arc<Mutex<automode::Session>>,
    call: ToolCall,
}

impl Task for CheckTask {
    type Output = NativeDecision;
    type JsValue = NativeDecision;

    fn compute(&mut self) -> Result<NativeDecision> {
        Ok(decide(&self.gate, &self.call, &self.session))
    }

    fn resolve(&mut self, _: Env, decision: NativeDecision) -> Result<NativeDecision> {
        Ok(decision)
    }
}

#[napi]
impl NativeGate {
    #[napi(constructor)]
    pub fn new(cwd: String, config: Option<String>) -> Result<Self> {
        let cwd = automode_binding::absolute(cwd).map_err(Error::from_reason)?;
        let policy = config::load(&Places::here(cwd.as_ref(), config.map(PathBuf::from)));
        Ok(Self {
            gate: Arc::new(automode::Gate::new(policy)),
            cwd,
        })
    }

    #[napi(getter)]
    pub fn cwd(&self) -> String {
        self.cwd.clone()
    }

    /// Decides a call, given as its name and its input as JSON, and records it in the session.
    #[napi]
    pub fn check(
        &self,
        tool: String,
        input: String,
        session: &NativeSession,
        cwd: Option<String>,
    ) -> Result<NativeDecision> {
        let call = self.call(tool, &input, cwd)?;
        Ok(decide(&self.gate, &call, &session.session))
    }

    /// The same, beside the event loop.
    #[napi]
    pub fn check_async(
        &self,
        tool: String,
        input: String,
        session: &NativeSession,
        cwd: Option<String>,
    ) -> Result<AsyncTask<CheckTask>> {
        Ok(AsyncTask::new(CheckTask {
            gate: Arc::clone(&self.gate),
            session: Arc::clone(&session.session),
            call: self.call(tool, &input, cwd)?,
        }))
    }

    fn call(&self, tool: String, input: &str, cwd: Option<String>) -> Result<ToolCall> {
        let cwd = cwd.unwrap_or_else(|| self.cwd.clone());
        automode_binding::call(tool, input, cwd).map_err(Error::from_reason)
    }
}

#[napi]
impl NativeSession {
    #[napi(constructor)]
    pub fn new(cwd: String, headless: bool, mode: String) -> Result<Self> {
        let session = automode_binding::session(cwd, headless, &mode);
        let session = session.map_err(Error::from_reason)?;
        Ok(Self {
            session: Arc::new(Mutex::new(session)),
        })
    }

    /// The user's own words: only these can authorise something.
    #[napi]
    pub fn hear(&self, words: String) {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session.transcript.push(Entry::User(words));
    }

    /// Looks at what a tool brought in. Where it speaks to the agent the session is marked,
    /// and the warning for the model comes back.
    #[napi]
    pub fn probe(&self, tool: String, result: String) -> Option<String> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        automode_binding::probe(&mut session, tool, &result)
    }
}

/// Calls of one session are decided one after the other: each is recorded before the next.
fn decide(
    gate: &automode::Gate,
    call: &ToolCall,
    session: &Mutex<automode::Session>,
) -> NativeDecision {
    let mut session = session.lock().unwrap_or_else(PoisonError::into_inner);
    let decided = automode_binding::decide(gate, call, &mut session);
    NativeDecision {
        verdict: decided.verdict,
        reason: decided.reason,
        ground: decided.ground,
        stop: decided.stop,
        trace: decided.trace,
        findings: decided.findings,
        effects: decided.effects,
    }
}
