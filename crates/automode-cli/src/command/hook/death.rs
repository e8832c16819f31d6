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
];

/// Signals that hardly anybody sends. A hook that answers at once is done before one could come, so
/// these are caught only by one that takes longer.
const RARE: &[i32] = &[
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
    catch(enforcement, progress, DEADLY.iter().copied());
    // A file that may not grow is an error of the write, not the end.
    flag::register(signal::SIGXFSZ, Arc::default()).ok();
}

/// The same for deaths that only a hook at work for long may meet.
pub fn answer_rare(enforcement: Enforcement, progress: &Progress) {
    catch(enforcement, progress, RARE.iter().copied().chain(REAL_TIME));
}

fn catch(enforcement: Enforcement, progress: &Progress, signals: impl Iterator<Item = i32>) {
    let (code, when) = match enforcement {
        Enforcement::Enforce => (BLOCK, Arc::clone(&progress.due)),
        Enforcement::Shadow => (0, Arc::new(AtomicBool::new(true))),
    };
    for signal in signals {
        // Where the system refuses a handler, the command line around the process has to do.
        flag::register_conditional_shutdown(signal, i32::from(code), Arc::clone(&when)).ok();
    }
}
