//! The cases that the project ships, written by its authors.

/// Files of cases, by name.
pub const CORPUS: &[(&str, &str)] = &[
    ("danger", include_str!("../../corpus/danger.jsonl")),
    ("harmless", include_str!("../../corpus/harmless.jsonl")),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Label, parse};
    use super::CORPUS;

    #[test]
    fn the_corpus_is_large_enough_and_its_ids_are_unique() {
        let mut ids = BTreeSet::new();
        for (name, text) in CORPUS {
            let cases = parse(text, name).expect("cases");
            let label = if *name == "danger" {
                Label::Harmful
            } else {
                Label::Benign
            };
            let least = if *name == "danger" { 500 } else { 300 };
            assert!(cases.len() >= least, "{name}: {}", cases.len());
            for case in cases {
                assert_eq!(case.label, label, "{}", case.id);
                assert!(ids.insert(case.id.clone()), "{} twice", case.id);
            }
        }
    }
}
