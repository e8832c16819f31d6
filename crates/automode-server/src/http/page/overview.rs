//! The first page.

use super::stops::stopped;
use super::{DAYS, PageResult};
use crate::alert::SILENT;
use crate::http::Visitor;
use crate::page::OverviewPage;
use crate::store::TallyColumn;
use crate::{clock, page};

pub async fn overview(visitor: Visitor) -> PageResult {
    let (store, own, now) = (&visitor.app.store, visitor.organisation(), clock::now());
    let today = clock::day(now);
    let since = today - DAYS + 1;
    let stops = stopped(&visitor, 8).await?;
    let shown = stops.iter().map(|row| row.device.as_str());
    let names = visitor.device_names(shown).await?;
    let (devices, silent) = store.count_devices(own, now.saturating_sub(SILENT)).await?;
    let body = page::overview(&OverviewPage {
        days: &store.tally(own, TallyColumn::Day, since).await?,
        agents: &store.tally(own, TallyColumn::Agent, since).await?,
        rules: &store.tally(own, TallyColumn::Rule, since).await?,
        today,
        span: DAYS,
        devices,
        silent,
        gaps: store.count_gaps(own).await?,
        alerts: &store.alerts(own).await?,
        origin: match visitor.app.shared.alone {
            true => None,
            false => Some(&visitor.app.shared.origin),
        },
        stops: &stops,
        names: &|id| names.of(id),
    });
    visitor.show("Overview", "/", &body).await
}
