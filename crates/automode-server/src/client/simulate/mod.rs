//! A fleet in one process: many members with the real client's code, over loopback.
//!
//! All members wait for a policy and send lines at a steady pace; in the middle of it
//! one replica is killed, a policy is pushed, and the replica comes back. The end says
//! how long the policy took to reach everybody, whether the lines kept up, and whether
//! each of them is stored once.

mod load;
mod replica;
mod spread;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{Enrolment, enrol};
use crate::outgoing;
use replica::SimulatedServers;

/// What is simulated.
#[derive(Clone, Debug)]
pub struct SimulationOptions {
    pub devices: u64,
    /// Lines that each one sends.
    pub lines: u64,
    /// Lines a second, of all of them.
    pub pace: u64,
    /// The database of the servers; SQLite in a directory of its own where there is none.
    pub database: Option<String>,
}

/// How long a policy may take.
const IN_TIME: Duration = Duration::from_secs(60);

/// Runs it.
///
/// # Errors
/// Where a device was not reached in time, or lines were lost, doubled or fell behind.
pub async fn simulate(options: &SimulationOptions) -> Result<()> {
    let mut servers = SimulatedServers::start(options.database.as_deref()).await?;
    let began = Instant::now();
    let members = enrol_all(&servers, options.devices).await?;
    println!(
        "{} devices enrolled in {:.1} s, at {} on {}",
        members.len(),
        began.elapsed().as_secs_f64(),
        servers.shown(),
        servers.kind()
    );
    let stored = stored_lines(&servers).await?;
    let polls = spread::wait_for_policy(&members)?;
    let load = load::start(&members, options)?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    servers.kill_one();
    println!("a server was killed");
    // Where there is another, the policy goes out while one is down.
    let early = match servers.have_another() {
        true => Some(push(&servers).await?),
        false => None,
    };
    tokio::time::sleep(Duration::from_secs(3)).await;
    servers.restart().await?;
    println!("it is back");
    let pushed = match early {
        Some(pushed) => pushed,
        None => push(&servers).await?,
    };
    let reached = polls.finish(pushed).await;
    println!("{reached}");
    let sent = load.finish().await?;
    println!("{sent}");
    let stored = stored_lines(&servers).await?.saturating_sub(stored);
    println!("{} lines sent, {stored} stored", sent.lines);
    if !reached.is_in_time(IN_TIME) {
        bail!("not every device was reached in time");
    }
    if stored != sent.lines {
        bail!("lines were lost or doubled");
    }
    if !sent.kept_up() {
        bail!("the servers did not keep up");
    }
    Ok(())
}

async fn enrol_all(servers: &SimulatedServers, devices: u64) -> Result<Vec<Enrolment>> {
    let wish = json!({"group": "simulated", "count": devices});
    let reply = servers.post("/v1/admin/codes", &wish).await?;
    let codes = reply.get("codes").and_then(Value::as_array);
    let codes = codes.cloned().context("the server gave no codes")?;
    let hands = Arc::new(Semaphore::new(32));
    let mut tasks = tokio::task::JoinSet::new();
    for (at, code) in codes.iter().filter_map(Value::as_str).enumerate() {
        let (hands, code) = (Arc::clone(&hands), code.to_owned());
        let server = servers.origin_of(at);
        tasks.spawn(async move {
            let _hand = hands.acquire().await;
            enrol(&server, &code, &format!("simulated-{at}"), false).await
        });
    }
    let mut members = Vec::new();
    while let Some(done) = tasks.join_next().await {
        members.push(done??);
    }
    Ok(members)
}

/// Pushes a policy that every simulated member waits for. When that was.
async fn push(servers: &SimulatedServers) -> Result<Instant> {
    let body = json!({"policy": spread::POLICY, "everyone": true, "note": "simulation"});
    let began = Instant::now();
    let reply = servers.post("/v1/admin/push", &body).await?;
    println!("pushed {reply}");
    Ok(began)
}

/// The lines of all simulated devices, as the server has them.
async fn stored_lines(servers: &SimulatedServers) -> Result<u64> {
    let reply = servers.get("/v1/admin/devices").await?;
    let devices = reply.get("devices").and_then(Value::as_array);
    let lines = devices.into_iter().flatten();
    Ok(lines
        .filter_map(|device| device.get("lines").and_then(Value::as_u64))
        .sum())
}

/// One client for all members of a kind.
fn shared_client() -> Result<reqwest::Client> {
    Ok(outgoing::client()?)
}
