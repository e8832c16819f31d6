//! The process that stays: it sends, fetches and carries questions, until it is ended.

use std::time::Duration;

use anyhow::Result;
use automode::state::State;

use super::broker_folder::carry_questions;
use super::{BundleKeeper, DoctorReport, Enrolment, ServerConnection, send_lines, sync};

/// How often lines are looked for.
const LOOKS: Duration = Duration::from_secs(5);

/// Runs until the process is ended. A server that is away is tried again, ever more
/// seldom up to a minute.
///
/// # Errors
/// Where the enrolment cannot be used.
pub async fn run_agent(state: State, enrolment: Enrolment) -> Result<()> {
    let connection = ServerConnection::new(&enrolment)?;
    tokio::spawn(health(state.clone()));
    let lines = tokio::spawn(lines(state.clone(), connection.clone()));
    let bundles = tokio::spawn(bundles(
        state.clone(),
        enrolment.clone(),
        connection.clone(),
    ));
    let questions = enrolment
        .broker
        .then(|| tokio::spawn(carry_questions(state.clone(), connection)));
    lines.await?;
    bundles.await?;
    if let Some(questions) = questions {
        questions.await?;
    }
    Ok(())
}

/// Keeps a report of doctor that is not too old.
async fn health(state: State) {
    loop {
        DoctorReport::renew(&state).await;
        tokio::time::sleep(Duration::from_secs(600)).await;
    }
}

async fn lines(state: State, connection: ServerConnection) {
    let mut pause = LOOKS;
    loop {
        pause = match send_lines(&state, &connection).await {
            Ok(_) => LOOKS,
            Err(error) => {
                eprintln!("automode fleet: {error:#}");
                (pause * 2).min(Duration::from_secs(60))
            }
        };
        tokio::time::sleep(pause).await;
    }
}

async fn bundles(state: State, enrolment: Enrolment, connection: ServerConnection) {
    let mut pause = Duration::from_secs(1);
    loop {
        let round = async {
            // A status now and then, and whatever waits.
            sync(&state, &enrolment, 0).await?;
            let keeper = BundleKeeper::new(&state, &Enrolment::load(&state)?)?;
            if let Some(bundle) = connection.bundle(keeper.revision(), 50).await? {
                let kept = keeper.take(&bundle)?;
                eprintln!("automode fleet: {kept:?}");
                if let super::BundleOutcome::Refused(_) = kept {
                    // It stays the newest: asking at once again would ask without end.
                    tokio::time::sleep(Duration::from_secs(60)).await;
                }
            }
            anyhow::Ok(())
        };
        pause = match round.await {
            Ok(()) => Duration::from_secs(1),
            Err(error) => {
                eprintln!("automode fleet: {error:#}");
                (pause * 2).min(Duration::from_secs(60))
            }
        };
        tokio::time::sleep(pause).await;
    }
}
