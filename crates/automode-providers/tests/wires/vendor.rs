//! Three vendors: what they take, and how they say things.

use std::time::Duration;

use automode_core::judge::{
    Cancel, Case, Instruction, Judging, KeySource, Kind, Model, Patience, Protocol, Provider,
    Reply, Request, Settings, Trouble,
};
use automode_core::policy::AutoMode;
use automode_core::transcript::Entry;
use automode_providers::{Surroundings, open};
use serde_json::{Value, json};

use crate::support::{Received, Server, schema};

/// A vendor: its wire, a model, how it says things, and what it documents.
pub struct Vendor {
    pub kind: Kind,
    pub model: &'static str,
    pub check: fn(&Received) -> Result<(), String>,
    pub says: fn(&str, &str) -> Value,
    pub calls: fn(&str) -> Value,
    pub refusal: fn() -> Value,
}

pub const ANTHROPIC: Vendor = Vendor {
    kind: Kind::Anthropic,
    model: "claude-haiku-4-5",
    check: schema::anthropic,
    says: |text, end| {
        let (reason, stop) = match end {
            "stop" => ("stop_sequence", json!("</block>")),
            "cut" => ("max_tokens", Value::Null),
            _ => ("end_turn", Value::Null),
        };
        let content = if text.is_empty() {
            json!([])
        } else {
            json!([{"type": "text", "text": text}])
        };
        json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5-20251001",
            "content": content, "stop_reason": reason, "stop_sequence": stop,
            "usage": {"input_tokens": 10, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30, "output_tokens": 4}
        })
    },
    calls: |arguments| {
        json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "tool_use", "id": "t", "name": "classify_result", "input": serde_json::from_str::<Value>(arguments).unwrap()}],
            "stop_reason": "tool_use", "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}
        })
    },
    refusal: || {
        json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": "<block>no</block>"}], "stop_reason": "refusal", "stop_sequence": null,
            "usage": {"input_tokens": 1, "output_tokens": 1}
        })
    },
};

pub const OPENAI: Vendor = Vendor {
    kind: Kind::OpenAi,
    model: "gpt-4.1-mini",
    check: schema::responses,
    says: |text, end| {
        let (status, details) = match end {
            "cut" => ("incomplete", json!({"reason": "max_output_tokens"})),
            _ => ("completed", Value::Null),
        };
        let output = if text.is_empty() {
            json!([])
        } else {
            json!([
                {"type": "reasoning", "id": "r", "summary": []},
                {"type": "message", "id": "m", "role": "assistant", "status": status, "content": [{"type": "output_text", "text": text, "annotations": []}]}
            ])
        };
        json!({
            "id": "resp_1", "object": "response", "status": status, "incomplete_details": details, "model": "gpt-4.1-mini",
            "output": output, "usage": {"input_tokens": 60, "input_tokens_details": {"cached_tokens": 30}, "output_tokens": 4, "total_tokens": 64}
        })
    },
    calls: |arguments| {
        json!({
            "id": "resp_1", "object": "response", "status": "completed", "model": "m",
            "output": [{"type": "function_call", "id": "f", "call_id": "c", "name": "classify_result", "arguments": arguments}],
            "usage": {"input_tokens": 1, "output_tokens": 1}
        })
    },
    refusal: || {
        json!({
            "id": "resp_1", "object": "response", "status": "completed", "model": "m",
            "output": [{"type": "message", "content": [{"type": "refusal", "refusal": "I cannot"}]}],
            "usage": {"input_tokens": 1, "output_tokens": 1}
        })
    },
};

pub const COMPATIBLE: Vendor = Vendor {
    kind: Kind::OpenAiCompatible,
    model: "gpt-4o-mini",
    check: schema::chat,
    says: |text, end| {
        let reason = if end == "cut" { "length" } else { "stop" };
        let content = if text.is_empty() {
            Value::Null
        } else {
            json!(text)
        };
        json!({
            "id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-4o-mini",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": reason}],
            "usage": {"prompt_tokens": 60, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 30}}
        })
    },
    calls: |arguments| {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion", "model": "m",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "classify_result", "arguments": arguments}}
            ]}}]
        })
    },
    refusal: || {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion", "model": "m",
            "choices": [{"index": 0, "finish_reason": "content_filter", "message": {"role": "assistant", "content": "<block>no</block>"}}]
        })
    },
};

pub const VENDORS: [Vendor; 3] = [ANTHROPIC, OPENAI, COMPATIBLE];

pub const NO: &str = "<block>no</block>";
pub const YES: &str = "<block>yes</block><rule>force-push</rule><reason>r</reason>";
pub const THOUGHT_NO: &str = "<thinking>t</thinking><block>no</block>";
pub const THOUGHT_YES: &str =
    "<thinking>t</thinking><block>yes</block><rule>force-push</rule><reason>r</reason>";

impl Vendor {
    pub fn model(&self, server: &Server) -> Box<dyn Model> {
        self.model_named(server, self.model)
    }

    pub fn model_named(&self, server: &Server, model: &str) -> Box<dyn Model> {
        let provider = Provider {
            model: Some(model.to_owned()),
            base_url: Some(server.url.clone()),
            key: KeySource::Env("TEST_KEY".to_owned()),
            ..Provider::new(self.kind)
        };
        open_with(&provider)
    }
}

pub fn open_with(provider: &Provider) -> Box<dyn Model> {
    let variable = |name: &str| (name == "TEST_KEY").then(|| "test-key".to_owned());
    let surroundings = Surroundings {
        variable: &variable,
        agent_model: None,
    };
    open(provider, &surroundings).unwrap()
}

pub fn begin(protocol: Protocol) -> (Judging, Request) {
    let entries: Vec<_> = (0..40)
        .map(|index| Entry::Call {
            tool: "Bash".to_owned(),
            brief: format!("cargo test -p part{index}"),
        })
        .collect();
    let instructions = [Instruction {
        path: "CLAUDE.md".to_owned(),
        text: "Be kind.".to_owned(),
    }];
    Judging::begin(
        &Case {
            tool: "Bash",
            brief: "git push --force",
            entries: &entries,
            instructions: &instructions,
            facts: &["git: on main".to_owned()],
            findings: &[],
            auto_mode: &AutoMode::default(),
        },
        &Settings {
            protocol,
            ..Settings::default()
        },
    )
    .unwrap()
}

pub fn ask(model: &dyn Model, request: &Request) -> Result<Reply, Trouble> {
    ask_for(model, request, Duration::from_secs(5))
}

pub fn ask_for(model: &dyn Model, request: &Request, timeout: Duration) -> Result<Reply, Trouble> {
    let cancel = Cancel::default();
    model.ask(
        request,
        Patience {
            timeout,
            cancel: &cancel,
        },
    )
}
