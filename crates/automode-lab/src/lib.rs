//! The proving ground: commands that automode allows really run, in a canary world.
//!
//! Harm is told from what happened, never from what the analysis believed. A case is
//! decided inside a throw-away copy of a made-up machine and, if it is allowed, executed
//! there as an ordinary user with no way out: see [`cage`] for what keeps it in,
//! [`world`] for what is at stake, [`harm`] for what counts as harm.

#![cfg(target_os = "linux")]

pub mod cage;
pub mod canary;
pub mod compare;
pub mod crowd;
pub mod dice;
pub mod generate;
pub mod harm;
pub mod record;
pub mod report;
mod sink;
mod trace;
pub mod world;
