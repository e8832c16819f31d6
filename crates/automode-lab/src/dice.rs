//! Chance that can be repeated: a seed gives the same throws on every machine.

/// A splitmix64 generator: small, fast, and the same everywhere.
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Dice of their own for a named purpose, so that one purpose does not disturb another.
    #[must_use]
    pub fn fork(&self, purpose: &str) -> Self {
        let mut state = self.state ^ 0x9e37_79b9_7f4a_7c15;
        for byte in purpose.bytes() {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Self { state }
    }

    pub const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 where there is none.
    pub fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        let thrown = self.next().checked_rem(limit).unwrap_or_default();
        usize::try_from(thrown).unwrap_or_default()
    }

    /// Whether one of `of` equal sides came up.
    pub fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let at = self.below(from.len());
        from.get(at)
    }

    /// A word of lower-case letters and digits.
    pub fn word(&mut self, length: usize) -> String {
        const SIGNS: &[u8] = b"abcdefghijkmnpqrstuvwxyz23456789";
        (0..length)
            .filter_map(|_| self.pick(SIGNS).copied().map(char::from))
            .collect()
    }
}
