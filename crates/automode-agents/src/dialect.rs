//! Clients that are one shape with other words, as data.
//!
//! A dialect says where a payload keeps what every hook tells, which of its events is
//! which, and the forms of its answers. Everything else is Claude Code's. What a payload
//! lacks makes it malformed, which is denied in the client's own form.

use automode_core::{Presence, Verdict};
use serde_json::Value;

use crate::claude_code::hook as claude_code;
use crate::event::{Event, HookPhase, Malformed};
use crate::payload::Payload;
use crate::reply::{Answer, Reply};

/// Where a field may stand: JSON pointers, the first that is there counts.
pub(crate) type DialectPlaces = &'static [&'static str];

/// What a tool brought in: no documentation says more than a name for it.
const RESULT: DialectPlaces = &[
    "/tool_response",
    "/tool_output",
    "/tool_result",
    "/result",
    "/output",
];

/// One client's words.
#[derive(Debug)]
pub struct Dialect {
    pub(crate) event: DialectPlaces,
    /// Its events by our names; an event that is not here decides nothing.
    pub(crate) events: &'static [(&'static str, &'static str)],
    /// What a payload is that names no event.
    pub(crate) unnamed: &'static str,
    pub(crate) session: DialectPlaces,
    pub(crate) cwd: DialectPlaces,
    pub(crate) tool: DialectPlaces,
    pub(crate) input: DialectPlaces,
    pub(crate) call_id: DialectPlaces,
    pub(crate) prompt: DialectPlaces,
    /// Its tools by names that are known.
    pub(crate) tools: &'static [(&'static str, &'static str)],
    pub(crate) answers: AnswerForms,
}

/// How a client wants to be answered. `@REASON@` stands for the text that goes with the verdict,
/// `@PERSON@` for what the person is told beside it.
#[derive(Debug)]
pub(crate) struct AnswerForms {
    pub allow: AnswerForm,
    /// An allow beside which the person is told something, where there is a place for it.
    pub allow_told: Option<AnswerForm>,
    /// Nothing: a question is a denial.
    pub ask: Option<AnswerForm>,
    pub deny: AnswerForm,
}

impl AnswerForms {
    /// Silence lets a call run, and `block` stops it.
    pub(crate) const BLOCK: Self = Self {
        allow: AnswerForm::Json("{}"),
        allow_told: None,
        ask: None,
        deny: AnswerForm::Json(r#"{"decision":"block","reason":"@REASON@"}"#),
    };
}

/// One answer.
#[derive(Debug)]
pub(crate) enum AnswerForm {
    /// This JSON, with exit 0.
    Json(&'static str),
    /// Exit 2, with the reason on stderr.
    Exit2,
}

impl Dialect {
    /// Claude Code's own names, which most others took over.
    pub(crate) const CLAUDE_CODE: Self = Self {
        event: &["/hook_event_name"],
        events: &[
            ("PreToolUse", "PreToolUse"),
            ("PostToolUse", "PostToolUse"),
            ("UserPromptSubmit", "UserPromptSubmit"),
            ("SessionStart", "SessionStart"),
            ("SessionEnd", "SessionEnd"),
            ("Stop", "Stop"),
        ],
        unnamed: "PreToolUse",
        session: &["/session_id"],
        cwd: &["/cwd"],
        tool: &["/tool_name"],
        input: &["/tool_input"],
        call_id: &["/tool_use_id"],
        prompt: &["/prompt"],
        tools: &[],
        answers: AnswerForms::BLOCK,
    };

    /// The bytes of a hook's stdin, understood.
    pub(crate) fn parse(&self, bytes: &[u8]) -> Result<Event, Malformed> {
        let mut payload = Payload::parse(bytes)?;
        let event = self.event_name(&payload);
        let moved = [
            ("session_id", self.session),
            ("cwd", self.cwd),
            ("tool_name", self.tool),
            ("tool_input", self.input),
            ("tool_use_id", self.call_id),
            ("prompt", self.prompt),
            ("tool_response", RESULT),
        ];
        for (name, places) in moved {
            let found = places
                .iter()
                .find_map(|place| payload.pointer(place))
                .cloned();
            match found {
                Some(value) => payload.set(name, value),
                None => payload.remove(name),
            }
        }
        payload.set("hook_event_name", Value::from(event));
        payload.rename_tool("tool_name", self.tools);
        let kind = claude_code::kind(&payload)?;
        payload.event("session_id", kind)
    }

    fn event_name(&self, payload: &Payload) -> String {
        let named = self
            .event
            .iter()
            .find_map(|place| payload.pointer(place)?.as_str())
            // A name that says nothing may be that of a call.
            .filter(|name| !name.is_empty());
        match named {
            None => self.unnamed.to_owned(),
            Some(name) => self
                .events
                .iter()
                .find(|(theirs, _)| *theirs == name)
                .map_or_else(|| format!("other {name}"), |(_, ours)| (*ours).to_owned()),
        }
    }

    /// An answer in the only form that this client honours.
    pub(crate) fn render(&self, phase: HookPhase, answer: &Answer, presence: Presence) -> Reply {
        let ruling = match (phase, answer) {
            (_, Answer::Ruling(ruling)) => ruling,
            // Claude Code's form; whether a client reads it is not proven.
            (HookPhase::AfterTool, Answer::Remark(text)) => return claude_code::after_tool(text),
            (_, Answer::Remark(_) | Answer::Neutral) => return Reply::neutral(),
        };
        match phase {
            HookPhase::BeforeTool | HookPhase::PermissionRequest => {}
            HookPhase::AfterTool | HookPhase::Other => return Reply::neutral(),
        }
        let ruling = match self.answers.ask {
            Some(_) => ruling.for_presence(presence),
            None => ruling.without_ask(),
        };
        let told = self.answers.allow_told.as_ref();
        let form = match (ruling.verdict, &self.answers.ask) {
            (Verdict::Allow, _) => told
                .filter(|_| ruling.notice.is_some())
                .unwrap_or(&self.answers.allow),
            (Verdict::Ask, Some(ask)) => ask,
            (Verdict::Ask, None) | (Verdict::Deny, _) => &self.answers.deny,
        };
        match form {
            AnswerForm::Json(text) => {
                let reason = Value::from(ruling.spoken()).to_string();
                let person = ruling.notice.as_deref().unwrap_or(&ruling.reason);
                Reply {
                    // The model's text cannot hold the other mark: it is put in last.
                    stdout: text
                        .replace("\"@PERSON@\"", &Value::from(person).to_string())
                        .replace("\"@REASON@\"", &reason),
                    exit: 0,
                }
            }
            AnswerForm::Exit2 => Reply {
                stdout: ruling.reason,
                exit: 2,
            },
        }
    }
}
