//! One decision: what was wanted, what was found, and how every stage stood to it.

use automode::audit::Entry;
use maud::{Markup, html};

use super::EffectsPicture;
use super::agent_text::agent_text;
use super::command_text::command_text;
use super::layout::verdict;
use super::stops::{OUT_OF_REACH, allow_place};
use super::told::told;
use crate::clock;
use crate::ingest::verdict_name;
use crate::store::DecisionRow;

#[must_use]
pub fn decision(
    row: &DecisionRow,
    entry: &Entry,
    device: &str,
    effects: Option<&EffectsPicture>,
) -> Markup {
    html! {
        div.headline {
            (verdict(verdict_name(entry.verdict)))
            p.reason { (told(&entry.reason)) }
        }
        (wanted(row, entry, device))
        @if let Some(effects) = effects {
            section.card {
                h2 { "What it would do" }
                (effects.svg)
                @if !effects.gaps.is_empty() {
                    h3 { "Not understood" }
                    ul { @for gap in &effects.gaps { li { (gap) } } }
                }
                p.quiet { "Read again from the text of the log, without looking at any machine." }
            }
        }
        (findings(entry))
        section.card {
            h2 { "Stage by stage" }
            ol.trace {
                @for stage in &entry.trace {
                    @let word = stage.verdict.map_or("none", verdict_name);
                    li class=(word) {
                        span.stage { (stage.stage) }
                        @if stage.verdict.is_some() { (verdict(word)) }
                        span.told { (told(&stage.note)) }
                    }
                }
            }
        }
        @if let Some(judge) = &entry.judge {
            section.card {
                h2 { "The judge" }
                dl.facts {
                    dt { "Model" } dd { (judge.model) }
                    dt { "Stage" } dd { (judge.stage) }
                    dt { "Tokens" } dd { (judge.input) " in, " (judge.cached) " of them cached, " (judge.output) " out" }
                    @if let Some(price) = judge.price { dt { "Price" } dd { (super::judge::dollars(i64::try_from(price).unwrap_or_default())) } }
                }
            }
        }
        p.quiet.hash { "Line " code { (row.hash) } }
    }
}

fn wanted(row: &DecisionRow, entry: &Entry, device: &str) -> Markup {
    html! {
        section.card {
            h2 { "What was wanted" }
            (command_text(&entry.brief, entry.findings.iter().map(|finding| finding.evidence.as_str())))
            dl.facts {
                dt { "Tool" } dd { (entry.tool) }
                dt { "Where" } dd { code { (agent_text(&entry.cwd)) } }
                dt { "Agent" } dd { (entry.agent) }
                dt { "Session" } dd { code { (entry.session) } }
                dt { "Device" } dd { a href={ "/decisions?device=" (row.device) } { (device) } }
                dt { "When" } dd { (clock::stamp(entry.time)) " UTC" }
                dt { "Took" } dd { (format!("{:.1} ms", entry.latency)) }
                @if entry.shadow { dt { "Mode" } dd { "shadow: recorded, not enforced" } }
                @if let Some(protection) = &entry.protection { dt { "Protection" } dd { (protection) } }
            }
            @if verdict_name(entry.verdict) == "allow" {
            } @else if row.ground == "policy" {
                p.quiet { "A permission rule says so: whoever wrote it can change it." }
            } @else if OUT_OF_REACH.contains(&row.ground.as_str()) {
                p.quiet { "A veto: no rule reaches it. Whoever sits at that machine can permit it once: " code { "automode allow-once " (name_to_copy(&entry.id)) } }
            } @else {
                p { a.button href=(allow_place(row)) { "Allow this for a group …" } }
            }
        }
    }
}

fn findings(entry: &Entry) -> Markup {
    html! {
        @if !entry.findings.is_empty() {
            section.card {
                h2 { "Findings" }
                div.scroll { table.stack {
                    thead { tr { th { "Rule" } th { "Weight" } th { "Evidence" } } }
                    tbody {
                        @for finding in &entry.findings {
                            tr {
                                td data-label="Rule" { a href={ "/decisions?rule=" (super::overview::encoded(&finding.rule)) } { (finding.rule) } }
                                td data-label="Weight" { (finding.weight) }
                                td data-label="Evidence" { (told(&finding.evidence)) }
                            }
                        }
                    }
                } }
            }
        }
    }
}

/// A decision's name in a line to copy. Devices choose it, and one may be in wrong hands.
fn name_to_copy(id: &str) -> String {
    if id.chars().all(|letter| letter.is_ascii_alphanumeric()) {
        id.to_owned()
    } else {
        automode_core::escape::shell_quoted(id)
    }
}
