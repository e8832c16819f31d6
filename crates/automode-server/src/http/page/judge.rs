//! What the judges cost and how long they took.

use super::{DAYS, PageResult};
use crate::http::Visitor;
use crate::store::TallyColumn;
use crate::{clock, page};

pub async fn judge(visitor: Visitor) -> PageResult {
    let since = clock::day(clock::now()) - DAYS + 1;
    let (store, own) = (&visitor.app.store, visitor.organisation());
    let models = store.tally(own, TallyColumn::Model, since).await?;
    let days = store.tally(own, TallyColumn::Day, since).await?;
    let body = page::judge(&models, &days, DAYS);
    visitor.show("The judge", "/judge", &body).await
}
