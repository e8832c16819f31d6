//! Managed hooks in real clients: what device management ships holds with nothing of the user's.

use std::path::Path;
use std::process::Command;

use super::bench::{Asks, directory, installed, machine, run};

/// Lays the shipped files over those of the machine, for one program alone.
const OVER: &str = "mount -t overlay overlay -o lowerdir=\"$0\":/etc /etc && exec \"$@\"";

/// Those that can be run here; Cursor cannot.
const MANAGED: &[&str] = &["claude-code", "codex", "copilot", "gemini-cli"];

#[test]
fn managed_hooks_hold_in_real_clients() {
    let Some(directory) = directory() else {
        return;
    };
    let tried = Command::new("unshare")
        .args(["-rm", "sh", "-c", OVER, "/tmp", "true"])
        .output();
    if !tried.is_ok_and(|tried| tried.status.success()) {
        println!("skipped: no files can be laid over those of this machine");
        return;
    }
    for name in MANAGED {
        let Some((client, prefix)) = installed(&directory, name) else {
            continue;
        };
        for shipped in [true, false] {
            let bench = machine(client, &prefix, "rm -r ./precious", Asks::Nobody);
            let root = bench.root.path().join("shipped");
            let automode = env!("CARGO_BIN_EXE_automode");
            run(bench
                .command(Path::new(automode))
                .args(["install", "--managed", name, "--program", automode])
                .arg("--root")
                .arg(&root));
            let etc = if shipped { root.join("etc") } else { root };
            let ran = run(bench
                .command(Path::new("unshare"))
                .args(["-rm", "sh", "-c", OVER])
                .arg(etc)
                .arg(prefix.join("node_modules/.bin").join(client.program))
                .args(client.arguments)
                .envs((client.environment)(&bench.model.url())));
            let kept = bench.project().join("precious/keep.txt").exists();
            // Without the files the call runs, or the others would show nothing.
            assert_eq!(kept, shipped, "{name}: {ran}");
            assert_eq!(bench.model.heard().contains("automode"), shipped, "{name}");
            println!("managed {name}, shipped {shipped}: as expected");
        }
    }
}
