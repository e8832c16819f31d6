//! `automode undo`: brings back what an allowed call lost.

use std::env;

use anyhow::{Result, bail};
use automode::state::State;
use automode_confine::undo::{Change, Snapshot, UndoStore};
use serde_json::json;

use crate::output;

/// Bring back files that an allowed call removed or replaced.
///
/// Only what is still as the call left it is put back. Newer work stays, and the old version
/// goes beside it as `NAME.undo-ID`. Nothing is ever lost by it: what stood in place of a
/// restored file can be brought back in the same way. Branches are told, not moved.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The decision's name, or `last`
    #[arg(value_name = "ID", default_value = "last")]
    id: String,
    /// Show what is kept, newest first
    #[arg(long, conflicts_with_all = ["dry_run", "forget"])]
    list: bool,
    /// Show what would be done
    #[arg(long)]
    dry_run: bool,
    /// Remove what is kept for a call, for good
    #[arg(long, conflicts_with = "dry_run")]
    forget: bool,
    /// Answer as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  automode undo
  automode undo --list
  automode undo k3f9x2ab --dry-run
  automode undo last --forget";

pub fn run(args: Args) -> Result<u8> {
    let state = State::locate(|name| env::var(name).ok())?;
    let store = UndoStore::new(state.root());
    if args.list {
        return list(&store, args.json);
    }
    let id = match args.id.as_str() {
        "last" => latest(&store)?,
        id => id.to_owned(),
    };
    if args.forget {
        store.forget(&id)?;
        println!("forgotten: {}", output::clean(&id));
        return Ok(0);
    }
    let restoring = store.restoring(&id)?;
    let (changes, kept) = if args.dry_run {
        (restoring.preview(), None)
    } else {
        store.restore(&id)?
    };
    let failed = changes
        .iter()
        .any(|change| matches!(change, Change::Failed(..)));
    if args.json {
        println!(
            "{}",
            json!({ "id": id, "sealed": restoring.is_sealed(), "changes": changes, "replaced": kept })
        );
    } else {
        show(
            restoring.snapshot(),
            restoring.is_sealed(),
            &changes,
            args.dry_run,
        );
        if let Some(kept) = &kept {
            println!(
                "  what stood there is kept: automode undo {}",
                output::clean(kept)
            );
        }
    }
    Ok(u8::from(failed))
}

fn latest(store: &UndoStore) -> Result<String> {
    let of_calls = |snapshot: &Snapshot| snapshot.undoes.is_none();
    match store.list()?.into_iter().find(of_calls) {
        Some(snapshot) => Ok(snapshot.id),
        None => bail!(
            "nothing is kept\nhint: files are kept before an allowed call that could lose them, with `undo = \"on\"`"
        ),
    }
}

fn list(store: &UndoStore, as_json: bool) -> Result<u8> {
    let kept = store.list()?;
    if as_json {
        for snapshot in &kept {
            println!(
                "{}",
                json!({ "id": snapshot.id, "taken": snapshot.taken, "project": snapshot.project, "command": snapshot.command, "files": snapshot.before.len() })
            );
        }
        return Ok(0);
    }
    if kept.is_empty() {
        println!("nothing is kept");
    }
    for snapshot in &kept {
        let (id, files) = (output::clean(&snapshot.id), snapshot.before.len());
        println!("{id}  {files} paths  {}", output::clean(&snapshot.command));
    }
    Ok(0)
}

fn show(snapshot: &Snapshot, sealed: bool, changes: &[Change], dry: bool) {
    println!("{}", output::clean(&snapshot.command));
    if !sealed {
        println!("nobody saw this call end, so nothing is overwritten");
    }
    let would = if dry { "would be " } else { "" };
    for change in changes {
        let line = match change {
            Change::Unchanged(_) => continue,
            Change::Restored(path) => format!("{would}restored: {}", path.display()),
            Change::Beside(path, beside) => format!(
                "{} has newer work; the old version {would}put beside it: {}",
                path.display(),
                beside.display()
            ),
            Change::Made(path) => format!("made by the call, and stays: {}", path.display()),
            Change::Failed(path, why) => format!("not restored: {}: {why}", path.display()),
            Change::Told(what) => format!("not moved: {what}"),
        };
        println!("  {}", output::clean(&line));
    }
    if changes
        .iter()
        .all(|change| matches!(change, Change::Unchanged(_)))
    {
        println!("  everything is as it was before the call");
    }
}
