//! `automode fleet`: this machine as a member, and the organisation from a terminal.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use automode_server::client::{self, BundleOutcome, Enrolment, SimulationOptions};
use automode_server::outgoing;
use serde_json::{Value, json};

use super::state;

/// Belong to an organisation, and bring its policy out.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: FleetCommand,
}

const EXAMPLES: &str = "\
Examples:
  automode fleet enroll https://automode.example.com 4f2k-9xq1-…
  automode fleet sync
  automode fleet agent
  automode fleet simulate --devices 5000
  AUTOMODE_TOKEN=… automode fleet push policy.toml --server https://automode.example.com";

#[derive(clap::Subcommand)]
enum FleetCommand {
    /// Make this machine a member, with a one-time code
    Enroll {
        server: String,
        code: String,
        /// How the machine is called
        #[arg(long)]
        name: Option<String>,
        /// Let people elsewhere answer questions too
        #[arg(long)]
        broker: bool,
    },
    /// Send what was decided and fetch the policy, once
    Sync,
    /// The same for as long as it runs, with questions where they are brokered
    Agent,
    /// How this machine stands
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Leave the organisation: its policy no longer holds here
    Leave,
    /// Review, sign and release a policy; to the canary group first
    Push {
        /// The policy; `-` is stdin
        policy: PathBuf,
        #[command(flatten)]
        admin: Admin,
        #[command(flatten)]
        draft: FleetDraft,
    },
    /// Give a canary's revision to everyone
    Promote {
        revision: u64,
        #[command(flatten)]
        admin: Admin,
    },
    /// Release the policy of an older revision again
    Rollback {
        revision: u64,
        #[command(flatten)]
        admin: Admin,
    },
    /// Make a one-time code for a new machine
    Code {
        #[arg(long, default_value = "everyone")]
        group: String,
        #[command(flatten)]
        admin: Admin,
    },
    /// Many machines with the real client's code, servers of their own, one of them killed
    Simulate {
        #[arg(long, default_value = "100")]
        devices: u64,
        /// Lines that each one sends
        #[arg(long, default_value = "20")]
        lines: u64,
        /// Lines a second, of all of them; 50,000 busy developers make some 3,000
        #[arg(long, default_value = "1000")]
        pace: u64,
        /// `postgres://…`: two servers stand on it; one on SQLite where it is left out
        #[arg(long, value_name = "ADDRESS")]
        database: Option<String>,
    },
}

/// How a policy goes out.
#[derive(clap::Args)]
struct FleetDraft {
    /// What changes
    #[arg(long, default_value = "")]
    note: String,
    /// Straight to everyone
    #[arg(long)]
    everyone: bool,
    /// What an expired policy means
    #[arg(long, value_parser = ["keep", "ask", "deny"], default_value = "keep")]
    on_stale: String,
    /// Days until it expires; 0 is never
    #[arg(long, default_value = "0")]
    days: u64,
    /// Devices that may do nothing for now, beside those that may not already
    #[arg(long, value_name = "DEVICE")]
    quarantine: Vec<String>,
    /// Let all devices go that were quarantined
    #[arg(long, conflicts_with = "quarantine")]
    end_quarantine: bool,
}

/// Whom to talk to, as an administrator.
#[derive(clap::Args)]
pub struct Admin {
    /// The server
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8470")]
    server: String,
}

impl Admin {
    /// The token is taken from the environment: arguments are seen by everybody.
    fn token() -> Result<String> {
        std::env::var("AUTOMODE_TOKEN").map_err(|_| {
            anyhow!("there is no token\nhint: set AUTOMODE_TOKEN to the administrator's token")
        })
    }

    pub async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let response = outgoing::client()?
            .post(format!("{}{path}", self.server.trim_end_matches('/')))
            .bearer_auth(Self::token()?)
            .json(body)
            .send()
            .await
            .context("the server cannot be reached")?;
        Self::read(response).await
    }

    pub async fn get(&self, path: &str) -> Result<Value> {
        let response = outgoing::client()?
            .get(format!("{}{path}", self.server.trim_end_matches('/')))
            .bearer_auth(Self::token()?)
            .send()
            .await
            .context("the server cannot be reached")?;
        Self::read(response).await
    }

    async fn read(response: reqwest::Response) -> Result<Value> {
        let status = response.status();
        let value: Value = response.json().await.unwrap_or_default();
        if status.is_success() {
            return Ok(value);
        }
        match value.get("error").and_then(Value::as_str) {
            Some(why) => bail!("the server refused ({status}): {why}"),
            None => bail!(
                "it does not pass: {}",
                serde_json::to_string_pretty(&value)?
            ),
        }
    }
}

