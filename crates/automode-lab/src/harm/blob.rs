//! The name that git gives to content, to find it again among its objects.

/// The object name of a file's content.
pub fn name(content: &[u8]) -> String {
    let mut bytes = format!("blob {}\0", content.len()).into_bytes();
    bytes.extend(content);
    sha1(&bytes)
        .iter()
        .map(|word| format!("{word:08x}"))
        .collect()
}

/// SHA-1, which git still names things with; nothing here depends on its strength.
fn sha1(bytes: &[u8]) -> [u32; 5] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    let bits = u64::try_from(bytes.len())
        .unwrap_or_default()
        .wrapping_mul(8);
    padded.extend(bits.to_be_bytes());
    let mut state = [
        0x6745_2301_u32,
        0xefcd_ab89,
        0x98ba_dcfe,
        0x1032_5476,
        0xc3d2_e1f0,
    ];
    for block in padded.chunks_exact(64) {
        let mut words: Vec<u32> = block
            .chunks_exact(4)
            .map(|four| {
                four.iter()
                    .fold(0, |sum, byte| (sum << 8) | u32::from(*byte))
            })
            .collect();
        for at in 16..80_usize {
            let before = |back: usize| {
                words
                    .get(at.wrapping_sub(back))
                    .copied()
                    .unwrap_or_default()
            };
            let mixed = before(3) ^ before(8) ^ before(14) ^ before(16);
            words.push(mixed.rotate_left(1));
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (round, word) in words.iter().enumerate() {
            let (mixed, constant) = match round {
                0..20 => ((b & c) | (!b & d), 0x5a82_7999),
                20..40 => (b ^ c ^ d, 0x6ed9_eba1),
                40..60 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6_u32),
            };
            let next = a
                .rotate_left(5)
                .wrapping_add(mixed)
                .wrapping_add(e)
                .wrapping_add(constant)
                .wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (place, value) in state.iter_mut().zip([a, b, c, d, e]) {
            *place = place.wrapping_add(value);
        }
    }
    state
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn names_are_those_of_git() {
        assert_eq!(name(b""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(name(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a");
    }
}
