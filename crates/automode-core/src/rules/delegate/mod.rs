//! Power over other agents and other people's processes.

mod broad_agent;
mod endless;
mod foreign_process;

pub use broad_agent::BroadAgent;
pub use foreign_process::ForeignProcess;
