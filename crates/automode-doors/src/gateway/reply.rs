//! A streamed reply, event by event: what goes on, what is to be decided, what is held.

use std::collections::{BTreeMap, BTreeSet};

use automode_core::strict;
use serde_json::{Map, Value};

use crate::web::event;

/// The longest event that is read; a longer one is not understood.
const MAX_EVENT: usize = 32 * 1024 * 1024;

/// What is to be done about a part of the reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ReplyStep {
    /// These bytes go on as they came.
    Forward(Vec<u8>),
    /// A call is whole: it can be decided.
    Judge(WholeCall),
    /// The last delta: it goes on when every call is decided.
    Finish(Vec<u8>),
}

/// A call of the reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WholeCall {
    pub id: String,
    pub tool: String,
    pub input: Map<String, Value>,
}

/// How far a reply has come.
#[derive(Debug, Default)]
pub(super) struct StreamedReply {
    /// The beginning of an event.
    begun: Vec<u8>,
    open: BTreeMap<u64, OpenCall>,
    ids: BTreeSet<String>,
    held: Option<Vec<u8>>,
    /// Something was not understood.
    doubt: bool,
}

#[derive(Debug)]
struct OpenCall {
    id: String,
    tool: String,
    json: String,
    /// Where the whole input stands in the first event.
    given: Option<Value>,
}

impl StreamedReply {
    /// Whether something was not understood: then no call of the reply may be cleared.
    pub(super) fn is_doubtful(&self) -> bool {
        self.doubt || !self.open.is_empty()
    }

    /// Takes in what has arrived.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<ReplyStep> {
        self.begun.extend_from_slice(bytes);
        let mut steps = Vec::new();
        while let Some(end) = event::end(&self.begun) {
            let rest = self.begun.split_off(end);
            let event = std::mem::replace(&mut self.begun, rest);
            self.event(event, &mut steps);
        }
        if self.begun.len() > MAX_EVENT {
            self.doubt = true;
            steps.push(ReplyStep::Forward(std::mem::take(&mut self.begun)));
        }
        steps
    }

    /// The reply has ended.
    pub(super) fn end(&mut self) -> Vec<ReplyStep> {
        let begun = std::mem::take(&mut self.begun);
        let mut steps = Vec::new();
        if !begun.is_empty() {
            self.doubt = true;
        }
        steps.extend(self.held.take().map(ReplyStep::Finish));
        if !begun.is_empty() {
            steps.push(ReplyStep::Forward(begun));
        }
        steps
    }

    fn event(&mut self, event: Vec<u8>, steps: &mut Vec<ReplyStep>) {
        // A client may read more events in it than we do.
        self.doubt |= event::is_ambiguous(&event);
        let Some(data) = event::data(&event) else {
            // A comment, or an event without data.
            steps.push(ReplyStep::Forward(event));
            return;
        };
        let Ok(Value::Object(said)) = strict::parse(data.as_bytes()) else {
            self.doubt = true;
            steps.push(ReplyStep::Forward(event));
            return;
        };
        let kind = said.get("type").and_then(Value::as_str).unwrap_or_default();
        match kind {
            "message_delta" => {
                steps.extend(self.held.replace(event).map(ReplyStep::Forward));
                return;
            }
            "ping" => {
                steps.push(ReplyStep::Forward(event));
                return;
            }
            "content_block_start" => self.started(&said),
            "content_block_delta" => self.continued(&said),
            "content_block_stop" => self.stopped(&said, steps),
            _ => {}
        }
        steps.extend(self.held.take().map(ReplyStep::Finish));
        steps.push(ReplyStep::Forward(event));
    }

    fn started(&mut self, said: &Map<String, Value>) {
        let block = said.get("content_block");
        let text = |field: &str| block.and_then(|block| block.get(field)?.as_str());
        if text("type") != Some("tool_use") {
            return;
        }
        let (Some(index), Some(id), Some(tool)) = (index(said), text("id"), text("name")) else {
            self.doubt = true;
            return;
        };
        let new = self.ids.insert(id.to_owned());
        let call = OpenCall {
            id: id.to_owned(),
            tool: tool.to_owned(),
            json: String::new(),
            given: block.and_then(|block| block.get("input")).cloned(),
        };
        self.doubt |= !new || self.open.insert(index, call).is_some();
    }

    fn continued(&mut self, said: &Map<String, Value>) {
        let Some(call) = index(said).and_then(|index| self.open.get_mut(&index)) else {
            return;
        };
        let part = said
            .get("delta")
            .and_then(|delta| delta.get("partial_json")?.as_str());
        match part {
            Some(part) if call.json.len() < MAX_EVENT => call.json.push_str(part),
            Some(_) | None => self.doubt = true,
        }
    }

    fn stopped(&mut self, said: &Map<String, Value>, steps: &mut Vec<ReplyStep>) {
        let Some(call) = index(said).and_then(|index| self.open.remove(&index)) else {
            return;
        };
        let input = if call.json.trim().is_empty() {
            call.given.unwrap_or_else(|| Value::Object(Map::new()))
        } else {
            strict::parse(call.json.as_bytes()).unwrap_or_default()
        };
        match input {
            Value::Object(input) => steps.push(ReplyStep::Judge(WholeCall {
                id: call.id,
                tool: call.tool,
                input,
            })),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => {
                self.doubt = true;
            }
        }
    }
}

