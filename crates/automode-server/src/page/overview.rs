//! The first page: how much was decided, what was stopped, how the fleet stands.

use maud::{Markup, html};

use super::chart::{self, grouped};
use super::decisions::{head, rows};
use crate::store::{DecisionRow, TallyRow, real};

/// What the page shows.
pub struct OverviewPage<'a> {
    pub days: &'a [TallyRow],
    pub agents: &'a [TallyRow],
    pub rules: &'a [TallyRow],
    pub today: i64,
    pub span: i64,
    pub devices: i64,
    pub silent: i64,
    pub gaps: i64,
    pub alerts: &'a [String],
    /// Where devices reach the server; none where the pages are those of one machine.
    pub origin: Option<&'a str>,
    pub stops: &'a [DecisionRow],
    pub names: &'a dyn Fn(&str) -> String,
}

#[must_use]
pub fn overview(page: &OverviewPage<'_>) -> Markup {
    let total = chart::total(page.days);
    let latency: f64 = page.days.iter().map(|row| row.latency).sum();
    let share = |part: i64| match total.total() {
        0 => "–".to_owned(),
        all => format!("{:.1}%", real(part) / real(all) * 100.0),
    };
    html! {
        @for alert in page.alerts { p.note.bad role="status" { (alert) } }
        @if total.total() == 0 { (first_step(page)) }
        div.figures {
            div { b { (grouped(total.total())) } span { "decisions in " (page.span) " days" } }
            div.allow { b { (share(total.allow)) } span { "allowed, nobody asked" } }
            div.ask { b { (share(total.ask)) } span { "asked" } }
            div.deny { b { (share(total.deny)) } span { "denied" } }
            div { b { (match total.total() { 0 => "–".to_owned(), all => format!("{:.1} ms", latency / real(all)) }) } span { "mean time of a decision" } }
            div { b { (page.devices) } span { (if page.devices == 1 { "device" } else { "devices" }) @if page.silent > 0 { ", " (page.silent) " silent" } @if page.gaps > 0 { ", " a href="/devices#gaps" { (page.gaps) " gaps" } } } }
        }
        section.card {
            h2 { "By day" }
            (chart::days(page.days, page.today.saturating_sub(page.span).saturating_add(1), page.today))
        }
        div.grid {
            section.card {
                h2 { "By agent" }
                (chart::bars(&chart::by_name(page.agents), 8, |name| format!("/decisions?agent={}", encoded(name))))
            }
            section.card {
                h2 { "By rule" }
                (chart::bars(&chart::by_name(page.rules), 8, |name| format!("/decisions?rule={}", encoded(name))))
            }
        }
        section.card {
            h2 { "Latest stops" }
            @if page.stops.is_empty() {
                p.quiet { "Nothing was stopped." }
            } @else {
                div.scroll { table.rows { (head()) tbody { (rows(page.stops, page.names)) } } }
            }
        }
    }
}

/// What somebody does who sees an empty page.
fn first_step(page: &OverviewPage<'_>) -> Markup {
    html! {
        p.note {
            @match page.origin {
                None => { "No decision yet: " code { "automode setup" } " registers your coding agents, and what they ask for shows here." }
                Some(_) if page.devices > 0 => { "No decision yet: what the devices decide shows here once " code { "automode fleet agent" } " runs on them." }
                Some(origin) => {
                    "Nobody belongs to this server yet: make a code under " a href="/devices" { "Devices" } ", then on a machine "
                    code { "automode fleet enroll " (origin) " CODE" } " and " code { "automode fleet agent" } "."
                }
            }
        }
    }
}

pub(super) fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_page_says_what_to_do() {
        let shown = |origin, devices| {
            overview(&OverviewPage {
                days: &[],
                agents: &[],
                rules: &[],
                today: 20_000,
                span: 30,
                devices,
                silent: 0,
                gaps: 0,
                alerts: &[],
                origin,
                stops: &[],
                names: &str::to_owned,
            })
            .into_string()
        };
        assert!(shown(None, 1).contains("automode setup"));
        let server = Some("https://automode.example.com");
        let strange = shown(server, 0);
        assert!(
            strange.contains("automode fleet enroll https://automode.example.com CODE"),
            "{strange}"
        );
        assert!(shown(server, 2).contains("automode fleet agent"));
    }
}
