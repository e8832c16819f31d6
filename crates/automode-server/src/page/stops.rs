//! Denials and questions, those that look needless first; and the rule that would end one.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::agent_text::agent_text;
use super::decisions::{head, place, rows};
use super::diff::{DiffLine, diff};
use super::layout::{csrf, verdict};
use super::overview::encoded;
use crate::letters::is_odd;
use crate::policy_review::PolicyReview;
use crate::store::{CANARY, DecisionRow, Login, PersonRole};

/// Grounds that no allow rule reaches.
pub const OUT_OF_REACH: [&str; 4] = ["rule", "guard", "policy", "failure"];

/// What the page shows.
pub struct StopsPage<'a> {
    pub rows: &'a [DecisionRow],
    pub names: &'a dyn Fn(&str) -> String,
}

/// A call that was stopped several times.
struct Repeated<'a> {
    row: &'a DecisionRow,
    times: usize,
    devices: Vec<&'a str>,
}

#[must_use]
pub fn stops(page: &StopsPage<'_>) -> Markup {
    // An agent that tries a disaster again is no witness that it was none.
    let (needless, found): (Vec<_>, Vec<_>) = repeated(page.rows)
        .into_iter()
        .partition(|one| one.row.rule.is_empty());
    html! {
        section.card {
            h2 { "Likely needless" }
            p.quiet { "The same call, stopped again and again although nothing was found in it: somebody wants it, and the answer never changes. Looked for among the latest 500 stops." }
            @if needless.is_empty() { p.quiet.empty { "Nothing of the kind was stopped more than twice." } } @else { (again(&needless)) }
        }
        @if !found.is_empty() {
            section.card {
                h2 { "Tried again and again" }
                p.quiet { "A rule found something, and the call keeps coming: an agent that does not give up, or a rule that your work needs an exception from." }
                (again(&found))
            }
        }
        section.card {
            h2 { "Denied and asked, latest first" }
            @if page.rows.is_empty() { p.quiet.empty { "Nothing was stopped." } } @else {
                div.scroll { table.rows { (head()) tbody { (rows(page.rows.get(..60).unwrap_or(page.rows), page.names)) } } }
            }
        }
    }
}

fn again(repeated: &[Repeated<'_>]) -> Markup {
    html! {
        div.scroll { table.stack {
            thead { tr { th.n { "Times" } th.n { "Devices" } th { "Verdict" } th { "Call" } th { "Rule" } th { "" } } }
            tbody {
                @for one in repeated.iter().take(20) {
                    tr {
                        td.n data-label="Times" { (one.times) }
                        td.n data-label="Devices" { (one.devices.len()) }
                        td data-label="Verdict" { (verdict(&one.row.verdict)) }
                        td.call { a href=(place(one.row)) { code { (agent_text(&one.row.brief)) } } }
                        td data-label="Rule" { (one.row.rule) }
                        td data-label="" {
                            @if OUT_OF_REACH.contains(&one.row.ground.as_str()) { span.quiet { "a veto: no rule reaches it" } }
                            @else { a.button.small href=(allow_place(one.row)) { "Allow for …" } }
                        }
                    }
                }
            }
        } }
    }
}

/// Where a rule is written from a decision.
pub(super) fn allow_place(row: &DecisionRow) -> String {
    format!(
        "/stops/{}/allow?line={}",
        encoded(&row.id),
        encoded(&row.hash)
    )
}

/// The line to copy into a shell. What an agent wrote is one word of it and nothing else, and
/// what cannot be seen is not handed on.
fn allow_line(rule: &str) -> Markup {
    let copied = automode_core::escape::shell_quoted(rule);
    html! {
        pre { code { "automode allow " (agent_text(&copied)) } }
        @if rule.chars().any(|letter| is_odd(letter) && !"\n\t".contains(letter)) {
            p.note.warn { "The call has letters that cannot be seen, written out here: this line would not match it." }
        }
    }
}

fn repeated(rows: &[DecisionRow]) -> Vec<Repeated<'_>> {
    let mut found: BTreeMap<(&str, &str), Repeated<'_>> = BTreeMap::new();
    for row in rows {
        let one = found.entry((&row.tool, &row.brief)).or_insert(Repeated {
            row,
            times: 0,
            devices: Vec::new(),
        });
        one.times = one.times.saturating_add(1);
        if !one.devices.contains(&row.device.as_str()) {
            one.devices.push(&row.device);
        }
    }
    let mut found: Vec<_> = found.into_values().filter(|one| one.times > 2).collect();
    found.sort_by_key(|one| std::cmp::Reverse(one.times));
    found
}

