//! The page of a run: one file, no scripts from elsewhere, drawn rather than told.

use std::fmt::Write as _;

use super::Tally;
use crate::generate::Draft;
use crate::harm::HarmKind;
use crate::record::LabRecord;

const STYLE: &str = include_str!("page.css");

/// The whole page.
#[must_use]
pub fn page(tally: &Tally, findings: &[(Draft, LabRecord)], ways: &[(String, f64, f64)]) -> String {
    let mut body = String::new();
    body.push_str(&hero(tally));
    body.push_str(&verdicts(tally));
    body.push_str(&harms(tally, findings));
    body.push_str(&programs(tally));
    body.push_str(&sources(tally, ways));
    body.push_str(&time(tally));
    body.push_str(&expectations(tally));
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>The proving ground</title><style>{STYLE}</style><main>{body}</main></html>\n"
    )
}

fn text(raw: &str) -> String {
    raw.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('\n', "\u{2424}")
}

fn hero(tally: &Tally) -> String {
    let rate = tally.rate();
    let tone = if tally.harmed.is_empty() {
        "good"
    } else {
        "bad"
    };
    // The interval on a scale to one in a hundred.
    let at = |share: f64| (share * 10_000.0).clamp(0.0, 100.0);
    format!(
        "<header><h1>The proving ground</h1><p>Every command that was allowed really ran, in a made-up machine.</p></header>\
         <section class=\"hero {tone}\"><div><b>{}</b><span>allowed commands executed</span></div>\
         <div><b>{}</b><span>did harm</span></div>\
         <div><b>{:.3}–{:.3}%</b><span>harm rate, 95% interval</span>\
         <svg viewBox=\"0 0 100 8\" role=\"img\" aria-label=\"interval\"><rect width=\"100\" height=\"8\" rx=\"4\" class=\"track\"/>\
         <rect x=\"{:.2}\" width=\"{:.2}\" height=\"8\" rx=\"4\" class=\"mark\"/></svg><span>0 … 1%</span></div>\
         <div><b>{}</b><span>cases decided, seed {}</span></div></section>",
        tally.executed,
        tally.harmed.len(),
        rate.low * 100.0,
        rate.high * 100.0,
        at(rate.low),
        (at(rate.high) - at(rate.low)).max(1.0),
        tally.tried,
        tally.seed
    )
}

/// A bar of parts that add up.
fn stack(parts: &[(&str, usize)]) -> String {
    let total: usize = parts.iter().map(|(_, count)| *count).sum();
    let mut bar = String::from("<div class=\"stack\">");
    for (class, count) in parts {
        if *count > 0 {
            put(
                &mut bar,
                &format!(
                    "<i class=\"{class}\" style=\"flex:{count}\" title=\"{class} {count} of {total}\"></i>"
                ),
            );
        }
    }
    bar.push_str("</div>");
    bar
}

fn put(to: &mut String, piece: &str) {
    // Writing to a string does not fail.
    write!(to, "{piece}").unwrap_or_default();
}

fn verdicts(tally: &Tally) -> String {
    let count = |name: &str| tally.verdicts.get(name).copied().unwrap_or_default();
    let (allow, ask, deny) = (count("allow"), count("ask"), count("deny"));
    format!(
        "<section><h2>Answers</h2>{}<p class=\"key\"><i class=\"allow\"></i>allow {allow} <i class=\"ask\"></i>ask {ask} \
         <i class=\"deny\"></i>deny {deny}</p></section>",
        stack(&[("allow", allow), ("ask", ask), ("deny", deny)])
    )
}

fn harms(tally: &Tally, findings: &[(Draft, LabRecord)]) -> String {
    let mut section = String::from("<section><h2>Harm</h2>");
    if tally.harmed.is_empty() {
        section
            .push_str("<p class=\"calm\">Nothing was lost, leaked or left behind.</p></section>");
        return section;
    }
    section.push_str("<div class=\"tiles\">");
    for kind in HarmKind::ALL {
        let count = tally
            .harmed
            .iter()
            .filter(|record| record.harms.iter().any(|harm| harm.kind == kind))
            .count();
        let class = if count > 0 { "hit" } else { "none" };
        put(
            &mut section,
            &format!(
                "<div class=\"{class}\"><b>{count}</b><span>{}</span></div>",
                kind.name()
            ),
        );
    }
    section.push_str("</div><ol class=\"findings\">");
    for (draft, record) in findings.iter().take(200) {
        let told: Vec<String> = record
            .harms
            .iter()
            .take(3)
            .map(|harm| text(&harm.to_string()))
            .collect();
        put(
            &mut section,
            &format!(
                "<li><code>{}</code><small>{} · {}</small></li>",
                text(&draft.shown()),
                told.join(" · "),
                text(&record.source)
            ),
        );
    }
    section.push_str("</ol></section>");
    section
}

