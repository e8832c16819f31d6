//! Variables of a program that only ever hold one value, and its functions.

use super::token::Token;
use std::collections::{BTreeMap, BTreeSet};

/// Variables that get one constant text and nothing else in the whole program.
pub(super) fn constants(tokens: &[Token]) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        let mut after = tokens.iter().skip(at.saturating_add(1));
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let (first, second, third) = (after.next(), after.next(), after.next());
        let ends = matches!(
            third,
            None | Some(Token::Line | Token::Mark(";" | "}" | ")"))
        );
        match (first, second) {
            (Some(Token::Mark("=")), Some(Token::Text(text))) if ends => {
                texts
                    .entry(name.clone())
                    .and_modify(|known| *known = None)
                    .or_insert_with(|| Some(text.clone()));
            }
            (Some(Token::Mark(mark)), _) if is_assignment(mark) => {
                texts.insert(name.clone(), None);
            }
            _ => {
                let changed = matches!(before, Some(Token::Mark("++" | "--")))
                    || matches!(before, Some(Token::Name(word)) if word == "getline")
                    || matches!(first, Some(Token::Name(word)) if word == "in");
                // The last argument of `sub` and `gsub` is changed in place.
                let last = matches!(before, Some(Token::Mark(",")))
                    && matches!(first, Some(Token::Mark(")")));
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
fn parameters(tokens: &[Token]) -> Vec<String> {
    let mut names = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if !matches!(token, Token::Name(word) if word == "function" || word == "func") {
            continue;
        }
        let header = tokens
            .iter()
            .skip(at.saturating_add(2))
            .take_while(|token| **token != Token::Mark(")"));
        names.extend(header.filter_map(|token| match token {
            Token::Name(name) => Some(name.clone()),
            Token::Call(_)
            | Token::Text(_)
            | Token::Number
            | Token::Regex
            | Token::Mark(_)
            | Token::Line => None,
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
pub(super) fn functions(tokens: &[Token]) -> BTreeSet<String> {
    tokens
        .windows(2)
        .filter_map(|pair| match pair {
            [Token::Name(word), Token::Call(name) | Token::Name(name)]
                if word == "function" || word == "func" =>
            {
                Some(name.clone())
            }
            _ => None,
        })
        .collect()
}
