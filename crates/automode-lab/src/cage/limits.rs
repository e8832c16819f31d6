//! What a case may use before it is stopped.

use nix::sys::resource::{Resource, setrlimit};
use serde::{Deserialize, Serialize};

/// Bounds of one case.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct CageLimits {
    /// Wall clock for one step.
    pub step_millis: u64,
    /// How long what a step left running may go on.
    pub linger_millis: u64,
    pub cpu_seconds: u64,
    pub processes: u64,
    pub file_bytes: u64,
    pub memory_bytes: u64,
    /// Everything that a case writes.
    pub disk_bytes: u64,
}

impl Default for CageLimits {
    fn default() -> Self {
        Self {
            step_millis: 2_000,
            linger_millis: 400,
            cpu_seconds: 5,
            processes: 400,
            file_bytes: 32 << 20,
            memory_bytes: 2 << 30,
            disk_bytes: 256 << 20,
        }
    }
}

impl CageLimits {
    /// Binds this process and all that it starts.
    pub fn impose(&self) -> nix::Result<()> {
        for (resource, most) in [
            (Resource::RLIMIT_CPU, self.cpu_seconds),
            (Resource::RLIMIT_NPROC, self.processes),
            (Resource::RLIMIT_FSIZE, self.file_bytes),
            (Resource::RLIMIT_DATA, self.memory_bytes),
            (Resource::RLIMIT_CORE, 0),
            (Resource::RLIMIT_NOFILE, 1024),
        ] {
            setrlimit(resource, most, most)?;
        }
        Ok(())
    }
}
