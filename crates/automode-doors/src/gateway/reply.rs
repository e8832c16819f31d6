//! A streamed reply, event by event: what goes on, what is to be decided, what is held.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// The longest event that is read; a longer one is not understood.
const MAX_EVENT: usize = 32 * 1024 * 1024;

/// What is to be done about a part of the reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
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
pub(super) struct Reply {
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

impl Reply {
    /// Whether something was not understood: then no call of the reply may be cleared.
    pub(super) fn is_doubtful(&self) -> bool {
        self.doubt || !self.open.is_empty()
    }

    /// Takes in what has arrived.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Step> {
        self.begun.extend_from_slice(bytes);
        let mut steps = Vec::new();
        while let Some(end) = event_end(&self.begun) {
            let rest = self.begun.split_off(end);
            let event = std::mem::replace(&mut self.begun, rest);
            self.event(event, &mut steps);
        }
        if self.begun.len() > MAX_EVENT {
            self.doubt = true;
            steps.push(Step::Forward(std::mem::take(&mut self.begun)));
        }
        steps
    }

    /// The reply has ended.
    pub(super) fn end(&mut self) -> Vec<Step> {
        let begun = std::mem::take(&mut self.begun);
        let mut steps = Vec::new();
        if !begun.is_empty() {
            self.doubt = true;
        }
        steps.extend(self.held.take().map(Step::Finish));
        if !begun.is_empty() {
            steps.push(Step::Forward(begun));
        }
        steps
    }

    fn event(&mut self, event: Vec<u8>, steps: &mut Vec<Step>) {
        let Some(data) = data(&event) else {
            // A comment, or an event without data.
            steps.push(Step::Forward(event));
            return;
        };
        let Ok(said) = serde_json::from_str::<Map<String, Value>>(&data) else {
            self.doubt = true;
            steps.push(Step::Forward(event));
            return;
        };
        let kind = said.get("type").and_then(Value::as_str).unwrap_or_default();
        match kind {
            "message_delta" => {
                steps.extend(self.held.replace(event).map(Step::Forward));
                return;
            }
            "ping" => {
                steps.push(Step::Forward(event));
                return;
            }
            "content_block_start" => self.started(&said),
            "content_block_delta" => self.continued(&said),
            "content_block_stop" => self.stopped(&said, steps),
            _ => {}
        }
        steps.extend(self.held.take().map(Step::Finish));
        steps.push(Step::Forward(event));
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

    fn stopped(&mut self, said: &Map<String, Value>, steps: &mut Vec<Step>) {
        let Some(call) = index(said).and_then(|index| self.open.remove(&index)) else {
            return;
        };
        let input = if call.json.trim().is_empty() {
            call.given.unwrap_or_else(|| Value::Object(Map::new()))
        } else {
            serde_json::from_str(&call.json).unwrap_or_default()
        };
        match input {
            Value::Object(input) => steps.push(Step::Judge(WholeCall {
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

/// Where the first event ends, with its empty line.
fn event_end(bytes: &[u8]) -> Option<usize> {
    let mut line_is_empty = false;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\n' if line_is_empty => return at.checked_add(1),
            b'\n' => line_is_empty = true,
            b'\r' => {}
            _ => line_is_empty = false,
        }
    }
    None
}

/// What an event says.
pub(super) fn data(event: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(event).ok()?;
    let lines: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The event with other data.
pub(super) fn with_data(event: &[u8], data: &Value) -> Vec<u8> {
    let text = String::from_utf8_lossy(event);
    let kept: String = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("data:"))
        .map(|line| format!("{line}\n"))
        .collect();
    format!("{kept}data: {data}\n\n").into_bytes()
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
    fn all(text: &str, size: usize) -> (Vec<Step>, bool) {
        let mut reply = Reply::default();
        let mut steps: Vec<Step> = text
            .as_bytes()
            .chunks(size)
            .flat_map(|piece| reply.take(piece))
            .collect();
        steps.extend(reply.end());
        (steps, reply.is_doubtful())
    }

    fn bytes(steps: &[Step]) -> String {
        let text = |step: &Step| match step {
            Step::Forward(bytes) | Step::Finish(bytes) => {
                String::from_utf8_lossy(bytes).into_owned()
            }
            Step::Judge(_) => String::new(),
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
                    Step::Judge(call) => Some(call.input["command"].clone()),
                    Step::Forward(_) | Step::Finish(_) => None,
                })
                .collect();
            assert_eq!(judged, ["ls"]);
            assert!(
                matches!(steps.iter().rev().nth(1), Some(Step::Finish(held)) if *held == delta().into_bytes())
            );
        }
    }

    #[test]
    fn only_the_last_of_several_deltas_waits() {
        let (steps, _) = all(&(delta() + &delta() + &stop()), 9);
        let kinds: Vec<_> = steps
            .iter()
            .map(|step| matches!(step, Step::Finish(_)))
            .collect();
        assert_eq!(kinds, [false, true, false]);
    }

    #[test]
    fn what_is_not_understood_is_doubt() {
        for text in [
            call(0, "t", &["{\"command\": "]),
            call(0, "t", &["[1]"]),
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

    #[test]
    fn an_event_is_written_with_other_data() {
        let event = b"event: message_delta\r\ndata: {\"a\":1}\r\n\r\n";
        assert_eq!(data(event).unwrap(), "{\"a\":1}");
        assert_eq!(
            with_data(event, &json!({"b": 2})),
            b"event: message_delta\ndata: {\"b\":2}\n\n"
        );
    }
}
