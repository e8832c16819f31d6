//! The list of decisions, live.

use maud::{Markup, html};

use super::agent_text::agent_text;
use super::layout::{time, verdict};
use super::overview::encoded;
use crate::clock;
use crate::store::{DecisionFilter, DecisionRow, PagePlace};

/// What the list shows.
pub struct DecisionsPage<'a> {
    pub filter: &'a DecisionFilter,
    pub rows: &'a [DecisionRow],
    pub names: &'a dyn Fn(&str) -> String,
    pub agents: &'a [String],
}

#[must_use]
pub fn decisions(page: &DecisionsPage<'_>) -> Markup {
    let filter = page.filter;
    let is_live = filter.before.is_none() && filter.words.is_empty();
    let query = query(filter);
    let last = page.rows.last().map(PagePlace::of);
    html! {
        form.filters method="get" action="/decisions" role="search" {
            label { span { "Words" } input type="search" name="words" value=(filter.words) placeholder="git push" data-search="1"; }
            label { span { "Verdict" }
                select name="verdict" {
                    @for word in ["", "allow", "ask", "deny"] {
                        option value=(word) selected[filter.verdict == word] { (if word.is_empty() { "any" } else { word }) }
                    }
                }
            }
            label { span { "Agent" }
                select name="agent" {
                    option value="" { "any" }
                    @for agent in page.agents { option value=(agent) selected[filter.agent == *agent] { (agent) } }
                }
            }
            label { span { "Rule" } input type="text" name="rule" value=(filter.rule); }
            @if !filter.device.is_empty() { input type="hidden" name="device" value=(filter.device); }
            button type="submit" { "Filter" }
            @if !query.is_empty() { a.plain href="/decisions" { "Clear" } }
        }
        @if !filter.words.is_empty() { p.quiet { "Searched among the latest 20,000 decisions." } }
        div.scroll {
            table.rows {
                (head())
                tbody #live data-live=[is_live.then(|| format!("/live/decisions?{query}"))] {
                    (rows(page.rows, page.names))
                }
            }
        }
        @if page.rows.is_empty() { p.quiet.empty { "No decision yet that fits. They appear here as they fall." } }
        @if let Some(last) = last.filter(|_| page.rows.len() >= 50) {
            p { a.button href={ "/decisions?" (query) "&before=" (last) } rel="next" { "Older" } }
        }
    }
}

/// The filter as a query, without the page.
fn query(filter: &DecisionFilter) -> String {
    let mut pairs = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in [
        ("words", &filter.words),
        ("verdict", &filter.verdict),
        ("agent", &filter.agent),
        ("rule", &filter.rule),
        ("device", &filter.device),
    ] {
        if !value.is_empty() {
            pairs.append_pair(name, value);
        }
    }
    pairs.finish()
}

/// Where a decision is shown.
pub(super) fn place(row: &DecisionRow) -> String {
    format!(
        "/decisions/{}?line={}",
        encoded(&row.id),
        encoded(&row.hash)
    )
}

/// What stands above the rows.
pub(super) fn head() -> Markup {
    html! {
        thead { tr { th { "Time (UTC)" } th { "Verdict" } th { "Call" } th { "Ground" } th { "Agent" } th { "Device" } th.n { "ms" } } }
    }
}

/// Rows of the list alone, as the live stream sends them too.
#[must_use]
pub fn rows(rows: &[DecisionRow], names: &dyn Fn(&str) -> String) -> Markup {
    html! {
        @for row in rows {
            tr data-hash=(row.hash) {
                td.when { (time(row.time)) span.quiet.day { (clock::date(row.day).get(5..).unwrap_or_default()) } }
                td { (verdict(&row.verdict)) }
                td.call { a href=(place(row)) { span.tool { (row.tool) } code { (agent_text(&row.brief.chars().take(240).collect::<String>())) } } }
                td { span.ground { (row.ground) } @if !row.rule.is_empty() { " " span.rule { (row.rule) } } }
                td { (row.agent) }
                td { a href={ "/decisions?device=" (encoded(&row.device)) } { (names(&row.device)) } }
                td.n { (format!("{:.1}", row.latency)) }
            }
        }
    }
}
