//! Denials and questions, and the rule that would end one.

use axum::extract::{Path, Query};
use axum::response::{IntoResponse, Redirect};
use serde::Deserialize;

use super::PageResult;
use super::policy::{reviewed, stage_of};
use crate::http::{HttpRefusal, PageRefusal, PostedForm, Visitor, group_name};
use crate::page::{self, AllowPage, StopsPage};
use crate::policy_document::PolicyDocument;
use crate::release::{self, PolicyDraft, QuarantineChange, Released, overtaken};
use crate::store::{DecisionFilter, DecisionRow, PersonRole};

/// Stops among which needless ones are looked for.
const SEARCHED: i64 = 500;

/// Denied and asked, latest first.
pub(super) async fn stopped(visitor: &Visitor, most: i64) -> Result<Vec<DecisionRow>, PageRefusal> {
    let mut rows = Vec::new();
    for verdict in ["deny", "ask"] {
        let filter = DecisionFilter {
            verdict: verdict.to_owned(),
            most,
            ..DecisionFilter::default()
        };
        let found = visitor.app.store.decisions(visitor.organisation(), &filter);
        rows.extend(found.await?);
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.time));
    rows.truncate(usize::try_from(most).unwrap_or_default());
    Ok(rows)
}

pub async fn stops(visitor: Visitor) -> PageResult {
    let rows = stopped(&visitor, SEARCHED).await?;
    let shown = rows.iter().map(|row| row.device.as_str());
    let names = visitor.device_names(shown).await?;
    let body = page::stops(&StopsPage {
        rows: &rows,
        names: &|id| names.of(id),
    });
    visitor.show("Stops", "/stops", &body).await
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct AllowQuery {
    line: String,
    rule: String,
    group: String,
}

/// A policy and the same with one rule more.
struct OneRuleMore {
    revision: u64,
    before: String,
    after: String,
}

/// The latest policy with one rule more.
async fn with_rule(visitor: &Visitor, group: &str, rule: &str) -> Result<OneRuleMore, PageRefusal> {
    if !group.is_empty() {
        group_name(group)?;
    }
    let bundles = visitor.app.store.bundles(visitor.organisation(), 1).await?;
    let latest = bundles.first();
    let before = latest.map_or_else(String::new, |bundle| bundle.policy.clone());
    let document =
        PolicyDocument::read(&before).map_err(|error| HttpRefusal::bad(error.to_string()))?;
    let after = document.with_rule(group, "allow", rule);
    Ok(OneRuleMore {
        revision: latest.map_or(0, |bundle| bundle.revision),
        before,
        after,
    })
}

pub async fn allow(
    visitor: Visitor,
    Path(id): Path<String>,
    Query(query): Query<AllowQuery>,
) -> PageResult {
    let (store, own) = (&visitor.app.store, visitor.organisation());
    let found = store.line(own, &id, &query.line).await?;
    let (row, body) = found.ok_or_else(HttpRefusal::not_found)?;
    let entry: Option<automode::audit::Entry> = serde_json::from_str(&body).ok();
    let narrowest = entry.and_then(|entry| entry.permission);
    let rule = if query.rule.is_empty() {
        narrowest.unwrap_or_else(|| format!("{}({})", row.tool, row.brief))
    } else {
        query.rule
    };
    let more = with_rule(&visitor, &query.group, &rule).await?;
    let body = page::allow(&AllowPage {
        out_of_reach: page::OUT_OF_REACH.contains(&row.ground.as_str()),
        row: &row,
        rule: &rule,
        group: &query.group,
        groups: &store.groups(own).await?,
        base: more.revision,
        diff: &page::diff_lines(&more.before, &more.after),
        // A review runs the cases: that is for those who may release.
        review: match visitor.at_least(PersonRole::Administrator) {
            Ok(()) => Some(reviewed(&visitor, &more.after, None).await?),
            Err(_) => None,
        },
        login: &visitor.login,
        alone: visitor.app.shared.alone,
    });
    visitor.show("Allow for a group", "/stops", &body).await
}

pub async fn allow_for_group(Path(id): Path<String>, form: PostedForm) -> PageResult {
    let visitor = form.at_least(PersonRole::Administrator)?;
    let (store, own) = (&visitor.app.store, visitor.organisation());
    let (rule, group) = (form.text("rule"), form.text("group"));
    let more = with_rule(visitor, group, rule).await?;
    let whom = if group.is_empty() { "everyone" } else { group };
    let draft = PolicyDraft {
        policy: more.after,
        note: format!("allow {rule} for {whom}, after decision {id}"),
        stage: stage_of(form.text("stage")),
        terms: release::latest_terms(store, own).await?,
        quarantine: QuarantineChange::None,
        // The change that was shown, or none: a rule that somebody added since would go.
        base: Some(form.revision("base")?),
        by: visitor.login.person.name.clone(),
    };
    match release::release(store, own, draft).await? {
        Released::As { .. } => Ok(Redirect::to("/policy").into_response()),
        Released::Refused(_) => {
            Err(HttpRefusal::bad("the policy would not pass its review").into())
        }
        Released::Overtaken(by) => Err(HttpRefusal::bad(overtaken(by)).into()),
    }
}
