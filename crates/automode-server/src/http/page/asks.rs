//! Waiting questions, and their answers.

use axum::extract::Path;
use axum::response::{IntoResponse, Redirect};

use super::PageResult;
use crate::http::{PostedForm, Visitor};
use crate::store::PersonRole;
use crate::{broker, clock, page};

pub async fn asks(visitor: Visitor) -> PageResult {
    let now = clock::now();
    let since = now.saturating_sub(3_600_000);
    let asks = visitor
        .app
        .store
        .asks(visitor.organisation(), since, 50)
        .await?;
    let devices = asks.iter().map(|ask| ask.device.as_str());
    let names = visitor.device_names(devices).await?;
    let body = page::asks(&asks, &visitor.login, &|id| names.of(id), now);
    visitor.show("Waiting questions", "/asks", &body).await
}

pub async fn answer(Path(id): Path<String>, form: PostedForm) -> PageResult {
    let visitor = form.at_least(PersonRole::Approver)?;
    let (word, minutes) = match form.text("answer") {
        "allow" => ("allow", 0),
        "allow-10" => ("allow", 10),
        _ => ("deny", 0),
    };
    let (store, by) = (&visitor.app.store, &visitor.login.person.name);
    broker::answer(store, visitor.organisation(), &id, word, minutes, by).await?;
    Ok(Redirect::to("/asks").into_response())
}
