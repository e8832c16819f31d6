//! A tree as the source of static tables.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::notation::{self, Choices, FlagNumbers, Result};
use crate::rows::{Arity, OptionRow};
use crate::tree::CommandNode;

/// Source of all tables so far; equal tables are written once.
#[derive(Default)]
pub struct TableSource {
    pub text: String,
    constants: HashMap<String, String>,
    /// The rows of all options, eight bytes each.
    rows: Vec<u8>,
    /// Where tables of rows begin that are there already.
    tables: HashMap<Vec<u8>, usize>,
    /// All spellings of options, one behind the other.
    spellings: String,
    places: HashMap<String, usize>,
    /// The roles of the values of options, as source.
    values: Vec<String>,
}

impl TableSource {
    /// Writes a command after its subcommands, and answers with its name.
    pub fn command(&mut self, node: &CommandNode) -> Result<String> {
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

    fn body(&mut self, node: &CommandNode) -> Result<String> {
        let names: FlagNumbers = node
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
        flags_are_inert &= spec.dry.is_none();
        flags_are_inert &= !clauses.iter().any(|clause| hangs_on_flags(clause));
        let clauses = self.slice("Clause", &clauses);
        let output = spec
            .output
            .iter()
            .flat_map(crate::schema::Lines::list)
            .map(|line| notation::output(&line, &names))
            .collect::<Result<Vec<_>>>()?;
        let output = self.slice("OutputRule", &output);
        let dry = dry(spec.dry.as_deref(), &node.flags, &names)?;
        let dynamic = match spec.dynamic_options.as_deref() {
            None => false,
            Some("inert") if flags_are_inert => true,
            Some("inert") => return Err("its options are not all inert".to_owned()),
            Some(other) => return Err(format!("dynamic options cannot be `{other}`")),
        };
        let ends: Vec<String> = spec
            .ends
            .split_whitespace()
            .map(|word| format!("{word:?}"))
            .collect();
        let ends = self.slice("&str", &ends);
        Ok(format!(
            "style: Style::{style}, flags: {flags}, prefixes: {prefixes}, ends: {ends}, \
             dry: {dry}, operands: {operands}, clauses: {clauses}, output: {output}, \
             dynamic_options_are_inert: {dynamic}"
        ))
    }

    fn flags(
        &mut self,
        rows: &[OptionRow],
        names: &FlagNumbers,
        flags_are_inert: &mut bool,
    ) -> Result<(String, String)> {
        let (mut exact, mut prefixes) = (Vec::new(), Vec::new());
        for row in rows {
            let flag = self.flag(row, names, flags_are_inert)?;
            for name in &row.spellings {
                match name.strip_suffix('*') {
                    Some(start) => prefixes.push((start.to_owned(), flag)),
                    None => exact.push((name.clone(), flag)),
                }
            }
        }
        exact.sort();
        // The longest beginning wins.
        prefixes.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.0.cmp(&b.0)));
        Ok((self.table(&exact)?, self.table(&prefixes)?))
    }

    /// Packs rows as `program/table.rs` reads them, and says where they are.
    fn table(&mut self, rows: &[(String, [u8; 4])]) -> Result<String> {
        let mut packed = Vec::with_capacity(rows.len() * 8);
        for (name, flag) in rows {
            let place = *self.places.entry(name.clone()).or_insert_with(|| {
                let place = self.spellings.len();
                self.spellings.push_str(name);
                place
            });
            let [a, b, c, over, ..] = place.to_le_bytes();
            let length = u8::try_from(name.len());
            let length = length.map_err(|_| format!("`{name}` is too long"))?;
            if over != 0 {
                return Err("too many spellings".to_owned());
            }
            packed.extend([a, b, c, length]);
            packed.extend(flag);
        }
        let rows_before = self.rows.len() / 8;
        let first = match self.tables.entry(packed) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.rows.extend(new.key());
                *new.insert(rows_before)
            }
        };
        let count = u16::try_from(rows.len()).map_err(|_| "too many options")?;
        Ok(format!("Flags {{ first: {first}, count: {count} }}"))
    }

    /// The number of an option, how it takes values, and which roles they have.
    fn flag(
        &mut self,
        row: &OptionRow,
        names: &FlagNumbers,
        flags_are_inert: &mut bool,
    ) -> Result<[u8; 4]> {
        let mut values = Vec::new();
        for value in &row.values {
            // An inherited option may depend on options that are not inherited with it.
            let Choices {
                source,
                flags_are_inert: mild,
                ..
            } = notation::choices(value, names)
                .map_err(|error| format!("option `{}`: {error}", row.spellings.join(" ")))?;
            *flags_are_inert &= mild;
            values.push(source);
        }
        // The order of `TAKES` in `program/table.rs`.
        let takes = match row.arity {
            Arity::None => 0,
            Arity::Glued => 1,
            Arity::Digits => 2,
            Arity::Optional => 3,
            Arity::Required | Arity::Two => 4,
            Arity::Rest => 5,
            Arity::Until => 6,
        };
        let values = format!("&[{}]", values.join(", "));
        let known = self.values.iter().position(|known| *known == values);
        let at = known.unwrap_or_else(|| {
            self.values.push(values);
            self.values.len() - 1
        });
        let at = u16::try_from(at).ok().filter(|at| *at < 1 << 13);
        let at = at.ok_or("too many kinds of values of options")?;
        let [id_low, id_high] = row.id.to_le_bytes();
        let [low, high] = (at << 3 | takes).to_le_bytes();
        Ok([id_low, id_high, low, high])
    }

    /// What the rows are made of: their bytes, their spellings, and the source of their values.
    pub fn rows(&self) -> (&[u8], &str, String) {
        let values = self.values.join(",\n");
        let source = format!("static FLAG_VALUES: &[&[Slot]] = &[\n{values}];\n");
        (&self.rows, &self.spellings, source)
    }

    fn operands(
        &mut self,
        slots: Option<&[String]>,
        names: &FlagNumbers,
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

/// A rehearsal: `--dry-run`, `--dry-run=client`, and what takes it back.
fn dry(tests: Option<&str>, rows: &[OptionRow], names: &FlagNumbers) -> Result<String> {
    let Some(tests) = tests else {
        return Ok("None".to_owned());
    };
    let mut cancels = Vec::new();
    for test in tests.split_whitespace() {
        let (flag, value) = match test.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (test, None),
        };
        let has = |name: &str| {
            rows.iter()
                .find(|row| row.spellings.iter().any(|s| s == name))
        };
        let takes = has(flag).is_some_and(|row| row.arity != Arity::None);
        if takes && value.is_none() {
            return Err(format!(
                "`{flag}` rehearses with some values only: name them"
            ));
        }
        let spellings = has(flag)
            .map(|row| row.spellings.clone())
            .unwrap_or_default();
        for name in spellings.iter().filter_map(|name| name.strip_prefix("--")) {
            let negated = has(&format!("--no-{name}"));
            cancels.extend(negated.map(|row| row.id.to_string()));
        }
    }
    cancels.sort();
    cancels.dedup();
    Ok(format!(
        "Some(&Rehearsal {{ tests: {}, cancels: &[{}] }})",
        notation::tests(tests, names)?,
        cancels.join(", ")
    ))
}

/// Whether the source has a condition that an option decides.
fn hangs_on_flags(source: &str) -> bool {
    ["Test::Flag", "Test::Value"]
        .iter()
        .any(|test| source.contains(test))
}

fn style(name: &str) -> Result<String> {
    match name {
        "gnu" | "posix" | "shell" | "long" | "long-posix" | "keys" | "bundle" | "plain" => {
            Ok(notation::camel(name))
        }
        _ => Err(format!("unknown style `{name}`")),
    }
}
