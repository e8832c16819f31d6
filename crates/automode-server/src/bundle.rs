//! Policy bundles: a manifest that is signed, and the policy that it names by digest.
//!
//! The text of the manifest is signed as it stands, so nothing depends on how JSON is
//! written again. A client believes the key it was given when it enrolled, takes no
//! revision that is not above its own, and keeps the last good one.

use serde::{Deserialize, Serialize};

use crate::key::{self, SigningKey};
use crate::store;

/// What is said about a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub revision: u64,
    pub parent: u64,
    pub created: u64,
    /// Not in force before this time.
    pub not_before: u64,
    /// From then on `on_stale` says what holds; 0 is never.
    pub expires: u64,
    pub on_stale: OnStale,
    /// Groups that it is meant for; none is everyone.
    pub groups: Vec<String>,
    /// The oldest automode that understands it.
    pub minimum_version: String,
    /// Devices that may do nothing for now.
    pub quarantined: Vec<String>,
    /// SHA-256 of the policy.
    pub policy: String,
}

/// What an expired bundle means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnStale {
    /// It stays in force.
    #[default]
    Keep,
    /// It stays in force and nothing is allowed by itself.
    Ask,
    /// Everything is denied.
    Deny,
}

impl OnStale {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// What is not known reads as the strictest.
    #[must_use]
    pub fn read(word: &str) -> Self {
        match word {
            "" | "keep" => Self::Keep,
            "ask" => Self::Ask,
            _ => Self::Deny,
        }
    }
}

/// A bundle on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedBundle {
    pub manifest: String,
    pub policy: String,
    pub signature: String,
}

/// Why a bundle is not taken.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    #[error("the bundle is not signed by the organisation")]
    Signature,
    #[error("the bundle's policy is not the one that was signed")]
    Policy,
    #[error("the bundle's manifest cannot be read")]
    Manifest,
    #[error("the bundle is older than the one in force")]
    Older,
}

impl From<store::Bundle> for SignedBundle {
    fn from(bundle: store::Bundle) -> Self {
        Self {
            manifest: bundle.manifest,
            policy: bundle.policy,
            signature: bundle.signature,
        }
    }
}

impl SignedBundle {
    /// Signs a policy.
    #[must_use]
    pub fn seal(manifest: &Manifest, policy: &str, key: &SigningKey) -> Self {
        let manifest = Manifest {
            policy: automode_core::digest(policy.as_bytes()),
            ..manifest.clone()
        };
        let text = serde_json::to_string(&manifest).unwrap_or_default();
        Self {
            signature: key.sign(signed(&text).as_bytes()),
            manifest: text,
            policy: policy.to_owned(),
        }
    }

    /// Opens a bundle that must be above a revision.
    ///
    /// # Errors
    /// [`BundleError`] where it is not to be believed.
    pub fn open(&self, organisation_key: &str, above: u64) -> Result<Manifest, BundleError> {
        if !key::verify(
            organisation_key,
            signed(&self.manifest).as_bytes(),
            &self.signature,
        ) {
            return Err(BundleError::Signature);
        }
        let manifest: Manifest =
            serde_json::from_str(&self.manifest).map_err(|_| BundleError::Manifest)?;
        if manifest.policy != automode_core::digest(self.policy.as_bytes()) {
            return Err(BundleError::Policy);
        }
        if manifest.revision <= above {
            return Err(BundleError::Older);
        }
        Ok(manifest)
    }
}

/// So that no other kind of text can pass for a manifest.
fn signed(manifest: &str) -> String {
    format!("automode-bundle\n{manifest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(revision: u64) -> Manifest {
        Manifest {
            revision,
            parent: revision.saturating_sub(1),
            created: 1,
            ..Manifest::default()
        }
    }

    #[test]
    fn only_a_newer_bundle_of_the_organisation_opens() {
        let key = SigningKey::generate().unwrap();
        let bundle = SignedBundle::seal(&manifest(5), "[permissions]\n", &key);
        assert_eq!(
            bundle.open(&key.public(), 4).map(|open| open.revision),
            Ok(5)
        );
        assert_eq!(bundle.open(&key.public(), 5), Err(BundleError::Older));
        let other = SigningKey::generate().unwrap().public();
        assert_eq!(bundle.open(&other, 4), Err(BundleError::Signature));
        let changed = SignedBundle {
            policy: "[permissions]\nallow = [\"Bash\"]\n".to_owned(),
            ..bundle.clone()
        };
        assert_eq!(changed.open(&key.public(), 4), Err(BundleError::Policy));
        let raised = SignedBundle {
            manifest: bundle.manifest.replace("\"revision\":5", "\"revision\":9"),
            ..bundle
        };
        assert_eq!(raised.open(&key.public(), 5), Err(BundleError::Signature));
    }
}
