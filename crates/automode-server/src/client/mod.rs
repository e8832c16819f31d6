//! The client half: a machine that belongs to an organisation.
//!
//! It runs beside the hook, started by a person, a timer or `automode fleet agent`, and
//! talks to the hook through files of the state directory alone: the log it sends, the
//! policy it puts there, the questions it carries. What was not accepted stays.

mod agent;
mod broker_folder;
mod bundle_keeper;
mod connection;
mod doctor_report;
mod enrolment;
mod log_lines;
mod simulate;
mod sync;

pub use agent::run_agent;
pub use bundle_keeper::{BundleKeeper, BundleOutcome};
pub use connection::{ConnectionError, ServerConnection};
pub use doctor_report::DoctorReport;
pub use enrolment::{Enrolment, enrol};
pub use log_lines::{LogLines, LogPlace};
pub use simulate::{SimulationOptions, simulate};
pub use sync::{SyncReport, send_lines, sync};
