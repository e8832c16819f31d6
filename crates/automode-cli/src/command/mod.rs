//! One file per command.

pub mod check;
pub mod explain;
pub mod hook;
