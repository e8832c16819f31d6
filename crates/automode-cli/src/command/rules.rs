//! `automode rules`: the pages of what is blocked, guarded and let through.

use std::fmt::Write as _;

use anyhow::{Result, anyhow};
use automode_core::exceptions::EXCEPTIONS;
use automode_core::fastpath::FAST_PATHS;
use automode_core::guards::GUARDS;
use automode_core::page::Page;
use automode_core::policy::nearest;
use automode_core::rules::CATALOGUE;
use serde_json::json;

use crate::output;

/// List the rules, or show the page of one.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: RulesCommand,
}

const EXAMPLES: &str = "\
Examples:
  automode rules list
  automode rules show force-push";

#[derive(clap::Subcommand)]
enum RulesCommand {
    /// Every block rule, guard, fast path and exception
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// What one blocks, why, what is fine, and how to permit it
    Show {
        /// The id, such as `force-push`
        #[arg(value_name = "ID")]
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// One page of the catalogue.
struct CatalogueEntry {
    kind: &'static str,
    id: &'static str,
    page: &'static str,
}

pub fn run(args: Args) -> Result<u8> {
    match args.what {
        RulesCommand::List { json } => list(json)?,
        RulesCommand::Show { id, json } => show(&id, json)?,
    }
    Ok(0)
}

fn entries() -> impl Iterator<Item = CatalogueEntry> {
    let entry = |kind, id, page| CatalogueEntry { kind, id, page };
    let rules = CATALOGUE
        .iter()
        .map(move |rule| entry("rule", rule.id(), rule.page()));
    let guards = GUARDS
        .iter()
        .map(move |guard| entry("guard", guard.id(), guard.page()));
    let paths = FAST_PATHS
        .iter()
        .map(move |path| entry("fast-path", path.id(), path.page()));
    let exceptions = EXCEPTIONS
        .iter()
        .map(move |exception| entry("exception", exception.id(), exception.page()));
    rules.chain(guards).chain(paths).chain(exceptions)
}

fn list(as_json: bool) -> Result<()> {
    if as_json {
        let rows: Vec<_> = entries()
            .map(|entry| json!({"id": entry.id, "kind": entry.kind, "title": Page::read(entry.page).title}))
            .collect();
        return Ok(output::print(&format!(
            "{}\n",
            serde_json::to_string_pretty(&rows)?
        ))?);
    }
    let mut out = String::new();
    for entry in entries() {
        writeln!(
            out,
            "{:<10} {:<24} {}",
            entry.kind,
            entry.id,
            Page::read(entry.page).title
        )?;
    }
    Ok(output::print(&out)?)
}

fn show(id: &str, as_json: bool) -> Result<()> {
    let Some(entry) = entries().find(|entry| entry.id == id) else {
        let ids: Vec<&str> = entries().map(|entry| entry.id).collect();
        let hint = nearest(id, ids).map_or_else(
            || "`automode rules list` names them all".to_owned(),
            |meant| format!("did you mean `{meant}`?"),
        );
        return Err(anyhow!("there is no rule `{id}`\nhint: {hint}"));
    };
    if as_json {
        let row = json!({"id": entry.id, "kind": entry.kind, "page": entry.page});
        return Ok(output::print(&format!(
            "{}\n",
            serde_json::to_string_pretty(&row)?
        ))?);
    }
    Ok(output::print(&format!("{}\n", entry.page.trim_end()))?)
}