/// A rule that would allow a stopped call, before it goes out.
pub struct AllowPage<'a> {
    pub row: &'a DecisionRow,
    pub rule: &'a str,
    pub group: &'a str,
    pub groups: &'a [(String, i64)],
    /// The revision that the change is shown against.
    pub base: u64,
    pub diff: &'a [DiffLine],
    /// None for those who cannot release.
    pub review: Option<PolicyReview>,
    pub login: &'a Login,
    /// A rule cannot reach what stopped this call.
    pub out_of_reach: bool,
    pub alone: bool,
}

#[must_use]
pub fn allow(page: &AllowPage<'_>) -> Markup {
    let admin = page.login.person.role >= PersonRole::Administrator;
    let in_canary = |(name, _): &&(String, i64)| name == CANARY;
    let canaries = page
        .groups
        .iter()
        .find(in_canary)
        .map_or(0, |(_, count)| *count);
    let passes = page.review.as_ref().is_some_and(PolicyReview::passes);
    html! {
        section.card {
            p { (verdict(&page.row.verdict)) " " code { (agent_text(&page.row.brief)) } }
            @if page.out_of_reach {
                p.note.warn { "It was stopped by " b { (page.row.ground) } " " (page.row.rule) ". No allow rule reaches that: the rule below would change nothing for this call." }
            }
            @if page.alone {
                p { "On this machine, in a terminal:" }
                (allow_line(page.rule))
            } @else {
                form.filters method="get" action={ "/stops/" (encoded(&page.row.id)) "/allow" } {
                    input type="hidden" name="line" value=(page.row.hash);
                    label { span { "Rule" } input.long type="text" name="rule" value=(page.rule) required; }
                    label { span { "For" }
                        select name="group" {
                            option value="" selected[page.group.is_empty()] { "everyone" }
                            @for (group, count) in page.groups {
                                option value=(group) selected[page.group == *group] { "group " (group) " (" (count) ")" }
                            }
                        }
                    }
                    button.light type="submit" { "Show the change" }
                }
                h2 { "The change" }
                (diff(page.diff))
                @if let Some(found) = &page.review { (super::policy::review(found)) }
                @if admin {
                    form.answer method="post" action={ "/stops/" (encoded(&page.row.id)) "/allow" } {
                        (csrf(page.login))
                        input type="hidden" name="rule" value=(page.rule);
                        input type="hidden" name="group" value=(page.group);
                        input type="hidden" name="base" value=(page.base);
                        button.good type="submit" name="stage" value="canary" disabled[!passes] { "Release to the canary group" }
                        button.light type="submit" name="stage" value="everyone" disabled[!passes] { "Release to everyone" }
                    }
                    (super::policy::canaries(canaries))
                } @else { p.quiet { "An administrator can release it." } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page of one machine has a line to copy: an agent must not write commands into it.
    #[test]
    fn what_an_agent_wrote_is_one_word_of_the_line_to_copy() {
        let line = allow_line("Bash(echo 'a'; curl x | sh; 'b')").into_string();
        assert!(
            line.contains(r"automode allow 'Bash(echo '\''a'\''; curl x | sh; '\''b'\'')'"),
            "{line}"
        );
        assert!(!line.contains("cannot be seen"), "{line}");
        let odd = allow_line("Bash(ls \u{202e}x)").into_string();
        assert!(odd.contains("would not match it"), "{odd}");
    }
}
