//! Ed25519 keys: of devices, and of an organisation.
//!
//! A private key is text in one place only and is never shown: its `Debug` says
//! nothing.

use std::fmt;

use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

use crate::hex;

/// A key that signs.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    text: String,
}

/// A key that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the key cannot be used")]
pub struct KeyError;

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey")
    }
}

impl SigningKey {
    /// A new one.
    ///
    /// # Errors
    /// Where the system has no randomness.
    pub fn generate() -> Result<Self, KeyError> {
        let bytes = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| KeyError)?;
        Self::of(bytes.as_ref())
    }

    /// From the text of [`SigningKey::text`].
    ///
    /// # Errors
    /// Where it is none.
    pub fn read(text: &str) -> Result<Self, KeyError> {
        Self::of(&hex::read(text.trim()).ok_or(KeyError)?)
    }

    fn of(bytes: &[u8]) -> Result<Self, KeyError> {
        Ok(Self {
            pair: Ed25519KeyPair::from_pkcs8(bytes).map_err(|_| KeyError)?,
            text: hex::write(bytes),
        })
    }

    /// The key itself, to be kept secret.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The half that everybody may know.
    #[must_use]
    pub fn public(&self) -> String {
        hex::write(self.pair.public_key().as_ref())
    }

    #[must_use]
    pub fn sign(&self, message: &[u8]) -> String {
        hex::write(self.pair.sign(message).as_ref())
    }
}

/// Whether this public key signed the message.
#[must_use]
pub fn verify(public: &str, message: &[u8], signature: &str) -> bool {
    let (Some(public), Some(signature)) = (hex::read(public), hex::read(signature)) else {
        return false;
    };
    UnparsedPublicKey::new(&ED25519, public)
        .verify(message, &signature)
        .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_and_the_message_verify() {
        let key = SigningKey::generate().unwrap();
        let signature = SigningKey::read(key.text()).unwrap().sign(b"a");
        assert!(verify(&key.public(), b"a", &signature));
        assert!(!verify(&key.public(), b"b", &signature));
        let other = SigningKey::generate().unwrap();
        assert!(!verify(&other.public(), b"a", &signature));
        for broken in ["", "zz", "00"] {
            assert!(!verify(&key.public(), b"a", broken));
            assert!(!verify(broken, b"a", &signature));
        }
        assert_eq!(format!("{key:?}"), "SigningKey");
    }
}
