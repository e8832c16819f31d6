//! Names that are asked of an index, as ranges of git's order.

/// Ranges in ascending order, none of which touch.
pub(in super::super) struct Wanted {
    ranges: Vec<NameRange>,
}

/// The names from one, and up to another one that is not among them.
pub(super) struct NameRange {
    pub(super) from: Vec<u8>,
    to: Option<Vec<u8>>,
}

impl NameRange {
    pub(super) fn holds(&self, name: &[u8]) -> bool {
        self.from.as_slice() <= name && !self.is_past(name)
    }

    /// Whether a name stands behind all of them.
    pub(super) fn is_past(&self, name: &[u8]) -> bool {
        self.to.as_ref().is_some_and(|to| to.as_slice() <= name)
    }
}

impl Wanted {
    pub(in super::super) fn everything() -> Self {
        let all = NameRange {
            from: Vec::new(),
            to: None,
        };
        Self { ranges: vec![all] }
    }

    /// Each name, and what lies below it.
    pub(in super::super) fn of<'a>(names: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut bounds: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        for name in names {
            if name.is_empty() {
                return Self::everything();
            }
            bounds.push((name.to_vec(), [name, b"\0"].concat()));
            // A zero stands right behind the slash.
            bounds.push(([name, b"/"].concat(), [name, b"0"].concat()));
        }
        bounds.sort();
        let mut ranges: Vec<NameRange> = Vec::new();
        for (from, to) in bounds {
            match ranges.last_mut() {
                Some(last) if !last.is_past(&from) => last.to = last.to.take().max(Some(to)),
                Some(_) | None => ranges.push(NameRange { from, to: Some(to) }),
            }
        }
        Self { ranges }
    }

    pub(super) fn ranges(&self) -> &[NameRange] {
        &self.ranges
    }

    pub(super) fn is_everything(&self) -> bool {
        self.ranges.iter().any(|range| range.to.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_wanted_with_all_below_it_and_nothing_beside_it() {
        let names: [&[u8]; 4] = [b"b/c", b"a", b"b", b"a"];
        let wanted = Wanted::of(names.into_iter());
        let check = |name: &[u8], expected: bool| {
            let holds = wanted.ranges().iter().any(|range| range.holds(name));
            assert_eq!(holds, expected, "{}", String::from_utf8_lossy(name));
        };
        for name in [&b"a"[..], b"a/x", b"a/x/y", b"b", b"b/c", b"b/d"] {
            check(name, true);
        }
        for name in [&b""[..], b"A", b"a-b", b"a.b", b"a0", b"aa", b"b-", b"c"] {
            check(name, false);
        }
        assert!(!wanted.is_everything());
        assert!(Wanted::of([&b"a"[..], b""].into_iter()).is_everything());
        let apart = wanted.ranges().windows(2).all(|two| {
            let [one, next] = two else { return false };
            one.is_past(&next.from)
        });
        assert!(apart);
    }
}
