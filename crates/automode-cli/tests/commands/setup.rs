//! From nothing to a hook that is proved, and back.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::home::Home;

/// A client that is found by its name.
fn with_client(home: &Home) {
    home.write("bin/claude", "#!/bin/sh\necho 2.1.325\n");
    let path = home.path("bin/claude");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn set_up_finds_replays_installs_and_proves_and_is_taken_back() {
    let home = Home::new();
    with_client(&home);
    let before = "{\n  \"model\": \"x\"\n}\n";
    home.write(".claude/settings.json", before);
    home.write(
        ".claude/projects/-shop/s.jsonl",
        "{\"type\":\"assistant\",\"sessionId\":\"s\",\"cwd\":\"/\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Bash\",\"input\":{\"command\":\"git status\"}}]}}\n",
    );
    let told = home.says("setup --yes");
    for part in [
        "claude-code",
        "not registered yet",
        "1 sessions, 1 tool calls",
        "none: what cannot be proved asks you",
        "stops a call that must not pass",
        "automode uninstall --all",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    home.says("uninstall --all --yes");
    assert_eq!(home.read(".claude/settings.json").as_deref(), Some(before));
    assert_eq!(home.read(".config/automode/config.toml"), None);
}

#[test]
fn every_step_can_be_left_out() {
    let home = Home::new();
    with_client(&home);
    let told = home.says("setup --yes --skip replay --skip judge --skip install");
    assert!(
        told.contains("claude-code") && !told.contains("hooks"),
        "{told}"
    );
    assert_eq!(home.read(".claude/settings.json"), None);
    // Nobody who could agree is there.
    home.says("setup --skip judge");
    assert_eq!(home.read(".claude/settings.json"), None);
}

#[test]
fn a_judge_that_is_not_there_is_said() {
    let home = Home::new();
    with_client(&home);
    let told = home.complains("setup --yes --skip replay --judge anthropic");
    assert!(told.contains("`ANTHROPIC_API_KEY` is not set"), "{told}");
    assert_eq!(home.read(".config/automode/config.toml"), None);
    let none = Home::new();
    let told = none.complains("setup --yes");
    assert!(told.contains("no coding agent was found"), "{told}");
}

/// `beside = "veto-only"` is asked for at the installation and taken back with it.
#[test]
fn beside_a_clients_own_check() {
    let home = Home::new();
    home.says("install claude-code --yes --beside veto-only");
    let config = home.read(".config/automode/config.toml").unwrap();
    assert!(config.contains("beside = \"veto-only\""), "{config}");
    assert_eq!(
        home.says("config lint").trim(),
        "nothing to say",
        "{config}"
    );
    home.says("uninstall --all --yes");
    assert_eq!(home.read(".config/automode/config.toml"), None);
}
