//! Installing, looking after it, and taking it back.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::home::Home;

#[test]
fn an_installation_is_announced_made_and_taken_back() {
    let home = Home::new();
    let settings = home.path(".qwen/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let before = "{\n  // mine\n  \"model\": \"x\"\n}\n";
    fs::write(&settings, before).unwrap();
    assert!(
        home.says("install qwen-code --dry-run")
            .contains("PreToolUse")
    );
    assert_eq!(fs::read_to_string(&settings).unwrap(), before);
    home.says("install qwen-code --yes");
    let after = fs::read_to_string(&settings).unwrap();
    assert!(after.contains("// mine") && after.contains("hook qwen-code"));
    home.says("install qwen-code --yes");
    assert_eq!(fs::read_to_string(&settings).unwrap(), after);
    assert!(home.says("status").contains("enforce"));
    assert!(
        home.says("doctor qwen-code")
            .contains("stops a call that must not pass")
    );
    home.says("uninstall qwen-code --yes");
    let removed = fs::read_to_string(&settings).unwrap();
    assert!(
        removed.contains("// mine") && !removed.contains("automode"),
        "{removed}"
    );
    let kept = fs::read_dir(settings.parent().unwrap()).unwrap().flatten();
    assert!(
        kept.into_iter()
            .any(|entry| fs::read_to_string(entry.path()).unwrap() == before)
    );
}

#[test]
fn shadow_and_own_files() {
    let home = Home::new();
    home.says("install opencode copilot --mode shadow --yes");
    let status: Value = serde_json::from_str(&home.says("status --json")).unwrap();
    assert!(
        status
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["mode"] == "shadow"),
        "{status}"
    );
    home.says("uninstall opencode copilot --yes");
    assert!(!home.path(".config/opencode/plugin/automode.js").exists());
    assert_eq!(home.says("status --json").trim(), "[]");
}

#[test]
fn a_file_that_is_broken_is_left_alone() {
    let home = Home::new();
    let settings = home.path(".gemini/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(&settings, "{ \"hooks\": ").unwrap();
    assert!(!home.run("install gemini-cli --yes").status.success());
    assert_eq!(fs::read_to_string(&settings).unwrap(), "{ \"hooks\": ");
}

/// Every client that has a file, and an event of its own that decides.
const CLIENTS: [(&str, &str, &str); 6] = [
    ("claude-code", ".claude/settings.json", "PreToolUse"),
    ("codex", ".codex/hooks.json", "PreToolUse"),
    ("gemini-cli", ".gemini/settings.json", "BeforeTool"),
    ("qwen-code", ".qwen/settings.json", "PreToolUse"),
    ("copilot", ".copilot/hooks/automode.json", "preToolUse"),
    ("opencode", ".config/opencode/plugin/automode.js", ""),
];

#[test]
fn what_is_taken_back_is_as_it_was_to_the_byte() {
    let other =
        r#"{"matcher":"Bash","hooks":[{"type":"command","command":"echo hi","timeout":5}]}"#;
    for (agent, file, event) in CLIENTS {
        let texts = [
            None,
            Some(String::new()),
            Some("{}".to_owned()),
            matches!(agent, "gemini-cli" | "qwen-code").then(|| {
                "{\n  // mine\n  \"model\": \"x\", // why\n  \"b\": [1,2]\n}\n".to_owned()
            }),
            Some("{\r\n\t\"model\": \"x\"\r\n}".to_owned()),
            Some("{\"hooks\":{}}".to_owned()),
            Some(format!("{{\"a\":1,\"hooks\":{{\"{event}\":[{other}]}}}}")),
            Some(format!(
                "{{\n    \"hooks\": {{\n        \"{event}\": [\n            {other}\n        ]\n    }},\n    \"z\": 1\n}}\n"
            )),
        ];
        // The last two keep a file of their own.
        let texts = if matches!(agent, "copilot" | "opencode") {
            &texts[..1]
        } else {
            &texts[..]
        };
        for text in texts {
            let home = Home::new();
            if let Some(text) = text {
                home.write(file, text);
            }
            for mode in ["enforce", "shadow", "enforce"] {
                home.says(&format!("install {agent} --mode {mode} --yes"));
            }
            assert!(home.read(file).unwrap().contains("automode"));
            home.says(&format!("uninstall {agent} --yes"));
            assert_eq!(&home.read(file), text, "{agent}");
        }
    }
}

#[test]
fn a_file_that_was_changed_since_loses_the_hooks_alone() {
    let home = Home::new();
    home.write(".claude/settings.json", "{\"a\": 1}\n");
    home.says("install claude-code --yes");
    let installed = home.read(".claude/settings.json").unwrap();
    home.write(
        ".claude/settings.json",
        &installed.replace("\"a\": 1", "\"a\": 2"),
    );
    home.says("uninstall claude-code --yes");
    let left: Value = serde_json::from_str(&home.read(".claude/settings.json").unwrap()).unwrap();
    assert_eq!(left, serde_json::json!({"a": 2}));
}

#[test]
fn the_trust_of_codex_goes_with_the_hooks() {
    let home = Home::new();
    home.says("install codex --yes");
    let hooks = home.path(".codex/hooks.json");
    let mine = "model = \"m\" # mine\n\n[hooks.state.\"/elsewhere/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n";
    let ours = format!(
        "\n[hooks.state.\"{}:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:2\"\n",
        hooks.display()
    );
    home.write(".codex/config.toml", &format!("{mine}{ours}"));
    home.says("uninstall codex --yes");
    assert_eq!(home.read(".codex/config.toml").unwrap(), mine);
    assert!(!hooks.exists());
}

/// What is asked for and not there is wrong, whoever else is there; a program reads the same.
#[test]
fn doctor_misses_every_agent_that_is_asked_for() {
    let home = Home::new();
    home.says("install gemini-cli --yes");
    let said = home.complains("doctor gemini-cli codex");
    assert!(
        said.contains("codex\n  wrong not installed\n        hint: automode install codex"),
        "{said}"
    );
    let output = home.run("doctor --json codex gemini-cli");
    assert_eq!(output.status.code(), Some(1));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(told["wrong"].as_u64() > Some(0), "{told}");
    let sections = told["sections"].as_array().unwrap();
    let of = |name: &str| {
        let section = |one: &&serde_json::Value| one["about"].as_str().unwrap().starts_with(name);
        sections.iter().find(section).unwrap().to_string()
    };
    assert!(of("codex").contains("automode install codex"), "{told}");
    assert!(of("gemini-cli").contains(r#""state":"ok""#), "{told}");
    assert!(of("automode").contains(r#""state":"ok""#), "{told}");
}

#[test]
fn doctor_says_what_is_wrong_and_how_to_put_it_right() {
    let check =
        |agent: &str, file: &str, change: &dyn Fn(String) -> String, wrong: &str, hint: &str| {
            let home = Home::new();
            home.says(&format!("install {agent} --yes"));
            let text = home.read(file).unwrap();
            home.write(file, &change(text));
            let said = home.complains(&format!("doctor {agent}"));
            let at = said
                .find(wrong)
                .unwrap_or_else(|| panic!("{wrong}: {said}"));
            assert!(
                said[at..].contains("hint: ") && said[at..].contains(hint),
                "{said}"
            );
        };
    for (agent, file, event) in CLIENTS {
        let again = format!("automode install {agent}");
        if event.is_empty() {
            let stale = |text: String| text.replace("enforce", "advise");
            check(agent, file, &stale, "not as this version writes it", &again);
            continue;
        }
        let gone = |text: String| text.replace("/automode hook", "/nowhere/automode hook");
        check(agent, file, &gone, "cannot run", &again);
        let bare = |text: String| text.replace("exit 2", "exit 0");
        check(agent, file, &bare, "does not deny by itself", &again);
        let short = |text: String| text.replace("60000", "30000").replace(": 60", ": 30");
        check(
            agent,
            file,
            &short,
            "before the hook's own deadline",
            &again,
        );
        let silent = |text: String| text.replace(&format!("\"{event}\""), "\"Nothing\"");
        check(agent, file, &silent, &format!("no hook on {event}"), &again);
        check(
            agent,
            file,
            &|_| "{ \"hooks\": ".to_owned(),
            "does not read it",
            "repair the file",
        );
    }
    let off = |text: String| text.replacen('{', "{ \"disableAllHooks\": true,", 1);
    check(
        "claude-code",
        ".claude/settings.json",
        &off,
        "switches all hooks off",
        "take it out",
    );
    let home = Home::new();
    assert!(
        home.complains("doctor codex")
            .contains("automode install codex")
    );
    fs::create_dir_all(home.path("state")).unwrap();
    fs::set_permissions(home.path("state"), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(home.complains("doctor").contains("chmod go-w"));
}

/// Also where a client has words of its own for a denial.
#[test]
fn doctor_finds_every_installation_to_hold() {
    for agent in ["cursor", "crush", "goose"] {
        let home = Home::new();
        home.says(&format!("install {agent} --yes"));
        let said = home.says(&format!("doctor {agent}"));
        assert!(
            said.contains("stops a call that must not pass") && said.contains("not proven here"),
            "{said}"
        );
        home.says(&format!("uninstall {agent} --yes"));
        assert_eq!(home.says("status --json").trim(), "[]", "{agent}");
    }
}

#[test]
fn goose_is_told_to_block_where_the_hook_says_nothing() {
    let home = Home::new();
    home.says("install goose --yes");
    let folder = ".agents/plugins/automode";
    let hooks: Value =
        serde_json::from_str(&home.read(&format!("{folder}/hooks/hooks.json")).unwrap()).unwrap();
    let gate = &hooks["hooks"]["PreToolUse"][0];
    assert_eq!(gate["hooks"][0]["on_failure"], "block");
    assert_eq!(gate.get("matcher"), None, "a rule without one is for all");
    let prompt = &hooks["hooks"]["UserPromptSubmit"][0]["hooks"][0];
    assert_eq!(prompt.get("on_failure"), None, "it only records");
    let manifest: Value =
        serde_json::from_str(&home.read(&format!("{folder}/plugin.json")).unwrap()).unwrap();
    assert_eq!(manifest["name"], "automode");
    home.says("uninstall goose --yes");
    for file in ["plugin.json", "hooks/hooks.json"] {
        assert!(!home.path(&format!("{folder}/{file}")).exists(), "{file}");
    }
    let refused = home.complains("install kiro --yes");
    assert!(refused.contains("docs/agents/kiro.md"), "{refused}");
}

/// What a client lets through by itself is told where people look.
#[test]
fn doctor_names_what_a_client_lets_through() {
    let home = Home::new();
    home.says("install cline --yes");
    let output = home.run("doctor cline");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        told.contains("this client lets through: a plugin file that does not load, or takes longer than four seconds")
            && told.contains("CLINE_PLUGIN_IMPORT_TIMEOUT_MS=60000"),
        "{told}"
    );
    let page = include_str!("../../../../docs/agents/cline.md");
    assert!(page.contains("CLINE_PLUGIN_IMPORT_TIMEOUT_MS=60000"));
}

/// While the settings cannot be read nothing is allowed: whoever looks for the cause finds it.
#[test]
fn doctor_names_settings_that_cannot_be_read() {
    let home = Home::new();
    home.write(
        ".config/automode/config.toml",
        "[judge]\nmodel = \"small\"\n",
    );
    let said = home.complains("doctor");
    assert!(
        said.contains("config.toml:2: unknown key `judge.model`"),
        "{said}"
    );
    assert!(said.contains("[[judge.chain]]"), "{said}");
}
