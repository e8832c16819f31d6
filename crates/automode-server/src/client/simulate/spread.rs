//! How a policy reaches everybody.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::{Enrolment, shared_client};
use crate::bundle::SignedBundle;
use crate::client::ServerConnection;

/// What everybody waits for.
pub const POLICY: &str = "[permissions]\ndeny = [\"Bash(simulated *)\"]\n";

/// The longest that a member waits.
const GIVES_UP: Duration = Duration::from_secs(180);

/// Members that wait.
pub struct WaitingMembers {
    tasks: tokio::task::JoinSet<()>,
    counts: Arc<ReachedCounts>,
    all: u64,
}

#[derive(Default)]
struct ReachedCounts {
    reached: AtomicU64,
    /// Bundles that were not believed.
    wrong: AtomicU64,
}

/// How it went.
pub struct PolicyReach {
    reached: u64,
    wrong: u64,
    all: u64,
    took: Duration,
}

impl PolicyReach {
    pub fn is_in_time(&self, limit: Duration) -> bool {
        self.reached == self.all && self.wrong == 0 && self.took <= limit
    }
}

impl fmt::Display for PolicyReach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "the policy reached {} of {} devices in {:.1} s, {} bundles not believed",
            self.reached,
            self.all,
            self.took.as_secs_f64(),
            self.wrong
        )
    }
}

/// Has every member wait.
pub fn wait_for_policy(members: &[Enrolment]) -> Result<WaitingMembers> {
    let client = shared_client()?;
    let counts = Arc::new(ReachedCounts::default());
    let mut tasks = tokio::task::JoinSet::new();
    for member in members {
        let connection = ServerConnection::with_client(member, client.clone())?;
        let (counts, key) = (Arc::clone(&counts), member.organisation_key.clone());
        tasks.spawn(async move { wait(&connection, &key, &counts).await });
    }
    Ok(WaitingMembers {
        tasks,
        counts,
        all: members.len() as u64,
    })
}

impl WaitingMembers {
    /// Waits until all have it or gave up.
    pub async fn finish(mut self, pushed: Instant) -> PolicyReach {
        while self.tasks.join_next().await.is_some() {}
        PolicyReach {
            reached: self.counts.reached.load(Ordering::Relaxed),
            wrong: self.counts.wrong.load(Ordering::Relaxed),
            all: self.all,
            took: pushed.elapsed(),
        }
    }
}

async fn wait(connection: &ServerConnection, key: &str, counts: &ReachedCounts) {
    let end = Instant::now() + GIVES_UP;
    let mut have = 0;
    while Instant::now() < end {
        let bundle: Option<SignedBundle> = match connection.bundle(have, 50).await {
            Ok(bundle) => bundle,
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(500)).await;
                continue;
            }
        };
        let Some(bundle) = bundle else { continue };
        match bundle.open(key, have) {
            Ok(_) if bundle.policy == POLICY => {
                counts.reached.fetch_add(1, Ordering::Relaxed);
                return;
            }
            Ok(manifest) => have = manifest.revision,
            Err(_) => {
                counts.wrong.fetch_add(1, Ordering::Relaxed);
                return;
            }
        }
    }
}
