//! A scripted model on loopback: real coding agents run against it, offline.
//!
//! It speaks just enough of four wire formats to make a client call a tool and see
//! the result. The script is a list of turns; the turn is chosen by the number of
//! tool results in a request, so the server keeps no state and side requests of a
//! client (titles, summaries) do not shift it. Every request body is kept.

mod anthropic;
mod chat;
mod gemini;
mod http;
mod responses;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

/// One turn of the model.
#[derive(Clone, Debug)]
pub enum ScriptedTurn {
    Say(String),
    /// Calls a tool, by the client's own name of it.
    Call {
        tool: String,
        input: Value,
    },
}

/// A model that follows a script.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Value>>>,
}

/// What goes back over the wire.
enum Sent {
    Json(Value),
    /// Server-sent events: a name where the format has one, and the data.
    Events(Vec<(Option<String>, Value)>),
}

impl Sent {
    /// Events that are named after their own type.
    fn typed_events(events: impl IntoIterator<Item = Value>) -> Self {
        let named = |event: Value| {
            let name = event.get("type").and_then(Value::as_str).map(str::to_owned);
            (name, event)
        };
        Self::Events(events.into_iter().map(named).collect())
    }
}

impl ScriptedModel {
    /// Starts on a free port of loopback and serves until the process ends.
    ///
    /// # Errors
    /// Where no port is to be had.
    pub fn start(script: Vec<ScriptedTurn>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (script, kept) = (Arc::new(script), Arc::clone(&requests));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, kept) = (Arc::clone(&script), Arc::clone(&kept));
                thread::spawn(move || serve(stream, &script, &kept));
            }
        });
        Ok(Self { address, requests })
    }

    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All that clients have sent so far, as text.
    #[must_use]
    pub fn heard(&self) -> String {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        requests
            .iter()
            .map(|request| format!("{request}\n"))
            .collect()
    }
}

fn serve(mut stream: TcpStream, script: &[ScriptedTurn], kept: &Mutex<Vec<Value>>) {
    let Some(request) = http::read(&mut stream) else {
        return;
    };
    let body = &request.body;
    let path = request.path.split('?').next().unwrap_or_default();
    kept.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(body.clone());
    let sent = if path.ends_with("/count_tokens") {
        Sent::Json(json!({"input_tokens": 1000}))
    } else if path.contains(":countTokens") {
        Sent::Json(json!({"totalTokens": 1000}))
    } else if path.ends_with("/messages") {
        anthropic::answer(body, script)
    } else if path.ends_with("/responses") {
        responses::answer(body, script)
    } else if path.ends_with("/chat/completions") {
        chat::answer(body, script)
    } else if path.contains("enerateContent") {
        gemini::answer(body, script, path.contains(":stream"))
    } else if path.ends_with("/models") {
        Sent::Json(
            json!({"object": "list", "has_more": false, "data": [{"id": "scripted-model", "object": "model", "type": "model"}]}),
        )
    } else {
        Sent::Json(json!({}))
    };
    // A client that hung up has what it wanted.
    http::write(&mut stream, &sent).unwrap_or_default();
}

/// The turn that is due after so many tool results. A request without tools is a side request.
fn due(script: &[ScriptedTurn], results: usize, offers_tools: bool) -> ScriptedTurn {
    if !offers_tools {
        return ScriptedTurn::Say("ok".to_owned());
    }
    let calls = script.iter().scan(0_usize, |calls, turn| {
        let before = *calls;
        *calls = calls.saturating_add(usize::from(matches!(turn, ScriptedTurn::Call { .. })));
        Some((before, turn))
    });
    let mut last = ScriptedTurn::Say("done".to_owned());
    for (before, turn) in calls {
        last = turn.clone();
        if before >= results {
            break;
        }
    }
    last
}

/// How many objects under a value satisfy a condition.
fn count(value: &Value, is: &dyn Fn(&serde_json::Map<String, Value>) -> bool) -> usize {
    match value {
        Value::Array(items) => items.iter().map(|item| count(item, is)).sum(),
        Value::Object(map) => {
            usize::from(is(map)).saturating_add(map.values().map(|item| count(item, is)).sum())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn has_tools(body: &Value) -> bool {
    body.get("tools")
        .and_then(Value::as_array)
        .is_some_and(|tools| !tools.is_empty())
}

fn streams(body: &Value) -> bool {
    body.get("stream").and_then(Value::as_bool) == Some(true)
}
