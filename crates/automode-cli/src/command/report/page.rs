//! The page itself.

use std::fmt::Write as _;

use automode::Verdict;
use automode::audit::Entry;

use super::chart;
use super::tally::{self, ReportTally};
use crate::command::why::dollars;
use crate::{clock, output};

const STYLE: &str = include_str!("page.css");

/// The whole page.
pub fn render(tally: &ReportTally, version: &str) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>automode report</title><style>{STYLE}</style></head><body><main>\
         <header><h1>What automode decided</h1><p>made {} by automode {version}</p></header>",
        clock::stamp(clock::now())
    );
    if tally.total() == 0 {
        html.push_str(
            "<section><p>No decision is in the log yet, or none that the filters admit.</p>\
             <p class=\"quiet\">Turn it on with <code>automode install</code>, and look with <code>automode status</code>.</p></section>",
        );
    } else {
        figures(&mut html, tally);
        pictures(&mut html, tally);
        doubtful(&mut html, tally);
        stops(&mut html, tally);
        slowest(&mut html, tally);
        judges(&mut html, tally);
    }
    html.push_str("</main></body></html>\n");
    html
}

fn figures(html: &mut String, tally: &ReportTally) {
    let verdicts = tally.verdicts;
    html.push_str("<div class=\"figures\">");
    for (figure, label) in [
        (verdicts.total().to_string(), "decisions"),
        (verdicts.allow.to_string(), "allowed"),
        (verdicts.ask.to_string(), "asked"),
        (verdicts.deny.to_string(), "denied"),
        (format!("{:.1} ms", tally.latency(50)), "median time"),
        (
            format!("{:.1} ms", tally.latency(99)),
            "slowest of a hundred",
        ),
    ] {
        let _ = write!(html, "<div><b>{figure}</b><span>{label}</span></div>");
    }
    html.push_str("</div>");
}

fn pictures(html: &mut String, tally: &ReportTally) {
    let _ = write!(
        html,
        "<section><h2>By day <span class=\"key quiet\"><i class=\"allow\"></i>allow<i class=\"ask\"></i>ask<i class=\"deny\"></i>deny</span></h2>{}</section><div class=\"grid\">",
        chart::days(&tally.days)
    );
    for (title, counts) in [
        ("By layer", &tally.layers),
        ("By rule", &tally.rules),
        ("By agent", &tally.agents),
    ] {
        let _ = write!(
            html,
            "<section><h2>{title}</h2>{}</section>",
            chart::bars(counts)
        );
    }
    html.push_str("</div>");
}

/// Where a needless stop is looked for first.
fn doubtful(html: &mut String, tally: &ReportTally) {
    if tally.doubtful.is_empty() {
        return;
    }
    let mut rows: Vec<_> = tally.doubtful.values().collect();
    rows.sort_by_key(|doubt| std::cmp::Reverse((doubt.yes, doubt.times)));
    html.push_str(
        "<section><h2>Likely needless stops</h2><p class=\"quiet\">You said yes, or nothing was found in the call and it came again within a quarter of an hour.</p><table>",
    );
    for doubt in rows.iter().take(20) {
        let _ = write!(
            html,
            "<tr><td class=\"n\">{}×</td><td class=\"stage\">{}</td><td><code>{}</code></td><td>{}</td></tr>",
            doubt.times,
            match doubt.yes {
                0 => String::new(),
                yes => format!("{yes} yes"),
            },
            text(&doubt.entry.brief),
            allow_line(&doubt.entry)
        );
    }
    html.push_str("</table></section>");
}

fn stops(html: &mut String, tally: &ReportTally) {
    html.push_str("<section><h2>Denied and asked, latest first</h2>");
    if tally.stops.is_empty() {
        html.push_str("<p class=\"quiet\">Nothing was stopped.</p>");
    }
    for entry in tally.latest_stops() {
        let _ = write!(
            html,
            "<details><summary>{}<code>{}</code></summary><p>{}</p><p class=\"quiet\">{} · {} · {} · {} · {}</p>",
            tag(entry.verdict),
            text(&entry.brief),
            text(&entry.reason),
            clock::stamp(entry.time),
            text(&entry.agent),
            text(&entry.tool),
            text(entry.settled_by()),
            text(&entry.id),
        );
        trace(html, entry);
        let _ = write!(html, "<p>{}</p></details>", allow_line(entry));
    }
    html.push_str("</section>");
}

fn trace(html: &mut String, entry: &Entry) {
    if entry.trace.is_empty() && entry.findings.is_empty() {
        return;
    }
    html.push_str("<table>");
    for stage in &entry.trace {
        let _ = write!(
            html,
            "<tr><td class=\"stage\">{}</td><td class=\"stage\">{}</td><td>{}</td></tr>",
            text(&stage.stage),
            stage.verdict.map_or("", Verdict::name),
            text(&stage.note)
        );
    }
    for finding in &entry.findings {
        let _ = write!(
            html,
            "<tr><td class=\"stage\">{}</td><td class=\"stage\">{}</td><td>{}</td></tr>",
            text(&finding.weight),
            text(&finding.rule),
            text(&finding.evidence)
        );
    }
    html.push_str("</table>");
}

/// The line that would let the call through the next time. No rule of a person's goes
/// before a veto or a guard: there only this one call can be permitted.
fn allow_line(entry: &Entry) -> String {
    let rule = entry
        .permission
        .as_deref()
        .filter(|_| !tally::is_veto(entry));
    rule.map_or_else(
        || {
            format!(
                "<code class=\"copy\">automode allow-once {}</code>",
                text(&entry.id)
            )
        },
        |rule| {
            format!(
                "<code class=\"copy\">automode allow {}</code>",
                text(&format!("'{}'", rule.replace('\'', r"'\''")))
            )
        },
    )
}

fn slowest(html: &mut String, tally: &ReportTally) {
    html.push_str("<section><h2>Slowest</h2><table>");
    for entry in &tally.slowest {
        let _ = write!(
            html,
            "<tr><td class=\"n\">{:.1} ms</td><td>{}</td><td><code>{}</code></td></tr>",
            entry.latency,
            text(&entry.ground),
            text(&entry.brief)
        );
    }
    html.push_str("</table></section>");
}

fn judges(html: &mut String, tally: &ReportTally) {
    if tally.judges.is_empty() {
        return;
    }
    html.push_str("<section><h2>The judge</h2><table><tr><th>model</th><th>calls</th><th>tokens</th><th>cost</th></tr>");
    for (model, spending) in &tally.judges {
        let _ = write!(
            html,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            text(model),
            spending.calls,
            spending.tokens,
            dollars(spending.price)
        );
    }
    html.push_str("</table></section>");
}

fn tag(verdict: Verdict) -> String {
    let name = verdict.name();
    format!("<span class=\"tag {name}\">{name}</span>")
}

/// Text of an agent: without control characters, and escaped.
fn text(raw: &str) -> String {
    output::escape(&output::clean(raw))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_wrote_stays_text() {
        assert_eq!(
            text("<script>alert('x')</script>\u{1b}[2J & \"y\""),
            "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;\\u{1b}[2J &amp; &quot;y&quot;"
        );
    }

    #[test]
    fn an_empty_log_is_said() {
        let page = render(&ReportTally::default(), "0");
        assert!(page.contains("No decision is in the log yet"), "{page}");
        assert!(!page.contains("<script"), "{page}");
    }
}
