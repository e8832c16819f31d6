//! The bundle in force on this machine.
//!
//! `fleet/bundle.json` is what the server sent, `fleet/policy.toml` what the hook reads:
//! the policy of this machine's group, under a line that says which revision it is and
//! when it expires. A bundle that is older, not signed, or that this version cannot read
//! changes nothing: the last good one stays.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use automode::config::{self, Places};
use automode::state::State;

use super::enrolment::{Enrolment, write_private};
use crate::bundle::{Manifest, SignedBundle};
use crate::clock;
use crate::policy_document::PolicyDocument;

/// Settings that are not in force yet.
const CANDIDATE: &str = "candidate.toml";

/// What became of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BundleOutcome {
    InForce(u64),
    /// Its time has not come.
    Later(u64),
    /// It is not taken, and why.
    Refused(String),
}

/// The folder of one member.
pub struct BundleKeeper {
    folder: PathBuf,
    organisation_key: String,
    device: String,
    group: String,
}

impl BundleKeeper {
    /// The keeper of this state.
    ///
    /// # Errors
    /// Where the folder cannot be made.
    pub fn new(state: &State, enrolment: &Enrolment) -> Result<Self> {
        Ok(Self {
            folder: Enrolment::folder(state)?,
            organisation_key: enrolment.organisation_key.clone(),
            device: enrolment.device.clone(),
            group: enrolment.group.clone(),
        })
    }

    /// The revision in force; 0 where there is none. What the mark says counts even where
    /// the bundle itself was damaged: revisions never go back.
    #[must_use]
    pub fn revision(&self) -> u64 {
        let mark = fs::read_to_string(self.folder.join("revision")).unwrap_or_default();
        mark.trim().parse().unwrap_or_default()
    }

    /// Takes a bundle, if it is to be believed.
    ///
    /// # Errors
    /// Where the disk does not take it; the one before stays in force.
    pub fn take(&self, bundle: &SignedBundle) -> Result<BundleOutcome> {
        let manifest = match bundle.open(&self.organisation_key, self.revision()) {
            Ok(manifest) => manifest,
            Err(error) => return Ok(BundleOutcome::Refused(error.to_string())),
        };
        if manifest.not_before > clock::now() {
            return Ok(BundleOutcome::Later(manifest.revision));
        }
        if newer(&manifest.minimum_version, env!("CARGO_PKG_VERSION")) {
            return Ok(BundleOutcome::Refused(format!(
                "revision {} needs automode {} (hint: update automode)",
                manifest.revision, manifest.minimum_version
            )));
        }
        if let Some(fault) = self.try_out(bundle, &manifest)? {
            return Ok(BundleOutcome::Refused(fault));
        }
        write_private(
            &self.folder.join("bundle.json"),
            &serde_json::to_string(bundle)?,
        )?;
        self.put_in_force()?;
        // Last: from now on a hook that finds no policy knows that one is missing.
        write_private(
            &self.folder.join("revision"),
            &manifest.revision.to_string(),
        )?;
        Ok(BundleOutcome::InForce(manifest.revision))
    }

    /// The bundle in force once more, for another group.
    ///
    /// # Errors
    /// Where it cannot be read or written; what was in force stays so.
    pub fn write_again(&self) -> Result<()> {
        if self.revision() == 0 {
            return Ok(());
        }
        let text = fs::read_to_string(self.folder.join("bundle.json"))?;
        let bundle: SignedBundle = serde_json::from_str(&text)?;
        let manifest = bundle.open(&self.organisation_key, self.revision().saturating_sub(1))?;
        if let Some(fault) = self.try_out(&bundle, &manifest)? {
            anyhow::bail!("the policy of this group cannot be used: {fault}");
        }
        self.put_in_force()
    }

    /// Writes the settings beside those in force. Why they cannot be used.
    fn try_out(&self, bundle: &SignedBundle, manifest: &Manifest) -> Result<Option<String>> {
        let document = match PolicyDocument::read(&bundle.policy) {
            Ok(document) => document,
            Err(error) => return Ok(Some(error.to_string())),
        };
        let tried = self.folder.join(CANDIDATE);
        let settings = self.settings(&document, manifest);
        write_private(&tried, &settings)?;
        let policy = config::load(&Places::find(&self.folder, Some(tried.clone()), &|_| None));
        let shown = tried.display().to_string();
        let beyond = config::overreach(&settings, &shown);
        let machine = Places::here(&self.folder, None);
        let elsewhere = config::judges_elsewhere(&settings, &shown, &machine);
        let faults = policy.provenance().faults.iter();
        let mut faults = faults.chain(&beyond).chain(&elsewhere);
        let fault = faults.find(|fault| fault.contains(&shown));
        Ok(fault.map(|fault| fault.replace(&shown, "policy")))
    }

    fn put_in_force(&self) -> Result<()> {
        fs::rename(self.folder.join(CANDIDATE), self.folder.join("policy.toml"))
            .context("the policy could not be put in force")
    }

    fn settings(&self, document: &PolicyDocument, manifest: &Manifest) -> String {
        let head = format!(
            "# automode-bundle revision={} expires={} on_stale={}\n",
            manifest.revision,
            manifest.expires,
            manifest.on_stale.name()
        );
        if manifest.quarantined.contains(&self.device) {
            return format!("{head}[permissions]\ndeny = [\"*\"]\n");
        }
        head + &document.for_group(&self.group)
    }
}

/// Whether a version is above another; what is not a version is not.
fn newer(one: &str, other: &str) -> bool {
    let parts = |version: &str| -> Option<Vec<u64>> {
        version.split('.').map(|part| part.parse().ok()).collect()
    };
    match (parts(one), parts(other)) {
        (Some(one), Some(other)) => one > other,
        (None, _) | (_, None) => false,
    }
}
