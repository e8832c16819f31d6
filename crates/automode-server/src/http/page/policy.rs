//! The policy: written, tried, released, promoted and rolled back.

use axum::response::{IntoResponse, Redirect};

use super::PageResult;
use crate::bundle::OnStale;
use crate::clock;
use crate::http::{HttpRefusal, PageRefusal, PostedForm, Visitor};
use crate::ingest::DAY;
use crate::page::{self, PolicyPage};
use crate::policy_review::{PolicyReview, review};
use crate::release::{self, BundleTerms, CASES, PolicyDraft, QuarantineChange, Released};
use crate::store::{BundleStage, CANARY, PersonRole};

/// What stands in the editor.
struct EditedPolicy {
    text: String,
    cases: String,
    review: Option<PolicyReview>,
    told: Option<String>,
    /// Why it is not out.
    trouble: Option<String>,
    /// The revision that it was written upon.
    base: u64,
}

pub(super) fn stage_of(word: &str) -> BundleStage {
    if word == "everyone" {
        BundleStage::Everyone
    } else {
        BundleStage::Canary
    }
}

async fn kept_cases(visitor: &Visitor) -> Result<String, PageRefusal> {
    let kept = visitor.app.store.setting(visitor.organisation(), CASES);
    Ok(kept.await?.unwrap_or_default())
}

/// Lints a policy and runs the cases; those that are kept where none are given.
pub(super) async fn reviewed(
    visitor: &Visitor,
    policy: &str,
    cases: Option<String>,
) -> Result<PolicyReview, PageRefusal> {
    let cases = match cases {
        Some(cases) => cases,
        None => kept_cases(visitor).await?,
    };
    let policy = policy.to_owned();
    let done = tokio::task::spawn_blocking(move || review(&policy, &cases));
    Ok(done
        .await
        .map_err(|_| HttpRefusal::bad("the review broke off"))?)
}

async fn show(visitor: &Visitor, edited: Option<EditedPolicy>) -> PageResult {
    let bundles = visitor
        .app
        .store
        .bundles(visitor.organisation(), 30)
        .await?;
    let latest = bundles.first().map_or(0, |bundle| bundle.revision);
    let edited = match edited {
        Some(edited) => edited,
        None => EditedPolicy {
            text: bundles
                .first()
                .map_or_else(String::new, |bundle| bundle.policy.clone()),
            cases: kept_cases(visitor).await?,
            review: None,
            told: None,
            trouble: None,
            base: latest,
        },
    };
    let groups = visitor.app.store.groups(visitor.organisation()).await?;
    let body = page::policy(&PolicyPage {
        text: &edited.text,
        cases: &edited.cases,
        review: edited.review.as_ref(),
        bundles: &bundles,
        login: &visitor.login,
        told: edited.told.as_deref(),
        trouble: edited.trouble.as_deref(),
        base: edited.base,
        canaries: groups
            .iter()
            .find(|(name, _)| name == CANARY)
            .map_or(0, |(_, count)| *count),
    });
    visitor.show("Policy", "/policy", &body).await
}

pub async fn policy(visitor: Visitor) -> PageResult {
    show(&visitor, None).await
}

pub async fn edit(form: PostedForm) -> PageResult {
    let visitor = form.at_least(PersonRole::Administrator)?;
    let text = form.text("policy").replace("\r\n", "\n");
    let cases = form.text("cases").replace("\r\n", "\n");
    let mut edited = EditedPolicy {
        review: Some(reviewed(visitor, &text, Some(cases.clone())).await?),
        text,
        cases,
        told: None,
        trouble: None,
        base: form.revision("base")?,
    };
    if form.text("do") != "review" {
        release_edited(visitor, &form, &mut edited).await?;
    }
    show(visitor, Some(edited)).await
}

async fn release_edited(
    visitor: &Visitor,
    form: &PostedForm,
    edited: &mut EditedPolicy,
) -> Result<(), PageRefusal> {
    let (store, own) = (&visitor.app.store, visitor.organisation());
    if kept_cases(visitor).await? != edited.cases {
        store.set(own, CASES, &edited.cases).await?;
        visitor
            .note("changed the labelled cases", "policy", "")
            .await?;
    }
    let days: u64 = form.text("days").parse().unwrap_or_default();
    let draft = PolicyDraft {
        policy: edited.text.clone(),
        note: form.text("note").to_owned(),
        stage: stage_of(form.text("do")),
        terms: BundleTerms {
            on_stale: OnStale::read(form.text("on_stale")),
            expires: match days {
                0 => 0,
                days => clock::now().saturating_add(days.saturating_mul(DAY)),
            },
        },
        quarantine: QuarantineChange::None,
        base: Some(form.revision("base")?),
        by: visitor.login.person.name.clone(),
    };
    let stage = draft.stage.name();
    match release::release(store, own, draft).await? {
        Released::As { revision, .. } => {
            edited.told = Some(format!("Revision {revision} is out, for {stage}."));
            edited.review = None;
            edited.base = revision;
        }
        Released::Refused(review) => edited.review = Some(review),
        Released::Overtaken(by) => {
            // The page shows it against that revision now: released again, it is meant.
            edited.trouble = Some(format!(
                "Revision {by} came out meanwhile. Below is what yours would change of it; release it again if that is meant."
            ));
            edited.base = by;
        }
    }
    Ok(())
}

pub async fn stage(form: PostedForm) -> PageResult {
    let visitor = form.at_least(PersonRole::Administrator)?;
    let (store, own) = (&visitor.app.store, visitor.organisation());
    let revision = form.revision("revision")?;
    if form.text("do") == "promote" {
        if !store.promote(own, revision).await? {
            return Err(HttpRefusal::not_found().into());
        }
        let subject = format!("revision {revision}");
        visitor.note("promoted to everyone", &subject, "").await?;
    } else {
        release::roll_back(store, own, revision, &visitor.login.person.name)
            .await?
            .ok_or_else(HttpRefusal::not_found)?;
    }
    Ok(Redirect::to("/policy").into_response())
}
