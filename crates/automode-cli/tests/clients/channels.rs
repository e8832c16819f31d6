//! The doors between real programs: an editor's agent, a server, a client and its service.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::bench::{Bench, PATIENCE, bare, directory, install, run};
use super::{CLIENTS, Client};

const AUTOMODE: &str = env!("CARGO_BIN_EXE_automode");

/// An agent that speaks ACP, and the client whose settings it has.
struct AcpAgent {
    name: &'static str,
    client: &'static str,
    /// Where it is a package of its own.
    package: Option<(&'static str, &'static str)>,
    program: &'static str,
    arguments: &'static [&'static str],
}

const AGENTS: &[AcpAgent] = &[
    AcpAgent {
        name: "claude-agent-acp",
        client: "claude-code",
        package: Some(("@agentclientprotocol/claude-agent-acp", "0.99.1")),
        program: "claude-agent-acp",
        arguments: &[],
    },
    AcpAgent {
        name: "codex-acp",
        client: "codex",
        package: Some(("@agentclientprotocol/codex-acp", "2.6.0")),
        program: "codex-acp",
        arguments: &[],
    },
    AcpAgent {
        name: "gemini-cli",
        client: "gemini-cli",
        package: None,
        program: "gemini",
        arguments: &["--acp", "-m", "gemini-2.5-flash"],
    },
    AcpAgent {
        name: "copilot",
        client: "copilot",
        package: None,
        program: "copilot",
        arguments: &["--acp"],
    },
    AcpAgent {
        name: "opencode",
        client: "opencode",
        package: None,
        program: "opencode",
        arguments: &["acp"],
    },
    AcpAgent {
        name: "qwen-code",
        client: "qwen-code",
        package: None,
        program: "qwen",
        arguments: &["--acp"],
    },
];

/// What the door does about a call, as an editor that would do the opposite sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Deny,
    Allow,
    Ask,
}

impl Case {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Deny, "rm -r ./precious"),
        (Self::Allow, "touch marker && echo made"),
        (Self::Ask, "git push origin main; touch marker"),
    ];

    /// The kind of option that the editor would choose.
    const fn editor_says(self) -> &'static str {
        match self {
            Self::Deny | Self::Ask => "allow_once",
            Self::Allow => "reject_once",
        }
    }
}

fn client(name: &str) -> &'static Client {
    CLIENTS.iter().find(|client| client.name == name).unwrap()
}