pub async fn run(args: Args) -> Result<()> {
    match args.what {
        FleetCommand::Enroll {
            server,
            code,
            name,
            broker,
        } => enroll(&server, &code, name, broker).await,
        FleetCommand::Sync => sync_once().await,
        FleetCommand::Agent => {
            let state = state()?;
            let enrolment = Enrolment::load(&state)?;
            client::run_agent(state, enrolment).await
        }
        FleetCommand::Status { json } => status(json),
        FleetCommand::Leave => leave(),
        FleetCommand::Push {
            policy,
            admin,
            draft,
        } => push(&policy, &admin, draft).await,
        FleetCommand::Promote { revision, admin } => tell(
            &admin
                .post("/v1/admin/promote", &json!({"revision": revision}))
                .await?,
        ),
        FleetCommand::Rollback { revision, admin } => tell(
            &admin
                .post("/v1/admin/rollback", &json!({"revision": revision}))
                .await?,
        ),
        FleetCommand::Code { group, admin } => {
            let made = admin
                .post("/v1/admin/codes", &json!({"group": group}))
                .await?;
            let code = made.get("code").and_then(Value::as_str).unwrap_or_default();
            println!("automode fleet enroll {} {code}", admin.server);
            Ok(())
        }
        FleetCommand::Simulate {
            devices,
            lines,
            pace,
            database,
        } => {
            client::simulate(&SimulationOptions {
                devices,
                lines,
                pace,
                database,
            })
            .await
        }
    }
}

async fn push(policy: &Path, admin: &Admin, draft: FleetDraft) -> Result<()> {
    let days = draft.days.saturating_mul(automode_server::ingest::DAY);
    let expires = match days {
        0 => 0,
        days => automode_server::clock::now().saturating_add(days),
    };
    let mut body = json!({"policy": read(policy)?, "note": draft.note, "everyone": draft.everyone,
        "on_stale": draft.on_stale, "expires": expires});
    if let Value::Object(fields) = &mut body {
        if draft.end_quarantine {
            fields.insert("quarantined".to_owned(), json!([]));
        } else {
            fields.insert("quarantine".to_owned(), json!(draft.quarantine));
        }
    }
    tell(&admin.post("/v1/admin/push", &body).await?)
}

fn tell(value: &Value) -> Result<()> {
    let revision = value
        .get("revision")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    let stage = value
        .get("stage")
        .and_then(Value::as_str)
        .unwrap_or_default();
    println!("revision {revision} is out, for {stage}");
    let notes = value.get("notes").and_then(Value::as_array);
    for note in notes.into_iter().flatten().filter_map(Value::as_str) {
        eprintln!("note: {note}");
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    if path.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        return Ok(text);
    }
    std::fs::read_to_string(path).with_context(|| format!("`{}` could not be read", path.display()))
}

async fn enroll(server: &str, code: &str, name: Option<String>, broker: bool) -> Result<()> {
    let state = state()?;
    if let Ok(known) = Enrolment::load(&state) {
        bail!(
            "this machine is a member already, at {}\nhint: automode fleet leave",
            known.server
        );
    }
    let hostname = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let name = name.unwrap_or_else(|| hostname.trim().to_owned());
    let enrolment = client::enrol(server, code, &name, broker).await?;
    enrolment.save(&state)?;
    println!(
        "enrolled as {} ({}), group {}",
        enrolment.name, enrolment.device, enrolment.group
    );
    println!(
        "the organisation's key, pinned from now on: {}",
        enrolment.organisation_key
    );
    sync_once().await
}

async fn sync_once() -> Result<()> {
    let state = state()?;
    let enrolment = Enrolment::load(&state)?;
    client::DoctorReport::renew(&state).await;
    let report = client::sync(&state, &enrolment, 0).await?;
    println!("{} lines sent, the server has {}", report.sent, report.seq);
    if report.gaps > 0 {
        println!("{} gaps in the log were noticed", report.gaps);
    }
    match report.bundle {
        Some(BundleOutcome::InForce(revision)) => {
            println!("policy revision {revision} is in force")
        }
        Some(BundleOutcome::Later(revision)) => {
            println!("policy revision {revision} will be in force later")
        }
        Some(BundleOutcome::Refused(why)) => bail!("the policy was not taken: {why}"),
        None => println!("the policy is as it was"),
    }
    Ok(())
}

fn status(as_json: bool) -> Result<()> {
    let state = state()?;
    let enrolment = Enrolment::load(&state)?;
    let keeper = client::BundleKeeper::new(&state, &enrolment)?;
    let cursor = std::fs::read_to_string(state.path("fleet/cursor.json")).unwrap_or_default();
    let cursor: Value = serde_json::from_str(&cursor).unwrap_or_default();
    let sent = cursor
        .get("seq")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    if as_json {
        let told = json!({
            "server": enrolment.server,
            "name": enrolment.name,
            "device": enrolment.device,
            "group": enrolment.group,
            "revision": keeper.revision(),
            "lines_sent": sent,
            "broker": enrolment.broker,
        });
        println!("{}", serde_json::to_string_pretty(&told)?);
        return Ok(());
    }
    println!("server    {}", enrolment.server);
    println!(
        "device    {} ({}), group {}",
        enrolment.name, enrolment.device, enrolment.group
    );
    println!("policy    revision {}", keeper.revision());
    println!("log       {sent} lines sent");
    println!(
        "questions {}",
        if enrolment.broker {
            "brokered"
        } else {
            "asked here alone"
        }
    );
    Ok(())
}

fn leave() -> Result<()> {
    let state = state()?;
    Enrolment::load(&state)?;
    std::fs::remove_dir_all(state.path("fleet"))?;
    println!(
        "left: the organisation's policy no longer holds here (its server still lists the device)"
    );
    Ok(())
}
