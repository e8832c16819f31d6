//! The list of decisions, and one of them.

use axum::extract::{Path, Query};
use serde::Deserialize;

use super::{DAYS, PageResult};
use crate::http::{HttpRefusal, Visitor};
use crate::page::DecisionsPage;
use crate::store::{DecisionFilter, PagePlace, TallyColumn};
use crate::{clock, page};

/// Rows of a page.
const ROWS: i64 = 50;

/// What is looked for, as the address says it.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub struct DecisionsQuery {
    words: String,
    verdict: String,
    agent: String,
    device: String,
    rule: String,
    before: String,
}

impl DecisionsQuery {
    pub fn filter(self) -> DecisionFilter {
        DecisionFilter {
            verdict: self.verdict,
            agent: self.agent,
            device: self.device,
            rule: self.rule,
            words: self.words,
            before: PagePlace::read(&self.before),
            after: None,
            most: ROWS,
        }
    }
}

pub async fn decisions(visitor: Visitor, Query(query): Query<DecisionsQuery>) -> PageResult {
    let (store, own) = (&visitor.app.store, visitor.organisation());
    let filter = query.filter();
    let rows = store.decisions(own, &filter).await?;
    let since = clock::day(clock::now()) - DAYS;
    let agents = store.tally(own, TallyColumn::Agent, since).await?;
    let mut agents: Vec<String> = agents.into_iter().map(|row| row.name).collect();
    agents.dedup();
    let shown = rows.iter().map(|row| row.device.as_str());
    let names = visitor.device_names(shown).await?;
    let body = page::decisions(&DecisionsPage {
        filter: &filter,
        rows: &rows,
        names: &|id| names.of(id),
        agents: &agents,
    });
    visitor.show("Decisions", "/decisions", &body).await
}

/// Which of several decisions of one name.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct LineQuery {
    line: String,
}

pub async fn decision(
    visitor: Visitor,
    Path(id): Path<String>,
    Query(query): Query<LineQuery>,
) -> PageResult {
    let (store, own) = (&visitor.app.store, visitor.organisation());
    let found = store.line(own, &id, &query.line).await?;
    let (row, body) = found.ok_or_else(HttpRefusal::not_found)?;
    let entry: automode::audit::Entry =
        serde_json::from_str(&body).map_err(|_| HttpRefusal::bad("this line cannot be shown"))?;
    let names = visitor
        .device_names(std::iter::once(row.device.as_str()))
        .await?;
    let effects = if entry.tool == "Bash" {
        let (command, cwd) = (entry.brief.clone(), entry.cwd.clone());
        let drawn = tokio::task::spawn_blocking(move || page::picture(&command, &cwd));
        drawn.await.ok().flatten()
    } else {
        None
    };
    let shown = page::decision(&row, &entry, &names.of(&row.device), effects.as_ref());
    let title = format!("Decision {id}");
    visitor.show(&title, "/decisions", &shown).await
}
