//! The name somebody probably meant.

/// The candidate with the fewest edits, where few enough to be a slip.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let most = name.chars().count().div_euclid(3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (edits(&name, &candidate.to_lowercase()), candidate))
        .filter(|(edits, _)| *edits <= most)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, substitutions and swaps of neighbours between two words.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i.saturating_add(1)];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX);
            let change = at(&above, j).saturating_add(usize::from(x != y));
            let insert = at(&row, j).saturating_add(1);
            let delete = at(&above, j.saturating_add(1)).saturating_add(1);
            let mut best = change.min(insert).min(delete);
            let crossed = i.checked_sub(1).and_then(|i| a.get(i)) == Some(y)
                && j.checked_sub(1).and_then(|j| b.get(j)) == Some(x);
            if crossed && let Some(j) = j.checked_sub(1) {
                best = best.min(at(&before, j).saturating_add(1));
            }
            row.push(best);
        }
        before = above;
        above = row;
    }
    above.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips() {
        let keys = ["strip", "limits", "on_limit", "permissions"];
        assert_eq!(nearest("stirp", keys), Some("strip"));
        assert_eq!(nearest("permision", keys), Some("permissions"));
        assert_eq!(nearest("LIMITS", keys), Some("limits"));
        assert_eq!(nearest("colour", keys), None);
    }
}
