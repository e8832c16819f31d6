//! Bringing a policy out: reviewed, numbered, signed, stored.

use crate::bundle::{Manifest, OnStale, SignedBundle};
use crate::clock;
use crate::policy_review::{PolicyReview, review};
use crate::store::{AdminAct, Bundle, BundleStage, DatabaseError, FleetStore, Organisation};

/// A policy that somebody wants out.
#[derive(Clone, Debug)]
pub struct PolicyDraft {
    pub policy: String,
    pub note: String,
    pub stage: BundleStage,
    pub terms: BundleTerms,
    pub quarantine: QuarantineChange,
    /// The revision that its writer saw. Where another one came out since, it would undo that
    /// one unseen, and is not released.
    pub base: Option<u64>,
    pub by: String,
}

/// What holds beside the policy itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BundleTerms {
    pub on_stale: OnStale,
    /// When it expires; 0 is never.
    pub expires: u64,
}

/// What becomes of the devices that may do nothing for now. It is applied to the revision
/// before, whichever that is when this one goes out: a release must not let a device go by the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum QuarantineChange {
    #[default]
    None,
    /// These too.
    Also(Vec<String>),
    /// These and no others.
    Exactly(Vec<String>),
}

impl QuarantineChange {
    fn applied(&self, before: Vec<String>) -> Vec<String> {
        match self {
            Self::None => before,
            Self::Also(more) => {
                let mut all = before;
                all.extend(more.iter().cloned());
                all.sort();
                all.dedup();
                all
            }
            Self::Exactly(devices) => devices.clone(),
        }
    }
}

/// The terms of the latest revision.
///
/// # Errors
/// Where the database does not answer.
pub async fn latest_terms(
    store: &FleetStore,
    organisation: Organisation,
) -> Result<BundleTerms, DatabaseError> {
    let latest = store.bundles(organisation, 1).await?;
    let Some(latest) = latest.first() else {
        return Ok(BundleTerms::default());
    };
    let manifest: Manifest = serde_json::from_str(&latest.manifest)
        .map_err(|error| DatabaseError::Refused(error.to_string()))?;
    Ok(BundleTerms {
        on_stale: manifest.on_stale,
        expires: manifest.expires,
    })
}

/// The devices that may do nothing for now.
///
/// # Errors
/// Where the database does not answer.
pub async fn quarantined(
    store: &FleetStore,
    organisation: Organisation,
) -> Result<Vec<String>, DatabaseError> {
    let latest = store.bundles(organisation, 1).await?;
    in_quarantine(latest.first())
}

fn in_quarantine(latest: Option<&Bundle>) -> Result<Vec<String>, DatabaseError> {
    let Some(latest) = latest else {
        return Ok(Vec::new());
    };
    let manifest: Manifest = serde_json::from_str(&latest.manifest)
        .map_err(|error| DatabaseError::Refused(error.to_string()))?;
    Ok(manifest.quarantined)
}

/// What became of it.
#[derive(Debug)]
pub enum Released {
    As {
        revision: u64,
        /// What is worth a look all the same.
        notes: Vec<String>,
    },
    /// It does not pass.
    Refused(PolicyReview),
    /// This revision came out meanwhile, and its writer did not see it.
    Overtaken(u64),
}

/// What the writer of a draft is told whom somebody was quicker than.
#[must_use]
pub fn overtaken(by: u64) -> String {
    format!(
        "revision {by} came out meanwhile and would be undone (hint: look at it, and begin from there)"
    )
}

/// The name under which an organisation's cases are kept.
pub const CASES: &str = "cases";

