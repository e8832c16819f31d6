//! The record of acts.

use super::PageResult;
use crate::http::Visitor;
use crate::page;
use crate::store::PersonRole;

pub async fn acts(visitor: Visitor) -> PageResult {
    visitor.at_least(PersonRole::Administrator)?;
    let acts = visitor.app.store.acts(visitor.organisation(), 500).await?;
    let body = page::acts(&acts);
    visitor.show("Record of acts", "/acts", &body).await
}
