//! `automode dashboard`: the pages of one machine, over its own log.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result};
use automode::audit::Log;
use automode::state::State;
use automode_server::alert::Thresholds;
use automode_server::client::{LogLines, LogPlace};
use automode_server::clock;
use automode_server::export::Exports;
use automode_server::http::Patience;
use automode_server::ingest::LineBatch;
use automode_server::server::{Server, ServerOptions};
use automode_server::store::{DatabaseError, FleetStore, Organisation};

use super::{open_browser, state, stopped};

/// Show this machine's decisions in the browser, live.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Where to listen; a free port where it ends in :0
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Print the address and open no browser
    #[arg(long)]
    no_open: bool,
}

const EXAMPLES: &str = "\
Examples:
  automode dashboard
  automode dashboard --no-open --listen 127.0.0.1:8471";

/// The one device.
const DEVICE: &str = "this-machine";

pub async fn run(args: Args) -> Result<()> {
    let state = state()?;
    if !args.listen.ip().is_loopback() {
        anyhow::bail!(
            "the dashboard is for this machine alone\nhint: automode serve is for others"
        );
    }
    let server = Server::bind(ServerOptions {
        database: state.path("dashboard.sqlite").display().to_string(),
        listen: args.listen,
        origin: None,
        organisation: "this machine".to_owned(),
        tls: None,
        behind_proxy: false,
        new_token: true,
        retention: 0,
        provider: None,
        exports: Exports::default(),
        thresholds: Thresholds {
            denials: 0,
            budget: 0,
            outages: 0,
            silence: 0,
        },
        alone: true,
        patience: Patience::default(),
    })
    .await?;
    let store = server.app.store.clone();
    let (organisation, _) = store.organisation("this machine", clock::now()).await?;
    let name = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let name = Some(name.trim())
        .filter(|name| !name.is_empty())
        .unwrap_or("this machine");
    store
        .enrol(organisation, DEVICE, name, "", "this-machine", clock::now())
        .await?;
    let token = server.token.clone().context("there is no token")?;
    let page = server.start_page();
    println!("open {page}   (it signs you in, once)");
    println!("elsewhere on this machine, with the token {token}");
    println!("end it with Ctrl-C");
    tokio::spawn(follow(store, state, organisation));
    if !args.no_open {
        open_browser(&page);
    }
    server.run(stopped()).await
}

/// Takes the log in as it grows, by the way that a server takes a device's.
async fn follow(store: FleetStore, state: State, organisation: Organisation) {
    let log = Log::new(&state);
    let mut place: Option<LogPlace> = None;
    loop {
        if let Err(error) = catch_up(&store, &log, organisation, &mut place).await {
            eprintln!("automode dashboard: {error:#}");
        }
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
}

async fn catch_up(
    store: &FleetStore,
    log: &Log,
    organisation: Organisation,
    place: &mut Option<LogPlace>,
) -> Result<()> {
    loop {
        let device = store.device(DEVICE).await?.context("the device is gone")?;
        let after = device.last.hash;
        let mut lines = LogLines::behind(log.files(), &after, place.as_ref())?;
        let mut batch = Vec::new();
        let mut end = None;
        while batch.len() < 2_000 {
            let Some((line, place)) = lines.next()? else {
                break;
            };
            batch.push(line);
            end = Some(place);
        }
        if batch.is_empty() {
            return Ok(());
        }
        let whole = batch
            .last()
            .and_then(|line| automode::audit::chain::link(line));
        let taken = store
            .ingest(LineBatch {
                organisation,
                device: DEVICE.to_owned(),
                after: after.clone(),
                lines: batch,
                now: clock::now(),
            })
            .await;
        match taken {
            Ok(receipt) => {
                *place = end.filter(|_| whole.is_some_and(|link| link.hash == receipt.hash));
                if receipt.hash == after {
                    return Ok(());
                }
            }
            // Another dashboard was quicker.
            Err(DatabaseError::Elsewhere(_)) => *place = None,
            Err(error) => return Err(error.into()),
        }
    }
}
