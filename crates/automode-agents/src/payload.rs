//! The JSON object on a hook's stdin, read with bounds.
//!
//! Refuses what is too large and what is not one object. Fields are
//! asked for by name and type; a field of another type is absent, and a field that
//! a decision needs is required by the caller.

use automode_core::{Mode, ToolCall, probe, strict};
use serde_json::{Map, Value};

use crate::event::{Event, EventKind, HookPhase, Malformed, Subagent};

/// Longest name of a session, tool or event that is kept.
const MAX_NAME: usize = 512;
/// Longest path.
const MAX_PATH: usize = 16 * 1024;

/// One payload.
#[derive(Clone, Debug)]
pub(crate) struct Payload {
    fields: Map<String, Value>,
}

impl Payload {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let fail = |why: &str| Err(Malformed::new(HookPhase::BeforeTool, why));
        if bytes.len() > ToolCall::MAX_INPUT {
            return fail("the hook's input is too large");
        }
        match strict::parse(bytes) {
            Ok(Value::Object(fields)) => Ok(Self { fields }),
            Ok(
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_),
            ) => fail("the hook's input is not a JSON object"),
            Err(why) => fail(&format!("the hook's input cannot be read: {why}")),
        }
    }

    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str)
    }

    pub(crate) fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    pub(crate) fn value(&self, field: &str) -> Option<&Value> {
        self.fields.get(field)
    }

    pub(crate) fn value_mut(&mut self, field: &str) -> Option<&mut Value> {
        self.fields.get_mut(field)
    }

    /// What a JSON pointer leads to.
    pub(crate) fn pointer(&self, pointer: &str) -> Option<&Value> {
        let mut steps = pointer.strip_prefix('/')?.split('/');
        let first = self.fields.get(steps.next()?)?;
        steps.try_fold(first, |value, step| match value {
            Value::Object(fields) => fields.get(step),
            Value::Array(items) => items.get(step.parse::<usize>().ok()?),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        })
    }

    pub(crate) fn set(&mut self, field: &str, value: Value) {
        self.fields.insert(field.to_owned(), value);
    }

    pub(crate) fn remove(&mut self, field: &str) {
        self.fields.remove(field);
    }

    /// A tool by the name that others have for it.
    pub(crate) fn rename_tool(&mut self, field: &str, names: &[(&str, &str)]) {
        let own = self.text(field).unwrap_or_default();
        if let Some((_, known)) = names.iter().find(|(theirs, _)| *theirs == own) {
            self.set(field, Value::from(*known));
        }
    }

    pub(crate) fn object(&self, field: &str) -> Option<&Map<String, Value>> {
        self.fields.get(field).and_then(Value::as_object)
    }

    /// A name that must be there.
    pub(crate) fn name(&self, field: &str, phase: HookPhase) -> Result<String, Malformed> {
        match self.text(field) {
            Some(text) if !text.is_empty() && text.len() <= MAX_NAME => Ok(text.to_owned()),
            Some(_) => Err(Malformed::new(
                phase,
                format!("`{field}` is empty or too long"),
            )),
            None => Err(Malformed::new(phase, format!("`{field}` is missing"))),
        }
    }

    /// The working directory, which must be absolute.
    pub(crate) fn cwd(&self, phase: HookPhase) -> Result<String, Malformed> {
        match self.text("cwd") {
            Some(cwd) if is_absolute(cwd) && cwd.len() <= MAX_PATH => Ok(cwd.to_owned()),
            Some(_) => Err(Malformed::new(phase, "`cwd` is not an absolute path")),
            None => Err(Malformed::new(phase, "`cwd` is missing")),
        }
    }

    /// The call under the given field names. The input is an object, or an object as JSON text.
    pub(crate) fn call(
        &self,
        tool: &str,
        input: &[&str],
        phase: HookPhase,
    ) -> Result<ToolCall, Malformed> {
        let found = input.iter().find_map(|field| self.fields.get(*field));
        let input = match found {
            Some(Value::Object(map)) => map.clone(),
            Some(Value::String(text)) => match strict::parse(text.as_bytes()) {
                Ok(Value::Object(map)) => map,
                Ok(_) | Err(_) => {
                    return Err(Malformed::new(phase, "the tool's input is not an object"));
                }
            },
            Some(_) => return Err(Malformed::new(phase, "the tool's input is not an object")),
            None => return Err(Malformed::new(phase, "the tool's input is missing")),
        };
        Ok(ToolCall {
            tool: self.name(tool, phase)?,
            input,
            cwd: self.cwd(phase)?,
        })
    }

    /// A call that has run already: what is missing is left empty, nothing hangs on it.
    pub(crate) fn past_call(&self, tool: &str, input: &[&str]) -> ToolCall {
        self.call(tool, input, HookPhase::AfterTool)
            .unwrap_or_else(|_| ToolCall {
                tool: self.text(tool).unwrap_or_default().to_owned(),
                input: Map::new(),
                cwd: self.text("cwd").unwrap_or_default().to_owned(),
            })
    }

    /// The words of a result under any of these names.
    pub(crate) fn brought(&self, fields: &[&str]) -> String {
        let found = fields.iter().filter_map(|field| self.fields.get(*field));
        found.map(probe::texts).collect()
    }

    /// The event of a kind, with the fields most clients share.
    pub(crate) fn event(&self, session: &str, kind: EventKind) -> Result<Event, Malformed> {
        let phase = kind.phase();
        Ok(Event {
            session: self.name(session, phase)?,
            cwd: self.cwd(phase)?,
            transcript: self
                .text("transcript_path")
                .filter(|path| is_absolute(path) && path.len() <= MAX_PATH)
                .map(str::to_owned),
            model: self
                .text("model")
                .filter(|model| !model.is_empty() && model.len() <= MAX_NAME)
                .map(str::to_owned),
            mode: self.text("permission_mode").and_then(mode),
            presence: None,
            subagent: self
                .text("agent_id")
                .filter(|id| !id.is_empty())
                .map(|id| Subagent {
                    id: id.chars().take(MAX_NAME).collect(),
                    kind: self
                        .text("agent_type")
                        .unwrap_or_default()
                        .chars()
                        .take(MAX_NAME)
                        .collect(),
                }),
            kind,
        })
    }
}

/// The permission mode in the clients' words. An unknown word is no mode.
pub(crate) fn mode(word: &str) -> Option<Mode> {
    Some(match word {
        "default" => Mode::Default,
        "plan" => Mode::Plan,
        "acceptEdits" | "auto-edit" | "auto_edit" => Mode::AcceptEdits,
        "auto" => Mode::Auto,
        "dontAsk" => Mode::DontAsk,
        "bypassPermissions" | "yolo" => Mode::BypassPermissions,
        _ => return None,
    })
}

/// `/…` and `C:\…`.
pub(crate) fn is_absolute(path: &str) -> bool {
    let mut bytes = path.bytes();
    match (bytes.next(), bytes.next(), bytes.next()) {
        (Some(b'/'), _, _) => true,
        (Some(drive), Some(b':'), Some(b'\\' | b'/')) => drive.is_ascii_alphabetic(),
        _ => false,
    }
}
