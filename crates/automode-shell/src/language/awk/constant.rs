//! Variables of a program that only ever hold one value, and its functions.

use super::token::AwkToken;
use std::collections::{BTreeMap, BTreeSet};

/// Variables that get one constant text and nothing else in the whole program.
pub(super) fn constants(tokens: &[AwkToken]) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    for (at, token) in tokens.iter().enumerate() {
        let AwkToken::Name(name) = token else {
            continue;
        };
        let mut after = tokens.iter().skip(at.saturating_add(1));
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let (first, second, third) = (after.next(), after.next(), after.next());
        let ends = matches!(
            third,
            None | Some(AwkToken::Line | AwkToken::Mark(";" | "}" | ")"))
        );
        match (first, second) {
            (Some(AwkToken::Mark("=")), Some(AwkToken::Text(text))) if ends => {
                texts
                    .entry(name.clone())
                    .and_modify(|known| *known = None)
                    .or_insert_with(|| Some(text.clone()));
            }
            (Some(AwkToken::Mark(mark)), _) if is_assignment(mark) => {
                texts.insert(name.clone(), None);
            }
            _ => {
                let changed = matches!(before, Some(AwkToken::Mark("++" | "--")))
                    || matches!(before, Some(AwkToken::Name(word)) if word == "getline")
                    || matches!(first, Some(AwkToken::Name(word)) if word == "in");
                // The last argument of `sub` and `gsub` is changed in place.
                let last = matches!(before, Some(AwkToken::Mark(",")))
                    && matches!(first, Some(AwkToken::Mark(")")));
                if changed || last {
                    texts.insert(name.clone(), None);
                }
            }
        }
    }
    for parameter in parameters(tokens) {
        texts.insert(parameter, None);
    }
    texts
        .into_iter()
        .filter_map(|(name, text)| text.map(|text| (name, text)))
        .collect()
}

/// Names that functions take, which hide variables of the same name.
fn parameters(tokens: &[AwkToken]) -> Vec<String> {
    let mut names = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if !matches!(token, AwkToken::Name(word) if word == "function" || word == "func") {
            continue;
        }
        let header = tokens
            .iter()
            .skip(at.saturating_add(2))
            .take_while(|token| **token != AwkToken::Mark(")"));
        names.extend(header.filter_map(|token| match token {
            AwkToken::Name(name) => Some(name.clone()),
            AwkToken::Call(_)
            | AwkToken::Text(_)
            | AwkToken::Number
            | AwkToken::Regex
            | AwkToken::Mark(_)
            | AwkToken::Line => None,
        }));
    }
    names
}

fn is_assignment(mark: &str) -> bool {
    matches!(
        mark,
        "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "^=" | "**=" | "++" | "--"
    )
}

/// Functions that the program defines.
pub(super) fn functions(tokens: &[AwkToken]) -> BTreeSet<String> {
    tokens
        .windows(2)
        .filter_map(|pair| match pair {
            [
                AwkToken::Name(word),
                AwkToken::Call(name) | AwkToken::Name(name),
            ] if word == "function" || word == "func" => Some(name.clone()),
            _ => None,
        })
        .collect()
}
