//! A tree as the source of static tables.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::notation::{self, Choices, Count, Names, Result};
use crate::tree::{FlagRow, Node};

/// Source of all tables so far; equal tables are written once.
#[derive(Default)]
pub struct Source {
    pub text: String,
    constants: HashMap<String, String>,
}

impl Source {
    /// Writes a command after its subcommands, and answers with its name.
    pub fn command(&mut self, node: &Node) -> Result<String> {
        let (mut subs, mut patterns) = (Vec::new(), Vec::new());
        for (name, child) in &node.children {
            let constant = self
                .command(child)
                .map_err(|error| format!("{name}: {error}"))?;
            let row = format!("({name:?}, &{constant})");
            if name.contains('*') {
                patterns.push((name.len(), row));
            } else {
                subs.push(row);
            }
        }
        // The longest pattern wins.
        patterns.sort_by_key(|(length, _)| std::cmp::Reverse(*length));
        let patterns: Vec<String> = patterns.into_iter().map(|(_, row)| row).collect();
        let body = self.body(node)?;
        let (subs, patterns) = (subs.join(", "), patterns.join(", "));
        Ok(self.constant(
            "static C",
            "Command",
            format!("Command {{ {body}, subs: &[{subs}], patterns: &[{patterns}] }}"),
        ))
    }

    fn body(&mut self, node: &Node) -> Result<String> {
        let names: Names = node
            .flags
            .iter()
            .flat_map(|row| row.spellings.iter().map(|name| (name.clone(), row.id)))
            .collect();
        let spec = &node.spec;
        let style = style(spec.style.as_deref().unwrap_or("gnu"))?;
        let mut flags_are_inert = true;
        let (flags, prefixes) = self.flags(&node.flags, &names, &mut flags_are_inert)?;
        let operands = self.operands(spec.operands.as_deref(), &names, &mut flags_are_inert)?;
        let clauses = spec
            .acts
            .iter()
            .map(|act| notation::clause(act, &names))
            .collect::<Result<Vec<_>>>()?;
        flags_are_inert &= !clauses.iter().any(|clause| hangs_on_flags(clause));
        let clauses = self.slice("Clause", &clauses);
        let output = spec
            .output
            .iter()
            .flat_map(crate::schema::Lines::list)
            .map(|line| notation::output(&line, &names))
            .collect::<Result<Vec<_>>>()?;
        let output = self.slice("OutputRule", &output);
        let dry = match &spec.dry {
            Some(tests) => format!("Some({})", notation::any(tests, &names)?),
            None => "None".to_owned(),
        };
        let other = if node.any_flag { "Harmless" } else { "Gap" };
        let help: Vec<String> = spec
            .help
            .split_whitespace()
            .map(|h| format!("{h:?}"))
            .collect();
        let help = self.slice("&str", &help);
        Ok(format!(
            "style: Style::{style}, flags: {flags}, prefixes: {prefixes}, other: Other::{other}, \
             help: {help}, dry: {dry}, operands: {operands}, clauses: {clauses}, \
             output: {output}, flags_are_inert: {}",
            flags_are_inert && spec.dry.is_none(),
        ))
    }

    fn flags(
        &mut self,
        rows: &[FlagRow],
        names: &Names,
        flags_are_inert: &mut bool,
    ) -> Result<(String, String)> {
        let (mut exact, mut prefixes) = (Vec::new(), Vec::new());
        for row in rows {
            let flag = self.flag(row, names, flags_are_inert)?;
            for name in &row.spellings {
                match name.strip_suffix('*') {
                    Some(start) => prefixes.push((start.to_owned(), flag.clone())),
                    None => exact.push((name.clone(), flag.clone())),
                }
            }
        }
        exact.sort();
        // The longest beginning wins.
        prefixes.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.0.cmp(&b.0)));
        let mut table = |rows: Vec<(String, String)>| {
            let rows: Vec<String> = rows
                .iter()
                .map(|(name, flag)| format!("({name:?}, {flag})"))
                .collect();
            self.slice("(&str, Flag)", &rows)
        };
        Ok((table(exact), table(prefixes)))
    }

    fn flag(&mut self, row: &FlagRow, names: &Names, flags_are_inert: &mut bool) -> Result<String> {
        let mut values = Vec::new();
        let mut takes = if row.values.is_empty() {
            "Nothing"
        } else {
            "Words"
        };
        for value in &row.values {
            // An inherited flag may depend on flags that are not inherited with it.
            let Choices {
                source,
                count,
                flags_are_inert: mild,
            } = notation::choices(value, names)
                .map_err(|error| format!("flag `{}`: {error}", row.spellings.join(" ")))?;
            *flags_are_inert &= mild;
            match count {
                Count::One => {}
                Count::Many => takes = "Rest",
                Count::Until => takes = "Until",
                Count::Glued => takes = "Glued",
            }
            values.push(source);
        }
        let values = self.slice("Slot", &values);
        Ok(format!(
            "Flag {{ id: {}, takes: Takes::{takes}, values: {values} }}",
            row.id
        ))
    }

    fn operands(
        &mut self,
        slots: Option<&[String]>,
        names: &Names,
        flags_are_inert: &mut bool,
    ) -> Result<String> {
        let Some(slots) = slots else {
            return Ok("None".to_owned());
        };
        let mut sources = Vec::new();
        for slot in slots {
            let Choices { source, .. } = notation::choices(slot, names)?;
            *flags_are_inert &= !hangs_on_flags(&source);
            sources.push(source);
        }
        Ok(format!("Some({})", self.slice("Slot", &sources)))
    }

    /// The name of a slice of these items.
    fn slice(&mut self, item: &str, items: &[String]) -> String {
        if items.is_empty() {
            return "&[]".to_owned();
        }
        let source = format!("&[{}]", items.join(", "));
        self.constant("const S", &format!("&[{item}]"), source)
    }

    /// The name of a value of this type.
    fn constant(&mut self, item: &str, kind: &str, value: String) -> String {
        let count = self.constants.len();
        match self.constants.entry(value) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(new) => {
                let prefix = item.rsplit(' ').next().unwrap_or(item);
                let name = format!("{prefix}{count}");
                self.text
                    .push_str(&format!("{item}{count}: {kind} = {};\n", new.key()));
                new.insert(name).clone()
            }
        }
    }
}

/// Whether the source has a condition that a flag decides.
fn hangs_on_flags(source: &str) -> bool {
    ["Test::Flag", "Test::Value"]
        .iter()
        .any(|test| source.contains(test))
}

fn style(name: &str) -> Result<String> {
    match name {
        "gnu" | "posix" | "long" | "long-posix" | "keys" | "bundle" | "plain" => {
            Ok(notation::camel(name))
        }
        _ => Err(format!("unknown style `{name}`")),
    }
}
