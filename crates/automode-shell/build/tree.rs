//! A knowledge file as a tree: subcommand paths spread out, options handed down.

use std::collections::{BTreeMap, BTreeSet};

use crate::rows::{self, Arity, Claim, OptionRow};
use crate::schema::{Rows, Spec};

/// A command with its subcommands by name.
#[derive(Clone, Default)]
pub struct CommandNode {
    pub spec: Spec,
    /// Own and inherited options.
    pub flags: Vec<OptionRow>,
    pub children: BTreeMap<String, CommandNode>,
}

/// Spreads a file out for one of its names.
pub fn grow(spec: &Spec, name: &str) -> Result<CommandNode, String> {
    let mut spec = spec.clone();
    for (names, rows) in std::mem::take(&mut spec.only) {
        if names.split_whitespace().any(|known| known == name) {
            add(&mut spec, rows)?;
        }
    }
    let mut root = CommandNode::default();
    plant(&mut root, &spec)?;
    share_patterns(&mut root);
    number(&mut root, &[], None, 0)?;
    check_tested(&root, &mut BTreeSet::new())?;
    Ok(root)
}

/// Options that code asks for by name.
const ASKED_BY_CODE: &[&str] = &[
    "--all",
    "--branches",
    "--delete",
    "--detach",
    "--force",
    "--force-if-includes",
    "--follow-tags",
    "--force-with-lease",
    "--global",
    "--merge",
    "--mirror",
    "--orphan",
    "--ours",
    "--patch",
    "--pathspec-from-file",
    "--prune",
    "--repo",
    "--system",
    "--tags",
    "--theirs",
    "--track",
    "-a",
    "-b",
    "-B",
    "-iname",
    "-mindepth",
    "-r",
    "-name",
    "-not",
    "-o",
    "-or",
    "!",
    "(",
    ",",
];

/// An option that is said to be tested has to be named by a condition or an act of its
/// command or, where it is handed down, of a subcommand. Answers with all that is asked.
fn check_tested(node: &CommandNode, asked: &mut BTreeSet<String>) -> Result<(), String> {
    let mut here = asks(&node.spec);
    for (name, child) in &node.children {
        check_tested(child, &mut here).map_err(|error| format!("{name}: {error}"))?;
    }
    for row in node.flags.iter().filter(|row| row.claim == Claim::Tested) {
        let inherited = !rows::own(&node.spec)?
            .iter()
            .any(|own| own.spellings == row.spellings);
        let named = |name: &String| here.contains(name) || ASKED_BY_CODE.contains(&name.as_str());
        if !inherited && !row.spellings.iter().any(named) {
            return Err(format!(
                "`{}` claims nothing: no condition asks for it",
                row.spellings.join(" ")
            ));
        }
    }
    asked.extend(here);
    Ok(())
}

/// The options that the texts of a command name.
fn asks(spec: &Spec) -> BTreeSet<String> {
    let values = spec.option.values().chain(spec.global.option.values());
    let texts = spec
        .acts
        .iter()
        .chain(spec.operands.iter().flatten())
        .cloned()
        .chain(spec.output.iter().flat_map(crate::schema::Lines::list))
        .chain(values.flat_map(crate::schema::Lines::list))
        .chain(spec.dry.clone());
    texts
        .flat_map(|text| {
            let words: Vec<String> = text
                .split([' ', '{', '}'])
                .flat_map(|word| {
                    let flag = word.split('=').next().unwrap_or(word);
                    [word.to_owned(), flag.to_owned(), format!("{flag}=")]
                })
                .collect();
            words
        })
        .collect()
}

/// Adds the options of one name to those of the file.
fn add(spec: &mut Spec, rows: Rows) -> Result<(), String> {
    for (names, values) in rows.option {
        if spec.option.insert(names.clone(), values).is_some() {
            return Err(format!("`{names}` listed twice"));
        }
    }
    spec.tested = join(&spec.tested, &rows.tested);
    for (reason, list) in rows.inert {
        let known = spec.inert.entry(reason).or_default();
        *known = join(known, &list);
    }
    Ok(())
}

fn join(first: &str, second: &str) -> String {
    if first.is_empty() || second.is_empty() {
        return format!("{first}{second}");
    }
    format!("{first}, {second}")
}

fn plant(node: &mut CommandNode, spec: &Spec) -> Result<(), String> {
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

fn plant_at(node: &mut CommandNode, path: &[&str], spec: &Spec) -> Result<(), String> {
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
fn share_patterns(node: &mut CommandNode) {
    let patterns: Vec<(String, CommandNode)> = node
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

/// The style that a subcommand has of its parent. That the first operand ends the options
/// is so where words are handed on to something else; a subcommand that hands none on
/// would take `--option` behind an operand for one more of them.
fn handed_style<'s>(style: &'s str, spec: &Spec) -> &'s str {
    let handed_on = [
        "args", "command", "shell", "run", "each", "package", "prefixed", "task", "unseen",
    ];
    let places = spec.operands.iter().flatten();
    let hands_on = places.into_iter().any(|place| {
        let mut words = place.split([' ', '|', '&', ':', '*', '-']);
        words.any(|word| handed_on.contains(&word))
    });
    match style {
        "posix" if !hands_on => "gnu",
        "long-posix" if !hands_on => "long",
        other => other,
    }
}

/// Options are counted along a path: siblings use the same numbers, so that what two
/// subcommands share is one table.
fn number(
    node: &mut CommandNode,
    handed_down: &[OptionRow],
    style: Option<&str>,
    mut next: u16,
) -> Result<(), String> {
    if node.spec.style.is_none() {
        let style = style.map(|style| handed_style(style, &node.spec));
        node.spec.style = style.map(str::to_owned);
    }
    let style = node.spec.style.clone();
    let mut passed_on = Vec::new();
    let own = rows::own(&node.spec)?.into_iter().map(|row| (row, false));
    let global = rows::of(&node.spec.global, &node.spec)?;
    for (row, is_global) in own.chain(global.into_iter().map(|row| (row, true))) {
        let row = OptionRow { id: next, ..row };
        next = next.checked_add(1).ok_or("too many options")?;
        if is_global {
            passed_on.push(row.clone());
        }
        node.flags.push(row);
    }
    let mut known: BTreeSet<String> = BTreeSet::new();
    for name in node.flags.iter().flat_map(|row| &row.spellings) {
        if !known.insert(name.clone()) {
            return Err(format!("`{name}` listed twice"));
        }
    }
    for name in node.spec.ends.split_whitespace() {
        if name.starts_with('-') && known.insert(name.to_owned()) {
            node.flags.push(OptionRow {
                spellings: vec![name.to_owned()],
                arity: Arity::None,
                values: Vec::new(),
                claim: Claim::Inert,
                id: next,
            });
            next = next.checked_add(1).ok_or("too many options")?;
        }
    }
    for row in handed_down.iter().filter_map(|row| without(row, &known)) {
        passed_on.push(row.clone());
        node.flags.push(row);
    }
    for (name, child) in &mut node.children {
        number(child, &passed_on, style.as_deref(), next)
            .map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

/// An option without the spellings that are taken; nothing where none is left.
fn without(row: &OptionRow, taken: &BTreeSet<String>) -> Option<OptionRow> {
    let left = row.spellings.iter().filter(|name| !taken.contains(*name));
    let spellings: Vec<String> = left.cloned().collect();
    (!spellings.is_empty()).then(|| OptionRow {
        spellings,
        ..row.clone()
    })
}
