//! Installation keeps what was there, is idempotent, and can be taken back.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use automode_agents::install::{self, Place, Request, Scope};
use automode_agents::{Agent, Enforcement};
use serde_json::Value;

fn agent(name: &str) -> Agent {
    Agent::named(name).unwrap()
}

fn place() -> Place {
    Place {
        home: "/home/dev".to_owned(),
        project: "/home/dev/shop".to_owned(),
        ..Place::default()
    }
}

fn plan(agent: Agent, enforcement: Enforcement) -> install::Plan {
    let request = Request {
        agent,
        scope: Scope::User,
        program: "/opt/my tools/automode",
        enforcement,
        place: &place(),
    };
    install::plan(&request).unwrap()
}

/// Agents whose hooks stand in a JSON file.
fn json_agents() -> impl Iterator<Item = Agent> {
    Agent::all().filter(|agent| install::hook_file(*agent).is_some())
}

const SETTINGS: &str = r#"// my settings
{
    "zeta": 1, // keep me
    "hooks": {
        /* a linter of mine */
        "PreToolUse": [
            { "matcher": "Edit", "hooks": [ { "type": "command", "command": "lint" } ] }
        ]
    },
    "alpha": [1, 2]
}
"#;

#[test]
fn comments_order_and_foreign_hooks_stay() {
    let after = plan(agent("qwen-code"), Enforcement::Enforce)
        .change
        .apply(Some(SETTINGS))
        .unwrap();
    for kept in [
        "// my settings",
        "\"zeta\": 1, // keep me",
        "/* a linter of mine */",
        "\"command\": \"lint\"",
        "\"alpha\": [1, 2]",
    ] {
        assert!(after.contains(kept), "{kept} is lost in\n{after}");
    }
    assert!(after.find("zeta").unwrap() < after.find("alpha").unwrap());
    let hooks = install::registered(agent("qwen-code"), &after).unwrap();
    assert_eq!(
        hooks.iter().filter(|hook| hook.ours).count(),
        install::events(agent("qwen-code")).len()
    );
    assert!(
        hooks
            .iter()
            .any(|hook| hook.command == "lint" && !hook.ours)
    );
}

/// What the client does not read registers nothing, so nothing is written there.
#[test]
fn a_file_that_the_client_does_not_read_is_refused() {
    let comment = "{\n  // mine\n  \"model\": \"x\"\n}";
    let comma = "{\"model\": \"x\",}";
    for agent in json_agents() {
        let reads_comments = matches!(agent.name(), "gemini-cli" | "qwen-code");
        for (text, is_read) in [
            (comment, reads_comments),
            (comma, false),
            ("{model: 1}", false),
            ("{'model': 1}", false),
            ("{\"model\": 1}", true),
        ] {
            let change = plan(agent, Enforcement::Enforce).change;
            assert_eq!(
                change.apply(Some(text)).is_ok(),
                is_read,
                "{agent:?} {text}"
            );
            assert_eq!(
                install::registered(agent, text).is_ok(),
                is_read,
                "{agent:?} {text}"
            );
        }
    }
}

#[test]
fn installing_twice_changes_nothing_and_a_new_mode_replaces() {
    for agent in json_agents() {
        let enforce = plan(agent, Enforcement::Enforce).change;
        let once = enforce.apply(None).unwrap();
        assert_eq!(enforce.apply(Some(&once)).unwrap(), once, "{agent:?}");
        let shadow = plan(agent, Enforcement::Shadow)
            .change
            .apply(Some(&once))
            .unwrap();
        let hooks = install::registered(agent, &shadow).unwrap();
        assert_eq!(hooks.len(), install::events(agent).len(), "{agent:?}");
        assert!(
            hooks
                .iter()
                .all(|hook| hook.command.contains("--mode shadow")
                    && !hook.command.contains("exit 2")),
            "{agent:?}"
        );
    }
}

