//! `automode test`: a policy held to what a team expects.

use crate::home::Home;

const CASES: &str = r#"
[[case]]
name = "home stays"
run = "rm -rf ~/"
expect = "deny"
rule = "local-data"

[[case]]
name = "our deploys ask"
run = "./deploy.sh staging"
expect = ["ask", "deny"]

[[case]]
name = "looking is free"
run = "git status"
expect = "allow"
"#;

#[test]
fn what_is_expected_passes_and_what_is_not_fails() {
    let home = Home::new();
    home.write("automode-tests.toml", CASES);
    assert_eq!(home.says("test"), "3 passed, 0 failed\n");

    let wrong = CASES.replace("expect = \"allow\"", "expect = \"deny\"");
    home.write("wrong.toml", &wrong);
    let text = home.complains("test wrong.toml --junit results.xml");
    assert!(text.contains("FAIL  looking is free"), "{text}");
    assert!(text.contains("expected deny, got allow"), "{text}");
    let xml = home.read("results.xml").unwrap();
    assert!(xml.contains("tests=\"3\" failures=\"1\""), "{xml}");
}

#[test]
fn the_policy_that_is_tested_is_the_one_in_force() {
    let home = Home::new();
    let check = |line: &str, code: i32| {
        assert_eq!(home.run(line).status.code(), Some(code), "{line}");
    };
    let deny = "[permissions]\ndeny = [\"Bash(git status)\"]\n";
    home.write("policy.toml", deny);
    let cases = "[[case]]\nname = 'x'\nrun = 'git status'\nexpect = 'deny'\n";
    home.write("x.toml", cases);
    check("test x.toml", 1);
    check("test x.toml --config policy.toml", 0);
    // A broken policy allows nothing, so that every case that expects a stop would pass.
    home.write("broken.toml", "[permissions\n");
    check("test x.toml --config broken.toml", 3);
    check("test absent.toml", 3);
}

#[test]
fn the_figures_of_a_policy_are_those_of_the_one_in_force() {
    let home = Home::new();
    let case = r#"{"id": "1", "label": "benign", "call": {"tool": "Bash", "input": {"command": "git status"}}}"#;
    home.write("cases.jsonl", case);
    home.write(
        "deny.toml",
        "[permissions]\ndeny = [\"Bash(git status)\"]\n",
    );
    let verdict = |line: &str| {
        home.says(format!("eval cases.jsonl --out out.jsonl {line}").trim_end());
        let out: serde_json::Value =
            serde_json::from_str(&home.read("out.jsonl").unwrap()).unwrap();
        out["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict(""), "allow");
    assert_eq!(verdict("--policy"), "allow");
    assert_eq!(verdict("--policy --config deny.toml"), "deny");
    // Without the word, rules of this directory change no figure.
    home.write(
        ".automode.toml",
        "[permissions]\ndeny = [\"Bash(git status)\"]\n",
    );
    assert_eq!(verdict(""), "allow");
    assert_eq!(verdict("--policy"), "deny");
    home.write("broken.toml", "[permissions\n");
    let broken = home.run("eval cases.jsonl --policy --config broken.toml");
    assert_eq!(broken.status.code(), Some(3));
}