fn programs(tally: &Tally) -> String {
    let mut rows: Vec<(&String, &[usize; 4])> = tally.programs.iter().collect();
    rows.sort_by_key(|(name, [allow, ask, deny, harmed])| {
        (
            std::cmp::Reverse((*harmed, allow.saturating_add(*ask).saturating_add(*deny))),
            (*name).clone(),
        )
    });
    let mut section = format!(
        "<section><h2>What ran</h2><p>{} programs; the most tried first, harm on top.</p><table>",
        rows.len()
    );
    for (name, [allow, ask, deny, harmed]) in rows.into_iter().take(60) {
        put(
            &mut section,
            &format!(
                "<tr><th>{}</th><td class=\"wide\">{}</td><td>{allow}</td><td class=\"{}\">{harmed}</td></tr>",
                text(name),
                stack(&[("allow", *allow), ("ask", *ask), ("deny", *deny)]),
                if *harmed > 0 { "hit" } else { "none" }
            ),
        );
    }
    section.push_str("</table></section>");
    section
}

fn sources(tally: &Tally, ways: &[(String, f64, f64)]) -> String {
    let mut section = String::from("<section><h2>Where cases came from</h2><table>");
    for (name, [tried, executed, harmed]) in &tally.sources {
        put(
            &mut section,
            &format!(
                "<tr><th>{}</th><td class=\"wide\">{}</td><td>{executed} of {tried}</td><td class=\"{}\">{harmed}</td></tr>",
                text(name),
                stack(&[
                    ("allow", *executed),
                    ("ask", tried.saturating_sub(*executed))
                ]),
                if *harmed > 0 { "hit" } else { "none" }
            ),
        );
    }
    section.push_str("</table>");
    if !ways.is_empty() {
        section.push_str("<h3>What was worth trying</h3><table>");
        for (name, tries, worth) in ways.iter().take(30) {
            put(
                &mut section,
                &format!(
                    "<tr><th>{}</th><td class=\"wide\"><div class=\"stack\"><i class=\"worth\" style=\"width:{:.1}%\"></i></div></td><td>{tries:.0}</td></tr>",
                    text(name),
                    (worth * 100.0).clamp(0.5, 100.0)
                ),
            );
        }
        section.push_str("</table>");
    }
    section.push_str("</section>");
    section
}

#[expect(
    clippy::cast_precision_loss,
    reason = "times of a run are far below 2^52"
)]
fn time(tally: &Tally) -> String {
    let seconds = |micros: u64| micros as f64 / 1e6;
    let whole = |micros: u64| usize::try_from(micros / 1000).unwrap_or_default();
    format!(
        "<section><h2>Where time went</h2>{}<p class=\"key\"><i class=\"allow\"></i>deciding {:.1} s <i class=\"worth\"></i>running {:.1} s \
         <i class=\"ask\"></i>looking for harm {:.1} s</p><p>{:.1} s by the clock, {:.1} ms of CPU an executed case, {} ran out of time.</p></section>",
        stack(&[
            ("allow", whole(tally.decide_micros)),
            ("worth", whole(tally.run_micros)),
            ("ask", whole(tally.judge_micros))
        ]),
        seconds(tally.decide_micros),
        seconds(tally.run_micros),
        seconds(tally.judge_micros),
        tally.elapsed.as_secs_f64(),
        seconds(tally.cpu_micros) * 1000.0 / tally.executed.max(1) as f64,
        tally.timed_out
    )
}

fn expectations(tally: &Tally) -> String {
    let mut section = format!(
        "<section><h2>Expected and seen</h2><p>Of {} cases of which everything was known, {} did something that was not expected, \
         and in {} something expected did not happen.</p><ol class=\"findings\">",
        tally.compared,
        tally.unexpected.len(),
        tally.imprecise
    );
    for record in tally.unexpected.iter().take(60) {
        let told: Vec<String> = record
            .unexpected
            .iter()
            .take(4)
            .map(|one| text(one))
            .collect();
        put(
            &mut section,
            &format!(
                "<li><code>{}</code><small>{}</small></li>",
                text(&record.case),
                told.join(" · ")
            ),
        );
    }
    section.push_str("</ol></section>");
    section
}
