//! Plugins and extensions that speak for a client: whatever their program does, they deny.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::bench::Bench;

/// Loads a module and prints what becomes of one call: `ran`, or `stopped`.
const HARNESS: &str = r#"
const [kind, path] = process.argv.slice(2)
const module = await import(path)
const call = { toolCallId: "c", toolName: "bash" }
const stopped = {
  opencode: async () => {
    const hooks = await module.Automode({ client: { session: { get: async () => ({ data: {} }) }, tui: { showToast: async () => {} } }, directory: process.cwd() })
    try {
      await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args: { command: "ls" } })
      return false
    } catch {
      return true
    }
  },
  cline: async () => (await module.default.hooks.beforeTool({ toolCall: call, input: { commands: ["ls"] }, snapshot: {} }))?.skip === true,
  pi: async () => {
    const handlers = {}
    module.default({ on: (name, handler) => (handlers[name] = handler) })
    return (await handlers.tool_call({ ...call, input: { command: "ls" } }, { cwd: process.cwd(), hasUI: false }))?.block === true
  },
}
console.log((await stopped[kind]()) ? "stopped" : "ran")
process.exit(0)
"#;

/// Programs in automode's place, and whether the call may run.
const PROGRAMS: &[(&str, &str, &str)] = &[
    (
        "allow",
        "cat >/dev/null; echo '{\"hookSpecificOutput\": {\"permissionDecision\": \"allow\"}}'",
        "ran",
    ),
    ("crash", "exit 1", "stopped"),
    ("killed", "kill -9 $$", "stopped"),
    ("garbage", "cat >/dev/null; echo no answer", "stopped"),
    (
        "cut",
        "cat >/dev/null; printf '{\"hookSpecificOutput\": {\"permissionDecision\": \"all'",
        "stopped",
    ),
    (
        "other",
        "cat >/dev/null; echo '{\"hookSpecificOutput\": {\"permissionDecision\": \"sure\"}}'",
        "stopped",
    ),
    ("silent", "cat >/dev/null", "stopped"),
    ("hang", "exec sleep 60", "stopped"),
];

#[test]
fn whatever_the_program_does_a_module_stops_the_call() {
    let node = Command::new("node")
        .args(["-p", "process.versions.node"])
        .output();
    let Ok(node) = node else {
        println!("skipped: there is no node to load the modules with");
        return;
    };
    let version = String::from_utf8_lossy(&node.stdout).trim().to_owned();
    let mut parts = version
        .split('.')
        .map_while(|part| part.parse::<u32>().ok());
    let reads_types = (parts.next(), parts.next()) >= (Some(22), Some(6));
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/../automode-agents/src");
    for (kind, source) in [
        ("opencode", "opencode/plugin.js"),
        ("cline", "cline/plugin.js"),
        ("pi", "pi/extension.ts"),
    ] {
        if source.ends_with(".ts") && !reads_types {
            println!("skipped: node {version} does not load {source}");
            continue;
        }
        let text = fs::read_to_string(format!("{sources}/{source}")).unwrap();
        let missing = [("missing", "", "stopped")];
        for (fault, script, fate) in PROGRAMS.iter().chain(&missing) {
            let bench = Bench::new();
            let program = bench.path("program");
            if *fault != "missing" {
                bench.script("program", &format!("#!/bin/sh\n{script}\n"));
                fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
            }
            let ending = source
                .rsplit('.')
                .next()
                .unwrap()
                .replace("js", "mjs")
                .replace("ts", "mts");
            let run = fs::read_to_string(format!("{sources}/install/plugin_run.js")).unwrap();
            let module = text
                .replace("@RUN@", &run)
                .replace("@PROGRAM@", &program)
                .replace("@DEADLINE@", "2")
                .replace("@TIMEOUT@", "3")
                .replace("@MODE@", "enforce");
            let module = bench.script(&format!("module.{ending}"), &module);
            let harness = bench.script("harness.mjs", HARNESS);
            let mut command = Command::new("node");
            if reads_types {
                command.arg("--experimental-strip-types");
            }
            let said = command.args([&harness, kind, &module]).output().unwrap();
            let out = String::from_utf8_lossy(&said.stdout);
            assert_eq!(
                out.trim(),
                *fate,
                "{kind} {fault}: {}",
                String::from_utf8_lossy(&said.stderr)
            );
        }
    }
}
