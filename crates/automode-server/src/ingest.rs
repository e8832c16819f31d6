//! From lines of a device's log to rows.
//!
//! A batch says behind which line it stands; the store holds that against the last
//! line it accepted, so a batch that was sent twice is told apart before anything is
//! written. Lines are kept as they are. Where the chain does not go on, the break is a
//! row of its own: what is missing is shown, never papered over.

use automode::Verdict;
use automode::audit::chain::{self, ChainLink, ChainState};
use automode::audit::{Entry, PersonAnswer};
use serde::{Deserialize, Serialize};

use crate::store::Organisation;

/// Milliseconds of a day.
pub const DAY: u64 = 86_400_000;

/// Lines of one device, with the line they stand behind.
#[derive(Clone, Debug)]
pub struct LineBatch {
    pub organisation: Organisation,
    pub device: String,
    pub after: String,
    pub lines: Vec<String>,
    pub now: u64,
}

/// What became of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// Lines that are stored now and were not before.
    pub accepted: u64,
    /// Breaks of the chain in this batch.
    pub gaps: u64,
    /// The last accepted line: the client keeps everything behind it.
    pub seq: u64,
    pub hash: String,
}

/// A break of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogGap {
    pub kind: LogGapKind,
    pub after: ChainLink,
    pub next: ChainLink,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogGapKind {
    /// Lines between the two never came.
    Lost,
    /// A line between the two is not as it was written.
    Changed,
    /// Bytes between the two are of nobody's making.
    Foreign,
    /// The log began anew.
    Restarted,
}

impl LogGapKind {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Changed => "changed",
            Self::Foreign => "foreign",
            Self::Restarted => "restarted",
        }
    }
}

impl LogGap {
    /// How many lines are missing, as far as the numbers say.
    #[must_use]
    pub fn missing(&self) -> u64 {
        let between = self.next.seq.saturating_sub(self.after.seq);
        between.saturating_sub(1)
    }
}

/// One line as a row.
#[derive(Clone, Debug, PartialEq)]
pub struct LineRow {
    pub link: ChainLink,
    pub day: i64,
    pub entry: Entry,
    pub body: String,
}

/// A batch that was read.
#[derive(Clone, Debug)]
pub struct ReadBatch {
    pub rows: Vec<LineRow>,
    pub gaps: Vec<LogGap>,
    pub last: ChainLink,
}

/// Reads lines behind `before`. A device that never sent a line may begin anywhere:
/// its older logs are gone by design.
#[must_use]
pub fn read(before: &ChainLink, lines: &[String], now: u64) -> ReadBatch {
    let mut read = ReadBatch {
        rows: Vec::new(),
        gaps: Vec::new(),
        last: before.clone(),
    };
    // What stood between the last whole line and the next one.
    let mut between: Option<LogGapKind> = None;
    for line in lines {
        let line = line.trim_end_matches('\n');
        let is_first = read.last.seq == 0;
        let state = chain::check(line, (!is_first).then_some(&read.last));
        let (link, follows) = match state {
            ChainState::Holds(link) => (link, true),
            ChainState::Displaced(link) => (link, false),
            ChainState::Changed => {
                between = Some(LogGapKind::Changed);
                continue;
            }
            ChainState::Torn => {
                between.get_or_insert(LogGapKind::Foreign);
                continue;
            }
        };
        // What a person answered stands on a line of its own: the chain goes on over it.
        if follows && serde_json::from_str::<PersonAnswer>(line).is_ok() {
            read.last = link;
            continue;
        }
        let Ok(entry) = serde_json::from_str(line).map(|entry| storable(entry, now)) else {
            // The chain vouches for it, but it says nothing that this version can show.
            between.get_or_insert(LogGapKind::Foreign);
            continue;
        };
        let torn = between == Some(LogGapKind::Foreign) && chain::admits_torn(line);
        let kind = match (between.take(), follows) {
            (_, true) if torn => None,
            (kind, true) => kind,
            (Some(kind), false) => Some(kind),
            (None, false) if link.seq <= read.last.seq => Some(LogGapKind::Restarted),
            (None, false) => Some(LogGapKind::Lost),
        };
        if let Some(kind) = kind.filter(|_| !is_first) {
            read.gaps.push(LogGap {
                kind,
                after: read.last.clone(),
                next: link.clone(),
            });
        }
        read.last = link.clone();
        read.rows.push(LineRow {
            link,
            day: i64::try_from(entry.time / DAY).unwrap_or_default(),
            entry,
            body: line.to_owned(),
        });
    }
    read
}

