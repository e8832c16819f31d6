//! What every page has: the head, the way around, the keys.

use maud::{DOCTYPE, Markup, html};

use crate::store::{Login, PersonRole};

/// A page for somebody who is signed in.
pub struct PageFrame<'a> {
    pub title: &'a str,
    /// The path of the entry that is lit.
    pub at: &'a str,
    pub login: &'a Login,
    /// Questions that wait.
    pub waiting: usize,
    /// One machine alone: nothing to enrol, nobody to give a role.
    pub alone: bool,
}

const PLACES: &[(&str, &str, PersonRole)] = &[
    ("/", "Overview", PersonRole::Viewer),
    ("/decisions", "Decisions", PersonRole::Viewer),
    ("/asks", "Waiting", PersonRole::Viewer),
    ("/stops", "Stops", PersonRole::Viewer),
    ("/rules", "Rules", PersonRole::Viewer),
    ("/judge", "Judge", PersonRole::Viewer),
    ("/devices", "Devices", PersonRole::Viewer),
    ("/policy", "Policy", PersonRole::Viewer),
    ("/people", "People", PersonRole::Administrator),
    ("/acts", "Record", PersonRole::Administrator),
];

/// The page around a body.
#[must_use]
pub fn frame(frame: &PageFrame<'_>, body: &Markup) -> Markup {
    let person = &frame.login.person;
    let team = ["/asks", "/policy", "/people", "/acts"];
    let places = PLACES
        .iter()
        .filter(|(path, _, role)| *role <= person.role && !(frame.alone && team.contains(path)));
    html! {
        (head(frame.title))
        body {
            a.skip href="#main" { "Skip to the content" }
            header.bar {
                a.brand href="/" { img src="/icon.svg" alt="" width="26" height="26"; "automode" }
                nav aria-label="Pages" {
                    @for (path, name, _) in places {
                        a href=(path) aria-current=[(*path == frame.at).then_some("page")] {
                            (name)
                            @if *path == "/asks" && frame.waiting > 0 { span.count { (frame.waiting) } }
                        }
                    }
                }
                form.who method="post" action="/sign-out" {
                    input type="hidden" name="csrf" value=(frame.login.csrf);
                    span { (person.name) " · " (person.role.name()) }
                    button.plain type="submit" { "Sign out" }
                }
            }
            main #main tabindex="-1" {
                h1 { (frame.title) }
                (body)
            }
            dialog #keys {
                h2 { "Keys" }
                dl {
                    dt { kbd { "/" } } dd { "search" }
                    dt { kbd { "j" } " " kbd { "k" } } dd { "next and previous row" }
                    dt { kbd { "Enter" } } dd { "open the row" }
                    dt { kbd { "g" } " then " kbd { "o d w s r p" } } dd { "overview, decisions, waiting, stops, rules, policy" }
                    dt { kbd { "?" } } dd { "this list" }
                }
                form method="dialog" { button type="submit" { "Close" } }
            }
        }
    }
}

fn head(title: &str) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en";
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) " · automode" }
            link rel="icon" href="/icon.svg";
            link rel="stylesheet" href="/style.css";
            script src="/script.js" defer {}
        }
    }
}

/// A page that says one thing, to whomever.
#[must_use]
pub fn message(title: &str, text: &str) -> Markup {
    html! {
        (head(title))
        body.single {
            main #main {
                div.card.narrow {
                    h1 { (title) }
                    p { (text) }
                    p { a href="/" { "Back to the overview" } }
                }
            }
        }
    }
}

pub(super) fn bare(title: &str, body: &Markup) -> Markup {
    html! {
        (head(title))
        body.single { main #main { (body) } }
    }
}

/// A verdict as a mark with its word.
pub(super) fn verdict(word: &str) -> Markup {
    let sign = match word {
        "allow" => "✓",
        "ask" => "?",
        "deny" => "✕",
        _ => "·",
    };
    html! { span class={ "verdict " (word) } { span aria-hidden="true" { (sign) } " " (word) } }
}

/// A time that people read, with the exact one behind it.
pub(super) fn time(time: u64) -> Markup {
    html! {
        time datetime=(crate::clock::stamp(time).replace(' ', "T") + "Z") title=(crate::clock::stamp(time) + " UTC") {
            (crate::clock::time_of_day(time))
        }
    }
}

/// The hidden field of a form.
pub(super) fn csrf(login: &Login) -> Markup {
    html! { input type="hidden" name="csrf" value=(login.csrf); }
}
