//! One file per command.

pub mod check;
pub mod completions;
pub mod config;
pub mod eval;
pub mod explain;
pub mod hook;
pub mod man;
pub mod rules;
