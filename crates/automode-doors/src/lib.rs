//! Doors beside the hooks.
//!
//! A hook is one process for one call. A door stands between two programs for as long as
//! they talk: an editor and its agent ([`acp`]), a client and its MCP server ([`mcp`]), a
//! client and its model service ([`gateway`]). It passes on every byte and takes out
//! only what is a question for automode. What a door cannot read it passes on to where a
//! person decides, or refuses; it never answers yes to it. All doors ask the same
//! [`Decider`].

pub mod acp;
mod deadline;
mod decider;
mod gate_decider;
pub mod gateway;
mod json_rpc;
pub mod mcp;
mod meaning;
mod pipe;
mod session_id;
mod text;
mod web;

pub use decider::{Decider, DoorDecision, DoorRequest, DoorSession, LossQuestions, Tightening};
pub use gate_decider::{GateDecider, GateMaker};
pub use meaning::CallMeaning;
pub use session_id::session_id;
pub use web::{ListenError, UpstreamError};
