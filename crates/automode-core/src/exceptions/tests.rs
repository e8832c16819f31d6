use std::collections::BTreeSet;

use super::EXCEPTIONS;
use crate::page::{Expectation, Page};

#[test]
fn the_seven_exceptions_have_unique_ids_and_examples() {
    let ids: BTreeSet<_> = EXCEPTIONS.iter().map(|exception| exception.id()).collect();
    assert_eq!(ids.len(), 7);
    for exception in EXCEPTIONS {
        let page = Page::read(exception.page());
        let count = |kind| {
            page.examples
                .iter()
                .filter(|e| e.expectation == kind)
                .count()
        };
        assert!(count(Expectation::Fine) >= 1, "{}: fine", exception.id());
        assert!(count(Expectation::Open) >= 3, "{}: open", exception.id());
        assert!(
            !page.title.is_empty() && !page.judge.is_empty(),
            "{}",
            exception.id()
        );
    }
}
