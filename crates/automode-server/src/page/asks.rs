//! Questions that wait for an answer.

use maud::{Markup, html};

use super::agent_text::agent_text;
use super::command_text::command_text;
use super::layout::{csrf, verdict};
use super::told::told;
use crate::clock;
use crate::store::{Ask, AskState, Login, PersonRole};

#[must_use]
pub fn asks(asks: &[Ask], login: &Login, names: &dyn Fn(&str) -> String, now: u64) -> Markup {
    html! {
        p.quiet { "An agent waits for somebody. The first answer counts; without one the client asks its own person. What a guard or a rule forbids never comes here." }
        div #asks data-replace="/live/asks" { (ask_cards(asks, login, names, now)) }
    }
}

/// The cards alone, as the live stream sends them too.
#[must_use]
pub fn ask_cards(asks: &[Ask], login: &Login, names: &dyn Fn(&str) -> String, now: u64) -> Markup {
    let open = |ask: &&Ask| ask.state == AskState::Open && ask.deadline > now;
    let may = login.person.role >= PersonRole::Approver;
    html! {
        @for ask in asks.iter().filter(open) {
            article.card.ask {
                header { (verdict("ask")) " " b { (ask.agent) } " on " b { (names(&ask.device)) } " · " span.quiet { (ask.deadline.saturating_sub(now) / 1_000) " s left" } }
                (command_text(&ask.brief, std::iter::once(ask.reason.as_str())))
                p.reason { (told(&ask.reason)) }
                dl.facts {
                    dt { "Tool" } dd { (agent_text(&ask.tool)) }
                    @if !ask.place.is_empty() { dt { "Where" } dd { code { (agent_text(&ask.place)) } } }
                    @if !ask.rule.is_empty() { dt { "Rule" } dd { (agent_text(&ask.rule)) } }
                    dt { "Session" } dd { code { (agent_text(&ask.session)) } }
                }
                @if may {
                    form.answer method="post" action={ "/asks/" (ask.id) } {
                        (csrf(login))
                        button.good type="submit" name="answer" value="allow" { "Allow once" }
                        button.good.light type="submit" name="answer" value="allow-10" { "Allow this call for 10 minutes" }
                        button.bad type="submit" name="answer" value="deny" { "Deny" }
                    }
                } @else { p.quiet { "An approver can answer." } }
            }
        }
        @if !asks.iter().any(|ask| open(&ask)) { p.quiet.empty { "Nobody waits." } }
        @let done: Vec<&Ask> = asks.iter().filter(|ask| !open(ask)).collect();
        @if !done.is_empty() {
            h2 { "Lately" }
            div.scroll { table.rows { tbody {
                @for ask in done {
                    tr {
                        td { (clock::time_of_day(ask.created)) }
                        td { @match &ask.state { AskState::Answered { answer, .. } => (verdict(answer)), AskState::Open => span.quiet { "no answer" } } }
                        td.call { code { (agent_text(&ask.brief)) } }
                        td { @match &ask.state { AskState::Answered { by, .. } => (by), AskState::Open => "asked locally" } }
                    }
                }
            } } }
        }
    }
}
