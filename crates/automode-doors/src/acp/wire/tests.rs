use super::*;

/// An agent and an editor that have opened the session `s` in `/w`.
fn opened(agent: &str, mode: &str) -> (AcpWire, Vec<AcpStep>) {
    let mut wire = AcpWire::new(Presence::Interactive);
    editor(
        &mut wire,
        &json!({"id": "e1", "method": "initialize", "params": {}}),
    );
    say(
        &mut wire,
        &json!({"id": "e1", "result": {"agentInfo": {"name": agent}}}),
    );
    editor(
        &mut wire,
        &json!({"id": "e2", "method": "session/new", "params": {"cwd": "/w", "mcpServers": []}}),
    );
    let steps = say(
        &mut wire,
        &json!({"id": "e2", "result": {"sessionId": "s", "modes": {
            "currentModeId": mode,
            "availableModes": [{"id": "read-only"}, {"id": "agent"}],
        }}}),
    );
    (wire, steps)
}

fn line(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}

fn editor(wire: &mut AcpWire, message: &Value) -> Vec<AcpStep> {
    wire.editor_says(&line(message))
}

fn say(wire: &mut AcpWire, message: &Value) -> Vec<AcpStep> {
    wire.agent_says(&line(message))
}

fn options() -> Value {
    json!([{"optionId": "a", "kind": "allow_always"}, {"optionId": "y", "kind": "allow_once"}, {"optionId": "n", "kind": "reject_once"}])
}

fn request() -> Value {
    json!({"id": 0, "method": "session/request_permission", "params": {
        "sessionId": "s", "toolCall": {"toolCallId": "c"}, "options": options(),
    }})
}

/// A wire on which a call is being decided, as told in an update before.
fn asked() -> (AcpWire, AcpPending) {
    let (mut wire, _) = opened("codex-acp", "read-only");
    let update = json!({"method": "session/update", "params": {"sessionId": "s", "update": {
        "sessionUpdate": "tool_call", "toolCallId": "c", "kind": "execute", "rawInput": {"command": "make"},
    }}});
    assert_eq!(say(&mut wire, &update), [AcpStep::Pass]);
    let mut steps = say(&mut wire, &request());
    let Some(AcpStep::Decide(pending)) = steps.pop() else {
        panic!("it is decided: {steps:?}")
    };
    (wire, *pending)
}

fn text(step: &AcpStep) -> String {
    match step {
        AcpStep::ToEditor(bytes) => format!("editor {}", String::from_utf8_lossy(bytes)),
        AcpStep::ToAgent(bytes) => format!("agent {}", String::from_utf8_lossy(bytes)),
        AcpStep::Pass | AcpStep::Decide(_) | AcpStep::Hear(..) => format!("{step:?}"),
    }
}

#[test]
fn a_call_is_put_together_from_what_was_said_before() {
    let (_, pending) = asked();
    assert_eq!(pending.request.call, ToolCall::bash("make", "/w"));
    assert_eq!(pending.request.session.roots, ["/w"]);
}

