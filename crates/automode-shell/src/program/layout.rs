//! Which operands go to which place.

use super::table::Choice;

/// A range of operands for each place.
pub(super) struct WordLayout {
    pub ranges: Vec<std::ops::Range<usize>>,
    /// How many operands have a place.
    pub taken: usize,
}

/// Places before the one that takes many count from the front, those after it from the end.
pub(super) fn layout(active: &[Choice], count: usize) -> WordLayout {
    let many = active.iter().position(|choice| choice.many);
    let front = many.unwrap_or(active.len());
    let back = active
        .iter()
        .skip(front.saturating_add(1))
        .filter(|choice| !choice.many)
        .count();
    let middle_start = front.min(count);
    let middle_end = count.saturating_sub(back).max(middle_start);
    let mut next_back = middle_end;
    let ranges = active
        .iter()
        .enumerate()
        .map(|(index, choice)| {
            if index < front {
                index.min(count)..index.saturating_add(1).min(count)
            } else if Some(index) == many {
                middle_start..middle_end
            } else if choice.many {
                count..count
            } else {
                let start = next_back.min(count);
                next_back = start.saturating_add(1).min(count);
                start..next_back
            }
        })
        .collect();
    WordLayout {
        ranges,
        taken: if many.is_some() { count } else { middle_start },
    }
}
