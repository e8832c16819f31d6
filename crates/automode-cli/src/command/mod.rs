//! One file per command.

pub mod acp;
pub mod allow;
pub mod allow_once;
pub mod check;
pub mod completions;
pub mod config;
pub mod critique;
pub mod doctor;
pub mod eval;
pub mod explain;
pub mod hook;
pub mod install;
pub mod judge;
pub mod log;
pub mod man;
pub mod mcp;
pub mod replay;
pub mod rules;
pub mod run;
pub mod stats;
pub mod status;
pub mod try_out;
pub mod undo;
pub mod uninstall;
pub mod why;
