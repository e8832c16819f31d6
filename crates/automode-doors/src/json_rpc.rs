//! One message of JSON-RPC, looked at from outside.
//!
//! Only the frame is read; what is in it stays the text that came. A line that is not
//! one object, or that says a field twice, is nobody's message and is not looked into.

use std::fmt;

use automode_core::strict;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The frame of a message.
#[derive(Debug, Default)]
pub(crate) struct Envelope<'a> {
    id: Option<&'a RawValue>,
    pub method: Option<String>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    /// The request failed.
    pub error: bool,
}

impl<'a> Envelope<'a> {
    pub(crate) fn read(line: &'a [u8]) -> Option<Self> {
        // A list may be a batch.
        let first = line.iter().find(|byte| !byte.is_ascii_whitespace());
        (first == Some(&b'{')).then(|| serde_json::from_slice(line).ok())?
    }

    /// The id as it was written, which is how an answer has to write it.
    pub(crate) fn id(&self) -> Option<&'a str> {
        self.id.map(RawValue::get)
    }

    /// Whether there is a result, be it nothing.
    pub(crate) const fn is_answered(&self) -> bool {
        self.result.is_some()
    }

    pub(crate) fn params<T: Deserialize<'a>>(&self) -> Option<T> {
        serde_json::from_str(self.params?.get()).ok()
    }

    /// The params, where everybody reads the same in them.
    pub(crate) fn strict_params<T: DeserializeOwned>(&self) -> Option<T> {
        let params = strict::parse(self.params?.get().as_bytes()).ok()?;
        serde_json::from_value(params).ok()
    }

    pub(crate) fn result<T: Deserialize<'a>>(&self) -> Option<T> {
        serde_json::from_str(self.result?.get()).ok()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_map(Frame)
    }
}

struct Frame;

impl<'de> Visitor<'de> for Frame {
    type Value = Envelope<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        const KNOWN: [&str; 5] = ["id", "method", "params", "result", "error"];
        let mut seen = Vec::new();
        let mut frame = Envelope::default();
        while let Some(name) = fields.next_key::<String>()? {
            let value = fields.next_value::<&RawValue>()?;
            // Readers differ about `Method` beside `method`, and about the second of two.
            let Some(known) = KNOWN.iter().find(|one| one.eq_ignore_ascii_case(&name)) else {
                continue;
            };
            if name != **known || seen.contains(known) {
                return Err(A::Error::custom("a field has two meanings"));
            }
            seen.push(known);
            let said = (value.get() != "null").then_some(value);
            match name.as_str() {
                "id" => frame.id = said,
                "params" => frame.params = said,
                "result" => frame.result = Some(value),
                "error" => frame.error = said.is_some(),
                _ => {
                    let method = said.map(|said| serde_json::from_str(said.get()));
                    frame.method = method.transpose().map_err(A::Error::custom)?;
                }
            }
        }
        Ok(frame)
    }
}

/// An id, however it is written: to some reader `7`, `7.0` and `"7"` are one.
pub(crate) fn id_key(id: &str) -> String {
    let number = |number: f64| number.is_finite().then(|| number.to_string());
    match serde_json::from_str(id) {
        Ok(Value::String(word)) => {
            let read = word.trim().parse().ok().and_then(number);
            read.unwrap_or_else(|| format!("\"{word}"))
        }
        Ok(Value::Number(read)) => read.as_f64().and_then(number).unwrap_or_default(),
        Ok(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | Err(_) => {
            id.to_owned()
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_two_readers_read_otherwise_is_nobodys() {
        let check = |line: &str, read: bool| {
            assert_eq!(Envelope::read(line.as_bytes()).is_some(), read, "{line}");
        };
        check(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, true);
        check(r#" {"id":1,"result":{"Method":"x"}} "#, true);
        check(r#"{"id":1,"method":"ping","method":"tools/call"}"#, false);
        check(
            r#"{"id":1,"method":"ping","m\u0065thod":"tools/call"}"#,
            false,
        );
        check(r#"{"id":1,"method":"ping","Method":"tools/call"}"#, false);
        check(r#"{"id":1,"RESULT":{"tools":[]},"result":{}}"#, false);
        check(r#"[{"id":1,"method":"ping"}]"#, false);
        check(r#"{"id":1,"method":7}"#, false);
        check(r#"{"id":1} {"id":2}"#, false);
        assert!(Envelope::read(b"{\"id\":1,\"x\":\"\xff\"}").is_none());
    }

    #[test]
    fn an_id_is_one_however_it_is_written() {
        for written in ["7", "7.0", "70e-1", "\"7\"", "\"\\u0037\"", "\" 7\""] {
            assert_eq!(id_key(written), id_key("7"), "{written}");
        }
        for other in ["8", "\"a\"", "-7", "\"\"", "[7]", "true"] {
            assert_ne!(id_key(other), id_key("7"), "{other}");
        }
        assert_eq!(id_key("\"\\u0061\""), id_key("\"a\""));
    }
}
