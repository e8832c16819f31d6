//! Allow, confined; and lose nothing.
//!
//! [`Confinement`] is a promise as a value; [`run`] keeps it with the operating system or
//! does not start the command. [`selftest`] says which backend keeps promises here.
//! Nothing in this crate decides whether a command may run.

mod backend;
mod bubblewrap;
mod caller;
mod environment;
mod inside;
mod kept;
mod landlocked;
mod layout;
mod machine;
mod metadata;
mod protected;
mod proxy;
mod refusal;
mod repository;
mod run;
mod seccomp;
mod selftest;
mod supervisor;
mod ticket;
mod toolchain;
mod trial;
pub mod undo;
mod watch;

pub use backend::Backend;
pub use automode_core::confine::{Confinement, Git, Home, Network};
pub use inside::NOT_STARTED;
pub use layout::LayoutError;
pub use machine::Machine;
pub use protected::Mended;
pub use refusal::{Refusal, Report};
pub use run::{Outcome, Request, RunError, run};
pub use selftest::{Attempt, SelfTest, inner, known_backend, selftest};
pub use ticket::{RunRecord, Ticket, TicketError, expire_tickets};
pub use trial::{Difference, Trial, TrialError};
