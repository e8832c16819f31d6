//! `automode why`: the whole way of one decision.

use anyhow::{Result, anyhow};
use automode::audit::{Entry, Said};
use automode::state::State;
use automode_confine::RunRecord;

use super::log;
use crate::{clock, output};

/// Show how one decision came about.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The decision's name, as `automode log` shows it; `last` for the latest
    #[arg(value_name = "ID", default_value = "last")]
    id: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  automode why
  automode why k3f9x2ab --json";

pub fn run(args: Args) -> Result<u8> {
    let (entry, said) = log::open()?.find(&args.id).ok_or_else(|| {
        let id = output::clean(&args.id);
        match id.as_str() {
            "last" => anyhow!("there is no decision yet\nhint: automode status"),
            _ => anyhow!("there is no decision `{id}` in the log\nhint: automode log"),
        }
    })?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&entry)?);
    } else {
        show(&entry, said);
    }
    Ok(0)
}

fn show(entry: &Entry, said: Option<Said>) {
    let verdict = output::painted(entry.verdict, entry.verdict.name());
    let row = |name: &str, value: &str| {
        println!("  {name:<10} {}", output::folded(&output::clean(value), 13))
    };
    let reason = output::clean(&entry.reason);
    let indent = entry.verdict.name().len().saturating_add(2);
    println!("{verdict}  {}", output::folded(&reason, indent));
    row("decision", &entry.id);
    row("time", &clock::stamp(entry.time));
    if let Some(said) = said {
        row("answer", answered(said));
    }
    row("agent", &entry.agent);
    row("session", &entry.session);
    if let Some(subagent) = &entry.subagent {
        row("subagent", subagent);
    }
    row("tool", &entry.tool);
    row("call", &entry.brief);
    row("directory", &entry.cwd);
    let rule = entry.rule.as_deref().unwrap_or_default();
    row("ground", &format!("{} {rule}", entry.ground));
    row("latency", &format!("{:.2} ms", entry.latency));
    row("settings", &entry.config);
    if let Some(protection) = &entry.protection {
        row("promise", protection);
    }
    for line in confined(&entry.id) {
        row("confined", &line);
    }
    if entry.shadow {
        row("shadow", "recorded, not enforced");
    }
    if let Some(judge) = &entry.judge {
        let price = judge
            .price
            .map_or_else(|| "price unknown".to_owned(), dollars);
        row(
            "judge",
            &format!(
                "{}, {} pass, {} + {} cached in, {} out, {price}",
                judge.model, judge.stage, judge.input, judge.cached, judge.output
            ),
        );
    }
    println!("\nstages");
    for stage in &entry.trace {
        let verdict = stage.verdict.map_or("-", automode::Verdict::name);
        println!(
            "  {:<13} {verdict:<6} {}",
            stage.stage,
            output::folded(&output::clean(&stage.note), 23)
        );
    }
    if !entry.findings.is_empty() {
        println!("\nfindings");
    }
    for finding in &entry.findings {
        println!(
            "  {:<13} {}",
            finding.weight,
            output::folded(
                &output::clean(&format!("{}: {}", finding.rule, finding.evidence)),
                16
            )
        );
    }
    if entry.verdict != automode::Verdict::Allow {
        println!(
            "\nwas it fine? `automode allow-once {}` permits it once",
            entry.id
        );
        if let (Some(rule), true) = (&entry.permission, a_rule_helps(entry)) {
            let writes = format!(
                "`automode allow {}` writes the rule {}",
                entry.id,
                output::clean(rule)
            );
            println!("             {}", output::folded(&writes, 13));
        }
    }
}

/// What the person answered, where the decision was a question and the client's next event told.
const fn answered(said: Said) -> &'static str {
    match said {
        Said::Yes => "the person said yes",
        Said::No => "the person said no",
    }
}

/// What came of a confined run.
fn confined(id: &str) -> Vec<String> {
    let record = State::locate(|name| std::env::var(name).ok())
        .ok()
        .and_then(|state| RunRecord::read(state.root(), id));
    let Some(record) = record else {
        return Vec::new();
    };
    let mut lines = vec![format!("by {}, ended with {}", record.backend, record.code)];
    lines.extend(record.report.for_model(None).lines().map(str::to_owned));
    lines
}

/// Whether a permission rule would have let the call through: vetoes stand before every permit.
pub fn a_rule_helps(entry: &Entry) -> bool {
    matches!(
        entry.ground.as_str(),
        "judge" | "no-judge" | "failure" | "limit" | "mode"
    )
}

/// Millionths of a dollar, for people.
#[expect(
    clippy::cast_precision_loss,
    reason = "a price is shown with six digits"
)]
pub fn dollars(micros: u64) -> String {
    format!("${:.4}", micros as f64 / 1_000_000.0)
}