/// Letters of a text that is looked for: an index holds no longer ones, and a line that it
/// refuses would hold up all lines behind it.
const INDEXED: usize = 160;
/// How far a device's clock may be ahead, in milliseconds. A line from farther on would stand
/// above all others for as long, and outlive its retention.
const AHEAD: u64 = 3_600_000;

/// The entry as a database can hold and order it. The line itself is kept as it is.
fn storable(mut entry: Entry, now: u64) -> Entry {
    // An outage hides no rule: what was found is what was asked about.
    if entry.ground == "failure" && !entry.findings.is_empty() {
        entry.rule = Some(entry.settled_by().to_owned());
    }
    let texts = [
        &mut entry.id,
        &mut entry.agent,
        &mut entry.session,
        &mut entry.tool,
        &mut entry.ground,
    ];
    let rule = entry.rule.as_mut();
    let model = entry.judge.as_mut().map(|judge| &mut judge.model);
    for text in texts.into_iter().chain(rule).chain(model) {
        *text = held(text, INDEXED);
    }
    entry.brief.retain(|letter| letter != '\0');
    if entry.time > now.saturating_add(AHEAD) {
        entry.time = now;
    }
    if !entry.latency.is_finite() {
        entry.latency = 0.0;
    }
    entry
}

/// A text of so many letters at most; what is left out is marked.
fn held(text: &str, most: usize) -> String {
    let letters = || text.chars().filter(|letter| *letter != '\0');
    if letters().count() <= most {
        return letters().collect();
    }
    let start = letters().take(most.saturating_sub(1));
    start.chain(std::iter::once('…')).collect()
}

/// The word of a verdict in the store and on the pages.
#[must_use]
pub const fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    }
}

/// The day and the figures that a row adds to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TallyKey {
    pub day: i64,
    pub agent: String,
    pub verdict: &'static str,
    pub ground: String,
    pub rule: String,
    pub model: String,
}

/// What is summed by day.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TallySum {
    pub count: i64,
    pub latency: f64,
    pub price: i64,
    pub tokens: i64,
}

/// The sums of these rows, in an order that is the same for every writer: two of them
/// then never wait for each other in a circle.
#[must_use]
pub fn tally<'a>(
    rows: impl Iterator<Item = &'a LineRow>,
) -> std::collections::BTreeMap<TallyKey, TallySum> {
    let mut sums = std::collections::BTreeMap::new();
    for row in rows {
        let entry = &row.entry;
        let judge = entry.judge.as_ref();
        let key = TallyKey {
            day: row.day,
            agent: entry.agent.clone(),
            verdict: verdict_name(entry.verdict),
            ground: entry.ground.clone(),
            rule: entry.rule.clone().unwrap_or_default(),
            model: judge.map(|judge| judge.model.clone()).unwrap_or_default(),
        };
        let sum: &mut TallySum = sums.entry(key).or_default();
        sum.count = sum.count.saturating_add(1);
        sum.latency += entry.latency;
        sum.price = sum.price.saturating_add(price(entry));
        let tokens = judge.map_or(0, |judge| judge.input.saturating_add(judge.output));
        sum.tokens = sum
            .tokens
            .saturating_add(i64::try_from(tokens).unwrap_or_default());
    }
    sums
}

/// What the judge cost, in millionths of a dollar; unknown counts as nothing.
#[must_use]
pub fn price(entry: &Entry) -> i64 {
    let price = entry.judge.as_ref().and_then(|judge| judge.price);
    i64::try_from(price.unwrap_or_default()).unwrap_or(i64::MAX)
}

