//! What administrators and approvers did.

use maud::{Markup, html};

use crate::clock;
use crate::store::AdminAct;

#[must_use]
pub fn acts(acts: &[AdminAct]) -> Markup {
    html! {
        div.scroll { table.stack {
            thead { tr { th { "When (UTC)" } th { "Who" } th { "Did" } th { "To what" } th { "Detail" } } }
            tbody {
                @for act in acts {
                    tr { td.when data-label="When" { (clock::stamp(act.time)) } td.when data-label="Who" { (act.person) } td data-label="Did" { (act.act) } td data-label="To what" { (act.subject) } td data-label="Detail" { (act.detail) } }
                }
            }
        } }
        @if acts.is_empty() { p.quiet.empty { "Nothing yet." } }
    }
}
