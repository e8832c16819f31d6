//! Lists of words of which some stand for any number: arguments and arrays.
//!
//! Behind a pattern nobody can count: `set -- *; rm "$2"` takes some file, not
//! the second word. What is asked for by its place is given only where it is sure.

use super::parameter::several;
use super::variable::taint_of_all;
use crate::ir::{DynamicSource, Span, Value};

/// The words, unless one of them comes from data and may be any number.
pub(super) fn followed(values: Vec<Value>) -> Option<Vec<Value>> {
    let known = |value: &Value| !value.may_split || !value.is_dynamic();
    values.iter().all(known).then_some(values)
}

/// The word at a place, `None` where there is none.
pub(super) fn at(values: &[Value], place: usize, span: Span) -> Option<Value> {
    match values.iter().position(|value| value.may_split) {
        None => values.get(place).cloned(),
        Some(set) if place < set => values.get(place).cloned(),
        // `set -- *.txt; rm "$1"`: a pattern stands for at least one word.
        Some(set) if place == set => values.get(set).cloned().map(Value::member),
        Some(_) => Some(some_word(values, span)),
    }
}

/// The word at a place that is counted from the end, the last being 1.
pub(super) fn from_end(values: &[Value], place: usize, span: Span) -> Option<Value> {
    let behind = values.iter().rev().position(|value| value.may_split);
    let at = || {
        values
            .len()
            .checked_sub(place)
            .and_then(|at| values.get(at))
    };
    match behind {
        None => at().cloned(),
        Some(set) if place <= set => at().cloned(),
        Some(set) if place == set.saturating_add(1) => at().cloned().map(Value::member),
        Some(_) => Some(some_word(values, span)),
    }
}

/// How many words there are, where that is known.
pub(super) fn count(values: &[Value]) -> Option<usize> {
    values
        .iter()
        .all(|value| !value.may_split)
        .then_some(values.len())
}

/// The words behind the first ones; `None` where they cannot be told.
pub(super) fn without_first(mut values: Vec<Value>, count: usize) -> Option<Vec<Value>> {
    match values.iter().position(|value| value.may_split) {
        // More than there are: `shift` fails and takes none.
        None if count > values.len() => Some(values),
        None => Some(values.split_off(count)),
        Some(set) if count <= set => Some(values.split_off(count)),
        // `set -- *; shift; rm -rf "$1/"`: perhaps nothing is left.
        Some(_) => None,
    }
}

/// `"${a[@]:1:2}"`: a part of the words.
pub(super) fn part(
    values: Vec<Value>,
    offset: usize,
    length: Option<usize>,
    span: Span,
) -> Vec<Value> {
    if count(&values).is_some() {
        let length = length.unwrap_or(usize::MAX);
        return values.into_iter().skip(offset).take(length).collect();
    }
    if let [only] = values.as_slice() {
        return vec![only.clone()];
    }
    let taint = taint_of_all(&values);
    match (without_first(values, offset), length) {
        (Some(rest), None) => rest,
        (Some(_) | None, _) => vec![several(taint, span)],
    }
}

/// One of the words, nobody knows which, or none.
fn some_word(values: &[Value], span: Span) -> Value {
    Value::dynamic(DynamicSource::Item, taint_of_all(values), span)
}
