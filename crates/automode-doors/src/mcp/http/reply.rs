//! One message of the server, on whatever way it comes.
//!
//! By its shape and not by its id: a stream that is taken up again delivers answers to
//! requests of before.

use serde_json::{Map, Value};

use super::door::HttpDoor;
use crate::json_rpc::{self, Envelope};
use crate::mcp::{brought, tool};

/// Whose answer it is.
#[derive(Clone, Debug, Default)]
pub(super) struct AskedRequest {
    pub session: Option<String>,
    /// The tool, or what else was asked for, by its name in rules.
    pub source: Option<String>,
}

/// The message as it goes on; nothing where it does not: what cannot be read may hold a list
/// that nobody has looked at.
pub(super) fn looked_at(door: &HttpDoor, asked: &AskedRequest, message: &[u8]) -> Option<Vec<u8>> {
    let envelope = Envelope::read(message)?;
    let session = asked.session.as_deref();
    match (envelope.method.as_deref(), envelope.id()) {
        (Some("notifications/tools/list_changed"), _) => {
            door.listed(session, false);
            Some(message.to_vec())
        }
        (Some(_), _) | (None, None) => Some(message.to_vec()),
        (None, Some(id)) => {
            let result = envelope.result::<Map<String, Value>>().unwrap_or_default();
            if result.keys().any(|name| name.eq_ignore_ascii_case("tools")) {
                return list(door, id, result);
            }
            let Some((found, warned)) = brought::warned(message, id) else {
                return Some(message.to_vec());
            };
            let source = asked.source.clone().unwrap_or_else(|| door.named("server"));
            door.suspect(session, brought::noted(source, &found));
            Some(warned.unwrap_or_else(|| message.to_vec()))
        }
    }
}

/// A page of tools, without those that a person has to look at.
fn list(door: &HttpDoor, id: &str, mut result: Map<String, Value>) -> Option<Vec<u8>> {
    let last = !result.get("nextCursor").is_some_and(Value::is_string);
    let admitted = door.admit(result.get("tools"), last).ok()?;
    tool::put(&mut result, admitted);
    Some(json_rpc::result(id, &Value::Object(result)))
}
