//! The door between an MCP client and an MCP server.
//!
//! Every message goes through as it came but for two kinds. `tools/call` is decided with
//! its arguments; a denial is a result with `isError`, which the model reads. Resources and
//! prompts are decided the same way and refused with an error. Lists of tools are held against [`pins`]: a tool that is new or not as it was when it was first
//! seen is left out, and cannot be called until a person has looked at it. What a server
//! says about its own tools may make an answer stricter, never looser. [`approve`] is a
//! server of our own, for clients that ask a tool for permission.
//!
//! [`http`] is the same door for servers that are reached over HTTP.
//!
//! Nothing that cannot be read goes through, in either direction: there is nobody on the
//! other side to decide about it.

pub mod approve;
mod asked;
mod brought;
mod completion;
mod file_tools;
mod hints;
pub mod http;
mod known_tools;
pub mod pins;
mod run;
mod server_name;
mod tool;
mod wire;
mod words_only;

pub use run::{McpError, Served, run};
pub use server_name::{address_name, plain, server_name};
