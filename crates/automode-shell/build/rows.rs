//! Options as rows: spellings that belong together, how many words they take,
//! and what they do or why they do nothing.
//!
//! A row is `-f --force` for an option without a value; the end of its last
//! spelling says what it takes: `=` a word, `[=]` a value only where it is glued
//! on, `[#]` glued digits, `=2` two words, `=?` perhaps a word, `=*` all that is left, `=;` all up
//! to `;`. Rows of a list are parted by `, `. A row that claims nothing, or whose
//! name tells of an effect while it is called inert without a reason, is an error.

use crate::notation::Result;
use crate::schema::{Rows, Spec};
use crate::telling::tells;

/// How many words an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    None,
    Glued,
    Digits,
    Required,
    Two,
    Optional,
    Rest,
    Until,
}

/// Why a row stands in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Its values have roles.
    Role,
    /// A condition asks for it.
    Tested,
    Inert,
}

/// One option.
#[derive(Clone, Debug)]
pub struct OptionRow {
    pub spellings: Vec<String>,
    pub arity: Arity,
    /// The roles of its values.
    pub values: Vec<String>,
    pub claim: Claim,
    pub id: u16,
}

/// Reasons that need no sentence: what such options may only be about.
const REASONS: &[&str] = &[
    // What is printed, and how.
    "shown",
    // Which of the things that are looked at anyway.
    "selection",
    // How much, how long, how often, how many at once.
    "limits",
    // Text that is handed through: names, titles, messages.
    "words",
    // How the same is done.
    "manner",
    // It does less, or asks more.
    "caution",
];

/// The rows of a command itself.
pub fn own(spec: &Spec) -> Result<Vec<OptionRow>> {
    collect(&spec.option, &spec.tested, &spec.inert, spec)
}

/// Rows that stand in a part of a file.
pub fn of(rows: &Rows, spec: &Spec) -> Result<Vec<OptionRow>> {
    collect(&rows.option, &rows.tested, &rows.inert, spec)
}

fn collect(
    options: &std::collections::BTreeMap<String, crate::schema::Lines>,
    tested: &str,
    inert: &std::collections::BTreeMap<String, String>,
    spec: &Spec,
) -> Result<Vec<OptionRow>> {
    let keyed = spec.style.as_deref() == Some("keys");
    let mut rows = Vec::new();
    for (text, values) in options {
        let values = values.list();
        let says =
            |role: &String| !matches!(role.as_str(), "" | "text" | "name" | "number" | "none");
        if !values.iter().any(says) {
            return Err(format!("`{text}` claims nothing: is it tested or inert?"));
        }
        let row = row(text, Claim::Role, keyed)?;
        if row.arity == Arity::None && !row.spellings.iter().any(|name| name.ends_with('*')) {
            return Err(format!(
                "`{text}` takes nothing, so its role speaks of nothing: test it in an act"
            ));
        }
        rows.push(OptionRow { values, ..row });
    }
    for text in parts(tested) {
        rows.push(row(text, Claim::Tested, keyed)?);
    }
    for (reason, list) in inert {
        let sentence = reason.contains(' ');
        if !sentence && !REASONS.contains(&reason.as_str()) {
            return Err(format!(
                "`{reason}` is no reason: one of {}, or a sentence",
                REASONS.join(", ")
            ));
        }
        for text in parts(list) {
            let mut row = row(text, Claim::Inert, keyed)?;
            // What picks things, and text that is handed through, names no file.
            if matches!(reason.as_str(), "selection" | "words") {
                row.values.fill("pattern".to_owned());
            }
            if !sentence && let Some(name) = row.spellings.iter().find(|name| tells(name)) {
                return Err(format!(
                    "`{name}` tells of an effect: give it a role, or say in a sentence why it is inert"
                ));
            }
            rows.push(row);
        }
    }
    Ok(rows)
}

fn parts(list: &str) -> impl Iterator<Item = &str> {
    list.split(", ")
        .flat_map(|part| part.split(",\n"))
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

fn check_spellings(spellings: &[String], text: &str, keyed: bool) -> Result<()> {
    if let Some(odd) = spellings
        .iter()
        .find(|name| !keyed && name.len() > 1 && name.ends_with(['=', ']', ',']))
    {
        return Err(format!(
            "`{odd}` in `{text}`: only the last spelling says what it takes"
        ));
    }
    let any = |name: &&String| matches!(name.as_str(), "*" | "-*" | "--*");
    match spellings.iter().find(any) {
        Some(any) => Err(format!("`{any}` is any option: list them")),
        None => Ok(()),
    }
}

fn row(text: &str, claim: Claim, keyed: bool) -> Result<OptionRow> {
    let mut spellings: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let last = spellings.pop().ok_or("a row without a spelling")?;
    let ends = [
        ("[=]", Arity::Glued),
        ("[#]", Arity::Digits),
        ("=?", Arity::Optional),
        ("=*", Arity::Rest),
        ("=;", Arity::Until),
        ("=2", Arity::Two),
        ("=", Arity::Required),
    ];
    let found = ends
        .iter()
        .find_map(|(end, arity)| Some((last.strip_suffix(end)?, *arity)))
        .filter(|(name, _)| !name.is_empty() && !keyed && last != "=*");
    let (last, arity) = match found {
        Some((name, arity)) => (name.to_owned(), arity),
        None if keyed => (last, Arity::Required),
        None => (last, Arity::None),
    };
    spellings.push(last);
    let implied = spellings
        .iter()
        .all(|name| name.ends_with('*') || name == "-#");
    let arity = if implied && arity == Arity::None {
        Arity::Glued
    } else {
        arity
    };
    check_spellings(&spellings, text, keyed)?;
    let values = match arity {
        Arity::None => Vec::new(),
        Arity::Two => vec!["text".to_owned(); 2],
        Arity::Glued
        | Arity::Digits
        | Arity::Required
        | Arity::Optional
        | Arity::Rest
        | Arity::Until => vec!["text".to_owned()],
    };
    Ok(OptionRow {
        spellings,
        arity,
        values,
        claim,
        id: 0,
    })
}
