//! The prose of the rule pages, as the judge reads it.

use crate::exceptions::EXCEPTIONS;
use crate::rules::CATALOGUE;

const HEADING: &str = "\n## Judge\n";

/// Each block rule with what the judge is told.
pub(super) fn blocks() -> Vec<(&'static str, String)> {
    CATALOGUE
        .iter()
        .map(|rule| (rule.id(), told(rule.page())))
        .collect()
}

/// Each exception with what the judge is told.
pub(super) fn exceptions() -> Vec<(&'static str, String)> {
    EXCEPTIONS
        .iter()
        .map(|exception| (exception.id(), told(exception.page())))
        .collect()
}

/// The section for the judge, in one line. The rest of the page is not read: this is done for every question.
fn told(page: &'static str) -> String {
    let (_, after) = page.split_once(HEADING).unwrap_or_default();
    let section = after.split("\n## ").next().unwrap_or_default();
    section.split_whitespace().collect::<Vec<_>>().join(" ")
}
