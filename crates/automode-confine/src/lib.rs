//! Allow, confined; and lose nothing.
//!
//! A [`Confinement`] is a promise as a value; [`run`] keeps it with the operating system or
//! does not start the command. [`selftest`] says which backend keeps promises here, and
//! [`undo`] keeps what an allowed call could lose.
//! Nothing in this crate decides whether a command may run.

mod backend;
mod layout;
mod machine;
mod protected;
mod refusal;
mod repository;
mod seatbelt;
mod ticket;
mod toolchain;
mod trial;
pub mod undo;

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod caller;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod environment;
#[cfg(target_os = "linux")]
mod inside;
#[cfg(target_os = "linux")]
mod kept;
#[cfg(target_os = "linux")]
mod landlocked;
#[cfg(target_os = "linux")]
mod metadata;
#[cfg(target_os = "linux")]
mod proxy;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod seccomp;
#[cfg(target_os = "linux")]
mod selftest;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod watch;

pub use automode_core::confine::{Confinement, Git, Home, Network};
pub use backend::Backend;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{
    Attempt, NOT_STARTED, Outcome, Request, RunError, SelfTest, inner, known_backend, run, selftest,
};
#[cfg(target_os = "linux")]
pub use inside::NOT_STARTED;
pub use layout::LayoutError;
pub use machine::Machine;
pub use protected::Mended;
pub use refusal::{Refusal, Report};
#[cfg(target_os = "linux")]
pub use run::{Outcome, Request, RunError, run};
pub use seatbelt::seatbelt_profile;
#[cfg(target_os = "linux")]
pub use selftest::{Attempt, SelfTest, inner, known_backend, selftest};
pub use ticket::{RunRecord, Ticket, TicketError, expire_tickets};
pub use trial::{Difference, Trial, TrialError};