/// Spreads devices over the rows of one tally, so that they do not queue for it.
#[must_use]
pub fn shard(device: &str) -> i64 {
    device
        .bytes()
        .fold(0_i64, |sum, byte| (sum * 31 + i64::from(byte)) % 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = u64::MAX / 2;

    #[test]
    fn an_outage_hides_no_rule() {
        let mut entry: Entry = serde_json::from_str(&crate::sample::entry(1)).unwrap();
        entry.verdict = Verdict::Ask;
        entry.ground = "failure".to_owned();
        entry.rule = Some("unavailable".to_owned());
        entry.findings.clear();
        assert_eq!(
            storable(entry.clone(), NOW).rule.as_deref(),
            Some("unavailable")
        );
        entry.findings = serde_json::from_value(serde_json::json!([
            {"rule": "force-push\0", "weight": "evidence", "evidence": "rewrites history"}
        ]))
        .unwrap();
        assert_eq!(storable(entry, NOW).rule.as_deref(), Some("force-push"));
    }

    #[test]
    fn what_no_index_holds_is_cut_and_what_is_to_come_is_now() {
        let mut entry: Entry = serde_json::from_str(&crate::sample::entry(1)).unwrap();
        let written = entry.time;
        entry.rule = Some("é\0".repeat(5_000));
        let kept = storable(entry.clone(), written);
        assert_eq!(kept.time, written);
        let rule = kept.rule.unwrap_or_default();
        assert_eq!(rule.chars().count(), INDEXED);
        assert!(rule.ends_with('…') && !rule.contains('\0'));
        assert_eq!(storable(entry.clone(), written - AHEAD).time, written);
        assert_eq!(storable(entry, 7).time, 7);
    }

    fn chain(count: u64) -> Vec<String> {
        let mut before = ChainLink::genesis();
        (1..=count)
            .map(|at| {
                let body = crate::sample::entry(at);
                let (line, link) = chain::seal(&body, &before, 0);
                before = link;
                line.trim_end().to_owned()
            })
            .collect()
    }

    fn link(line: &str) -> ChainLink {
        chain::link(line).unwrap()
    }

    #[test]
    fn breaks_of_a_chain_are_gaps_of_their_kind() {
        let all = chain(9);
        let check = |lines: Vec<String>, rows: usize, gaps: &[(LogGapKind, u64)]| {
            let read = read(&link(&all[0]), &lines, NOW);
            assert_eq!(read.rows.len(), rows, "{lines:?}");
            let found: Vec<_> = read
                .gaps
                .iter()
                .map(|gap| (gap.kind, gap.missing()))
                .collect();
            assert_eq!(found, gaps, "{lines:?}");
        };
        check(all[1..].to_vec(), 8, &[]);
        check(all[4..].to_vec(), 5, &[(LogGapKind::Lost, 3)]);
        check(
            vec![
                all[1].clone(),
                all[2].replace("/home/dev", "/home/xxx"),
                all[3].clone(),
            ],
            2,
            &[(LogGapKind::Changed, 1)],
        );
        check(
            vec![all[1].clone(), "half a li".to_owned(), all[2].clone()],
            2,
            &[(LogGapKind::Foreign, 0)],
        );
        check(chain(2), 2, &[(LogGapKind::Restarted, 0)]);
        check(vec![all[2].replace("/home/dev", "/home/xxx")], 0, &[]);
    }

    #[test]
    fn a_device_may_begin_in_the_middle_of_its_log() {
        let read = read(&ChainLink::genesis(), &chain(9)[5..], NOW);
        assert_eq!((read.rows.len(), read.gaps.len()), (4, 0));
        assert_eq!(read.last.seq, 9);
    }

    #[test]
    fn sums_follow_the_rows() {
        let read = read(&ChainLink::genesis(), &chain(9), NOW);
        let total: i64 = tally(read.rows.iter()).values().map(|sum| sum.count).sum();
        assert_eq!(total, 9);
    }
}
