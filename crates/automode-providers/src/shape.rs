//! What a request becomes under the capabilities of its model.
//!
//! A request says what is wanted; a model takes some of it. What it does not
//! take is left out here, once, for every wire.

use automode_core::Failure;
use automode_core::judge::{
    Capabilities, Finish, Format, Request, STOP, Segment, THINKING_PADDING, Thinking, Trouble,
};
use serde::Serialize;

/// The form in which the answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyForm {
    Text,
    /// A call of the tool, which the model has to make.
    ForcedTool,
    /// A JSON document that the service holds to the schema.
    Schema,
}

/// What is sent beside the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WireShape {
    pub max_tokens: u32,
    pub temperature: Option<u8>,
    pub stop: Option<&'static str>,
    pub form: ReplyForm,
    /// The value that turns thinking off.
    pub switch: Option<&'static str>,
    /// The effort that keeps it short.
    pub effort: Option<&'static str>,
}

impl WireShape {
    pub(crate) fn of(request: &Request, model: &Capabilities) -> Self {
        let (padding, switch, effort) = match model.thinking {
            Thinking::Off => (0, None, None),
            Thinking::Switch(value) => (0, Some(value), None),
            Thinking::Always(effort) => (THINKING_PADDING, None, effort),
        };
        Self {
            max_tokens: request.max_tokens.saturating_add(padding),
            temperature: model.temperature.then_some(0),
            stop: (request.format == Format::TagsToStop && model.stop).then_some(STOP),
            form: match request.format {
                Format::Tags | Format::TagsToStop => ReplyForm::Text,
                Format::Tool if model.forced_tool => ReplyForm::ForcedTool,
                Format::Tool if model.schema => ReplyForm::Schema,
                Format::Tool => ReplyForm::Text,
            },
            switch,
            effort,
        }
    }
}

/// Segments as one string, for services that find the shared prefix by themselves.
pub(crate) fn joined<'a>(segments: impl IntoIterator<Item = &'a Segment>) -> String {
    segments
        .into_iter()
        .map(|segment| segment.text.as_str())
        .collect()
}

/// A body as it goes over the wire.
pub(crate) fn encoded(body: &impl Serialize) -> Result<Vec<u8>, Trouble> {
    serde_json::to_vec(body).map_err(|error| Trouble::new(Failure::Unavailable, &error.to_string()))
}

/// What an answer says: the arguments of its call, or its text where it made none.
pub(crate) fn verdict(calls: &[&str], text: &str) -> String {
    match calls {
        [] => text.to_owned(),
        [arguments] => (*arguments).to_owned(),
        // Two verdicts are none.
        [_, _, ..] => String::new(),
    }
}

/// Where a service does not tell a stop sequence from the end of an answer:
/// it was the stop if one was asked for and is not in the text.
pub(crate) fn end_or_stop(shape: &WireShape, text: &str) -> Finish {
    match shape.stop {
        Some(stop) if !text.contains(stop) => Finish::Stopped,
        Some(_) | None => Finish::Ended,
    }
}

/// The answer of a model that writes its thoughts into it, between tags of its own.
pub(crate) fn without_thoughts(text: &str) -> &str {
    let Some(rest) = text.trim_start().strip_prefix("<think>") else {
        return text;
    };
    match rest.split_once("</think>") {
        Some((_, answer)) if !answer.contains("</think>") => answer,
        Some(_) | None => text,
    }
}

#[cfg(test)]
mod tests {
    use automode_core::judge::{JudgeStage, Kind, Overrides, capabilities};

    use super::*;

    fn shape(format: Format, kind: Kind, model: &str) -> WireShape {
        let request = Request {
            stage: JudgeStage::Fast,
            system: Vec::new(),
            messages: Vec::new(),
            format,
            max_tokens: 64,
        };
        WireShape::of(&request, &capabilities(kind, model, Overrides::default()))
    }

    #[test]
    fn each_model_gets_what_it_takes() {
        let classic = shape(Format::TagsToStop, Kind::Anthropic, "claude-haiku-4-5");
        assert_eq!(
            (classic.max_tokens, classic.temperature, classic.stop),
            (64, Some(0), Some(STOP))
        );
        let always = shape(Format::TagsToStop, Kind::Anthropic, "claude-opus-5-5");
        assert_eq!(
            (always.max_tokens, always.temperature, always.effort),
            (64 + 2048, None, Some("low"))
        );
        let switch = shape(Format::Tool, Kind::Anthropic, "claude-sonnet-5-5");
        assert_eq!(
            (switch.form, switch.switch),
            (ReplyForm::Schema, Some("between_tools"))
        );
        assert_eq!(
            shape(Format::Tool, Kind::Anthropic, "claude-haiku-4-5").form,
            ReplyForm::ForcedTool
        );
        let unknown = shape(Format::Tool, Kind::Anthropic, "claude-next");
        assert_eq!(
            (unknown.form, unknown.stop, unknown.temperature),
            (ReplyForm::Text, None, None)
        );
        assert_eq!(
            shape(Format::TagsToStop, Kind::OpenAi, "gpt-4.1-mini").stop,
            None
        );
    }

    #[test]
    fn thoughts_go_only_where_they_are_closed_once() {
        assert_eq!(
            without_thoughts("<think>a</think><block>no</block>"),
            "<block>no</block>"
        );
        for text in [
            "<think>a",
            "<block>no</block>",
            "<think>a</think>b</think>c",
            "x<think>a</think>b",
        ] {
            assert_eq!(without_thoughts(text), text);
        }
    }
}
