//! Pictures of counts: days as stacked columns in SVG, names as bars.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::tally::Verdicts;
use crate::output::escape;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 180.0;
const FLOOR: f64 = 150.0;
/// How many names a list of bars shows before it sums up the rest.
const ROWS: usize = 14;
const DAYS: usize = 60;
/// What a day's name takes up, in the large letters of a narrow screen too.
const LABEL: f64 = 64.0;

/// One column a day, the youngest on the right.
pub fn days(counts: &BTreeMap<String, Verdicts>) -> String {
    let shown: Vec<_> = counts
        .iter()
        .skip(counts.len().saturating_sub(DAYS))
        .collect();
    let most = shown
        .iter()
        .map(|(_, verdicts)| verdicts.total())
        .max()
        .unwrap_or(1)
        .max(1);
    let slot = WIDTH / number(shown.len().max(1));
    let mut svg = format!(
        r#"<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="decisions by day"><line class="axis" x1="0" y1="{FLOOR}" x2="{WIDTH}" y2="{FLOOR}"/>"#
    );
    let mut free = 0.0;
    for (index, (day, verdicts)) in shown.iter().enumerate() {
        let left = number(index) * slot;
        column(&mut svg, left, slot, most, day, **verdicts);
        let middle = left + slot / 2.0;
        if middle - LABEL / 2.0 >= free {
            free = middle + LABEL / 2.0;
            let label = day.get(5..).unwrap_or(day);
            let _ = write!(
                svg,
                r#"<text x="{middle:.1}" y="{HEIGHT}" dy="-8" text-anchor="middle">{}</text>"#,
                escape(label)
            );
        }
    }
    svg.push_str("</svg>");
    svg
}

fn column(svg: &mut String, left: f64, slot: f64, most: u64, day: &str, verdicts: Verdicts) {
    let width = (slot * 0.72).min(48.0);
    let start = left + (slot - width) / 2.0;
    let title = format!(
        "{day}: {} allow, {} ask, {} deny",
        verdicts.allow, verdicts.ask, verdicts.deny
    );
    let mut top = FLOOR;
    let _ = write!(svg, "<g><title>{}</title>", escape(&title));
    for (class, count) in parts(verdicts) {
        let height = share(count, most) * (FLOOR - 12.0);
        top -= height;
        if count > 0 {
            let _ = write!(
                svg,
                r#"<rect class="{class}" x="{start:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}"/>"#
            );
        }
    }
    svg.push_str("</g>");
}

/// Names with bars, the most frequent first.
pub fn bars(counts: &BTreeMap<String, Verdicts>) -> String {
    let mut rows: Vec<_> = counts.iter().collect();
    rows.sort_by_key(|(_, verdicts)| std::cmp::Reverse(verdicts.total()));
    let most = rows
        .first()
        .map_or(1, |(_, verdicts)| verdicts.total().max(1));
    let rest: u64 = rows
        .iter()
        .skip(ROWS)
        .map(|(_, verdicts)| verdicts.total())
        .sum();
    let mut html = String::from(r#"<div class="bars">"#);
    for (name, verdicts) in rows.iter().take(ROWS) {
        let _ = write!(
            html,
            r#"<span class="name" title="{0}">{0}</span><span class="bar">"#,
            escape(name)
        );
        for (class, count) in parts(**verdicts) {
            if count > 0 {
                let percent = share(count, most) * 100.0;
                let _ = write!(
                    html,
                    r#"<i class="{class}" style="width:{percent:.2}%" title="{count} {class}"></i>"#
                );
            }
        }
        let _ = write!(
            html,
            r#"</span><span class="count">{}</span>"#,
            verdicts.total()
        );
    }
    html.push_str("</div>");
    if rest > 0 {
        let _ = write!(
            html,
            r#"<p class="quiet">and {} more: {rest}</p>"#,
            rows.len().saturating_sub(ROWS)
        );
    }
    html
}

/// From the floor up: what ran, what was asked, what was stopped.
const fn parts(verdicts: Verdicts) -> [(&'static str, u64); 3] {
    [
        ("allow", verdicts.allow),
        ("ask", verdicts.ask),
        ("deny", verdicts.deny),
    ]
}

fn share(count: u64, most: u64) -> f64 {
    let number = |count: u64| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(count) / number(most).max(1.0)
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
