//! The organisation's policy as people write it: settings of automode, and beside them
//! rules for groups.
//!
//! ```toml
//! [permissions]
//! deny = ["Bash(terraform destroy *)"]
//!
//! [group.data.permissions]
//! allow = ["Bash(dbt run *)"]
//! ```
//!
//! A device gets what stands for everyone and what stands for its group, as one file of
//! settings. Groups have rules alone: a setting is the same for all.

use toml_edit::{Array, DocumentMut, Item, Table, Value};

const LISTS: [&str; 3] = ["allow", "ask", "deny"];

/// Why a document cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    #[error("the policy is not TOML: {0}")]
    Syntax(String),
    #[error(
        "`{0}` is not a list of rules for a group (hint: [group.NAME.permissions] with allow, ask, deny)"
    )]
    Group(String),
}

/// A policy that was read.
#[derive(Clone, Debug)]
pub struct PolicyDocument {
    document: DocumentMut,
}

impl PolicyDocument {
    /// Reads it.
    ///
    /// # Errors
    /// [`DocumentError`] where it is not TOML or a group holds more than rules.
    pub fn read(text: &str) -> Result<Self, DocumentError> {
        let document: DocumentMut = text
            .parse()
            .map_err(|error: toml_edit::TomlError| DocumentError::Syntax(error.to_string()))?;
        let document = Self { document };
        let groups = document.document.get("group");
        if groups.is_some_and(|groups| !groups.is_table_like()) {
            return Err(DocumentError::Group("group".to_owned()));
        }
        for name in document.groups() {
            document.check_group(&name)?;
        }
        Ok(document)
    }

    /// The groups that rules are written for.
    #[must_use]
    pub fn groups(&self) -> Vec<String> {
        let groups = self.document.get("group").and_then(Item::as_table_like);
        groups
            .map(|table| table.iter().map(|(name, _)| name.to_owned()).collect())
            .unwrap_or_default()
    }

    /// A group has lists of rules alone. What is written otherwise would be lost, and a veto
    /// with it.
    fn check_group(&self, name: &str) -> Result<(), DocumentError> {
        let wrong = |place: String| Err(DocumentError::Group(place));
        let group = self
            .document
            .get("group")
            .and_then(|groups| groups.get(name))
            .and_then(Item::as_table_like)
            .ok_or_else(|| DocumentError::Group(format!("group.{name}")))?;
        if let Some((other, _)) = group.iter().find(|(key, _)| *key != "permissions") {
            return wrong(format!("group.{name}.{other}"));
        }
        let lists = group.get("permissions").and_then(Item::as_table_like);
        let lists = lists.ok_or_else(|| DocumentError::Group(format!("group.{name}")))?;
        for (key, list) in lists.iter() {
            let rules = list.as_array().filter(|_| LISTS.contains(&key));
            if !rules.is_some_and(|rules| rules.iter().all(Value::is_str)) {
                return wrong(format!("group.{name}.permissions.{key}"));
            }
        }
        Ok(())
    }

    /// The settings for a device of this group.
    #[must_use]
    pub fn for_group(&self, group: &str) -> String {
        let mut document = self.document.clone();
        let groups = document.remove("group");
        let own = groups
            .as_ref()
            .and_then(|groups| groups.get(group))
            .and_then(|own| own.get("permissions"));
        for list in LISTS {
            let rules: Vec<String> = own
                .and_then(|own| own.get(list))
                .and_then(Item::as_array)
                .into_iter()
                .flatten()
                .filter_map(|rule| rule.as_str().map(str::to_owned))
                .collect();
            for rule in rules {
                add(&mut document, &[], list, &rule);
            }
        }
        document.to_string()
    }

    /// The settings for everyone, each at its line of the text that was read, as far as groups
    /// stand in tables of their own.
    #[must_use]
    pub fn for_everyone(&self, text: &str) -> String {
        let mut in_group = false;
        let kept = text.lines().map(|line| {
            let head = line.trim_start();
            if head.starts_with('[') {
                in_group = head.starts_with("[group.") || head.starts_with("[group]");
            }
            if in_group {
                "\n".to_owned()
            } else {
                format!("{line}\n")
            }
        });
        let (in_place, apart) = (kept.collect::<String>(), self.for_group(""));
        let said = |text: &str| text.parse::<toml::Table>().ok();
        match said(&in_place).is_some() && said(&in_place) == said(&apart) {
            true => in_place,
            false => apart,
        }
    }

    /// The document with one rule more; for a group, or for everyone where it is empty.
    #[must_use]
    pub fn with_rule(&self, group: &str, list: &str, rule: &str) -> String {
        let mut document = self.document.clone();
        if group.is_empty() {
            add(&mut document, &[], list, rule);
        } else {
            add(&mut document, &["group", group], list, rule);
        }
        document.to_string()
    }
}

