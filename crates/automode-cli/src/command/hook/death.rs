//! Deaths that still answer.
//!
//! A stack that overflows, memory that runs out and a panic while unwinding end in
//! `abort`, and somebody may send the process a signal; clients read such an end as
//! leave to go on. Every signal that can be caught therefore ends the process with the
//! code that blocks, while a decision is due. The handler does nothing but leave. What
//! cannot be caught (a kill) is left to the command line that the installer writes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use automode_agents::Enforcement;
use signal_hook::consts::signal;
use signal_hook::flag;

use super::{BLOCK, Progress};

/// Signals that end a process unless it says otherwise.
const DEADLY: &[i32] = &[
    signal::SIGABRT,
    signal::SIGTERM,
    signal::SIGINT,
    signal::SIGHUP,
    signal::SIGQUIT,
    signal::SIGXCPU,
    signal::SIGALRM,
    signal::SIGUSR1,
    signal::SIGUSR2,
    signal::SIGBUS,
    signal::SIGTRAP,
    signal::SIGSYS,
    signal::SIGVTALRM,
    signal::SIGPROF,
    signal::SIGIO,
    #[cfg(target_os = "linux")]
    STACK_FAULT,
    #[cfg(target_os = "linux")]
    POWER,
    // A process that is stopped answers nobody, and a client's patience ends in leave to go on.
    signal::SIGTSTP,
    signal::SIGTTIN,
    signal::SIGTTOU,
];

/// Linux names for signals that end a process and have no portable one.
#[cfg(target_os = "linux")]
const STACK_FAULT: i32 = 16;
#[cfg(target_os = "linux")]
const POWER: i32 = 30;
/// The signals without a name.
#[cfg(target_os = "linux")]
const REAL_TIME: std::ops::RangeInclusive<i32> = 34..=64;
#[cfg(not(target_os = "linux"))]
const REAL_TIME: std::ops::Range<i32> = 0..0;

/// Makes deaths answer: with a block while a decision is due. Shadow mode has nothing to say.
pub fn answer(enforcement: Enforcement, progress: &Progress) {
    let (code, when) = match enforcement {
        Enforcement::Enforce => (BLOCK, Arc::clone(&progress.due)),
        Enforcement::Shadow => (0, Arc::new(AtomicBool::new(true))),
    };
    for signal in DEADLY.iter().copied().chain(REAL_TIME) {
        // Where the system refuses a handler, the command line around the process has to do.
        flag::register_conditional_shutdown(signal, i32::from(code), Arc::clone(&when)).ok();
    }
    // A file that may not grow is an error of the write, not the end.
    flag::register(signal::SIGXFSZ, Arc::default()).ok();
}
