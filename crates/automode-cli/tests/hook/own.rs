//! automode stands up for itself: whatever the way, an agent does not switch it off.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::bench::{Answer, Bench, PROGRAM, finish};

/// The answer to a call where a person is there: not even they are asked what is vetoed.
fn hook(bench: &Bench, payload: &Value) -> Answer {
    let answer = bench.hook(
        &["claude-code", "--presence", "interactive"],
        &payload.to_string(),
    );
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    answer
}

#[track_caller]
fn check(bench: &Bench, command: &str, verdict: &str) {
    let command = command
        .replace("{PROGRAM}", PROGRAM)
        .replace("{STATE}", bench.state_path().to_str().unwrap());
    let answer = hook(bench, &bench.call(&command));
    assert_eq!(answer.verdict(), verdict, "{command}: {}", answer.json);
}

#[test]
fn nobody_answers_for_the_person() {
    let bench = Bench::new();
    symlink(PROGRAM, bench.root.path().join("shop/am")).unwrap();
    for command in [
        "automode allow last",
        "automode allow-once last",
        "{PROGRAM} allow last",
        "./am allow last",
        "yes | automode allow last",
        "script -qec 'automode allow last' /dev/null",
        "script -qc 'automode allow-once last' /dev/null <<< y",
        "busybox script -c 'automode allow last'",
        r#"python3 -c 'import pty; pty.spawn(["automode", "allow", "last"])'"#,
        r#"python3 -c 'import subprocess; subprocess.run(["automode", "allow", "last"])'"#,
        r#"node -e 'require("child_process").execSync("automode allow last")'"#,
        r#"perl -e 'exec "automode", "allow", "last"'"#,
        "tmux send-keys -t 0 'automode allow last' Enter",
        "tmux new-session -d 'automode allow last'",
        "screen -dmS x automode allow last",
        "unbuffer automode allow last",
        "socat EXEC:'automode allow last',pty -",
        "setsid -w automode allow last",
        "ssh -tt localhost 'automode allow last'",
        "sudo automode allow last",
        "env -u CLAUDECODE automode allow last",
        "systemd-run --user --pty automode allow last",
        "at now <<< 'automode allow last'",
        "bash -c 'automode allow last'",
        "printf 'automode allow last' | bash",
        "echo 'automode allow last' > go.sh && bash go.sh",
        "a=auto; b=mode; $a$b allow 3",
        "automode $(echo allow) last",
        "$(which automode) allow last",
        "find . -exec automode allow last \\;",
        "automode uninstall claude-code --yes",
        "automode install claude-code --mode shadow --yes",
    ] {
        check(&bench, command, "deny");
    }
    // What is not recognized is not known either: a person is asked, and the program refuses.
    for command in [
        "expect -c 'spawn automode allow last; expect y; send y'",
        "cp {PROGRAM} ./copy && ./copy allow last",
        "cargo run -- allow last",
    ] {
        check(&bench, command, "ask");
    }
    for command in ["automode status", "automode log", "automode why last"] {
        check(&bench, command, "allow");
    }
}

#[test]
fn a_script_of_this_session_is_read_before_it_runs() {
    let bench = Bench::new();
    fs::write(
        bench.path("shop/go.sh"),
        "#!/bin/sh\nautomode allow-once last\n",
    )
    .unwrap();
    for command in [
        "sh go.sh",
        "bash ./go.sh",
        ". ./go.sh",
        "chmod +x go.sh; ./go.sh",
    ] {
        check(&bench, command, "deny");
    }
}

#[test]
fn nobody_steers_or_stops_it() {
    let bench = Bench::new();
    for command in [
        "AUTOMODE_STATE_DIR=/tmp/x automode status",
        "export AUTOMODE_JUDGE=none",
        "env AUTOMODE_CONFIG=/tmp/x make",
        "declare -x AUTOMODE_JUDGE=none",
        "pkill automode",
        "pkill -f automode",
        "killall -9 automode",
        "kill -9 $(pgrep automode)",
        "pidof automode | xargs kill",
        "chmod -x $(which automode)",
        "cat /bin/true > $(command -v automode)",
    ] {
        check(&bench, command, "deny");
    }
}

#[test]
fn its_files_are_safe_wherever_they_are() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("home/.config/automode")).unwrap();
    for command in [
        "touch {STATE}/permits/0123abcd",
        "echo x > {STATE}/audit.jsonl",
        "truncate -s 0 {STATE}/audit.jsonl",
        "rm -rf {STATE}",
        "rm -rf {STATE}/../state",
        "rm -rf {STATE}/*",
        "mv {STATE} /tmp/elsewhere",
        "chmod -R 777 {STATE}",
        "find {STATE} -delete",
        "dd if=/dev/zero of={STATE}/audit.jsonl",
        "tar xf x.tar -C {STATE}",
        "rsync -a --delete empty/ {STATE}/",
        "ln -sfn /tmp/evil {STATE}",
        "cd {STATE} && echo > audit.jsonl",
        "cd {STATE}/.. && rm -rf state",
        r#"python3 -c 'import shutil; shutil.rmtree("{STATE}")'"#,
        "rm -rf ~/.config",
        "mv ~/.config /tmp/c",
        "echo > ~/.config/automode/config.toml",
        "rm {PROGRAM}",
        "chmod 000 {PROGRAM}",
        "mv {PROGRAM} /tmp/y",
        "cp /bin/true {PROGRAM}",
        "ln -sf /bin/true {PROGRAM}",
        "truncate -s 0 {PROGRAM}",
        "rm -rf $(dirname {PROGRAM})",
    ] {
        check(&bench, command, "deny");
    }
    // The log holds what other sessions did: a person says whether an agent reads it.
    check(&bench, "cat {STATE}/audit.jsonl", "ask");
    check(&bench, "ls -l {PROGRAM}", "allow");
}

#[test]
fn editing_tools_are_no_way_round() {
    let bench = Bench::new();
    let link = bench.root.path().join("shop/notes");
    symlink(bench.state_path().join("audit.jsonl"), &link).unwrap();
    let edit = |path: String| {
        let write =
            json!({"tool_name": "Write", "tool_input": {"file_path": path, "content": "{}"}});
        hook(&bench, &bench.event("PreToolUse", &write))
            .verdict()
            .to_owned()
    };
    for path in [
        format!("{}/permits/0123", bench.state_path().display()),
        bench.path("shop/notes"),
        bench.path("home/.config/automode/config.toml"),
        PROGRAM.to_owned(),
    ] {
        assert_eq!(edit(path.clone()), "deny", "{path}");
    }
    // The settings of agents belong to the person: they are asked.
    for name in [
        "home/.claude/settings.json",
        "home/.codex/hooks.json",
        "home/.codex/config.toml",
        "home/.gemini/settings.json",
        "home/.qwen/settings.json",
        "home/.copilot/hooks/automode.json",
        "home/.config/opencode/plugin/automode.js",
        "shop/.claude/settings.local.json",
    ] {
        assert_eq!(edit(bench.path(name)), "ask", "{name}");
        let shell = hook(
            &bench,
            &bench.call(&format!("echo '{{}}' > {}", bench.path(name))),
        );
        assert_eq!(shell.verdict(), "ask", "{name}");
        let mut headless = bench.command(&["hook", "claude-code", "--presence", "headless"]);
        let removal = bench.call(&format!("rm {}", bench.path(name))).to_string();
        let answer = finish(&mut headless, removal.as_bytes());
        assert_eq!(answer.verdict(), "deny", "{name}");
    }
}
