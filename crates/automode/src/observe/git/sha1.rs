//! The digest that names git's objects. Nothing is proved with it: a file whose content
//! somebody bent to collide with a blob is their own loss.

/// SHA-1 of parts that follow each other.
pub(super) fn sha1(parts: &[&[u8]]) -> [u8; 20] {
    let mut state: [u32; 5] = [
        0x6745_2301,
        0xefcd_ab89,
        0x98ba_dcfe,
        0x1032_5476,
        0xc3d2_e1f0,
    ];
    let mut pending: Vec<u8> = Vec::with_capacity(128);
    let mut length = 0_u64;
    for part in parts {
        length = length.wrapping_add(part.len() as u64);
        let mut rest = *part;
        if !pending.is_empty() {
            let (more, after) =
                rest.split_at(rest.len().min(64_usize.saturating_sub(pending.len())));
            pending.extend_from_slice(more);
            rest = after;
            if pending.len() == 64 {
                block(&mut state, &pending);
                pending.clear();
            }
        }
        let mut blocks = rest.chunks_exact(64);
        blocks.by_ref().for_each(|bytes| block(&mut state, bytes));
        pending.extend_from_slice(blocks.remainder());
    }
    pending.push(0x80);
    while pending.len() % 64 != 56 {
        pending.push(0);
    }
    pending.extend_from_slice(&length.wrapping_mul(8).to_be_bytes());
    pending
        .chunks_exact(64)
        .for_each(|bytes| block(&mut state, bytes));
    let mut digest = [0_u8; 20];
    for (to, word) in digest.chunks_exact_mut(4).zip(state) {
        to.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

fn block(state: &mut [u32; 5], bytes: &[u8]) {
    let mut words = [0_u32; 80];
    for (word, four) in words.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = four
            .iter()
            .fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for at in 16_usize..80 {
        let back = |by: usize| {
            let at = at.saturating_sub(by);
            words.get(at).copied().unwrap_or_default()
        };
        let word = (back(3) ^ back(8) ^ back(14) ^ back(16)).rotate_left(1);
        if let Some(own) = words.get_mut(at) {
            *own = word;
        }
    }
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    for (at, word) in words.iter().enumerate() {
        let (mixed, constant) = match at {
            0..20 => (b & c | !b & d, 0x5a82_7999_u32),
            20..40 => (b ^ c ^ d, 0x6ed9_eba1),
            40..60 => (b & c | b & d | c & d, 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6),
        };
        let next = a
            .rotate_left(5)
            .wrapping_add(mixed)
            .wrapping_add(e)
            .wrapping_add(constant)
            .wrapping_add(*word);
        (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
    }
    for (own, more) in state.iter_mut().zip([a, b, c, d, e]) {
        *own = own.wrapping_add(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(digest: [u8; 20]) -> String {
        automode_core::hex(&digest)
    }

    #[test]
    fn the_published_examples() {
        assert_eq!(
            hex(sha1(&[b"abc"])),
            "a9993e364706816aba3e25717850c26c9cd0d89d"
        );
        assert_eq!(hex(sha1(&[])), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        let text = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(
            hex(sha1(&[text])),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        );
        let million = vec![b'a'; 1_000_000];
        let (one, two) = million.split_at(333_333);
        assert_eq!(
            hex(sha1(&[one, two])),
            "34aa973cd4c4daa4f61eeb2bdbad27316534016f"
        );
    }
}
