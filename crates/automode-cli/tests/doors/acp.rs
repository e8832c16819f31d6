//! Between an editor and an agent.

use serde_json::{Value, json};

use crate::bench::{Bench, until};

/// An agent that opens a session, asks for permission once and notes the answer, or its end.
const AGENT: &str = r#"
import json, sys
root = sys.argv[1]
def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        say({"jsonrpc": "2.0", "id": message["id"], "result": {"protocolVersion": 1}})
    elif method == "session/new":
        say({"jsonrpc": "2.0", "id": message["id"], "result": {"sessionId": "s"}})
    elif method == "session/prompt":
        words = message["params"]["prompt"][0]["text"]
        if words == "crash":
            sys.exit(7)
        if words == "pieces":
            out = sys.stdout.buffer
            out.write(b'{"huge": "' + b"x" * (33 * 1024 * 1024) + b'"}\n')
            out.write(b'{"broken": "\xff\xfe"}\n')
            out.flush()
            words = "ls -la"
            line = json.dumps({"jsonrpc": "2.0", "id": 900, "method": "session/request_permission", "params": {"sessionId": "s",
                "toolCall": {"toolCallId": "c", "kind": "execute", "rawInput": {"command": words}},
                "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]}}).encode() + b"\n"
            for at in range(0, len(line), 7):
                out.write(line[at:at + 7])
                out.flush()
            continue
        if words == "twice":
            for command in ("ls -la", "rm -rf ~"):
                say({"jsonrpc": "2.0", "id": 900, "method": "session/request_permission", "params": {"sessionId": "s",
                    "toolCall": {"toolCallId": "c", "kind": "execute", "rawInput": {"command": command}},
                    "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]}})
            continue
        if words == "garbage":
            sys.stdout.write("{this is no message\n")
            sys.stdout.flush()
            continue
        open(root + "/asked", "w").write("x")
        say({"jsonrpc": "2.0", "id": 900, "method": "session/request_permission", "params": {"sessionId": "s",
            "toolCall": {"toolCallId": "c", "kind": "execute", "title": words, "rawInput": {"command": words}},
            "options": [{"optionId": "no", "name": "No", "kind": "reject_once"}, {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                        {"optionId": "ever", "name": "Always", "kind": "allow_always"}]}})
    elif message.get("id") == 900:
        open(root + "/answered", "a").write(json.dumps(message))
open(root + "/ended", "w").write("x")
"#;

fn start(bench: &Bench, more: &[&str]) -> crate::bench::Door {
    let agent = bench.script("agent.py", AGENT);
    let root = bench.path("");
    let mut words = vec!["acp"];
    words.extend(more);
    words.extend(["--", "python3", &agent, &root]);
    let mut door = bench.door(&words);
    door.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}));
    door.answer(1);
    door.say(&json!({"jsonrpc": "2.0", "id": 2, "method": "session/new", "params": {"cwd": bench.path("shop"), "mcpServers": []}}));
    door.answer(2);
    door
}

fn prompt(words: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 3, "method": "session/prompt", "params": {"sessionId": "s", "prompt": [{"type": "text", "text": words}]}})
}

/// Whether a call that is left to the judge is answered with a yes.
pub fn lets_through(bench: &Bench) -> bool {
    let mut door = start(bench, &["--headless"]);
    door.say(&prompt(crate::faults::OPEN));
    until("an answer", || !bench.noted("answered").is_empty());
    bench.noted("answered").contains("\"yes\"")
}

#[test]
fn options_are_chosen_by_their_kind() {
    for (command, option) in [("ls -la", "yes"), ("rm -rf ~", "no")] {
        let bench = Bench::new();
        let mut door = start(&bench, &[]);
        door.say(&prompt(command));
        until("an answer", || !bench.noted("answered").is_empty());
        let answered: Value = serde_json::from_str(&bench.noted("answered")).unwrap();
        assert_eq!(
            answered["result"]["outcome"]["optionId"], option,
            "{command}"
        );
    }
}

#[test]
fn a_question_ends_closed_where_nobody_sits_at_the_editor() {
    let bench = Bench::new();
    let mut door = start(&bench, &["--headless"]);
    door.say(&prompt("some-unknown-program --now"));
    until("an answer", || !bench.noted("answered").is_empty());
    assert!(
        bench.noted("answered").contains("\"no\""),
        "{}",
        bench.noted("answered")
    );
}

#[test]
fn an_agent_that_is_missing_crashes_or_talks_garbage_is_allowed_nothing() {
    let bench = Bench::new();
    let mut door = bench.door(&["acp", "--", "/no/such/agent"]);
    assert_ne!(door.ended(), Some(0));
    let mut door = start(&bench, &[]);
    door.say(&prompt("crash"));
    assert_eq!(door.ended(), Some(7));
    let mut door = start(&bench, &[]);
    door.say(&prompt("garbage"));
    // What cannot be read goes on to where a person decides.
    while door.line().unwrap() != "{this is no message" {}
    assert_eq!(bench.noted("answered"), "");
}

#[test]
fn lines_that_are_split_huge_or_not_text_arrive_as_they_were_sent() {
    let bench = Bench::new();
    let mut door = start(&bench, &[]);
    door.say(&prompt("pieces"));
    assert_eq!(door.line().unwrap().len(), 33 * 1024 * 1024 + 12);
    assert!(door.line().unwrap().contains("broken"));
    until("an answer", || !bench.noted("answered").is_empty());
    assert!(bench.noted("answered").contains("\"yes\""));
}

#[test]
fn an_answer_to_one_request_is_no_answer_to_another_with_its_id() {
    let bench = Bench::new();
    let mut door = start(&bench, &[]);
    door.say(&prompt("twice"));
    until("an answer", || !bench.noted("answered").is_empty());
    // Where the second was decided by itself, the editor is told why it was denied.
    while !door.is_silent() {}
    let answered = bench.noted("answered");
    // Either the first was decided before the second came, or neither is allowed.
    let yes = answered.matches("\"yes\"").count();
    let first = answered.find("\"yes\"") < answered.find("cancelled").or(Some(usize::MAX));
    assert!(yes == 0 || yes == 1 && first, "{answered}");
}

#[test]
fn a_door_that_is_killed_answers_nothing_any_more() {
    let bench = Bench::new();
    let mut door = start(&bench, &[]);
    door.say(&prompt("some-unknown-program --now"));
    // The question went on to the editor, which is silent.
    until("a question", || !bench.noted("asked").is_empty());
    door.kill();
    until("the agent's end", || !bench.noted("ended").is_empty());
    assert_eq!(bench.noted("answered"), "");
}
