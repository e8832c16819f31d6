//! The user's own configuration file, changed in place.
//!
//! What stands there stays, with its comments and its order. What `automode setup` and
//! `automode install` write carries a mark, by which `automode uninstall` takes it out again.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Key, Table, Value};

use crate::client;

/// Stands above everything that is taken out again.
const MARK: &str = "# written by automode setup\n";

/// A judge that somebody chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenJudge {
    /// The provider's word in the configuration.
    pub kind: &'static str,
    pub model: Option<String>,
    pub base_url: Option<String>,
}

/// Where it is.
pub fn path() -> Result<PathBuf> {
    let place = client::place()?;
    let base = place.directory("XDG_CONFIG_HOME", ".config");
    Ok(PathBuf::from(base).join("automode/config.toml"))
}

/// Changes the file; whether that changed anything.
pub fn change(with: impl FnOnce(&str) -> Result<String>) -> Result<bool> {
    let path = path()?;
    let before = client::read(&path)?.unwrap_or_default();
    let after = with(&before).with_context(|| format!("`{}` is left alone", path.display()))?;
    if after == before {
        return Ok(false);
    }
    if after.trim().is_empty() {
        client::remove(&path)?;
    } else {
        client::replace(&path, &after)?;
    }
    Ok(true)
}

/// The file with one more allow rule.
pub fn with_rule(text: &str, rule: &str) -> Result<String> {
    let mut document = parse(text)?;
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

/// The file with a judge at the end of the chain.
pub fn with_judge(text: &str, judge: &ChosenJudge) -> Result<String> {
    let mut document = parse(text)?;
    let mut link = Table::new();
    link.decor_mut().set_prefix(MARK);
    link.insert("kind", toml_edit::value(judge.kind));
    for (key, value) in [("model", &judge.model), ("base_url", &judge.base_url)] {
        if let Some(value) = value {
            link.insert(key, toml_edit::value(value.as_str()));
        }
    }
    let mut section = Table::new();
    section.set_implicit(true);
    let chain = document
        .entry("judge")
        .or_insert(Item::Table(section))
        .as_table_like_mut()
        .ok_or_else(|| anyhow!("`judge` is not a table"))?
        .entry("chain")
        .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()))
        .as_array_of_tables_mut()
        .ok_or_else(|| anyhow!("`judge.chain` is not a list of tables"))?;
    chain.push(link);
    Ok(document.to_string())
}

/// The file with the word for who decides beside a client's own classifier.
pub fn with_beside(text: &str, word: &str) -> Result<String> {
    let mut document = parse(text)?;
    if document.get("beside").and_then(Item::as_str) == Some(word) {
        return Ok(text.to_owned());
    }
    match document.get_mut("beside") {
        Some(item) => *item = toml_edit::value(word),
        None => {
            let mut key = Key::new("beside");
            key.leaf_decor_mut().set_prefix(MARK);
            document.insert_formatted(&key, toml_edit::value(word));
        }
    }
    Ok(document.to_string())
}

/// The file without what carries the mark.
pub fn without_marked(text: &str) -> Result<String> {
    let mut document = parse(text)?;
    let marked = |prefix: Option<&toml_edit::RawString>| {
        prefix
            .and_then(|prefix| prefix.as_str())
            .is_some_and(|prefix| prefix.contains(MARK.trim_end()))
    };
    let beside = document
        .key("beside")
        .is_some_and(|key| marked(key.leaf_decor().prefix()));
    if beside {
        document.remove("beside");
    }
    if let Some(judge) = document.get_mut("judge").and_then(Item::as_table_like_mut) {
        let chain = judge
            .get_mut("chain")
            .and_then(Item::as_array_of_tables_mut);
        let empty = chain.is_some_and(|chain| {
            chain.retain(|link| !marked(link.decor().prefix()));
            chain.is_empty()
        });
        if empty {
            judge.remove("chain");
        }
        if judge.is_empty() {
            document.remove("judge");
        }
    }
    Ok(document.to_string())
}

fn parse(text: &str) -> Result<DocumentMut> {
    text.parse().context("it is not TOML")
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn what_set_up_wrote_is_taken_out_again() {
        let judge = ChosenJudge {
            kind: "openai-compatible",
            model: Some("qwen3:8b".to_owned()),
            base_url: Some("http://127.0.0.1:11434/v1".to_owned()),
        };
        for before in [
            "",
            "# mine\nstrip = \"standard\"\n",
            "[permissions]\nallow = [\"Bash(make)\"]\n",
            "[[judge.chain]]\nkind = \"anthropic\"\n",
        ] {
            let with = with_judge(before, &judge).unwrap();
            assert!(with.contains("kind = \"openai-compatible\""), "{with}");
            let with = with_beside(&with, "veto-only").unwrap();
            assert!(with.contains("beside = \"veto-only\""), "{with}");
            let parsed: toml::Table = with.parse().unwrap();
            assert_eq!(parsed["beside"].as_str(), Some("veto-only"), "{with}");
            let without = without_marked(&with).unwrap();
            assert_eq!(without.trim(), before.trim(), "{with}");
        }
    }
}
