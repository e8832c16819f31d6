//! Rules and their use.

use super::{DAYS, PageResult};
use crate::http::Visitor;
use crate::store::TallyColumn;
use crate::{clock, page};

pub async fn rules(visitor: Visitor) -> PageResult {
    let since = clock::day(clock::now()) - DAYS + 1;
    let store = &visitor.app.store;
    let rows = store
        .tally(visitor.organisation(), TallyColumn::Rule, since)
        .await?;
    let body = page::rules(&rows, DAYS);
    visitor.show("Rules and their use", "/rules", &body).await
}
