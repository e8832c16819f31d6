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
