use std::collections::BTreeSet;

use super::{CATALOGUE, find};
use crate::page::{Expectation, Page};

/// Categories that nothing in an action gives away.
const SILENT: &[&str] = &["impersonation"];

#[test]
fn the_catalogue_is_complete_and_its_ids_are_unique() {
    let ids: BTreeSet<_> = CATALOGUE.iter().map(|rule| rule.id()).collect();
    assert_eq!(ids.len(), CATALOGUE.len());
    assert_eq!(CATALOGUE.len(), 26);
    for id in ids {
        assert!(
            id.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
            "{id}"
        );
        assert!(find(id).is_some_and(|rule| rule.id() == id));
    }
}

#[test]
fn every_page_has_all_its_sections() {
    for rule in CATALOGUE {
        let page = Page::read(rule.page());
        for (section, text) in [
            ("title", page.title),
            ("what", page.what),
            ("why", page.why),
            ("fine", page.fine),
            ("permit", page.permit),
            ("judge", page.judge),
        ] {
            assert!(!text.is_empty(), "{}: {section}", rule.id());
        }
    }
}

#[test]
fn every_rule_has_examples_of_each_kind_it_knows() {
    for rule in CATALOGUE {
        let page = Page::read(rule.page());
        let count = |kind| {
            page.examples
                .iter()
                .filter(|e| e.expectation == kind)
                .count()
        };
        assert!(count(Expectation::Pass) >= 3, "{}: pass", rule.id());
        let (veto, evidence) = (count(Expectation::Veto), count(Expectation::Evidence));
        assert!(veto == 0 || veto >= 3, "{}: veto", rule.id());
        assert!(evidence == 0 || evidence >= 3, "{}: evidence", rule.id());
        assert_eq!(
            veto + evidence == 0,
            SILENT.contains(&rule.id()),
            "{}",
            rule.id()
        );
    }
}

/// The judge's whole system prompt has a budget of 6,000 tokens; the rules may use half of it.
#[test]
fn the_prose_for_the_judge_fits() {
    let mut total = 0;
    for rule in CATALOGUE {
        let words = Page::read(rule.page()).judge.split_whitespace().count();
        assert!(words <= 60, "{}: {words} words", rule.id());
        total += words;
    }
    assert!(total <= 1_500, "{total} words");
}
