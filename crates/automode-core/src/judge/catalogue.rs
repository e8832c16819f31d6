//! The prose of the rule pages, as the judge reads it.

use crate::exceptions::EXCEPTIONS;
use crate::rules::{CATALOGUE, Page};

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

/// The section for the judge, in one line.
fn told(page: &'static str) -> String {
    let section = Page::read(page).judge;
    section.split_whitespace().collect::<Vec<_>>().join(" ")
}
