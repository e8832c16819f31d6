//! `automode config`: what is in force, and where it was written.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use automode::config::{self, Places, Trust};
use automode_core::judge::Guidance;
use automode_core::policy::{FIELDS, List, NoteKind, Policy, Prose, Rule, Settings, Value};
use serde_json::json;

use crate::{ERROR, output, setup};

/// Show, check and describe the configuration.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    what: ConfigCommand,
}

const EXAMPLES: &str = "\
Examples:
  automode config show
  automode config lint --json
  automode config defaults > ~/.config/automode/config.toml
  automode config schema > automode.schema.json";

#[derive(clap::Subcommand)]
enum ConfigCommand {
    /// Everything in force here, with where it was written
    Show(ConfigPlace),
    /// The files that are looked for, weakest first, and how far each is trusted
    Path(ConfigPlace),
    /// Rules that never match, are shadowed or set aside, and mistakes
    ///
    /// Exit codes: 0 nothing to say, 1 something to look at, 3 a file is broken.
    Lint(ConfigPlace),
    /// Let the judge review your own sentences and rules: unclear, conflicting, too wide
    Critique(ConfigPlace),
    /// The JSON Schema of the configuration file
    Schema,
    /// The built-in settings and lists, as a configuration file
    Defaults,
}

/// The directory and file that are asked about.
#[derive(clap::Args)]
pub struct ConfigPlace {
    /// The working directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// A configuration file, beside those that are found
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: Args) -> Result<u8> {
    match args.what {
        ConfigCommand::Show(here) => show(here),
        ConfigCommand::Path(here) => path(here),
        ConfigCommand::Lint(here) => lint(here),
        ConfigCommand::Critique(here) => super::critique::run(here.cwd, here.config),
        ConfigCommand::Schema => {
            let text = serde_json::to_string_pretty(&config::schema::schema())?;
            output::print(&format!("{text}\n"))?;
            Ok(0)
        }
        ConfigCommand::Defaults => {
            output::print(&defaults())?;
            Ok(0)
        }
    }
}

impl ConfigPlace {
    pub fn places(&self) -> Result<Places> {
        let cwd = setup::directory(self.cwd.clone())?;
        Ok(Places::here(cwd.as_ref(), self.config.clone()))
    }
}

fn show(here: ConfigPlace) -> Result<u8> {
    let policy = config::load(&here.places()?);
    let text = if here.json {
        format!("{}\n", serde_json::to_string_pretty(&as_json(&policy))?)
    } else {
        as_text(&policy)
    };
    output::print(&text)?;
    Ok(broken(&policy))
}

/// Faults go to stderr, and nothing that holds one is a success.
fn broken(policy: &Policy) -> u8 {
    for fault in &policy.provenance().faults {
        output::complain(fault);
    }
    if policy.failure().is_some() { ERROR } else { 0 }
}

/// Why auto mode sets a rule aside.
fn set_aside<'p>(policy: &'p Policy, rule: &Rule) -> Option<&'p str> {
    let stripped = &policy.provenance().stripped;
    stripped
        .iter()
        .find(|stripped| *stripped.rule == *rule)
        .map(|stripped| stripped.why.as_str())
}

fn lists(policy: &Policy) -> [(List, &[Prose]); 4] {
    let own = &policy.auto_mode;
    [
        (List::Allow, &own.allow),
        (List::SoftDeny, &own.soft_deny),
        (List::HardDeny, &own.hard_deny),
        (List::Environment, &own.environment),
    ]
}

fn as_text(policy: &Policy) -> String {
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{}", output::clean(&text)).unwrap_or_default();
    let known = policy.provenance();
    line("files, the weakest first".to_owned());
    for file in &known.files {
        line(format!("  {file}"));
    }
    if known.files.is_empty() {
        line("  none: the built-in defaults are in force".to_owned());
    }
    for (name, rules) in ["deny", "ask", "allow"].into_iter().zip(policy.rules()) {
        line(String::new());
        line(format!(
            "permissions.{name}{}",
            if rules.is_empty() { ": none" } else { "" }
        ));
        for rule in rules {
            line(format!("  {}  ({})", rule.text, rule.origin()));
            if let Some(why) = set_aside(policy, rule) {
                line(format!("    set aside in auto mode: {why}"));
            }
        }
    }
    for (list, entries) in lists(policy) {
        line(String::new());
        line(format!("auto_mode.{}", list.name()));
        for prose in entries {
            line(match prose {
                Prose::Defaults => "  the built-in entries (`automode config defaults`)".to_owned(),
                Prose::Entry { text, origin } => format!("  {text}  ({origin})"),
            });
        }
    }
    line(String::new());
    line("settings".to_owned());
    for field in FIELDS {
        let value = field.value(&policy.settings);
        if value != Value::Unset {
            let origin = known
                .settings
                .get(field.key)
                .map_or("default".to_owned(), ToString::to_string);
            line(format!("  {} = {}  ({origin})", field.key, json!(value)));
        }
    }
    out
}

