//! A server with one tool, `approve`, for clients that ask a tool for permission.
//!
//! Claude Code calls it where it would show a prompt
//! (`--permission-prompt-tool mcp__SERVER__approve`) and reads one text block with JSON:
//! `{"behavior": "allow", "updatedInput": …}` or `{"behavior": "deny", "message": …}`.
//! Whatever else it is answered refuses the call there.

use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;

use automode::{ToolCall, Verdict};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::wire::unreadable;
use crate::deadline::in_time;
use crate::decider::{Decider, DoorDecision, DoorRequest, DoorSession};
use crate::json_rpc::{self, Envelope};
use crate::pipe::{PipePiece, lines};

const NO_METHOD: i64 = -32_601;
const INVALID_PARAMS: i64 = -32_602;
/// The newest protocol that is spoken.
const PROTOCOL: &str = "2025-11-25";

#[derive(Deserialize)]
struct ApprovalParams {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// Serves until the client has gone.
///
/// # Errors
/// Where the client cannot be read or written to.
pub fn serve(
    from: impl Read,
    mut to: impl Write,
    session: &DoorSession,
    decider: &Arc<dyn Decider>,
) -> io::Result<()> {
    lines(&mut BufReader::new(from), |piece| {
        let answer = match piece {
            PipePiece::Line(line) => answer(line, session, decider),
            PipePiece::Part(_) => None,
        };
        if let Some(answer) = answer {
            to.write_all(&answer)?;
            to.flush()?;
        }
        Ok(())
    })
}

/// The answer to one message; none where none is wanted.
fn answer(line: &[u8], session: &DoorSession, decider: &Arc<dyn Decider>) -> Option<Vec<u8>> {
    let Some(message) = Envelope::read(line) else {
        let blank = line.iter().all(u8::is_ascii_whitespace);
        return (!blank).then(|| unreadable(line));
    };
    let (method, id) = (message.method.as_deref()?, message.id()?);
    let result = match method {
        "initialize" => initialized(&message),
        "ping" => json!({}),
        "tools/list" => json!({"tools": [tool()]}),
        "tools/call" => {
            let params = message
                .strict_params::<ApprovalParams>()
                .filter(|call| call.name == "approve");
            let Some(params) = params else {
                return Some(json_rpc::error(
                    id,
                    INVALID_PARAMS,
                    "there is one tool: approve",
                ));
            };
            let decided = decide(&params.arguments, session, decider);
            json!({"content": [{"type": "text", "text": decided.to_string()}]})
        }
        _ => return Some(json_rpc::error(id, NO_METHOD, "no such method")),
    };
    Some(json_rpc::result(id, &result))
}

fn initialized(message: &Envelope<'_>) -> Value {
    let asked = message.params::<Value>();
    let version = asked
        .as_ref()
        .and_then(|params| params.get("protocolVersion")?.as_str())
        .unwrap_or(PROTOCOL);
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "automode", "version": env!("CARGO_PKG_VERSION")},
    })
}

fn tool() -> Value {
    json!({
        "name": "approve",
        "description": "Decides whether a tool call may run.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "tool_name": {"type": "string"},
                "input": {"type": "object"},
                "tool_use_id": {"type": "string"},
            },
            "required": ["tool_name", "input"],
        },
    })
}

fn decide(asked: &Map<String, Value>, session: &DoorSession, decider: &Arc<dyn Decider>) -> Value {
    let call = (|| {
        Some(ToolCall {
            tool: asked.get("tool_name")?.as_str()?.to_owned(),
            input: asked.get("input")?.as_object()?.clone(),
            cwd: session.roots.first()?.clone(),
        })
    })();
    let Some(call) = call else {
        return json!({"behavior": "deny", "message": "automode cannot read this call"});
    };
    let input = call.input.clone();
    let request = DoorRequest {
        session: session.clone(),
        call,
        transcript: None,
        suspicious: Vec::new(),
        meaning: None,
    };
    let DoorDecision {
        verdict, reason, ..
    } = in_time(decider, request);
    match verdict {
        Verdict::Allow => json!({"behavior": "allow", "updatedInput": input}),
        Verdict::Ask => {
            json!({"behavior": "deny", "message": format!("automode: {reason} (needs a person's yes)")})
        }
        Verdict::Deny => json!({"behavior": "deny", "message": format!("automode: {reason}")}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use automode::Presence;

    /// Allows `ls`, denies `rm`, asks about the rest, and panics at `boom`.
    struct Fixed;

    impl Decider for Fixed {
        fn suspect(&self, _: &DoorSession, _: automode_core::SuspiciousResult) {}

        fn decide(&self, request: &DoorRequest) -> DoorDecision {
            let verdict = match request.call.text("command") {
                Some("ls") => Verdict::Allow,
                Some("rm") => Verdict::Deny,
                Some("boom") => panic!("boom"),
                Some(_) | None => Verdict::Ask,
            };
            DoorDecision::why(verdict)
        }

        fn hear(&self, _session: &DoorSession, _words: &str) {}
    }

    fn talk(lines: &str) -> String {
        let session = DoorSession {
            door: "approve",
            id: "s".to_owned(),
            roots: vec!["/w".to_owned()],
            presence: Presence::Headless,
            losses: crate::decider::LossQuestions::Asked,
            tightening: crate::decider::Tightening::default(),
        };
        let decider: Arc<dyn Decider> = Arc::new(Fixed);
        let mut told = Vec::new();
        serve(lines.as_bytes(), &mut told, &session, &decider).unwrap();
        String::from_utf8(told).unwrap()
    }

    fn check(arguments: &Value, behavior: &str, part: &str) {
        let call = json!({"id": 1, "method": "tools/call", "params": {"name": "approve", "arguments": arguments}});
        let told: Value = serde_json::from_str(&talk(&format!("{call}\n"))).unwrap();
        let content = told["result"]["content"].as_array().unwrap();
        assert_eq!(content.len(), 1);
        let text = content[0]["text"].as_str().unwrap();
        let answer: Value = serde_json::from_str(text).unwrap();
        assert_eq!(answer["behavior"], behavior, "{arguments}");
        assert!(text.contains(part), "{text}");
    }

    #[test]
    fn every_call_gets_one_answer_in_the_clients_form() {
        let bash = |command: &str| json!({"tool_name": "Bash", "input": {"command": command}, "tool_use_id": "t"});
        check(
            &bash("ls"),
            "allow",
            "\"updatedInput\":{\"command\":\"ls\"}",
        );
        check(&bash("rm"), "deny", "WHY");
        check(&bash("push"), "deny", "needs a person");
        check(&bash("boom"), "deny", "panicked");
        check(&json!({"tool_name": "Bash"}), "deny", "cannot read");
        check(
            &json!({"tool_name": "Bash", "input": "ls"}),
            "deny",
            "cannot read",
        );
        check(&json!({}), "deny", "cannot read");
    }

    #[test]
    fn it_is_a_server_like_others() {
        let told = talk(
            "{\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\"}}\n{\"method\":\"notifications/initialized\"}\n{\"id\":1,\"method\":\"tools/list\"}\n{\"id\":2,\"method\":\"server/discover\"}\ngarbage\n{\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"other\"}}\n",
        );
        let lines: Vec<_> = told.lines().collect();
        assert_eq!(lines.len(), 5, "{told}");
        assert!(lines[0].contains("2025-06-18") && lines[1].contains("\"approve\""));
        assert!(lines[2].contains("-32601") && lines[3].contains("-32700"));
        assert!(lines[4].contains("-32602"));
    }
}
