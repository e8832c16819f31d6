//! Coding agents as data: what their hooks say, what they understand, where they are configured.
//!
//! One folder a client, and [`CLIENTS`] is the list of them. Bytes of a hook go in and an
//! [`Event`] comes out; an [`Answer`] goes in and the [`Reply`] that this client honours
//! comes out. Installation is a plan of edits, a recorded session is a stream of lines.
//! The crate does no IO, reads no clock and no environment, and never panics: an
//! input it cannot understand is [`Malformed`], which is answered with a denial.

mod agent;
mod amp;
mod antigravity;
mod claude_code;
mod client;
mod cline;
mod codex;
mod copilot;
mod crush;
mod cursor;
mod devin;
mod dialect;
mod droid;
mod event;
mod gemini_cli;
mod generic;
mod goose;
mod hermes;
pub mod install;
mod kiro;
mod message;
mod opencode;
mod openhands;
mod payload;
mod pi;
mod qwen_code;
mod reply;
#[cfg(test)]
mod toy;
pub mod transcript;
mod vscode;
mod words;

pub use agent::{Agent, CLIENTS};
pub use client::{
    AssumedPresence, Client, ClientFiles, ClientProgram, HookTrial, OwnCheck, PermissionFiles,
    ProcessMarks, Proof, Rewriting, RulePlace, Wire,
};
pub use dialect::Dialect;
pub use event::{Event, EventKind, HookPhase, Malformed, Report, Subagent};
pub use reply::{Answer, Enforcement, Reply, Ruling};
