//! Auto mode for any coding agent.
//!
//! A harness that is about to run a tool asks a [`Gate`], and gets a
//! [`Decision`]: allow, ask or deny, with the ground of the answer.
//!
//! # A harness that blocks
//!
//! ```
//! use automode::{Gate, Here, Session, ToolCall, Verdict};
//!
//! /// What the model wants to do next; a real harness asks its model.
//! fn next_calls() -> Vec<ToolCall> {
//!     ["echo hello", "rm -rf /"].map(|text| ToolCall::bash(text, "/tmp")).into()
//! }
//!
//! fn run(call: &ToolCall) -> String {
//!     format!("ran {}", call.text("command").unwrap_or_default())
//! }
//!
//! fn person_agrees(reason: &str) -> bool {
//!     println!("may it? {reason}");
//!     false
//! }
//!
//! // The settings in force there, and what the program itself knows of the machine.
//! let gate = Gate::here("/tmp");
//! let mut session = Session::here("/tmp");
//! let mut results = Vec::new();
//! for call in next_calls() {
//!     let decision = gate.check(&call, &mut session);
//!     let runs = match decision.verdict {
//!         Verdict::Allow => true,
//!         Verdict::Ask => person_agrees(&decision.reason),
//!         Verdict::Deny => false,
//!     };
//!     // The model reads why, and what to do instead.
//!     results.push(if runs { run(&call) } else { decision.reason });
//!     if decision.stop {
//!         break;
//!     }
//! }
//! assert_eq!(results.len(), 2);
//! assert!(!results.iter().any(|result| result == "ran rm -rf /"));
//! ```
//!
//! # With a judge
//!
//! What cannot be proved asks a person; with a model it is judged. The key is found in the
//! environment, or where the settings say.
//!
//! ```no_run
//! use automode::{Gate, Here};
//!
//! let gate = Gate::here("/tmp").with_model(automode_providers::named("anthropic")?);
//! # Ok::<(), automode_providers::Setup>(())
//! ```
//!
//! # A harness whose process does not last
//!
//! It keeps the session in a store, so that denials are counted and written files known
//! from one process to the next.
//!
//! ```
//! use automode::session::Log;
//! use automode::state::State;
//! use automode::{Gate, Policy, Session, ToolCall, Verdict};
//!
//! # let directory = tempfile::tempdir()?;
//! # let place = directory.path().join("state");
//! let store = Log::open(&State::at(place)?, "my-harness", "session-1")?;
//! let gate = Gate::new(Policy::default());
//! let call = ToolCall::bash("echo hello", "/tmp");
//! let decision = gate.check_stored(&call, &Session::default(), &store);
//! assert_eq!(decision.verdict, Verdict::Allow);
//! assert_eq!(store.read()?.calls.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A harness with an event loop
//!
//! It drives the pure [`engine`] itself and keeps all IO: what the engine wants to
//! know it observes, what the engine wants to ask it sends, in its own time.
//!
//! ```
//! use automode::engine::{Input, Engine, Question, JudgePresence, Step};
//! use automode::ports::FileSystem as _;
//! use automode::{Policy, Session, ToolCall, Verdict, observe::Machine};
//!
//! let call = ToolCall::bash("git push --force origin main", "/tmp");
//! let (session, policy) = (Session::default(), Policy::default());
//! let mut engine = Engine::new(Question {
//!     call: &call,
//!     session: &session,
//!     policy: &policy,
//!     judge: JudgePresence::Absent,
//!     now: 0,
//! });
//! let mut step = engine.resume(Input::Start);
//! let settlement = loop {
//!     step = match step {
//!         Step::Observe(queries) => engine.resume(Input::from(Machine.observe(&queries))),
//!         Step::Judge(_request) => unreachable!("no judge has a seat"),
//!         Step::Settled(settlement) => break settlement,
//!     };
//! };
//! assert_ne!(settlement.decision.verdict, Verdict::Allow);
//! ```

pub mod audit;
mod canonical_paths;
pub mod config;
mod driver;
pub mod eval;
mod gate;
pub mod here;
pub mod judge;
pub mod observe;
pub mod own;
pub mod permit;
pub mod ports;
pub mod session;
pub mod state;

pub use automode_core::policy::Policy;
pub use automode_core::{
    Action, Decision, Facts, Failure, Finding, Ground, Mode, Presence, Query, Session, ToolCall,
    Verdict, engine,
};
pub use gate::Gate;
pub use here::Here;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
