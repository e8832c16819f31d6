//! The policy: written, tried, released, promoted and rolled back.

use maud::{Markup, html};

use super::diff::{diff, diff_lines};
use super::layout::csrf;
use super::told::told;
use crate::bundle::Manifest;
use crate::clock;
use crate::policy_review::PolicyReview;
use crate::store::{Bundle, BundleStage, Login, PersonRole};

/// What the page shows.
pub struct PolicyPage<'a> {
    pub text: &'a str,
    pub cases: &'a str,
    pub review: Option<&'a PolicyReview>,
    pub bundles: &'a [Bundle],
    pub login: &'a Login,
    pub told: Option<&'a str>,
    /// Why it is not out.
    pub trouble: Option<&'a str>,
    /// The revision that it is written upon.
    pub base: u64,
    /// Devices that get a revision first.
    pub canaries: i64,
}

#[must_use]
pub fn policy(page: &PolicyPage<'_>) -> Markup {
    let admin = page.login.person.role >= PersonRole::Administrator;
    html! {
        @if let Some(told) = page.told { p.note.good role="status" { (told) } }
        @if let Some(trouble) = page.trouble { p.note.bad role="alert" { (trouble) } }
        (editor(page, admin))
        (revisions(page, admin))
    }
}

fn editor(page: &PolicyPage<'_>, admin: bool) -> Markup {
    let current = page.bundles.first();
    html! {
        section.card {
            h2 { "Editor" }
            form method="post" action="/policy" {
                (csrf(page.login))
                input type="hidden" name="base" value=(page.base);
                label for="policy" { "Settings and rules, as in " code { "config.toml" } "; rules of a group stand under " code { "[group.NAME.permissions]" } }
                textarea #policy name="policy" rows="14" spellcheck="false" readonly[!admin] { (page.text) }
                details open[!page.cases.is_empty()] {
                    summary { "Labelled cases" }
                    p.quiet { "A file of " code { "automode test" } ". A policy that fails one does not go out." }
                    textarea name="cases" rows="8" spellcheck="false" aria-label="Labelled cases" readonly[!admin] { (page.cases) }
                }
                @if admin {
                    div.filters {
                        label { span { "What changes" } input.long type="text" name="note" maxlength="200"; }
                        label { span { "When it expires" }
                            select name="on_stale" {
                                option value="keep" { "stays in force" }
                                option value="ask" { "ask about everything" }
                                option value="deny" { "deny everything" }
                            }
                        }
                        label { span { "Days until then (0: never)" } input type="number" name="days" value="0" min="0" max="3650"; }
                    }
                    div.answer {
                        button.light type="submit" name="do" value="review" { "Lint and test" }
                        button.good type="submit" name="do" value="canary" { "Release to the canary group" }
                        button.light type="submit" name="do" value="everyone" { "Release to everyone" }
                    }
                    (canaries(page.canaries))
                }
            }
            @if let Some(found) = page.review {
                (review(found))
                @if let Some(current) = current {
                    h3 { "Against revision " (current.revision) }
                    (diff(&diff_lines(&current.policy, page.text)))
                }
            }
        }
    }
}

/// Whom a release to the canary group reaches.
pub(super) fn canaries(count: i64) -> Markup {
    html! {
        p.quiet {
            @match count {
                0 => { "No device is in the group " code { "canary" } " yet: such a release reaches nobody until it is promoted. Devices are put there " a href="/devices" { "on their page" } "." }
                1 => { "One device is in the group " code { "canary" } "; everyone else has the revision once it is promoted." }
                _ => { (count) " devices are in the group " code { "canary" } "; everyone else has the revision once it is promoted." }
            }
        }
    }
}

fn revisions(page: &PolicyPage<'_>, admin: bool) -> Markup {
    html! {
        section.card {
            h2 { "Revisions" }
            @if page.bundles.is_empty() { p.quiet.empty { "None yet: devices follow their own settings." } }
            ol.revisions {
                @for (index, bundle) in page.bundles.iter().enumerate() {
                    @let before = page.bundles.get(index.saturating_add(1)).map_or("", |before| before.policy.as_str());
                    li {
                        div.row {
                            b { "Revision " (bundle.revision) }
                            span class={ "stage " (bundle.stage.name()) } { (bundle.stage.name()) }
                            @if !bundle.note.is_empty() { span.note-of { (bundle.note) } }
                            (terms(bundle))
                            span.quiet { (bundle.made_by) " · " (clock::stamp(bundle.created)) " UTC" }
                            @if admin {
                                form.inline method="post" action="/policy/stage" {
                                    (csrf(page.login))
                                    input type="hidden" name="revision" value=(bundle.revision);
                                    @if bundle.stage == BundleStage::Canary { button.small type="submit" name="do" value="promote" { "Promote to everyone" } }
                                    @if index > 0 { button.small.light type="submit" name="do" value="rollback" { "Roll back to this" } }
                                }
                            }
                        }
                        details { summary { "Change" } (diff(&diff_lines(before, &bundle.policy))) }
                    }
                }
            }
        }
    }
}

/// What holds beside the policy: when it expires, and who may do nothing.
fn terms(bundle: &Bundle) -> Markup {
    let manifest: Option<Manifest> = serde_json::from_str(&bundle.manifest).ok();
    html! {
        @if let Some(manifest) = manifest {
            @if manifest.expires > 0 {
                span.quiet { "expires " (clock::stamp(manifest.expires)) ", then " (manifest.on_stale.name()) }
            }
            @if !manifest.quarantined.is_empty() {
                span.state.warn { "quarantined: " (manifest.quarantined.join(", ")) }
            }
        }
    }
}

/// What a review found.
pub(super) fn review(found: &PolicyReview) -> Markup {
    let failed = found.cases.iter().filter(|case| !case.passed);
    let passed = found.cases.len().saturating_sub(failed.clone().count());
    html! {
        div.review role="status" {
            @if found.passes() { p.note.good { "It may go out: no faults" @if !found.cases.is_empty() { ", " (passed) " of " (found.cases.len()) " cases as expected" } "." } }
            @for fault in &found.faults { p.note.bad { (told(fault)) } }
            @for case in failed { p.note.bad { "case " b { (case.name) } ": " (case.verdict) " — " (told(&case.reason)) } }
            @for note in &found.notes { p.note.warn { (told(note)) } }
        }
    }
}