fn index(said: &Map<String, Value>) -> Option<u64> {
    said.get("index")?.as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(data: &Value) -> String {
        let kind = data["type"].as_str().unwrap();
        format!("event: {kind}\ndata: {data}\n\n")
    }

    fn call(index: u64, id: &str, parts: &[&str]) -> String {
        let start = json!({"type": "content_block_start", "index": index, "content_block": {"type": "tool_use", "id": id, "name": "Bash", "input": {}}});
        let mut text = event(&start);
        for part in parts {
            text += &event(
                &json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": part}}),
            );
        }
        text + &event(&json!({"type": "content_block_stop", "index": index}))
    }

    fn delta() -> String {
        event(&json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}))
    }

    fn stop() -> String {
        event(&json!({"type": "message_stop"}))
    }

    /// Everything, in pieces of a size.
    fn all(text: &str, size: usize) -> (Vec<ReplyStep>, bool) {
        let mut reply = StreamedReply::default();
        let mut steps: Vec<ReplyStep> = text
            .as_bytes()
            .chunks(size)
            .flat_map(|piece| reply.take(piece))
            .collect();
        steps.extend(reply.end());
        (steps, reply.is_doubtful())
    }

    fn bytes(steps: &[ReplyStep]) -> String {
        let text = |step: &ReplyStep| match step {
            ReplyStep::Forward(bytes) | ReplyStep::Finish(bytes) => {
                String::from_utf8_lossy(bytes).into_owned()
            }
            ReplyStep::Judge(_) => String::new(),
        };
        steps.iter().map(text).collect()
    }

    #[test]
    fn every_byte_goes_on_and_the_last_delta_waits() {
        let text = event(&json!({"type": "message_start"}))
            + &call(0, "t", &["{\"comm", "and\": \"ls\"}"])
            + ": note\n\n"
            + &delta()
            + &event(&json!({"type": "ping"}))
            + &stop();
        for size in [1, 7, 1_000] {
            let (steps, doubtful) = all(&text, size);
            assert!(!doubtful);
            assert_eq!(bytes(&steps).len(), text.len());
            let judged: Vec<_> = steps
                .iter()
                .filter_map(|step| match step {
                    ReplyStep::Judge(call) => Some(call.input["command"].clone()),
                    ReplyStep::Forward(_) | ReplyStep::Finish(_) => None,
                })
                .collect();
            assert_eq!(judged, ["ls"]);
            assert!(
                matches!(steps.iter().rev().nth(1), Some(ReplyStep::Finish(held)) if *held == delta().into_bytes())
            );
        }
    }

    #[test]
    fn only_the_last_of_several_deltas_waits() {
        let (steps, _) = all(&(delta() + &delta() + &stop()), 9);
        let kinds: Vec<_> = steps
            .iter()
            .map(|step| matches!(step, ReplyStep::Finish(_)))
            .collect();
        assert_eq!(kinds, [false, true, false]);
    }

    #[test]
    fn what_is_not_understood_is_doubt() {
        for text in [
            call(0, "t", &["{\"command\": "]),
            call(0, "t", &["[1]"]),
            call(0, "t", &[r#"{"command": "ls", "command": "rm -rf ~"}"#]),
            call(0, "t", &["{}"]).replacen('{', r#"{"type": "ping", "#, 1),
            "\u{feff}".to_owned() + &call(0, "t", &["{}"]),
            call(0, "t", &["{}"]) + &call(1, "t", &["{}"]),
            "event: x\ndata: {broken\n\n".to_owned(),
            event(
                &json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t"}}),
            ),
            event(
                &json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "n"}}),
            ),
            "data: {\"type\": \"mess".to_owned(),
        ] {
            let (_, doubtful) = all(&(text.clone() + &delta()), 5);
            let (_, cut) = all(&text, 5);
            assert!(doubtful || cut, "{text}");
        }
    }
}