#[test]
fn real_agents_behind_the_acp_door() {
    let Some(directory) = directory() else {
        return;
    };
    let mut failures = Vec::new();
    for agent in AGENTS {
        let client = client(agent.client);
        let (package, version) = agent.package.unwrap_or((client.package, client.version));
        let prefix = match install(&directory.join(agent.name), package, version) {
            Ok(prefix) => prefix,
            Err(why) => {
                println!("skipped {}: {why}", agent.name);
                continue;
            }
        };
        for (case, command) in Case::ALL {
            let wrong = edit(agent, client, &prefix, case, command);
            println!(
                "acp {} {case:?}: {}",
                agent.name,
                wrong.as_deref().unwrap_or("as expected")
            );
            failures.extend(wrong.map(|wrong| format!("{} {case:?}: {wrong}", agent.name)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Lets an agent do one thing in an editor; says what was wrong.
fn edit(
    agent: &AcpAgent,
    client: &Client,
    prefix: &Path,
    case: Case,
    command: &str,
) -> Option<String> {
    let bench = bare(client, prefix, command);
    let program = prefix.join("node_modules/.bin").join(agent.program);
    let mut door = bench.command(Path::new(AUTOMODE));
    door.args(["acp", "--"])
        .arg(program)
        .args(agent.arguments)
        .envs((client.environment)(&bench.model.url()))
        .env("OPENAI_API_KEY", "fake")
        .stdin(Stdio::piped())
        .stderr(Stdio::null());
    let mut editor = Talk::start(door);
    let about = json!({"protocolVersion": 1, "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false}, "clientInfo": {"name": "editor", "version": "1"}});
    editor.ask("initialize", &about, case)?;
    let opened = editor.ask(
        "session/new",
        &json!({"cwd": bench.project(), "mcpServers": []}),
        case,
    );
    let Some(session) = opened
        .as_ref()
        .and_then(|opened| opened["sessionId"].as_str())
    else {
        return Some(format!("no session: {opened:?}"));
    };
    let prompt =
        json!({"sessionId": session, "prompt": [{"type": "text", "text": "please do the task"}]});
    editor.ask("session/prompt", &prompt, case);
    let made = bench.project().join("marker").exists();
    let kept = bench.project().join("precious/keep.txt").exists();
    let right = match case {
        Case::Deny => kept && editor.asked == 0 && editor.said.contains("local-data"),
        Case::Allow => kept && made && editor.asked == 0,
        Case::Ask => {
            kept && made && editor.asked == 1 && editor.said.contains("default-branch-push")
        }
    };
    (!right).then(|| {
        format!(
            "asked {}, made {made}, kept {kept}, said {}",
            editor.asked, editor.said
        )
    })
}

/// A talk in JSON-RPC with a program, a message a line.
struct Talk {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    next: u32,
    asked: u32,
    /// What was said to the person.
    said: String,
}

impl Talk {
    fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let (send, from) = channel();
        let lines = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                if let Ok(message) = serde_json::from_str(&line)
                    && send.send(message).is_err()
                {
                    return;
                }
            }
        });
        Self {
            to: child.stdin.take().unwrap(),
            child,
            from,
            next: 0,
            asked: 0,
            said: String::new(),
        }
    }

    fn say(&mut self, message: &Value) {
        // A program that has ended hears nothing.
        let _ = writeln!(self.to, "{message}");
    }

    /// Asks and waits for the result, answering what is asked meanwhile. Nothing where there is none.
    fn ask(&mut self, method: &str, params: &Value, case: Case) -> Option<Value> {
        self.next += 1;
        let id = format!("editor-{}", self.next);
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            let message = self.from.recv_timeout(Duration::from_secs(60)).ok()?;
            match (message["method"].as_str(), message.get("id")) {
                (Some("session/request_permission"), Some(asked)) => {
                    self.asked += 1;
                    let options = message["params"]["options"].as_array().unwrap();
                    let fits = |option: &&Value| option["kind"] == case.editor_says();
                    let option = options.iter().find(fits).map(|option| &option["optionId"]);
                    let outcome = option.map_or_else(
                        || json!({"outcome": "cancelled"}),
                        |option| json!({"outcome": "selected", "optionId": option}),
                    );
                    let answer =
                        json!({"jsonrpc": "2.0", "id": asked, "result": {"outcome": outcome}});
                    self.say(&answer);
                }
                (Some("session/update"), _) => self.said.push_str(&message["params"].to_string()),
                (Some(_), Some(asked)) => {
                    let answer = json!({"jsonrpc": "2.0", "id": asked, "error": {"code": -32601, "message": "no such method"}});
                    self.say(&answer);
                }
                (None, Some(own)) if *own == id => return message.get("result").cloned(),
                (Some(_) | None, _) => {}
            }
        }
        None
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // It is ours to end; it may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A door that listens, ended with the test, and its address.
struct Listening {
    child: Child,
    url: String,
}

impl Listening {
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let url = line.trim().trim_start_matches("listening on ").to_owned();
        Self { child, url }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Claude Code with other arguments; whether it did as it should.
fn claude(bench: &Bench, url: &str, arguments: &[&str]) -> String {
    let client = client("claude-code");
    let program = bench.prefix.join("node_modules/.bin").join(client.program);
    let mut command = bench.command(&program);
    command
        .args([
            "-p",
            "please do the task",
            "--output-format",
            "stream-json",
            "--verbose",
        ])
        .args(arguments)
        .envs((client.environment)(url));
    run(&mut command)
}

fn claude_prefix() -> Option<PathBuf> {
    let client = client("claude-code");
    match install(
        &directory()?.join(client.name),
        client.package,
        client.version,
    ) {
        Ok(prefix) => Some(prefix),
        Err(why) => {
            println!("skipped {}: {why}", client.name);
            None
        }
    }
}

#[test]
fn claude_code_behind_the_gateway() {
    let Some(prefix) = claude_prefix() else {
        return;
    };
    for (command, runs) in [
        ("rm -r ../outside", false),
        ("touch marker && echo made", true),
    ] {
        let bench = bare(client("claude-code"), &prefix, command);
        let outside = bench.project().join("../outside");
        fs::create_dir(&outside).unwrap();
        let mut gateway = bench.command(Path::new(AUTOMODE));
        gateway.args([
            "gateway",
            "--listen",
            "127.0.0.1:0",
            "--upstream",
            &bench.model.url(),
        ]);
        let gateway = Listening::start(&mut gateway);
        let ran = claude(&bench, &gateway.url, &["--permission-mode", "auto"]);
        let made = bench.project().join("marker").exists();
        assert!(outside.exists() && made == runs, "{command}: {ran}");
        assert!(
            runs || bench.model.heard().contains("automode: "),
            "{command}: {ran}"
        );
        println!("gateway {command}: as expected");
    }
}

#[test]
fn claude_code_asks_the_tool_that_approves() {
    let Some(prefix) = claude_prefix() else {
        return;
    };
    for (command, runs) in [
        ("rm -rf ./precious", false),
        ("touch marker && echo made", true),
    ] {
        let bench = bare(client("claude-code"), &prefix, command);
        let server =
            json!({"mcpServers": {"gate": {"command": AUTOMODE, "args": ["mcp", "approve"]}}});
        bench.write("gate.json", &server.to_string());
        let file = bench.home().join("gate.json").display().to_string();
        let tool = "mcp__gate__approve";
        let arguments = [
            "--mcp-config",
            &file,
            "--strict-mcp-config",
            "--permission-prompt-tool",
            tool,
        ];
        let ran = claude(&bench, &bench.model.url(), &arguments);
        let kept = bench.project().join("precious/keep.txt").exists();
        let made = bench.project().join("marker").exists();
        assert!(kept && made == runs, "{command}: {ran}");
        assert!(
            runs || bench.model.heard().contains("automode: "),
            "{command}: {ran}"
        );
        println!("permission prompt tool {command}: as expected");
    }
}

/// What may stand in automode's place, and never says yes.
const BROKEN: &[(&str, &str)] = &[
    ("crash", "exit 1"),
    ("killed", "kill -9 $$"),
    ("garbage", "while read -r line; do echo no answer; done"),
    ("hang", "exec sleep 600"),
];

#[test]
fn claude_code_refuses_where_the_tool_that_approves_is_broken() {
    let Some(prefix) = claude_prefix() else {
        return;
    };
    let shells = BROKEN
        .iter()
        .map(|(fault, script)| (*fault, "/bin/sh", vec!["-c", *script]));
    let missing = [("missing", "/no/such/automode", vec!["mcp", "approve"])];
    for (fault, program, arguments) in shells.chain(missing) {
        let bench = bare(client("claude-code"), &prefix, "rm -rf ./precious");
        let server = json!({"mcpServers": {"gate": {"command": program, "args": arguments}}});
        bench.write("gate.json", &server.to_string());
        let file = bench.home().join("gate.json").display().to_string();
        let words = [
            "--mcp-config",
            &file,
            "--strict-mcp-config",
            "--permission-prompt-tool",
            "mcp__gate__approve",
        ];
        let ran = claude(&bench, &bench.model.url(), &words);
        let kept = bench.project().join("precious/keep.txt").exists();
        assert!(kept, "{fault}: {ran}");
        println!("permission prompt tool, {fault}: as expected");
    }
}

/// The servers of the protocol's authors behind the door, with no rule of anybody.
#[test]
fn the_official_mcp_servers_without_a_rule() {
    let Some(directory) = directory() else {
        return;
    };
    let installed = |name: &str| {
        let package = format!("@modelcontextprotocol/server-{name}");
        let prefix = install(
            &directory.join(format!("mcp-{name}")),
            &package,
            "2026.8.31",
        );
        prefix.map(|prefix| prefix.join(format!("node_modules/.bin/mcp-server-{name}")))
    };
    let (files, everything) = match (installed("filesystem"), installed("everything")) {
        (Ok(files), Ok(everything)) => (files, everything),
        (Err(why), _) | (_, Err(why)) => {
            println!("skipped the MCP door: {why}");
            return;
        }
    };
    let bench = bare(client("claude-code"), &directory, "ls");
    let (project, home) = (bench.project(), bench.home());
    let inside = |name: &str| project.join(name).display().to_string();
    let outside = |name: &str| home.join(name).display().to_string();
    let roots = [project.display().to_string(), home.display().to_string()];
    let open = |program: &Path, arguments: &[String]| {
        let mut door = bench.command(Path::new(AUTOMODE));
        door.args(["mcp", "--"])
            .arg(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut talk = Talk::start(door);
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
        talk.ask("initialize", &hello, Case::Allow).unwrap();
        talk.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        talk
    };
    let mut talk = open(&files, &roots);
    let check = |talk: &mut Talk, tool: &str, arguments: Value, runs: bool| {
        let call = json!({"name": tool, "arguments": arguments});
        let answer = talk.ask("tools/call", &call, Case::Allow).unwrap();
        let refused = answer["isError"] == true;
        assert_eq!(!refused, runs, "{call}: {answer}");
        assert!(
            runs || answer.to_string().contains("automode: "),
            "{answer}"
        );
    };
    for (tool, arguments, runs) in [
        (
            "write_file",
            json!({"path": inside("new.txt"), "content": "hello\n"}),
            true,
        ),
        ("read_text_file", json!({"path": inside("new.txt")}), true),
        (
            "edit_file",
            json!({"path": inside("new.txt"), "edits": [{"oldText": "hello", "newText": "hi"}]}),
            true,
        ),
        (
            "create_directory",
            json!({"path": inside("sub/deep")}),
            true,
        ),
        ("list_directory", json!({"path": inside("")}), true),
        ("directory_tree", json!({"path": inside("sub")}), true),
        (
            "write_file",
            json!({"path": outside(".bashrc"), "content": "EVIL\n"}),
            false,
        ),
        (
            "edit_file",
            json!({"path": outside(".bashrc"), "edits": [{"oldText": "", "newText": "EVIL"}]}),
            false,
        ),
        (
            "write_file",
            json!({"path": inside(".git/hooks/pre-commit"), "content": "EVIL\n"}),
            false,
        ),
        (
            "write_file",
            json!({"path": inside("precious/keep.txt"), "content": ""}),
            false,
        ),
        (
            "move_file",
            json!({"source": inside("precious/keep.txt"), "destination": outside("gone.txt")}),
            false,
        ),
        (
            "move_file",
            json!({"source": inside("new.txt"), "destination": inside("precious/keep.txt")}),
            false,
        ),
        (
            "read_text_file",
            json!({"path": outside(".ssh/id_ed25519")}),
            false,
        ),
        (
            "read_multiple_files",
            json!({"paths": [inside("new.txt"), outside(".ssh/id_ed25519")]}),
            false,
        ),
    ] {
        check(&mut talk, tool, arguments, runs);
    }
    drop(talk);
    let mut talk = open(&everything, &["stdio".to_owned()]);
    check(&mut talk, "echo", json!({"message": "hello"}), true);
    check(&mut talk, "get-sum", json!({"a": 1, "b": 2}), true);
    check(&mut talk, "get-env", json!({}), false);
    check(&mut talk, "echo", json!({"message": "/etc/shadow"}), false);
    println!("mcp servers without a rule: as expected");
}

#[test]
fn the_official_mcp_client_and_server_over_http() {
    let Some(directory) = directory() else {
        return;
    };
    let server = install(
        &directory.join("mcp-everything"),
        "@modelcontextprotocol/server-everything",
        "2026.8.31",
    );
    let sdk = install(
        &directory.join("mcp-sdk"),
        "@modelcontextprotocol/sdk",
        "1.32.2",
    );
    let (server, sdk) = match (server, sdk) {
        (Ok(server), Ok(sdk)) => (server, sdk),
        (Err(why), _) | (_, Err(why)) => {
            println!("skipped the MCP door over HTTP: {why}");
            return;
        }
    };
    let bench = bare(client("claude-code"), &server, "ls");
    let port = std::net::TcpListener::bind(("127.0.0.1", 0))
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let program = server.join("node_modules/.bin/mcp-server-everything");
    let mut everything = bench.command(&program);
    everything
        .arg("streamableHttp")
        .env("PORT", port.to_string());
    let mut everything = everything
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let end = Instant::now() + PATIENCE;
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() && Instant::now() < end {
        thread::sleep(Duration::from_millis(100));
    }
    let upstream = format!("http://127.0.0.1:{port}/mcp");
    let mut door = bench.command(Path::new(AUTOMODE));
    door.args([
        "mcp",
        "--listen",
        "127.0.0.1:0",
        "--upstream",
        &upstream,
        "--name",
        "everything",
    ]);
    let door = Listening::start(&mut door);
    let script = sdk.join("mcp-client.mjs");
    fs::write(&script, include_str!("mcp-client.mjs")).unwrap();
    let talk = |url: &str| -> Value {
        let calls = json!({"calls": [{"name": "get-sum", "arguments": {"a": 1, "b": 2}}, {"name": "get-env", "arguments": {}}, {"name": "no-such-tool", "arguments": {}}]});
        let mut client = Command::new("node");
        client
            .arg(&script)
            .arg(url)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut client = client.spawn().unwrap();
        client
            .stdin
            .take()
            .unwrap()
            .write_all(calls.to_string().as_bytes())
            .unwrap();
        let said = client.wait_with_output().unwrap();
        serde_json::from_slice(&said.stdout).unwrap()
    };
    let (direct, through) = (talk(&upstream), talk(&door.url));
    let _ = everything.kill();
    let _ = everything.wait();
    assert_eq!(direct["tools"], through["tools"]);
    assert_eq!(direct["results"][0], through["results"][0]);
    for refused in [&through["results"][1], &through["results"][2]] {
        assert!(
            refused["isError"] == true && refused.to_string().contains("automode: "),
            "{refused}"
        );
    }
    println!("mcp over http: as expected");
}
