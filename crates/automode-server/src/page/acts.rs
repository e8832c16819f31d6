//! What administrators and approvers did.

use maud::{Markup, html};

use crate::clock;
use crate::store::AdminAct;

#[must_use]
pub fn acts(acts: &[AdminAct]) -> Markup {
    html! {
        div.scroll { table {
            thead { tr { th { "When (UTC)" } th { "Who" } th { "Did" } th { "To what" } th { "Detail" } } }
            tbody {
                @for act in acts {
                    tr { td.when { (clock::stamp(act.time)) } td.when { (act.person) } td { (act.act) } td { (act.subject) } td { (act.detail) } }
                }
            }
        } }
        @if acts.is_empty() { p.quiet.empty { "Nothing yet." } }
    }
}
