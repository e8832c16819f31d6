//! The cage: where cases run, and what keeps them from the machine.
//!
//! A worker lives in its own mount, process, IPC, host name and network namespaces with
//! a copy of the world. For each case it makes a room: a fresh overlay of the whole root
//! in a process namespace of its own, entered as an ordinary user who cannot gain rights.
//! When the room's first process ends, everything in it ends, and what is left of the
//! case is the overlay's upper layer. The real machine is never written.

mod decider;
mod entry;
mod ground;
mod limits;
mod messages;
mod network;
mod room;
mod spawn;
mod stay;
mod worker;

pub use entry::{Privilege, inside};
pub use limits::CageLimits;
pub use messages::{
    CageStep, CageTrial, Finished, Predicted, Prediction, RecordedRuling, RoomSetup, StepResult,
    WorkerOrder,
};
pub use spawn::{Cage, CageError};
