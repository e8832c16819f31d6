//! SHA-256 in hex: the one digest of the workspace.
//!
//! A hook hashes some hundred bytes a few times. The library asks the processor first what
//! it can do, and on a virtual machine the answer takes longer than all of that: short texts
//! are hashed here, long ones by the library.

use sha2::{Digest as _, Sha256};

/// The longest text that is hashed here.
const SHORT: usize = 8 * 1024;
const BLOCK: usize = 64;
/// Where the length stands in the last block.
const LENGTH: usize = 56;

/// Text that comes in parts and is hashed as one.
#[derive(Clone, Debug, Default)]
pub struct Digester {
    /// What came so far, while it is short.
    short: Vec<u8>,
    long: Option<Sha256>,
}

impl Digester {
    pub fn add(&mut self, part: &[u8]) {
        match &mut self.long {
            Some(long) => long.update(part),
            None if self.short.len().saturating_add(part.len()) <= SHORT => {
                self.short.extend_from_slice(part);
            }
            None => {
                let mut long = Sha256::new_with_prefix(&self.short);
                long.update(part);
                self.long = Some(long);
            }
        }
    }

    #[must_use]
    pub fn hex(self) -> String {
        match self.long {
            Some(long) => hex(&long.finalize()),
            None => digest(self.short),
        }
    }
}

/// SHA-256 in hex.
#[must_use]
pub fn digest(bytes: impl AsRef<[u8]>) -> String {
    let bytes = bytes.as_ref();
    if bytes.len() <= SHORT {
        hex(&sha256(bytes))
    } else {
        hex(&Sha256::digest(bytes))
    }
}

/// Two letters a byte.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or_default();
    let mut text = String::with_capacity(bytes.len().saturating_mul(2));
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 0xf));
    }
    text
}

fn sha256(text: &[u8]) -> [u8; 32] {
    let mut state = FIRST;
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    for block in blocks {
        mix(&mut state, block);
    }
    let mut last = rest.to_vec();
    last.push(0x80);
    while last.len() % BLOCK != LENGTH {
        last.push(0);
    }
    let bits = (text.len() as u64).wrapping_mul(8);
    last.extend_from_slice(&bits.to_be_bytes());
    for block in last.as_chunks::<BLOCK>().0 {
        mix(&mut state, block);
    }
    let mut digest = [0_u8; 32];
    for (to, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *to = word.to_be_bytes();
    }
    digest
}

fn mix(state: &mut [u32; 8], block: &[u8; BLOCK]) {
    let mut words = [0_u32; BLOCK];
    for (word, four) in words.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*four);
    }
    for at in 16..BLOCK {
        let back = |by: usize| words.get(at.wrapping_sub(by)).copied().unwrap_or_default();
        let (near, far) = (back(2), back(15));
        let near = near.rotate_right(17) ^ near.rotate_right(19) ^ near >> 10;
        let far = far.rotate_right(7) ^ far.rotate_right(18) ^ far >> 3;
        let sum = near.wrapping_add(far).wrapping_add(back(7));
        let word = sum.wrapping_add(back(16));
        if let Some(own) = words.get_mut(at) {
            *own = word;
        }
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    let rounds = words.as_chunks::<8>().0.iter();
    // Eight at a time, so that names change places and no value does.
    for (words, constants) in rounds.zip(CONSTANTS.as_chunks::<8>().0) {
        let [w0, w1, w2, w3, w4, w5, w6, w7] = *words;
        let [k0, k1, k2, k3, k4, k5, k6, k7] = *constants;
        round([a, b, c, e, f, g], &mut d, &mut h, k0.wrapping_add(w0));
        round([h, a, b, d, e, f], &mut c, &mut g, k1.wrapping_add(w1));
        round([g, h, a, c, d, e], &mut b, &mut f, k2.wrapping_add(w2));
        round([f, g, h, b, c, d], &mut a, &mut e, k3.wrapping_add(w3));
        round([e, f, g, a, b, c], &mut h, &mut d, k4.wrapping_add(w4));
        round([d, e, f, h, a, b], &mut g, &mut c, k5.wrapping_add(w5));
        round([c, d, e, g, h, a], &mut f, &mut b, k6.wrapping_add(w6));
        round([b, c, d, f, g, h], &mut e, &mut a, k7.wrapping_add(w7));
    }
    for (own, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *own = own.wrapping_add(more);
    }
}

/// One round: the fourth and the last of eight values change.
#[inline(always)]
const fn round([a, b, c, e, f, g]: [u32; 6], d: &mut u32, h: &mut u32, word: u32) {
    let chosen = g ^ e & (f ^ g);
    let most = a & b | c & (a | b);
    let right = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
    let left = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
    let sum = h
        .wrapping_add(right)
        .wrapping_add(chosen)
        .wrapping_add(word);
    *d = d.wrapping_add(sum);
    *h = sum.wrapping_add(left).wrapping_add(most);
}

const FIRST: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

#[rustfmt::skip]
const CONSTANTS: [u32; BLOCK] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_published_examples() {
        assert_eq!(
            digest("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            digest(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }

    #[test]
    fn every_length_around_a_block_is_as_the_library_has_it() {
        for length in (0..300).chain(SHORT - 3..SHORT + 3) {
            let text: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            assert_eq!(digest(&text), hex(&Sha256::digest(&text)), "{length}");
        }
    }

    proptest! {
        #[test]
        fn parts_are_hashed_as_one(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3_000), 0..8)) {
            let mut digester = Digester::default();
            parts.iter().for_each(|part| digester.add(part));
            prop_assert_eq!(digester.hex(), hex(&Sha256::digest(parts.concat())));
        }
    }
}
