//! Bytes nobody meant: no panic, and never an answer that lets a call run.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics has failed"
)]

mod client;

use automode_agents::transcript::Reader;
use automode_agents::{Agent, Answer, Enforcement, EventKind, HookPhase};
use automode_core::{Presence, Verdict};
use client::{Fate, fate};
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::sample::{Index, select};

/// What the hook does with bytes when everything that could allow is out of reach.
fn answer(agent: Agent, bytes: &[u8]) -> Option<(HookPhase, Fate)> {
    let (phase, answer) = match agent.parse(bytes) {
        Err(malformed) => (
            malformed.phase,
            Answer::failure(&malformed.why, Enforcement::Enforce),
        ),
        Ok(event) => match event.kind {
            EventKind::BeforeTool { .. } | EventKind::PermissionRequest { .. } => (
                event.kind.phase(),
                Answer::failure("nobody decided", Enforcement::Enforce),
            ),
            _ => return None,
        },
    };
    match phase {
        HookPhase::BeforeTool | HookPhase::PermissionRequest => {}
        // A broken payload of an event that decides nothing.
        HookPhase::AfterTool | HookPhase::Other => return None,
    }
    let reply = agent.render(phase, &answer, Presence::Headless);
    Some((phase, fate(agent, phase, &reply)))
}

fn payload() -> impl Strategy<Value = String> {
    let claude = r#"{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf ~"},"tool_use_id":"t"}"#;
    let request = r#"{"session_id":"s","cwd":"/w","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"rm -rf ~"}}"#;
    let gemini = r#"{"session_id":"s","cwd":"/w","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"rm -rf ~"}}"#;
    let copilot =
        r#"{"sessionId":"s","cwd":"/w","toolName":"bash","toolArgs":{"command":"rm -rf ~"}}"#;
    let generic = r#"{"session":"s","cwd":"/w","event":"before-tool","tool":"Bash","input":{"command":"rm -rf ~"}}"#;
    select(vec![claude, request, gemini, copilot, generic]).prop_map(str::to_owned)
}

fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let edit = prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| (at, Some(byte))),
        any::<Index>().prop_map(|at| (at, None)),
    ];
    (
        payload(),
        proptest::collection::vec(edit, 0..6),
        any::<Index>(),
        any::<bool>(),
    )
        .prop_map(|(text, edits, cut, truncate)| {
            let mut bytes = text.into_bytes();
            for (at, byte) in edits {
                let at = at.index(bytes.len());
                match byte {
                    Some(byte) => bytes[at] = byte,
                    None => {
                        bytes.remove(at);
                    }
                }
            }
            if truncate {
                let at = cut.index(bytes.len());
                bytes.truncate(at);
            }
            bytes
        })
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_denied(bytes in proptest::collection::vec(any::<u8>(), 0..200), agent in select(Agent::all().collect::<Vec<_>>())) {
        if let Some((_, fate)) = answer(agent, &bytes) {
            assert_eq!(fate, Fate::Blocked);
        }
    }

    #[test]
    fn mutated_payloads_are_denied_or_decide_nothing(bytes in mutated(), agent in select(Agent::all().collect::<Vec<_>>())) {
        if let Some((phase, fate)) = answer(agent, &bytes) {
            // Gemini and opencode have no permission request: the phase cannot reach them.
            let reachable = phase == HookPhase::BeforeTool || !matches!(agent.name(), "gemini-cli" | "opencode" | "droid" | "pi" | "cline" | "cursor" | "goose" | "crush" | "vscode" | "kiro" | "devin" | "antigravity" | "hermes" | "amp" | "openhands");
            assert!(fate == Fate::Blocked || !reachable, "{agent:?} {phase:?} {fate:?}");
        }
    }

    #[test]
    fn readers_survive_anything(line in mutated(), agent in select(Agent::all().collect::<Vec<_>>())) {
        if let Some(mut reader) = Reader::new(agent, "/w") {
            let _ = reader.read(&line);
        }
    }

    #[test]
    fn any_reason_stays_one_json_object(reason in ".*", agent in select(Agent::all().collect::<Vec<_>>()), verdict in prop_oneof![Just(Verdict::Ask), Just(Verdict::Deny)]) {
        let ruling = automode_agents::Ruling { verdict, prompt: reason.clone(), notice: Some(reason.clone()), reason, id: None, stop: true, rewritten: None };
        let reply = agent.render(HookPhase::BeforeTool, &Answer::Ruling(ruling), Presence::Headless);
        assert_eq!(fate(agent, HookPhase::BeforeTool, &reply), Fate::Blocked);
    }
}
