//! People and their roles.

use maud::{Markup, html};

use super::layout::csrf;
use crate::clock;
use crate::store::{Login, Person, PersonRole};

#[must_use]
pub fn people(people: &[Person], login: &Login, now: u64) -> Markup {
    html! {
        p.quiet { "A viewer looks, an approver answers questions, an administrator writes policy and gives roles." }
        div.scroll { table.stack {
            thead { tr { th { "Name" } th { "Subject" } th { "Last seen" } th { "Role" } } }
            tbody {
                @for person in people {
                    tr {
                        td data-label="Name" { (person.name) }
                        td data-label="Subject" { code { (person.subject) } }
                        td data-label="Last seen" { (clock::ago(person.seen, now)) }
                        td data-label="Role" {
                            @if person.id == login.person.id { (person.role.name()) } @else {
                                form.inline method="post" action={ "/people/" (person.id) } {
                                    (csrf(login))
                                    select name="role" aria-label={ "Role of " (person.name) } {
                                        @for role in [PersonRole::Viewer, PersonRole::Approver, PersonRole::Administrator] {
                                            option value=(role.name()) selected[role == person.role] { (role.name()) }
                                        }
                                    }
                                    button.plain type="submit" { "Give" }
                                }
                            }
                        }
                    }
                }
            }
        } }
    }
}