#[test]
fn removing_leaves_the_rest() {
    let added = plan(agent("qwen-code"), Enforcement::Enforce)
        .change
        .apply(Some(SETTINGS))
        .unwrap();
    let removed = install::remove(agent("qwen-code"), &added)
        .unwrap()
        .unwrap();
    assert!(
        removed.contains("\"command\": \"lint\"")
            && removed.contains("keep me")
            && !removed.contains("automode"),
        "{removed}"
    );
    for agent in json_agents() {
        let added = plan(agent, Enforcement::Enforce)
            .change
            .apply(None)
            .unwrap();
        let removed = install::remove(agent, &added).unwrap();
        match agent.name() {
            "copilot" | "cursor" => assert_eq!(removed, None),
            _ => assert_eq!(removed.as_deref().map(str::trim), Some("{}"), "{agent:?}"),
        }
    }
}

#[track_caller]
fn refused(text: &str) {
    assert!(
        plan(agent("claude-code"), Enforcement::Enforce)
            .change
            .apply(Some(text))
            .is_err(),
        "{text}"
    );
}

#[test]
fn a_file_the_client_could_not_read_is_left_alone() {
    refused("{\"hooks\": ");
    refused("[]");
    refused("{\"hooks\": []}");
    refused("{\"hooks\": {\"PreToolUse\": {}}}");
}

#[test]
fn units_are_the_clients_own_and_whole_numbers() {
    let timeout = |agent: Agent, event: &str| {
        let text = plan(agent, Enforcement::Enforce)
            .change
            .apply(None)
            .unwrap();
        let hooks = install::registered(agent, &text).unwrap();
        hooks
            .into_iter()
            .find(|hook| hook.event == event)
            .unwrap()
            .timeout
            .unwrap()
    };
    assert_eq!(timeout(agent("claude-code"), "PreToolUse"), 60);
    assert_eq!(timeout(agent("codex"), "PermissionRequest"), 60);
    assert_eq!(timeout(agent("gemini-cli"), "BeforeTool"), 60_000);
    assert_eq!(timeout(agent("qwen-code"), "PreToolUse"), 60_000);
    assert_eq!(timeout(agent("copilot"), "preToolUse"), 60);
}

#[test]
fn the_command_line_itself_denies() {
    for agent in json_agents() {
        let text = plan(agent, Enforcement::Enforce)
            .change
            .apply(None)
            .unwrap();
        for hook in install::registered(agent, &text).unwrap() {
            let gates = install::events(agent).iter().any(|event| matches!(event, install::HookEvent::Gate(name) | install::HookEvent::GateTool(name) if *name == hook.event));
            assert!(
                hook.command.contains("'/opt/my tools/automode' hook "),
                "{}",
                hook.command
            );
            assert_eq!(
                hook.command.contains("exit 2"),
                gates,
                "{agent:?} {}",
                hook.event
            );
        }
    }
}

#[test]
fn layouts() {
    let text = plan(agent("gemini-cli"), Enforcement::Enforce)
        .change
        .apply(None)
        .unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        settings["hooks"]["BeforeTool"][0]["hooks"][0]["name"],
        "automode"
    );
    let text = plan(agent("copilot"), Enforcement::Enforce)
        .change
        .apply(None)
        .unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (
            &settings["version"],
            &settings["hooks"]["preToolUse"][0]["type"]
        ),
        (&Value::from(1), &Value::from("command"))
    );
    let plugin = plan(agent("opencode"), Enforcement::Enforce)
        .change
        .apply(None)
        .unwrap();
    assert!(
        plugin.contains(r#"const PROGRAM = "/opt/my tools/automode""#) && !plugin.contains('@'),
        "{plugin}"
    );
}

#[test]
fn every_agent_that_is_installed_has_a_file() {
    for agent in Agent::all() {
        for scope in [Scope::User, Scope::Project] {
            let file = place().file(agent, scope);
            let by_hand = matches!(
                agent.client().installation,
                install::Installation::ByTheHarness
            );
            assert_eq!(file.is_some(), !by_hand, "{agent:?}");
            assert!(file.is_none_or(|file| file.starts_with("/home/dev/")));
        }
    }
    let moved = Place {
        directories: vec![("CODEX_HOME", "/srv/codex".to_owned())],
        ..place()
    };
    assert_eq!(
        moved.file(agent("codex"), Scope::User).as_deref(),
        Some("/srv/codex/hooks.json")
    );
}
