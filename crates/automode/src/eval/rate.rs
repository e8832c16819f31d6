//! A rate with its 95% interval, near-duplicates taken as one.
//!
//! Cases of a group are alike, so they say less than their number. The variance
//! is that of group sums; it shrinks the sample to an effective size, and the
//! interval is Wilson's for that size. A rate of none or all has no variance to
//! estimate: there the number of groups is the sample.

use std::collections::BTreeMap;

/// The 97.5th percentile of the normal distribution.
const Z: f64 = 1.959_963_985;

/// How often something happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    pub hits: usize,
    pub total: usize,
    /// Bounds of the 95% interval, between 0 and 1.
    pub low: f64,
    pub high: f64,
}

impl Rate {
    /// Counts hits among cases with their groups; an empty group name is a group of its own.
    #[must_use]
    pub fn of<'a>(cases: impl IntoIterator<Item = (&'a str, bool)>) -> Self {
        let mut groups: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        let (mut hits, mut total) = (0_usize, 0_usize);
        for (group, hit) in cases {
            let name = if group.is_empty() {
                format!("\0{total}")
            } else {
                group.to_owned()
            };
            let sums = groups.entry(name).or_default();
            sums.0 += f64::from(u8::from(hit));
            sums.1 += 1.0;
            hits = hits.saturating_add(usize::from(hit));
            total = total.saturating_add(1);
        }
        let size = effective(&groups, hits, total);
        let (low, high) = wilson(share(hits, total), size);
        Self {
            hits,
            total,
            low,
            high,
        }
    }

    /// The rate itself, between 0 and 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        share(self.hits, self.total)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of cases are far below 2^52"
)]
fn share(hits: usize, total: usize) -> f64 {
    if total == 0 {
        0.0
    } else {
        hits as f64 / total as f64
    }
}

/// The number of independent cases that say as much as these.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of cases are far below 2^52"
)]
fn effective(groups: &BTreeMap<String, (f64, f64)>, hits: usize, total: usize) -> f64 {
    let (count, clusters) = (total as f64, groups.len() as f64);
    if hits == 0 || hits == total || groups.len() < 2 {
        return clusters;
    }
    let rate = share(hits, total);
    let spread: f64 = groups
        .values()
        .map(|(hits, size)| (hits - rate * size).powi(2))
        .sum();
    let variance = spread / count.powi(2) * clusters / (clusters - 1.0);
    let independent = rate * (1.0 - rate) / count;
    (count * independent / variance.max(independent)).max(1.0)
}

fn wilson(rate: f64, size: f64) -> (f64, f64) {
    if size <= 0.0 {
        return (0.0, 1.0);
    }
    let square = Z * Z;
    let center = (rate + square / (2.0 * size)) / (1.0 + square / size);
    let half = Z / (1.0 + square / size)
        * (rate * (1.0 - rate) / size + square / (4.0 * size * size)).sqrt();
    ((center - half).max(0.0), (center + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 5e-4, "{got} is not {expected}");
    }

    #[test]
    fn independent_cases_have_wilsons_interval() {
        let names: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        let rate = Rate::of(names.iter().enumerate().map(|(n, g)| (g.as_str(), n < 10)));
        assert_eq!((rate.hits, rate.total), (10, 100));
        near(rate.low, 0.0552);
        near(rate.high, 0.1744);
    }

    #[test]
    fn copies_of_a_case_say_no_more_than_the_case() {
        let names: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        let once = Rate::of(names.iter().enumerate().map(|(n, g)| (g.as_str(), n < 5)));
        let often = Rate::of(
            names
                .iter()
                .enumerate()
                .flat_map(|(n, g)| std::iter::repeat_n((g.as_str(), n < 5), 10)),
        );
        near(often.share(), once.share());
        assert!((often.low - once.low).abs() < 0.02, "{often:?} {once:?}");
        assert!((often.high - once.high).abs() < 0.02, "{often:?} {once:?}");
    }

    #[test]
    fn none_of_few_groups_proves_little() {
        let rate = Rate::of((0..100).map(|n| (if n < 50 { "a" } else { "b" }, false)));
        assert!(rate.high > 0.5, "{rate:?}");
        near(rate.low, 0.0);
    }
}
