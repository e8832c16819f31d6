//! Machines: version, policy, health; gaps in their logs; codes for new ones.

use maud::{Markup, html};

use super::layout::csrf;
use super::overview::encoded;
use crate::alert::SILENT;
use crate::clock;
use crate::store::{DeviceFilter, FleetDevice, GapRow, Login, PersonRole};

/// What the page shows.
pub struct DevicesPage<'a> {
    pub devices: &'a [FleetDevice],
    pub filter: &'a DeviceFilter,
    /// The id behind which the next page begins, where there is one.
    pub next: Option<&'a str>,
    pub gaps: &'a [GapRow],
    pub login: &'a Login,
    pub latest: u64,
    pub now: u64,
    /// A code that was made just now.
    pub code: Option<&'a str>,
    pub origin: &'a str,
    pub alone: bool,
}

#[must_use]
pub fn devices(page: &DevicesPage<'_>) -> Markup {
    let admin = page.login.person.role >= PersonRole::Administrator && !page.alone;
    let words = &page.filter.words;
    html! {
        @if let Some(code) = page.code {
            div.note.good role="status" {
                p { "On the new machine, within an hour:" }
                pre { code { "automode fleet enroll " (page.origin) " " span #code { (code) } } }
            }
        }
        @if !page.alone {
            div.beside {
                form.filters method="get" action="/devices" role="search" {
                    label { span { "Name, id or group" } input type="search" name="words" value=(words) data-search="1"; }
                    button.light type="submit" { "Find" }
                    @if !words.is_empty() { a.plain href="/devices" { "Clear" } }
                }
                @if admin {
                    form.filters method="post" action="/devices/code" {
                        (csrf(page.login))
                        label { span { "Group" } input type="text" name="group" value="everyone" pattern="[a-z0-9\\-]+" required; }
                        button type="submit" { "Make a code for a new machine" }
                    }
                }
            }
        }
        div.scroll { table.stack {
            thead { tr { th { "Device" } th { "Group" } th { "Health" } th { "Version" } th.n { "Policy" } th.n { "Lines" } th { "Last decision" } @if admin { th { "" } } } }
            tbody { @for device in page.devices { (row(page, device, admin)) } }
        } }
        @if page.devices.is_empty() {
            p.quiet.empty { @if words.is_empty() { "No machine is enrolled yet." } @else { "No machine fits." } }
        }
        @if let Some(next) = page.next {
            p { a.button href={ "/devices?words=" (encoded(words)) "&before=" (encoded(next)) } rel="next" { "More" } }
        }
        (gaps(page.gaps))
    }
}

fn row(page: &DevicesPage<'_>, device: &FleetDevice, admin: bool) -> Markup {
    html! {
        tr {
            td data-label="Device" { a href={ "/decisions?device=" (device.id) } { (device.name) } " " code.quiet { (device.id) } }
            td data-label="Group" {
                @if admin {
                    form.inline method="post" action={ "/devices/" (device.id) "/group" } {
                        (csrf(page.login))
                        input aria-label={ "Group of " (device.name) } type="text" name="group" value=(device.group) pattern="[a-z0-9\\-]+" size="9";
                        button.plain type="submit" { "Set" }
                    }
                } @else { (device.group) }
            }
            td data-label="Health" { (health(device, page.now)) }
            td data-label="Version" { (device.version) }
            td.n data-label="Policy" {
                @if device.revision >= page.latest { (device.revision) }
                @else { span.behind title={ "the latest is " (page.latest) } { (device.revision) " of " (page.latest) } }
            }
            td.n data-label="Lines" { (device.last.seq) }
            td data-label="Last decision" { @if device.last_time > 0 { (clock::ago(device.last_time, page.now)) } @else { "none yet" } }
            @if admin {
                td data-label="" {
                    @if !device.revoked {
                        form.inline method="post" action={ "/devices/" (device.id) "/revoke" } { (csrf(page.login)) button.plain.danger type="submit" { "Revoke" } }
                    }
                }
            }
        }
    }
}

fn gaps(gaps: &[GapRow]) -> Markup {
    html! {
        section #gaps {
            h2 { "Gaps" }
            p.quiet { "Where a device's log does not go on as it was written. Nothing of this is ever hidden." }
            @if gaps.is_empty() { p.quiet.empty { "None: every chain holds." } } @else {
                div.scroll { table {
                    thead { tr { th { "Device" } th { "Kind" } th.n { "Lines missing" } th.n { "Behind line" } th.n { "Before line" } th { "Noticed" } } }
                    tbody {
                        @for gap in gaps {
                            tr {
                                td { code { (gap.device) } }
                                td { (gap.kind) }
                                td.n { (gap.missing) }
                                td.n { (gap.after_seq) }
                                td.n { (gap.next_seq) }
                                td { (clock::stamp(gap.noticed)) }
                            }
                        }
                    }
                } }
            }
        }
    }
}

fn health(device: &FleetDevice, now: u64) -> Markup {
    let told: serde_json::Value = serde_json::from_str(&device.status).unwrap_or_default();
    let problem = told.get("problem").and_then(|problem| problem.as_str());
    html! {
        @if device.revoked { span.state.bad { "revoked" } }
        @else if let Some(problem) = problem { span.state.bad { (problem) } }
        @else if now.saturating_sub(device.seen) > SILENT { span.state.warn { "silent since " (clock::ago(device.seen, now)) } }
        @else { span.state.good { "well, seen " (clock::ago(device.seen, now)) } }
        @let agents: Vec<&str> = told.get("agents").and_then(|agents| agents.as_array()).into_iter().flatten().filter_map(|agent| agent.as_str()).collect();
        @if !agents.is_empty() { div.quiet.agents { (agents.join(", ")) } }
    }
}
