//! A knowledge file as a tree: subcommand paths spread out, flags handed down.

use std::collections::BTreeMap;

use crate::schema::{Lines, Spec, Values};

/// A command with its subcommands by name.
#[derive(Clone, Default)]
pub struct Node {
    pub spec: Spec,
    /// Own and inherited flags by spelling.
    pub flags: Vec<FlagRow>,
    pub any_flag: bool,
    pub children: BTreeMap<String, Node>,
}

#[derive(Clone)]
pub struct FlagRow {
    pub spellings: Vec<String>,
    pub values: Vec<String>,
    pub id: u16,
}

/// Spreads a file out.
pub fn grow(spec: &Spec) -> Result<Node, String> {
    let mut root = Node::default();
    plant(&mut root, spec)?;
    share_patterns(&mut root);
    number(&mut root, &[], &Inherited::default(), 0)?;
    Ok(root)
}

fn plant(node: &mut Node, spec: &Spec) -> Result<(), String> {
    node.spec = Spec {
        sub: BTreeMap::new(),
        example: Vec::new(),
        ..spec.clone()
    };
    for (paths, child) in &spec.sub {
        for path in paths.split(',') {
            let segments: Vec<&str> = path.split_whitespace().collect();
            if segments.len() > 1 && segments.first().is_some_and(|first| first.contains('|')) {
                return Err(format!(
                    "`{path}`: several names with subcommands of their own; write a comma between paths"
                ));
            }
            plant_at(node, &segments, child)
                .map_err(|error| format!("subcommand `{paths}`: {error}"))?;
        }
    }
    Ok(())
}

fn plant_at(node: &mut Node, path: &[&str], spec: &Spec) -> Result<(), String> {
    let Some((first, rest)) = path.split_first() else {
        let children = std::mem::take(&mut node.children);
        plant(node, spec)?;
        node.children.extend(children);
        return Ok(());
    };
    for name in first.split('|') {
        let child = node.children.entry(name.to_owned()).or_default();
        plant_at(child, rest, spec)?;
    }
    Ok(())
}

/// A named subcommand also has the subcommands of a pattern that matches its name.
fn share_patterns(node: &mut Node) {
    let patterns: Vec<(String, Node)> = node
        .children
        .iter()
        .filter(|(name, child)| name.contains('*') && !child.children.is_empty())
        .map(|(name, child)| (name.clone(), child.clone()))
        .collect();
    for (name, child) in &mut node.children {
        for (pattern, other) in &patterns {
            if !name.contains('*') && fits(pattern, name) {
                for (sub, spec) in &other.children {
                    child
                        .children
                        .entry(sub.clone())
                        .or_insert_with(|| spec.clone());
                }
            }
        }
        share_patterns(child);
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(""), _) => true,
        (Some(end), _) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => pattern == name,
    }
}

#[derive(Clone, Default)]
struct Inherited {
    style: Option<String>,
    any_flag: bool,
}

/// Flags are counted along a path: siblings use the same numbers, so that what two
/// subcommands share is one table.
fn number(
    node: &mut Node,
    handed_down: &[FlagRow],
    inherited: &Inherited,
    mut next: u16,
) -> Result<(), String> {
    let mut inherited = inherited.clone();
    if node.spec.style.is_none() {
        node.spec.style.clone_from(&inherited.style);
    }
    inherited.style.clone_from(&node.spec.style);
    inherited.any_flag |= node.spec.global.contains_key("*");
    node.any_flag = inherited.any_flag || node.spec.flags.contains_key("*");

    let mut own = Vec::new();
    for (names, values, global) in [
        (&node.spec.switches, Vec::new(), false),
        (&node.spec.valued, vec!["text".to_owned()], false),
        (&node.spec.global_switches, Vec::new(), true),
        (&node.spec.global_valued, vec!["text".to_owned()], true),
    ] {
        for names in pairs(names) {
            own.push((names, values.clone(), global));
        }
    }
    for (table, global) in [(&node.spec.flags, false), (&node.spec.global, true)] {
        for (names, values) in table {
            let values = match values {
                Values::One(value) if value.is_empty() => Vec::new(),
                Values::One(value) => vec![value.clone()],
                Values::Many(values) => values.clone(),
            };
            if values.is_empty() && names.matches("--").count() > 3 {
                return Err(format!(
                    "`{names}` are spellings of one flag; list different flags under `switches`"
                ));
            }
            if names != "*" {
                own.push((names.clone(), values, global));
            }
        }
    }
    let mut passed_on = Vec::new();
    for (names, values, global) in own {
        let row = FlagRow {
            spellings: names.split_whitespace().map(str::to_owned).collect(),
            values,
            id: next,
        };
        next = next.checked_add(1).ok_or("too many flags")?;
        if global {
            passed_on.push(row.clone());
        }
        node.flags.push(row);
    }
    let known: Vec<String> = node
        .flags
        .iter()
        .flat_map(|row| row.spellings.clone())
        .collect();
    let mut all = known.clone();
    all.sort();
    let mut twice: Vec<String> = all
        .windows(2)
        .filter(|pair| pair.first() == pair.last())
        .filter_map(|pair| pair.first().cloned())
        .collect();
    twice.dedup();
    if !twice.is_empty() {
        return Err(format!("`{}` listed twice", twice.join("`, `")));
    }
    for row in handed_down {
        let spellings: Vec<String> = row
            .spellings
            .iter()
            .filter(|name| !known.contains(name))
            .cloned()
            .collect();
        if !spellings.is_empty() {
            let row = FlagRow {
                spellings,
                ..row.clone()
            };
            passed_on.push(row.clone());
            node.flags.push(row);
        }
    }
    for (name, child) in &mut node.children {
        number(child, &passed_on, &inherited, next).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

/// A short flag and the long one right after it are one flag.
fn pairs(names: &str) -> Vec<String> {
    let mut flags: Vec<String> = Vec::new();
    for name in names.split_whitespace() {
        let short = |flag: &String| flag.len() == 2 && flag.starts_with('-');
        match flags.last_mut().filter(|last| short(last)) {
            Some(last) if name.starts_with("--") => {
                last.push(' ');
                last.push_str(name);
            }
            _ => flags.push(name.to_owned()),
        }
    }
    flags
}

impl Lines {
    pub fn list(&self) -> Vec<String> {
        match self {
            Self::One(line) => vec![line.clone()],
            Self::Many(lines) => lines.clone(),
        }
    }
}