fn as_json(policy: &Policy) -> serde_json::Value {
    let known = policy.provenance();
    let [deny, ask, allow] = policy.rules().map(|rules| {
        rules
            .iter()
            .map(|rule| json!({"rule": rule.text, "origin": rule.origin(), "stripped": set_aside(policy, rule)}))
            .collect::<Vec<_>>()
    });
    let prose: serde_json::Map<String, serde_json::Value> = lists(policy)
        .into_iter()
        .map(|(list, entries)| {
            let entries: Vec<_> = entries
                .iter()
                .map(|prose| match prose {
                    Prose::Defaults => json!({"text": "$defaults", "origin": "default"}),
                    Prose::Entry { text, origin } => json!({"text": text, "origin": origin}),
                })
                .collect();
            (list.name().to_owned(), json!(entries))
        })
        .collect();
    let settings: serde_json::Map<String, serde_json::Value> = FIELDS
        .iter()
        .map(|field| {
            let value = field.value(&policy.settings);
            (
                field.key.to_owned(),
                json!({"value": value, "origin": known.settings.get(field.key)}),
            )
        })
        .collect();
    json!({
        "digest": known.digest,
        "failure": policy.failure(),
        "files": known.files,
        "permissions": {"deny": deny, "ask": ask, "allow": allow, "directories": policy.directories()},
        "auto_mode": prose,
        "settings": settings,
    })
}

fn path(here: ConfigPlace) -> Result<u8> {
    let places = here.places()?;
    let mut rows: Vec<_> = places.iter().collect();
    rows.sort_by_key(|place| place.scope);
    let trust = |trust| match trust {
        Trust::Full => "full",
        Trust::TightenOnly => "tighten-only",
    };
    if here.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|place| json!({"path": place.path, "scope": place.scope, "trust": trust(place.trust()), "found": place.path.exists()}))
            .collect();
        output::print(&format!("{}\n", serde_json::to_string_pretty(&rows)?))?;
        return Ok(0);
    }
    let mut out = String::new();
    for place in rows {
        let found = if place.path.exists() {
            "found"
        } else {
            "absent"
        };
        let shown = output::clean(&place.path.display().to_string());
        writeln!(
            out,
            "{found:<7} {:<14} {:<13} {shown}",
            place.scope.name(),
            trust(place.trust())
        )?;
    }
    output::print(&out)?;
    Ok(0)
}

fn lint(here: ConfigPlace) -> Result<u8> {
    let policy = config::load(&here.places()?);
    let notes = policy.lint();
    if here.json {
        output::print(&format!("{}\n", serde_json::to_string_pretty(&notes)?))?;
    } else if notes.is_empty() {
        output::print("nothing to say\n")?;
    } else {
        let mut out = String::new();
        for note in &notes {
            let place = if note.origin.is_empty() {
                String::new()
            } else {
                format!("  ({})", note.origin)
            };
            let head = if note.subject.is_empty() {
                String::new()
            } else {
                format!(" {}", output::clean(&note.subject))
            };
            writeln!(out, "{}:{head}{}", note.kind.name(), output::clean(&place))?;
            for text in note.text.lines() {
                writeln!(out, "  {}", output::clean(text))?;
            }
        }
        output::print(&out)?;
    }
    let faulty = notes.iter().any(|note| note.kind == NoteKind::Fault);
    Ok(if faulty {
        ERROR
    } else {
        u8::from(!notes.is_empty())
    })
}

/// A configuration file that says what holds without one.
fn defaults() -> String {
    let mut out = String::from("# The built-in settings and lists of automode.\n");
    let mut put = |text: String| writeln!(out, "{text}").unwrap_or_default();
    let settings = Settings::default();
    let mut table = "";
    // Keys of no table stand before the tables, or they would belong to the last one.
    let top = FIELDS.iter().filter(|field| !field.key.contains('.'));
    let tables = FIELDS.iter().filter(|field| field.key.contains('.'));
    for field in top.chain(tables) {
        let value = field.value(&settings);
        let (own, name) = field.key.rsplit_once('.').unwrap_or(("", field.key));
        let empty = matches!(&value, Value::Tables(tables) if tables.is_empty());
        if value == Value::Unset || empty {
            continue;
        }
        if own != table {
            put(format!("\n[{own}]"));
            table = own;
        }
        put(format!("# {}\n{name} = {}", field.doc, json!(value)));
    }
    put("\n[permissions]\nallow = []\nask = []\ndeny = []\n\n[auto_mode]".to_owned());
    let built_in = Guidance::defaults();
    for list in List::ALL {
        let entries = match list {
            List::Allow => &built_in.allow,
            List::SoftDeny => &built_in.soft,
            List::HardDeny => &built_in.hard,
            List::Environment => &built_in.environment,
        };
        put("# The built-in entries, which \"$defaults\" stands for:".to_owned());
        for entry in entries {
            put(format!("#   {}", json!(entry)));
        }
        put(format!("{} = [\"$defaults\"]", list.name()));
    }
    out
}