/// Reviews a draft and brings it out.
///
/// # Errors
/// Where the database does not answer.
pub async fn release(
    store: &FleetStore,
    organisation: Organisation,
    draft: PolicyDraft,
) -> Result<Released, DatabaseError> {
    let cases = store
        .setting(organisation, CASES)
        .await?
        .unwrap_or_default();
    let policy = draft.policy.clone();
    let reviewed = tokio::task::spawn_blocking(move || review(&policy, &cases))
        .await
        .map_err(|error| DatabaseError::Refused(error.to_string()))?;
    if !reviewed.passes() {
        return Ok(Released::Refused(reviewed));
    }
    let revision = match number(store, organisation, &draft).await? {
        Numbered::As(revision) => revision,
        Numbered::Overtaken(by) => return Ok(Released::Overtaken(by)),
    };
    let act = AdminAct {
        time: clock::now(),
        person: draft.by,
        act: format!("released to {}", draft.stage.name()),
        subject: format!("revision {revision}"),
        detail: draft.note,
    };
    store.note_act(organisation, &act).await?;
    Ok(Released::As {
        revision,
        notes: reviewed.notes,
    })
}

enum Numbered {
    As(u64),
    Overtaken(u64),
}

/// Signs the draft as the next revision; somebody who is quicker takes the number, and what
/// they released is then what came before.
async fn number(
    store: &FleetStore,
    organisation: Organisation,
    draft: &PolicyDraft,
) -> Result<Numbered, DatabaseError> {
    let key = store.signing_key(organisation).await?;
    loop {
        let latest = store.bundles(organisation, 1).await?;
        let parent = latest.first().map_or(0, |bundle| bundle.revision);
        if draft.base.is_some_and(|base| base != parent) {
            return Ok(Numbered::Overtaken(parent));
        }
        let revision = parent.saturating_add(1);
        let before = in_quarantine(latest.first())?;
        let manifest = Manifest {
            revision,
            parent,
            created: clock::now(),
            not_before: 0,
            expires: draft.terms.expires,
            on_stale: draft.terms.on_stale,
            groups: Vec::new(),
            minimum_version: env!("CARGO_PKG_VERSION").to_owned(),
            quarantined: draft.quarantine.applied(before),
            policy: String::new(),
        };
        let signed = SignedBundle::seal(&manifest, &draft.policy, &key);
        let bundle = Bundle {
            revision,
            parent,
            manifest: signed.manifest,
            policy: signed.policy,
            signature: signed.signature,
            stage: draft.stage,
            note: draft.note.clone(),
            made_by: draft.by.clone(),
            created: manifest.created,
        };
        if store.add_bundle(organisation, &bundle).await? {
            return Ok(Numbered::As(revision));
        }
    }
}

/// Brings the policy of an older revision out again, as a new one for everyone.
///
/// # Errors
/// Where the database does not answer.
pub async fn roll_back(
    store: &FleetStore,
    organisation: Organisation,
    to: u64,
    by: &str,
) -> Result<Option<u64>, DatabaseError> {
    let bundles = store.bundles(organisation, 1_000).await?;
    let Some(old) = bundles.iter().find(|bundle| bundle.revision == to) else {
        return Ok(None);
    };
    let manifest: Option<Manifest> = serde_json::from_str(&old.manifest).ok();
    let draft = PolicyDraft {
        policy: old.policy.clone(),
        note: format!("back to revision {to}"),
        stage: BundleStage::Everyone,
        terms: BundleTerms {
            on_stale: manifest.map_or(OnStale::Keep, |manifest| manifest.on_stale),
            expires: 0,
        },
        // Who is quarantined now stays so: only the policy goes back.
        quarantine: QuarantineChange::None,
        base: None,
        by: by.to_owned(),
    };
    // It went out once: going back must work also when cases were added since.
    let Numbered::As(revision) = number(store, organisation, &draft).await? else {
        return Ok(None);
    };
    let act = AdminAct {
        time: clock::now(),
        person: by.to_owned(),
        act: "rolled back".to_owned(),
        subject: format!("revision {revision}"),
        detail: draft.note,
    };
    store.note_act(organisation, &act).await?;
    Ok(Some(revision))
}
