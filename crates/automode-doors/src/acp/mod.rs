//! The door between an ACP editor and an ACP agent.
//!
//! JSON-RPC, one object a line, on stdio. Every line goes through byte for byte; only
//! `session/request_permission` is taken out, decided, and answered by the *kind* of its
//! options. A question goes on to the editor as the agent put it, after a session update
//! with our reason. [`AcpWire`] is the whole protocol without IO; [`run`] stands around it.
//! Calls that an agent allows by itself never arrive here, so an agent that starts in a
//! mode that asks nobody is set to one that asks, and its session does not open before.

mod agent;
mod permission;
mod run;
mod session;
mod tool_call;
mod wire;

pub use run::{AcpError, run};
