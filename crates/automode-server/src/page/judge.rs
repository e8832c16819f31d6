//! What the judge cost and how long it took.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::chart::{fine, grouped};
use crate::clock;
use crate::store::{TallyRow, real};

/// Sums of one name.
#[derive(Default)]
struct Sum {
    count: i64,
    latency: f64,
    price: i64,
    tokens: i64,
}

fn sums(rows: &[TallyRow]) -> BTreeMap<String, Sum> {
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    for row in rows {
        let sum = sums.entry(row.name.clone()).or_default();
        sum.count += row.count;
        sum.latency += row.latency;
        sum.price += row.price;
        sum.tokens += row.tokens;
    }
    sums
}

#[must_use]
pub fn judge(models: &[TallyRow], days: &[TallyRow], span: i64) -> Markup {
    let models = sums(models);
    let judged: Vec<_> = models.iter().filter(|(name, _)| !name.is_empty()).collect();
    let unjudged = models.get("").map_or(0, |sum| sum.count);
    let asked: i64 = judged.iter().map(|(_, sum)| sum.count).sum();
    let price: i64 = judged.iter().map(|(_, sum)| sum.price).sum();
    let days = sums(days);
    let most = days.values().map(|sum| sum.price).max().unwrap_or(0).max(1);
    html! {
        div.figures {
            div { b { (dollars(price)) } span { "in " (span) " days" } }
            div { b { (grouped(asked)) } span { "decisions by a judge" } }
            div { b { (grouped(unjudged)) } span { "decided without one" } }
            div { b { (if asked == 0 { "–".to_owned() } else { dollars(price / asked) }) } span { "for each decision by a judge" } }
        }
        section.card {
            h2 { "Models" }
            @if judged.is_empty() { p.quiet { "No judge was asked." } } @else {
                div.scroll { table {
                    thead { tr { th { "Model" } th.n { "Decisions" } th.n { "Tokens" } th.n { "Mean ms" } th.n { "Cost" } } }
                    tbody {
                        @for (name, sum) in judged {
                            tr {
                                td { (name) }
                                td.n { (grouped(sum.count)) }
                                td.n { (grouped(sum.tokens)) }
                                td.n { (format!("{:.0}", sum.latency / real(sum.count.max(1)))) }
                                td.n { (dollars(sum.price)) }
                            }
                        }
                    }
                } }
            }
        }
        section.card {
            h2 { "Cost by day" }
            ol.bars {
                @for (day, sum) in days.iter().rev().take(30) {
                    li {
                        span { (clock::date(day.parse().unwrap_or_default())) }
                        svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
                            rect.cost x="0" width=(fine(real(sum.price) / real(most) * 100.0)) height="8" {}
                        }
                        span.n { (dollars(sum.price)) }
                    }
                }
            }
        }
    }
}

/// Millionths of a dollar as people write them.
pub fn dollars(millionths: i64) -> String {
    let dollars = real(millionths) / 1e6;
    if dollars > 0.0 && dollars < 0.01 {
        format!("${dollars:.4}")
    } else {
        format!("${dollars:.2}")
    }
}