/// Adds a rule to a list, making tables on the way; one that is there stays alone.
fn add(document: &mut DocumentMut, path: &[&str], list: &str, rule: &str) {
    let mut table: &mut Table = document.as_table_mut();
    for key in path.iter().chain(&["permissions"]) {
        let is_last = *key == "permissions";
        let entry = table.entry(key).or_insert_with(|| {
            let mut fresh = Table::new();
            fresh.set_implicit(!is_last);
            Item::Table(fresh)
        });
        if !entry.is_table() {
            *entry = match std::mem::take(entry).into_table() {
                Ok(table) => Item::Table(table),
                Err(_) => return,
            };
        }
        let Some(next) = entry.as_table_mut() else {
            return;
        };
        table = next;
    }
    let entry = table
        .entry(list)
        .or_insert_with(|| Item::Value(Value::Array(Array::new())));
    let Some(rules) = entry.as_array_mut() else {
        return;
    };
    if rules.iter().any(|known| known.as_str() == Some(rule)) {
        return;
    }
    let multiline = rules.len() > 2;
    rules.push(rule);
    if multiline {
        for known in rules.iter_mut() {
            known.decor_mut().set_prefix("\n    ");
        }
        rules.set_trailing("\n");
        rules.set_trailing_comma(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = "# ours\n[permissions]\ndeny = [\"Bash(a *)\"]\n\n[group.data.permissions]\nallow = [\"Bash(b)\"]\n";

    #[test]
    fn a_group_gets_its_rules_beside_those_of_everyone() {
        let document = PolicyDocument::read(POLICY).unwrap();
        assert_eq!(document.groups(), ["data"]);
        let data = document.for_group("data");
        assert!(
            data.contains("allow = [\"Bash(b)\"]") && data.contains("Bash(a *)"),
            "{data}"
        );
        assert!(!data.contains("group"), "{data}");
        let web = document.for_group("web");
        assert!(!web.contains("Bash(b)") && web.contains("# ours"), "{web}");
    }

    #[test]
    fn what_is_for_everyone_stays_at_its_line() {
        let check = |text: &str, line: usize, said: &str| {
            let everyone = PolicyDocument::read(text).unwrap().for_everyone(text);
            assert_eq!(everyone.lines().nth(line - 1), Some(said), "{everyone}");
            assert!(!everyone.contains("Bash(b)"), "{everyone}");
        };
        let last = "[group.data.permissions]\nallow = [\n    \"Bash(b)\",\n]\n[permissions]\ndeny = [\"Bash(a *)\"]\n";
        check(last, 6, "deny = [\"Bash(a *)\"]");
        check(POLICY, 3, "deny = [\"Bash(a *)\"]");
        // What is written otherwise is taken apart, wherever it comes to stand.
        check(
            "group.data.permissions.allow = [\"Bash(b)\"]\nstrip = \"strict\"\n",
            1,
            "strip = \"strict\"",
        );
    }

    #[test]
    fn rules_are_added_where_they_belong() {
        let document = PolicyDocument::read(POLICY).unwrap();
        let everyone = document.with_rule("", "deny", "Bash(c)");
        assert!(
            everyone.contains("deny = [\"Bash(a *)\", \"Bash(c)\"]"),
            "{everyone}"
        );
        let web = document.with_rule("web", "allow", "Bash(c)");
        assert!(
            web.contains("[group.web.permissions]\nallow = [\"Bash(c)\"]"),
            "{web}"
        );
        let again = PolicyDocument::read(&web)
            .unwrap()
            .with_rule("web", "allow", "Bash(c)");
        assert_eq!(again, web);
        let empty = PolicyDocument::read("")
            .unwrap()
            .with_rule("", "ask", "Bash(c)");
        assert_eq!(empty, "[permissions]\nask = [\"Bash(c)\"]\n");
    }

    #[test]
    fn a_group_holds_rules_alone() {
        for text in [
            "[group.a]\nmode = 1",
            "[group.a.permissions]\nmanaged_allow_only = false",
            "group = 1\n[group.a]",
            "[group]\na = 1",
            "group = 1",
            "[[group]]\nname = \"a\"\n[group.permissions]\ndeny = [\"Bash(x)\"]",
            "[[group.a]]\npermissions.deny = [\"Bash(x)\"]",
            "[group.a]\npermissions = [\"Bash(x)\"]",
            "[group.a.permissions]\ndeny = \"Bash(x)\"",
            "[group.a.permissions]\ndeny = [\"Bash(x)\", 1]",
            "[[group.a.permissions.deny]]\nx = 1",
            "[",
        ] {
            assert!(PolicyDocument::read(text).is_err(), "{text}");
        }
    }
}
