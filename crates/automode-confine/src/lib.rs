//! Allow, confined; and lose nothing.
//!
//! A [`Confinement`] is a promise as a value; [`run`] keeps it with the operating system or
//! does not start the command. [`selftest`] says which backend keeps promises here, and
//! [`undo`] keeps what an allowed call could lose.
//! Nothing in this crate decides whether a command may run.

mod backend;
mod gitconfig;
mod layout;
mod machine;
mod protected;
mod refusal;
mod repository;
mod request;
mod seatbelt;
mod shared_packages;
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
mod mending;
#[cfg(target_os = "linux")]
mod metadata;
#[cfg(target_os = "linux")]
mod overlay;
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
pub use backend::{Attempt, Backend, SelfTest};
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{
    NOT_STARTED, inner, known_backend, may_confine, mend_left_behind, renewing_backend, run,
    selftest,
};
#[cfg(target_os = "linux")]
pub use inside::NOT_STARTED;
pub use layout::LayoutError;
pub use machine::Machine;
#[cfg(target_os = "linux")]
pub use mending::mend_left_behind;
pub use protected::Mended;
pub use refusal::{Refusal, Report};
pub use request::{RunError, RunOutcome, RunRequest};
#[cfg(target_os = "linux")]
pub use run::run;
pub use seatbelt::seatbelt_profile;
#[cfg(target_os = "linux")]
pub use selftest::{inner, known_backend, may_confine, renewing_backend, selftest};
pub use ticket::{RunRecord, Ticket, TicketError, expire_tickets};
pub use trial::{ConfinedTrial, Difference, OverlayPlaces, StandIn, TrialError};
