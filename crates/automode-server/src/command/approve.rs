//! `automode approve`: waiting questions, answered from a terminal.

use anyhow::Result;
use automode_server::letters;
use serde_json::{Value, json};

use super::fleet::Admin;

/// List waiting questions, or answer one.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The question; without one they are listed
    id: Option<String>,
    /// Deny it
    #[arg(long)]
    deny: bool,
    /// The same call of the same session needs no question for so many minutes
    #[arg(long, default_value = "0")]
    minutes: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    admin: Admin,
}

const EXAMPLES: &str = "\
Examples:
  AUTOMODE_TOKEN=… automode approve
  AUTOMODE_TOKEN=… automode approve 3f9a0c1d --minutes 10
  AUTOMODE_TOKEN=… automode approve 3f9a0c1d --deny";

pub async fn run(args: Args) -> Result<()> {
    let text = |value: &Value, name: &str| {
        let text = value.get(name).and_then(Value::as_str).unwrap_or_default();
        // A question is text of an agent: nothing of it may steer the terminal, or be missed.
        letters::plain(text)
    };
    let Some(id) = &args.id else {
        let reply = args.admin.get("/v1/admin/asks").await?;
        if args.json {
            println!("{}", serde_json::to_string_pretty(&reply)?);
            return Ok(());
        }
        let asks = reply
            .get("asks")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        if asks.is_empty() {
            println!("nobody waits");
        }
        for ask in &asks {
            let left = ask
                .get("seconds_left")
                .and_then(Value::as_u64)
                .unwrap_or_default();
            println!(
                "{}  {left:>3} s  {}  {}",
                text(ask, "id"),
                text(ask, "agent"),
                text(ask, "brief")
            );
            println!("          in {}", text(ask, "place"));
            println!("          {}", text(ask, "reason"));
        }
        return Ok(());
    };
    let answer = if args.deny { "deny" } else { "allow" };
    let body = json!({"answer": answer, "minutes": args.minutes});
    let told = args
        .admin
        .post(&format!("/v1/admin/asks/{id}"), &body)
        .await?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&told)?);
        return Ok(());
    }
    let counted = told
        .get("counted")
        .and_then(Value::as_bool)
        .unwrap_or_default();
    if counted {
        println!("answered: {}", text(&told, "answer"));
    } else {
        println!(
            "{} was quicker: {}",
            text(&told, "by"),
            text(&told, "answer")
        );
    }
    Ok(())
}
