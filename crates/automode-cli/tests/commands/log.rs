//! Decisions seen, explained, summed and verified.

use std::fs;

use serde_json::{Value, json};

use crate::home::Home;

#[test]
fn decisions_can_be_seen_explained_summed_and_verified() {
    let home = Home::new();
    home.hook("ls");
    home.hook("rm -rf ~");
    let log = home.says("log --json --verdict deny");
    let entry: Value = serde_json::from_str(log.trim()).unwrap();
    assert_eq!(
        (entry["brief"].as_str(), entry["verdict"].as_str()),
        (Some("rm -rf ~"), Some("deny"))
    );
    let why = home.says(&format!("why {}", entry["id"].as_str().unwrap()));
    assert!(
        why.contains("rules-veto") && why.contains("allow-once"),
        "{why}"
    );
    let stats: Value = serde_json::from_str(&home.says("stats --json")).unwrap();
    assert_eq!(
        (&stats["decisions"], &stats["verdicts"]["deny"]),
        (&json!(2), &json!(1))
    );
    assert!(home.says("stats").contains('█'));
    assert!(home.says("log verify").contains("2 decisions hold"));
    let path = home.path("state/audit.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("rm -rf ~", "ls -la")).unwrap();
    assert!(!home.run("log verify").status.success());
}

#[test]
fn a_question_that_nobody_judged_keeps_its_rule() {
    let home = Home::new();
    home.hook("git push --force origin main");
    let log = home.says("log --json --rule force-push");
    let entry: Value = serde_json::from_str(log.trim()).unwrap();
    assert_eq!(entry["ground"].as_str(), Some("no-judge"));
    assert!(home.says("stats").contains("stopped by"));
}

#[test]
fn the_log_can_be_looked_at_as_a_page() {
    let home = Home::new();
    assert!(home.says("report").contains("0 decisions"));
    home.hook("echo '<script>alert(1)</script>' > x; terraform destroy");
    home.hook("rm -rf ~");
    assert!(home.says("report --out page.html").contains("2 decisions"));
    let page = home.read("page.html").unwrap();
    assert!(!page.contains("<script"), "an agent's text is only text");
    for part in [
        "By day",
        "rm -rf ~",
        "local-data",
        "automode allow-once",
        "terraform destroy",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

/// A call in which nothing was found and that keeps coming was stopped needlessly; a disaster
/// that an agent tries again was not.
#[test]
fn only_what_somebody_wants_and_nothing_speaks_against_looks_needless() {
    let home = Home::new();
    for _ in 0..3 {
        home.hook("some-tool-of-ours --now");
        home.hook("terraform destroy -auto-approve");
        home.hook("rm -rf ~");
    }
    home.says("report --out page.html");
    let page = home.read("page.html").unwrap();
    let needless = page.split("Likely needless stops").nth(1).unwrap();
    let needless = needless.split("</section>").next().unwrap();
    assert!(needless.contains("some-tool-of-ours --now"), "{needless}");
    assert!(needless.contains("3×"), "{needless}");
    for other in ["terraform destroy", "rm -rf"] {
        assert!(!needless.contains(other), "{needless}");
    }
}

/// At 80 columns a decision is one line with its command in front; times are local.
#[test]
fn the_log_fits_a_terminal() {
    let home = Home::new();
    assert!(home.says("log").contains("no decision yet"));
    home.hook("rm -rf ~");
    home.hook(&format!("echo {}", "long ".repeat(60)));
    let log = home.says("log");
    assert!(log.lines().all(|line| line.chars().count() <= 80), "{log}");
    assert!(
        log.contains("deny    rm -rf ~ ") && log.contains("local-data"),
        "{log}"
    );
    assert!(log.lines().next().unwrap().contains("(+0"), "{log}");
    assert!(
        home.says("log --verdict ask")
            .contains("no decision matches")
    );
    let csv = home.says("log --format csv");
    assert!(csv.starts_with("time,id,verdict,said,"), "{csv}");
    assert_eq!(csv.lines().count(), 3, "{csv}");
}
