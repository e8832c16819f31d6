//! A picture of who depends on whom, drawn from a table.
//!
//! Boxes stand in rows: below every box stand those that it needs. An arrow that other
//! arrows already tell is left out. The same table gives the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

const WIDTH: usize = 168;
const HEIGHT: usize = 34;
const GAP: usize = 24;
const ROW: usize = 88;

/// What each box needs.
pub type Needs = BTreeMap<String, BTreeSet<String>>;

/// An SVG of boxes and what they need. `marked` ones are drawn with a double line.
#[must_use]
pub fn picture(needs: &Needs, marked: &[&str], title: &str) -> String {
    let rows = rows(needs);
    let widest = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = widest * (WIDTH + GAP) + GAP;
    let height = rows.len() * ROW + GAP;
    let mut at = BTreeMap::new();
    for (row, names) in rows.iter().enumerate() {
        let left = (width - names.len() * (WIDTH + GAP) + GAP) / 2;
        for (column, name) in names.iter().enumerate() {
            at.insert(
                name.as_str(),
                (left + column * (WIDTH + GAP), GAP + row * ROW),
            );
        }
    }
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n<style>\n\
         rect {{ fill: #f6f8fa; stroke: #57606a; rx: 6px }} text {{ font: 13px system-ui, sans-serif; fill: #1f2328; text-anchor: middle }}\n\
         path {{ stroke: #8c959f; fill: none; stroke-width: 1.4px }} .pure {{ stroke: #1a7f37; stroke-width: 2.5px }}\n\
         @media (prefers-color-scheme: dark) {{ rect {{ fill: #161b22; stroke: #8b949e }} text {{ fill: #e6edf3 }} path {{ stroke: #6e7681 }} .pure {{ stroke: #3fb950 }} }}\n\
         </style>\n<defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8\"/></marker></defs>\n"
    );
    for (name, others) in &reduced(needs) {
        for other in others {
            if let (Some((x, y)), Some((u, v))) = (at.get(name.as_str()), at.get(other.as_str())) {
                let (x, y, u) = (x + WIDTH / 2, y + HEIGHT, u + WIDTH / 2);
                let middle = usize::midpoint(y, *v);
                writeln!(svg, "<path d=\"M{x} {y} C{x} {middle} {u} {middle} {u} {v}\" marker-end=\"url(#end)\"/>").unwrap_or_default();
            }
        }
    }
    for (name, (x, y)) in &at {
        let class = if marked.contains(name) {
            " class=\"pure\""
        } else {
            ""
        };
        let (u, v) = (x + WIDTH / 2, y + HEIGHT / 2 + 5);
        writeln!(svg, "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\"{class}/><text x=\"{u}\" y=\"{v}\">{name}</text>").unwrap_or_default();
    }
    svg.push_str("</svg>\n");
    svg
}

/// The boxes by how far they stand below those that nobody needs.
fn rows(needs: &Needs) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut left: BTreeSet<&String> = needs.keys().collect();
    while !left.is_empty() {
        let is_needed = |name: &String| {
            let mut others = left.iter().filter_map(|other| needs.get(*other));
            others.any(|others| others.contains(name))
        };
        let row: Vec<&String> = left
            .iter()
            .copied()
            .filter(|name| !is_needed(name))
            .collect();
        if row.is_empty() {
            break;
        }
        left.retain(|name| !row.contains(name));
        rows.push(row.into_iter().cloned().collect());
    }
    rows
}

/// Only what is not needed by way of another need.
fn reduced(needs: &Needs) -> Needs {
    let reaches = |from: &String, to: &String| {
        let mut seen = BTreeSet::from([from]);
        let mut ahead = vec![from];
        while let Some(at) = ahead.pop() {
            for other in needs.get(at).into_iter().flatten() {
                if other == to {
                    return true;
                }
                if seen.insert(other) {
                    ahead.push(other);
                }
            }
        }
        false
    };
    let is_told = |others: &BTreeSet<String>, to: &String| {
        others.iter().any(|other| other != to && reaches(other, to))
    };
    needs
        .iter()
        .map(|(name, others)| {
            let kept = others.iter().filter(|to| !is_told(others, to)).cloned();
            (name.clone(), kept.collect())
        })
        .collect()
}
