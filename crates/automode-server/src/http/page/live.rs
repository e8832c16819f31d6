//! What arrives while a page is open.

use std::collections::{HashSet, VecDeque};
use std::convert::Infallible;
use std::time::Duration;

use axum::extract::Query;
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse, Sse};
use futures_util::{Stream, StreamExt as _};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::decisions::DecisionsQuery;
use crate::http::Visitor;
use crate::store::{ChangeKind, DecisionFilter, DecisionRow, StoreChange};
use crate::{clock, page};

/// How long one connection lasts.
const LASTS: Duration = Duration::from_secs(600);
/// Rows that are remembered as shown.
const REMEMBERED: usize = 1_000;

/// A list that is watched.
struct WatchedList {
    visitor: Visitor,
    filter: DecisionFilter,
    changes: Receiver<StoreChange>,
    shown: HashSet<String>,
    order: VecDeque<String>,
    start: u64,
    /// What was there when the page was loaded is looked at without news.
    is_first: bool,
}

impl WatchedList {
    /// Waits for rows that were not shown. None where the list can no longer be read.
    async fn next(&mut self) -> Option<Vec<DecisionRow>> {
        loop {
            if !std::mem::take(&mut self.is_first) {
                let own = self.visitor.organisation().number();
                wait_for(&mut self.changes, own, ChangeKind::Lines).await?;
            }
            self.filter.after = Some(self.start.max(clock::now().saturating_sub(600_000)));
            let store = &self.visitor.app.store;
            let rows = store
                .decisions(self.visitor.organisation(), &self.filter)
                .await
                .ok()?;
            let fresh: Vec<DecisionRow> = rows
                .into_iter()
                .filter(|row| !self.shown.contains(&row.hash))
                .collect();
            for row in &fresh {
                self.shown.insert(row.hash.clone());
                self.order.push_back(row.hash.clone());
            }
            while self.order.len() > REMEMBERED {
                if let Some(old) = self.order.pop_front() {
                    self.shown.remove(&old);
                }
            }
            if !fresh.is_empty() {
                return Some(fresh);
            }
        }
    }
}

/// New rows, as they arrive.
pub async fn decisions(visitor: Visitor, Query(query): Query<DecisionsQuery>) -> impl IntoResponse {
    let list = WatchedList {
        filter: query.filter(),
        changes: visitor.app.store.changes(),
        visitor,
        shown: HashSet::new(),
        order: VecDeque::new(),
        start: clock::now().saturating_sub(60_000),
        is_first: true,
    };
    let stream = futures_util::stream::unfold(list, |mut list| async move {
        let fresh = list.next().await?;
        let devices = fresh.iter().map(|row| row.device.as_str());
        let names = list.visitor.device_names(devices).await.ok()?;
        let text = page::rows(&fresh, &|id| names.of(id)).into_string();
        Some((Ok::<_, Infallible>(event("rows", &text)), list))
    });
    Sse::new(bounded(stream)).keep_alive(KeepAlive::default())
}

/// Ends after a while: the page then comes back, and whoever signed out does not.
fn bounded<S: Stream>(stream: S) -> impl Stream<Item = S::Item> {
    stream.take_until(Box::pin(tokio::time::sleep(LASTS)))
}

/// The waiting questions, whenever they change.
pub async fn asks(visitor: Visitor) -> impl IntoResponse {
    let changes = visitor.app.store.changes();
    let stream = futures_util::stream::unfold((visitor, changes), |state| async move {
        let (visitor, mut changes) = state;
        let own = visitor.organisation();
        let news = wait_for(&mut changes, own.number(), ChangeKind::Ask);
        // Time passes too: what nobody answered goes away.
        if let Ok(ended) = tokio::time::timeout(Duration::from_secs(5), news).await {
            ended?;
        }
        let now = clock::now();
        let since = now.saturating_sub(3_600_000);
        let asks = visitor.app.store.asks(own, since, 50).await.ok()?;
        let devices = asks.iter().map(|ask| ask.device.as_str());
        let names = visitor.device_names(devices).await.ok()?;
        let cards = page::ask_cards(&asks, &visitor.login, &|id| names.of(id), now);
        let part = event("part", &cards.into_string());
        Some((Ok::<_, Infallible>(part), (visitor, changes)))
    });
    Sse::new(bounded(stream)).keep_alive(KeepAlive::default())
}

/// An event has one line of data: a line break in a text would end it.
fn event(name: &str, text: &str) -> Event {
    Event::default()
        .event(name)
        .data(text.replace(['\n', '\r'], " "))
}

/// Waits until this kind of news comes, a little longer for what comes with it.
async fn wait_for(
    changes: &mut Receiver<StoreChange>,
    organisation: i64,
    kind: ChangeKind,
) -> Option<()> {
    loop {
        match changes.recv().await {
            Ok(change) if change.organisation == organisation && change.kind == kind => break,
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => break,
            Err(RecvError::Closed) => return None,
        }
    }
    tokio::time::sleep(Duration::from_millis(150)).await;
    Some(())
}
