//! `automode allow`: a person turns a stopped call into a permission rule.
//!
//! The rule is the narrowest that covers the call: the exact command, the exact
//! path, the one host. It is shown before it is written, and goes into the user's own
//! configuration, keeping what stands there.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use automode::state::State;
use toml_edit::{Array, DocumentMut, Item, Table, Value};

use super::allow_once::{find, show};
use super::why::a_rule_helps;
use crate::{client, person};

/// Turn a call that was denied or asked about into a permission rule.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The decision's name, as the denial or `automode log` shows it; `last` for the latest
    #[arg(value_name = "ID")]
    id: String,
}

const EXAMPLES: &str = "\
Examples:
  automode allow last
  automode allow k3f9x2ab";

pub fn run(args: Args) -> Result<u8> {
    person::required("automode allow")?;
    let state = State::locate(|name| std::env::var(name).ok())?;
    let entry = find(&state, &args.id)?;
    show(&entry);
    if !a_rule_helps(&entry) {
        bail!(
            "a permission rule does not permit what stopped this ({} {})\nhint: permit it once with `automode allow-once {}`, or see `automode rules`",
            entry.ground,
            entry.rule.unwrap_or_default(),
            entry.id
        );
    }
    let rule = entry.permission.ok_or_else(|| {
        anyhow!("no rule is narrow enough for this call\nhint: permit it once with `automode allow-once {}`", entry.id)
    })?;
    let path = config()?;
    println!(
        "\nthe rule, for every session of yours:\n  {rule}\nin {}",
        path.display()
    );
    if !person::agrees("write it?")? {
        bail!("nothing was written");
    }
    let before = client::read(&path)?.unwrap_or_default();
    let after =
        with_rule(&before, &rule).with_context(|| format!("`{}` is left alone", path.display()))?;
    client::replace(&path, &after)?;
    println!("written; `automode config lint` says whether it holds in auto mode");
    Ok(0)
}

/// The user's own configuration.
fn config() -> Result<PathBuf> {
    let place = client::place()?;
    let base = place.directory("XDG_CONFIG_HOME", ".config");
    Ok(PathBuf::from(base).join("automode/config.toml"))
}

/// The file with one more allow rule.
fn with_rule(text: &str, rule: &str) -> Result<String> {
    let mut document: DocumentMut = text.parse().context("it is not TOML")?;
    let permissions = document
        .entry("permissions")
        .or_insert_with(|| Item::Table(Table::new()))
        .as_table_like_mut()
        .ok_or_else(|| anyhow!("`permissions` is not a table"))?;
    let allow = permissions
        .entry("allow")
        .or_insert_with(|| Item::Value(Value::Array(Array::new())))
        .as_array_mut()
        .ok_or_else(|| anyhow!("`permissions.allow` is not a list"))?;
    if !allow.iter().any(|known| known.as_str() == Some(rule)) {
        allow.push(rule);
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::with_rule;

    #[test]
    fn a_rule_is_added_once_and_the_rest_stays() {
        let before = "# mine\n[permissions]\ndeny = [\"Bash(rm *)\"] # never\n";
        let once = with_rule(before, "Bash(make deploy)").unwrap();
        assert_eq!(
            once,
            "# mine\n[permissions]\ndeny = [\"Bash(rm *)\"] # never\nallow = [\"Bash(make deploy)\"]\n"
        );
        assert_eq!(with_rule(&once, "Bash(make deploy)").unwrap(), once);
        assert_eq!(
            with_rule("", "WebFetch(domain:a.b)").unwrap(),
            "[permissions]\nallow = [\"WebFetch(domain:a.b)\"]\n"
        );
        assert!(
            with_rule("permissions = 1", "Bash(x)").is_err()
                && with_rule("x = [", "Bash(x)").is_err()
        );
    }
}
