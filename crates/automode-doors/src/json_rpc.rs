//! One message of JSON-RPC, looked at from outside.
//!
//! Only the frame is read; what is in it stays the text that came. A line that is not
//! one object, or that says a field twice, is nobody's message and is not looked into.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The frame of a message.
#[derive(Debug, Deserialize)]
pub(crate) struct Envelope<'a> {
    #[serde(borrow, default)]
    pub id: Option<&'a RawValue>,
    #[serde(default)]
    pub method: Option<String>,
    #[serde(borrow, default)]
    pub params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub result: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    pub(crate) fn read(line: &'a [u8]) -> Option<Self> {
        // A list would be read as the fields in their order, and may be a batch.
        let first = line.iter().find(|byte| !byte.is_ascii_whitespace());
        (first == Some(&b'{')).then(|| serde_json::from_slice(line).ok())?
    }

    /// The id as it was written, which is how an answer has to write it.
    pub(crate) fn id(&self) -> Option<&'a str> {
        self.id.map(RawValue::get).filter(|id| *id != "null")
    }

    pub(crate) fn params<T: Deserialize<'a>>(&self) -> Option<T> {
        serde_json::from_str(self.params?.get()).ok()
    }

    pub(crate) fn result<T: Deserialize<'a>>(&self) -> Option<T> {
        serde_json::from_str(self.result?.get()).ok()
    }
}

/// The answer to the request with this id.
pub(crate) fn result(id: &str, result: &Value) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n").into_bytes()
}

/// The refusal of the request with this id.
pub(crate) fn error(id: &str, code: i64, message: &str) -> Vec<u8> {
    let error = json!({"code": code, "message": message});
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n").into_bytes()
}

/// A notification.
pub(crate) fn notification(method: &str, params: &Value) -> Vec<u8> {
    let mut line = json!({"jsonrpc": "2.0", "method": method, "params": params})
        .to_string()
        .into_bytes();
    line.push(b'\n');
    line
}
