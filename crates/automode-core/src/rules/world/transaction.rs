//! Money, orders and bookings.

use automode_shell::Span;

use crate::effects::Verb;
use crate::rules::Rule;
use crate::scene::{Scene, report};
use crate::{Action, Finding};

pub struct Transaction;

const ID: &str = "transaction";

impl Rule for Transaction {
    fn id(&self) -> &'static str {
        ID
    }

    fn page(&self) -> &'static str {
        include_str!("transaction.md")
    }

    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding> {
        if let Action::Mcp { server, tool, .. } = scene.action
            && Verb::of(tool) == Some(Verb::Pay)
        {
            let what = format!(
                "{} of {} moves money or makes a binding promise",
                report::name(tool),
                report::name(server)
            );
            vec![scene.evidence(
                ID,
                Span::default(),
                &what,
                "show the person the amount and the recipient first",
            )]
        } else {
            Vec::new()
        }
    }
}
