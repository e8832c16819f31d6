//! Rules and how often each decided.

use maud::{Markup, html};

use super::chart::{VerdictCounts, by_name, grouped};
use super::overview::encoded;
use crate::store::{TallyRow, real};

#[must_use]
pub fn rules(rows: &[TallyRow], days: i64) -> Markup {
    let counts = by_name(rows);
    let mut sorted: Vec<(&String, &VerdictCounts)> = counts.iter().collect();
    sorted.sort_by_key(|(_, counts)| std::cmp::Reverse((counts.stops(), counts.total())));
    let latency = |name: &str| {
        let own = rows.iter().filter(|row| row.name == name);
        let (sum, count) = own.fold((0.0, 0), |(sum, count), row| {
            (sum + row.latency, count + row.count)
        });
        if count == 0 { 0.0 } else { sum / real(count) }
    };
    html! {
        p.quiet { "The rule, guard, fast path or permission behind each decision of the last " (days) " days." }
        div.scroll { table {
            thead { tr { th { "Rule" } th.n { "Denied" } th.n { "Asked" } th.n { "Allowed" } th.n.wide-only { "Mean ms" } } }
            tbody {
                @for (name, counts) in sorted {
                    tr {
                        td { a href={ "/decisions?rule=" (encoded(name)) } { (if name.is_empty() { "no rule" } else { name }) } }
                        (count("deny", counts.deny))
                        (count("ask", counts.ask))
                        (count("allow", counts.allow))
                        td.n.wide-only { (format!("{:.1}", latency(name))) }
                    }
                }
            }
        } }
    }
}

/// A number in the colour of its verdict; none is quiet.
fn count(verdict: &str, number: i64) -> Markup {
    let class = if number == 0 { "none" } else { verdict };
    html! { td class={ "n " (class) } { (grouped(number)) } }
}
