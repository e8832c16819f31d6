//! What a request that is decided asks of a server: a tool, a resource or a prompt.
//!
//! A resource and a prompt are in no list of tools: they are decided under names of their
//! own, by what the request itself says, and so is a completion of either. Everything else that
//! a client may ask for hands nothing over but the protocol's own words, and goes on.

use automode_core::tool::READ_RESOURCE;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::completion::{Completed, CompletionParams};
use crate::json_rpc::{self, Envelope};

/// What having a server fill a prompt is called in rules.
const GET_PROMPT: &str = "get_prompt";
/// A resource that is not read, a prompt that is not filled; their answers have no place for a
/// failure.
const REFUSED: i64 = -32_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AskedFor {
    Tool,
    /// To be read now, or whenever it changes.
    Resource,
    Prompt,
    /// Of an argument of a prompt or a resource.
    Completion,
}

/// A request that is decided, as a call.
#[derive(Debug, PartialEq)]
pub(super) struct AskedCall {
    pub tool: String,
    pub arguments: Map<String, Value>,
}

impl AskedCall {
    fn resource(uri: String) -> Self {
        Self {
            tool: READ_RESOURCE.to_owned(),
            arguments: Map::from_iter([("uri".to_owned(), uri.into())]),
        }
    }

    fn prompt(name: String, arguments: Map<String, Value>) -> Self {
        Self {
            tool: GET_PROMPT.to_owned(),
            arguments: Map::from_iter([
                ("name".to_owned(), name.into()),
                ("arguments".to_owned(), arguments.into()),
            ]),
        }
    }
}

#[derive(Deserialize)]
struct ResourceParams {
    uri: String,
}

#[derive(Deserialize)]
struct NamedParams {
    name: String,
    #[serde(default)]
    arguments: Option<Value>,
}

impl NamedParams {
    fn arguments(&self) -> Result<Map<String, Value>, &'static str> {
        match &self.arguments {
            Some(Value::Object(arguments)) => Ok(arguments.clone()),
            None | Some(Value::Null) => Ok(Map::new()),
            Some(_) => Err("its arguments are no object"),
        }
    }
}

impl AskedFor {
    /// What this method asks for; nothing where it is not decided.
    pub(super) fn by_method(method: &str) -> Option<Self> {
        match method {
            "tools/call" => Some(Self::Tool),
            // Whoever is told of a change is told what is there.
            "resources/read" | "resources/subscribe" => Some(Self::Resource),
            "prompts/get" => Some(Self::Prompt),
            "completion/complete" => Some(Self::Completion),
            _ => None,
        }
    }

    /// The request as a call; else why it cannot be decided.
    pub(super) fn call(self, message: &Envelope<'_>) -> Result<AskedCall, &'static str> {
        match self {
            Self::Tool => {
                let params = message.strict_params::<NamedParams>();
                let params = params.ok_or("the call cannot be read")?;
                Ok(AskedCall {
                    arguments: params.arguments()?,
                    tool: params.name,
                })
            }
            Self::Resource => {
                let params = message.strict_params::<ResourceParams>();
                let params = params.ok_or("the resource cannot be read from this message")?;
                Ok(AskedCall::resource(params.uri))
            }
            Self::Prompt => {
                let params = message.strict_params::<NamedParams>();
                let params = params.ok_or("the prompt cannot be read from this message")?;
                let arguments = params.arguments()?;
                Ok(AskedCall::prompt(params.name, arguments))
            }
            Self::Completion => {
                let params = message.strict_params::<CompletionParams>();
                let params = params.ok_or("the completion cannot be read from this message")?;
                Ok(match params.completed()? {
                    Completed::Prompt { name, arguments } => AskedCall::prompt(name, arguments),
                    Completed::Resource { uri } => AskedCall::resource(uri),
                })
            }
        }
    }

    /// The answer in place of the server's.
    pub(super) fn refused(self, id: &str, why: &str) -> Vec<u8> {
        let text = crate::text::clean(&format!("automode: {why}"));
        match self {
            // The model reads it as a failure of the tool.
            Self::Tool => {
                let result = json!({"isError": true, "content": [{"type": "text", "text": text}]});
                json_rpc::result(id, &result)
            }
            Self::Resource | Self::Prompt | Self::Completion => json_rpc::error(id, REFUSED, &text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &Value, expected: Result<(&str, Value), &str>) {
        let line = message.to_string();
        let message = Envelope::read(line.as_bytes()).unwrap();
        let asks = AskedFor::by_method(message.method.as_deref().unwrap()).unwrap();
        let call = asks.call(&message);
        let call = call.map(|call| (call.tool, Value::Object(call.arguments)));
        let expected = expected.map(|(tool, arguments)| (tool.to_owned(), arguments));
        assert_eq!(call, expected, "{line}");
    }

    #[test]
    fn each_request_is_a_call_of_its_own_name() {
        let uri = json!({"uri": "file:///w/a"});
        for method in ["resources/read", "resources/subscribe"] {
            check(
                &json!({"id": 1, "method": method, "params": uri}),
                Ok(("read_resource", uri.clone())),
            );
            check(
                &json!({"id": 1, "method": method, "params": {"uri": 7}}),
                Err("the resource cannot be read from this message"),
            );
        }
        let prompt = json!({"name": "review", "arguments": {"path": "a"}});
        check(
            &json!({"id": 1, "method": "prompts/get", "params": prompt}),
            Ok(("get_prompt", prompt)),
        );
        check(
            &json!({"id": 1, "method": "prompts/get", "params": {"name": "review"}}),
            Ok(("get_prompt", json!({"name": "review", "arguments": {}}))),
        );
        check(
            &json!({"id": 1, "method": "prompts/get", "params": {"name": "x", "arguments": "y"}}),
            Err("its arguments are no object"),
        );
        let complete =
            |params: Value| json!({"id": 1, "method": "completion/complete", "params": params});
        let typed = json!({"name": "path", "value": "a"});
        let of_prompt = json!({"type": "ref/prompt", "name": "review"});
        check(
            &complete(
                json!({"ref": of_prompt, "argument": typed, "context": {"arguments": {"tone": "dry"}}}),
            ),
            Ok((
                "get_prompt",
                json!({"name": "review", "arguments": {"path": "a", "tone": "dry"}}),
            )),
        );
        check(
            &complete(
                json!({"ref": {"type": "ref/resource", "uri": "file:///w/{path}"}, "argument": typed}),
            ),
            Ok(("read_resource", uri.clone())),
        );
        check(
            &complete(
                json!({"ref": of_prompt, "argument": typed, "context": {"arguments": {"path": "b"}}}),
            ),
            Err("one argument of the completion has two values"),
        );
        check(
            &complete(
                json!({"ref": {"type": "ref/resource", "uri": "file:///w"}, "argument": typed}),
            ),
            Err("it is not known what resource the completion is for"),
        );
        for params in [
            json!({"ref": {"type": "ref/tool", "name": "x"}, "argument": typed}),
            json!({"ref": of_prompt}),
            json!({"ref": of_prompt, "argument": {"name": "path", "value": ["a"]}}),
        ] {
            check(
                &complete(params),
                Err("the completion cannot be read from this message"),
            );
        }
        check(
            &json!({"id": 1, "method": "tools/call", "params": {"name": "note", "arguments": null}}),
            Ok(("note", json!({}))),
        );
        assert_eq!(AskedFor::by_method("resources/unsubscribe"), None);
    }
}
