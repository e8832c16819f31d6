//! What a stranger is told.

use crate::home::Home;

#[test]
fn every_command_has_help_with_examples() {
    let home = Home::new();
    let all = home.says("--help");
    let listed = all.split("Commands:").nth(1).unwrap_or_default();
    let listed = listed.split("Options:").next().unwrap_or_default();
    // A name stands two columns in; what is told of it goes on further in.
    let names = listed
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
        .filter_map(|line| line.split(' ').next());
    // The server answers for these itself, where it is installed.
    let own = ["serve", "dashboard", "fleet", "approve", "help"];
    let names: Vec<&str> = names.filter(|name| !own.contains(name)).collect();
    assert!(names.len() > 25 && names.contains(&"gateway"), "{names:?}");
    for command in names {
        let help = home.says(&format!("{command} --help"));
        assert!(
            help.contains("Usage: automode") && help.contains("Examples:"),
            "{help}"
        );
    }
}

#[test]
fn what_makes_no_sense_is_an_error_that_helps() {
    let home = Home::new();
    let check = |line: &str, expected: &str| {
        let said = home.complains(line);
        assert!(said.contains(expected), "{line}: {said}");
    };
    check("why k3f9", "hint: automode log");
    check("log --since soon", "90s, 15m, 2h, 7d");
    check("log --verdict maybe", "allow, ask, deny");
    check("install vim", "claude-code");
    check("install generic", "call `automode hook generic`");
    check("allow last", "for a person at a terminal");
    check("allow-once last", "for a person at a terminal");
    check("replay /nowhere", "hint: name a file or a directory");
    check("hook", "one of claude-code");
    check("hook vim", "one of claude-code");
    check("hook codex --loud yes", "not an option");
    assert!(home.says("stats").contains("no decisions"));
    assert!(home.says("status").contains("automode install"));
    assert!(home.says("log").contains("no decision yet"));
}

/// Inside an agent, also at its own `!` prompt, the way out is another terminal.
#[test]
fn a_permit_is_given_outside_of_the_agent() {
    let home = Home::new();
    for command in ["allow-once", "allow"] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_automode"))
            .args([command, "last"])
            .env_clear()
            .env("HOME", home.root.path())
            .env("CLAUDECODE", "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("open another terminal"), "{said}");
    }
}
