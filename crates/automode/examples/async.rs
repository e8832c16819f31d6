//! A harness with an async runtime: deciding looks at files, so it stands on a thread of its own.
//!
//! `cargo run -p automode --example async`

use std::sync::{Arc, Mutex, PoisonError};

use automode::{Decision, Gate, Here as _, Session, ToolCall};

/// One gate for all tasks, one session for one conversation.
#[derive(Clone)]
struct Door {
    gate: Arc<Gate>,
    session: Arc<Mutex<Session>>,
}

impl Door {
    async fn check(&self, call: ToolCall) -> Result<Decision, tokio::task::JoinError> {
        let own = self.clone();
        tokio::task::spawn_blocking(move || {
            let mut session = own.session.lock().unwrap_or_else(PoisonError::into_inner);
            own.gate.check(&call, &mut session)
        })
        .await
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cwd = std::env::current_dir()?.display().to_string();
    let door = Door {
        gate: Arc::new(Gate::here(&cwd)),
        session: Arc::new(Mutex::new(Session::here(&cwd))),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        for command in ["git status", "git push --force origin main", "rm -rf ~/"] {
            let decision = door.check(ToolCall::bash(command, &cwd)).await?;
            println!(
                "{:<5} {command}: {}",
                decision.verdict.name(),
                decision.reason
            );
        }
        Ok(())
    })
}
