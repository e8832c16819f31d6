//! Machines, and codes for new ones.

use axum::extract::{Path, Query};
use axum::response::{IntoResponse, Redirect};
use serde::Deserialize;

use super::PageResult;
use crate::http::{HttpRefusal, PostedForm, Visitor, group_name};
use crate::page::DevicesPage;
use crate::store::{BundleStage, DeviceFilter, PersonRole};
use crate::{clock, page};

/// Rows of a page.
const ROWS: i64 = 200;

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct DevicesQuery {
    words: String,
    before: String,
}

async fn show(visitor: &Visitor, query: DevicesQuery, code: Option<&str>) -> PageResult {
    let (store, own) = (&visitor.app.store, visitor.organisation());
    let filter = DeviceFilter {
        words: query.words,
        before: query.before,
        most: ROWS,
    };
    let devices = store.find_devices(own, &filter).await?;
    let bundles = store.bundles(own, 50).await?;
    let latest = bundles
        .iter()
        .find(|bundle| bundle.stage == BundleStage::Everyone)
        .map_or(0, |bundle| bundle.revision);
    let body = page::devices(&DevicesPage {
        next: (i64::try_from(devices.len()) == Ok(ROWS))
            .then(|| devices.last().map(|device| device.id.as_str()))
            .flatten(),
        devices: &devices,
        filter: &filter,
        gaps: &store.gaps(own, 100).await?,
        login: &visitor.login,
        latest,
        now: clock::now(),
        code,
        origin: &visitor.app.shared.origin,
        alone: visitor.app.shared.alone,
    });
    visitor.show("Devices", "/devices", &body).await
}

pub async fn devices(visitor: Visitor, Query(query): Query<DevicesQuery>) -> PageResult {
    show(&visitor, query, None).await
}

pub async fn make_code(form: PostedForm) -> PageResult {
    let visitor = form.at_least(PersonRole::Administrator)?;
    let group = group_name(form.text("group"))?;
    let expires = clock::now().saturating_add(3_600_000);
    let (store, by) = (&visitor.app.store, &visitor.login.person.name);
    let code = store
        .make_code(visitor.organisation(), &group, by, expires)
        .await?;
    visitor.note("made a code", &group, "").await?;
    show(visitor, DevicesQuery::default(), Some(&code)).await
}

pub async fn regroup(Path(id): Path<String>, form: PostedForm) -> PageResult {
    let visitor = form.at_least(PersonRole::Administrator)?;
    let group = group_name(form.text("group"))?;
    let moved = visitor
        .app
        .store
        .regroup(visitor.organisation(), &id, &group);
    if !moved.await? {
        return Err(HttpRefusal::not_found().into());
    }
    let subject = format!("device {id}");
    visitor.note("moved to a group", &subject, &group).await?;
    Ok(Redirect::to("/devices").into_response())
}

pub async fn revoke(Path(id): Path<String>, form: PostedForm) -> PageResult {
    let visitor = form.at_least(PersonRole::Administrator)?;
    if !visitor
        .app
        .store
        .revoke(visitor.organisation(), &id)
        .await?
    {
        return Err(HttpRefusal::not_found().into());
    }
    visitor.note("revoked", &format!("device {id}"), "").await?;
    Ok(Redirect::to("/devices").into_response())
}
