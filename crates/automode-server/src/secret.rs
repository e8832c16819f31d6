//! Random words, and the digests that are kept in their place.

use ring::rand::{SecureRandom, SystemRandom};

use crate::hex;

/// 256 random bits. Where the system has none, nothing can go on safely: the text is
/// then one that matches no digest twice, because it is empty and is refused.
#[must_use]
pub fn token() -> String {
    random::<32>()
}

/// A short name that nobody guesses.
#[must_use]
pub fn name() -> String {
    random::<8>()
}

/// A code that a person types: 80 bits in four groups.
#[must_use]
pub fn code() -> String {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let mut bytes = [0_u8; 16];
    if SystemRandom::new().fill(&mut bytes).is_err() {
        return String::new();
    }
    let letters = bytes
        .iter()
        .filter_map(|byte| LETTERS.get(usize::from(byte % 32)))
        .map(|letter| char::from(*letter));
    let mut code = String::new();
    for (at, letter) in letters.enumerate() {
        if at > 0 && at % 4 == 0 {
            code.push('-');
        }
        code.push(letter);
    }
    code
}

/// What is kept of a secret. The secret is random and long, so a plain digest is enough.
/// An empty one has a digest that nothing is stored under.
#[must_use]
pub fn digest(secret: &str) -> String {
    if secret.is_empty() {
        return format!("none-{}", random::<16>());
    }
    automode_core::digest(secret.as_bytes())
}

fn random<const N: usize>() -> String {
    let mut bytes = [0_u8; N];
    match SystemRandom::new().fill(&mut bytes) {
        Ok(()) => hex::write(&bytes),
        Err(_) => String::new(),
    }
}