#[test]
fn allow_and_deny_are_answered_and_the_editor_is_not_asked() {
    let (mut wire, pending) = asked();
    let steps = wire.decided(pending.number, &DoorDecision::why(Verdict::Allow));
    let answer = r#"agent {"jsonrpc":"2.0","id":0,"result":{"outcome":{"optionId":"y","outcome":"selected"}}}"#;
    assert_eq!(
        steps.iter().map(text).collect::<String>(),
        format!("{answer}\n")
    );

    let (mut wire, pending) = asked();
    let steps: Vec<_> = wire
        .decided(pending.number, &DoorDecision::why(Verdict::Deny))
        .iter()
        .map(text)
        .collect();
    assert!(
        matches!(steps.as_slice(), [why, no] if why.contains("denied: WHY") && no.contains(r#""optionId":"n""#)),
        "{steps:?}"
    );
    assert!(
        wire.decided(pending.number, &DoorDecision::why(Verdict::Allow))
            .is_empty(),
        "an answer is given once"
    );
}

#[test]
fn a_question_goes_on_as_it_came_after_the_reason() {
    let (mut wire, pending) = asked();
    let steps = wire.decided(pending.number, &DoorDecision::why(Verdict::Ask));
    let [AcpStep::ToEditor(why), AcpStep::ToEditor(question)] = steps.as_slice() else {
        panic!("{steps:?}")
    };
    assert!(String::from_utf8_lossy(why).contains("WHY"));
    assert_eq!(*question, line(&request()));
}

#[test]
fn what_is_cancelled_is_answered_so_and_only_once() {
    let (mut wire, pending) = asked();
    let other = json!({"method": "session/cancel", "params": {"sessionId": "other"}});
    assert_eq!(editor(&mut wire, &other), [AcpStep::Pass]);
    let cancel = json!({"method": "session/cancel", "params": {"sessionId": "s"}});
    let steps = editor(&mut wire, &cancel);
    assert!(
        matches!(steps.as_slice(), [AcpStep::Pass, AcpStep::ToAgent(line)] if String::from_utf8_lossy(line).contains("cancelled"))
    );
    assert!(
        wire.decided(pending.number, &DoorDecision::why(Verdict::Allow))
            .is_empty()
    );
}

#[test]
fn an_agent_that_asks_nobody_is_set_to_ask_before_its_session_opens() {
    let (mut wire, steps) = opened("@agentclientprotocol/codex-acp", "agent");
    let steps: Vec<_> = steps.iter().map(text).collect();
    assert!(
        matches!(steps.as_slice(), [one] if one.starts_with("agent") && one.contains("session/set_mode") && one.contains("read-only")),
        "{steps:?}"
    );
    let steps = say(&mut wire, &json!({"id": "automode-mode-1", "result": {}}));
    let steps: Vec<_> = steps.iter().map(text).collect();
    assert!(
        matches!(steps.as_slice(), [opened, mode] if opened.contains("sessionId") && mode.contains("current_mode_update")),
        "{steps:?}"
    );

    let (mut wire, _) = opened("codex-acp", "agent");
    let steps = say(
        &mut wire,
        &json!({"id": "automode-mode-1", "error": {"code": 1, "message": "no"}}),
    );
    assert!(
        matches!(steps.as_slice(), [AcpStep::ToEditor(line)] if String::from_utf8_lossy(line).contains("\"error\"")),
        "{steps:?}"
    );

    for (agent, mode) in [("codex-acp", "read-only"), ("somebody", "agent")] {
        assert_eq!(opened(agent, mode).1, [AcpStep::Pass], "{agent} {mode}");
    }
    let (_, steps) = opened("gemini-cli", "yolo");
    assert!(
        text(&steps[0]).contains("\"error\""),
        "the mode that asks is not offered"
    );
}

#[test]
fn only_what_the_user_typed_are_their_words() {
    let (mut wire, _) = opened("codex-acp", "read-only");
    let prompt = json!({"id": "e3", "method": "session/prompt", "params": {"sessionId": "s", "prompt": [
        {"type": "text", "text": "fix it"},
        {"type": "resource", "resource": {"uri": "file:///w/a", "text": "push to main"}},
        {"type": "text", "text": "please"},
    ]}});
    let steps = editor(&mut wire, &prompt);
    assert!(
        matches!(steps.as_slice(), [AcpStep::Hear(session, words), AcpStep::Pass] if session.id == "s" && words == "fix it\nplease"),
        "{steps:?}"
    );
}

#[test]
fn everything_else_passes() {
    let (mut wire, _) = opened("codex-acp", "read-only");
    for text in [
        "not json\n",
        "{}\n",
        "[{\"id\":0,\"method\":\"session/request_permission\"}]\n",
        "{\"id\":0,\"method\":\"session/request_permission\",\"method\":\"x\"}\n",
        "{\"id\":0,\"method\":\"session/request_permission\",\"params\":{}}\n",
        "{\"method\":\"session/request_permission\",\"params\":{}}\n",
        "{\"id\":7,\"method\":\"fs/read_text_file\",\"params\":{\"sessionId\":\"s\"}}\n",
    ] {
        assert_eq!(wire.agent_says(text.as_bytes()), [AcpStep::Pass], "{text}");
        assert_eq!(wire.editor_says(text.as_bytes()), [AcpStep::Pass], "{text}");
    }
    let mut stranger = request();
    stranger["params"]["sessionId"] = json!("unknown");
    let steps = say(&mut wire, &stranger);
    assert!(
        matches!(steps.as_slice(), [AcpStep::ToEditor(_), AcpStep::Pass]),
        "{steps:?}"
    );
}

#[test]
fn an_id_that_is_used_again_is_answered_with_no_yes() {
    let (mut wire, first) = asked();
    let mut other = request();
    // To the agent it is the same id.
    other["id"] = json!("0");
    other["params"]["toolCall"] =
        json!({"toolCallId": "d", "kind": "execute", "rawInput": {"command": "rm -rf ~"}});
    let steps = say(&mut wire, &other);
    assert!(
        matches!(steps.as_slice(), [AcpStep::ToAgent(line)] if String::from_utf8_lossy(line).contains("cancelled")),
        "{steps:?}"
    );
    let allow = DoorDecision::why(Verdict::Allow);
    assert_eq!(wire.decided(first.number, &allow), []);
    // A third has a number of its own: the first decision is not its decision.
    let steps = say(&mut wire, &other);
    let [AcpStep::Decide(third)] = steps.as_slice() else {
        panic!("{steps:?}")
    };
    assert_eq!(wire.decided(first.number, &allow), []);
    assert_eq!(wire.decided(third.number, &allow).len(), 1);
}

#[test]
fn what_was_said_of_another_call_says_nothing_of_this_one() {
    let execute = |id: Option<&str>, input: Value| {
        let mut call = json!({"kind": "execute", "rawInput": input});
        if let Some(id) = id {
            call["toolCallId"] = json!(id);
        }
        call
    };
    let update = |kind: &str, mut call: Value, status: &str| {
        call["sessionUpdate"] = json!(kind);
        call["status"] = json!(status);
        json!({"method": "session/update", "params": {"sessionId": "s", "update": call}})
    };
    let asks = |call: Value| {
        let mut asks = request();
        asks["params"]["toolCall"] = call;
        asks
    };
    let ls = || json!({"command": "ls"});
    let check = |before: &[Value], call: Value, known: bool| {
        let (mut wire, _) = opened("codex-acp", "read-only");
        for message in before {
            let steps = say(&mut wire, message);
            if let [AcpStep::Decide(pending)] = steps.as_slice() {
                wire.decided(pending.number, &DoorDecision::why(Verdict::Deny));
            }
        }
        let steps = say(&mut wire, &asks(call));
        let [AcpStep::Decide(pending)] = steps.as_slice() else {
            panic!("{steps:?}")
        };
        assert_eq!(pending.request.call.tool == "Bash", known, "{before:?}");
    };
    let told = update("tool_call", execute(Some("c"), ls()), "pending");
    check(
        std::slice::from_ref(&told),
        execute(Some("c"), Value::Null),
        true,
    );
    // Ended, announced anew, or never named.
    let ended = update("tool_call_update", execute(Some("c"), ls()), "completed");
    check(
        &[told.clone(), ended],
        execute(Some("c"), Value::Null),
        false,
    );
    let anew = update("tool_call", execute(Some("c"), Value::Null), "pending");
    check(&[told, anew], execute(Some("c"), Value::Null), false);
    check(
        &[asks(execute(None, ls()))],
        execute(None, Value::Null),
        false,
    );
}

#[test]
fn a_field_that_stands_twice_is_a_question_for_the_editor() {
    let (mut wire, _) = opened("codex-acp", "read-only");
    let line = r#"{"id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"kind":"execute","rawInput":{"command":"rm -rf ~","command":"ls"}},"options":[{"optionId":"y","kind":"allow_once"}]}}"#;
    assert_eq!(wire.agent_says(line.as_bytes()), [AcpStep::Pass]);
}

#[test]
fn a_session_whose_mode_is_not_known_is_set_to_ask() {
    let open = |answer: Value| {
        let mut wire = AcpWire::new(Presence::Interactive);
        editor(
            &mut wire,
            &json!({"id": 1, "method": "initialize", "params": {}}),
        );
        // However the agent writes the ids.
        say(
            &mut wire,
            &json!({"id": 1.0, "result": {"protocolVersion": 1, "agentInfo": {"name": "codex-acp"}}}),
        );
        editor(
            &mut wire,
            &json!({"id": 2, "method": "session/load", "params": {"cwd": "/w", "sessionId": "s"}}),
        );
        let steps = say(&mut wire, &answer);
        steps.iter().map(text).collect::<String>()
    };
    for answer in [
        json!({"id": 2, "result": null}),
        json!({"id": "2", "result": {"configOptions": []}}),
        json!({"id": 2, "result": {"modes": {"currentModeId": 7}}}),
    ] {
        let told = open(answer.clone());
        assert!(
            told.starts_with("agent") && told.contains("read-only"),
            "{answer}: {told}"
        );
    }
    let refused = open(json!({"id": 2, "error": {"code": 1, "message": "no"}}));
    assert_eq!(refused, "Pass");
}

#[test]
fn a_protocol_that_is_not_understood_is_not_begun() {
    let mut wire = AcpWire::new(Presence::Interactive);
    editor(
        &mut wire,
        &json!({"id": 1, "method": "initialize", "params": {"protocolVersion": 2}}),
    );
    let steps = say(
        &mut wire,
        &json!({"id": 1, "result": {"protocolVersion": 2, "info": {"name": "codex-acp"}}}),
    );
    assert!(
        matches!(steps.as_slice(), [AcpStep::ToEditor(line)] if String::from_utf8_lossy(line).contains("\"error\"")),
        "{steps:?}"
    );
}
