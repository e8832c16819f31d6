//! Words that stand for a role or for a tool call in what a model reads.

/// Marks of chat formats, and tags of agents, that have no other use.
const TAGS: &[&str] = &[
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|end_of_turn|>",
    "<|start_header_id|>",
    "<|eot_id|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "[/inst]",
    "<<sys>>",
    "<</sys>>",
    "<system_message>",
    "</system_message>",
    "<system-reminder>",
    "<system_prompt>",
    "</system_prompt>",
    "</user_query>",
    "<user_input>",
    "</tool_result>",
    "</function_results>",
    "(system_message)",
    "[system_message]",
    "[system message]",
    "###system",
    "### system:",
    "## system:",
    "###instruction",
    "[system]:",
    "<system>you",
    "<system>\nyou",
];

/// The forms of calls in what a model writes.
const CALLS: &[&str] = &[
    "<function_calls>",
    "<invoke name=",
    "<tool_call>",
    "<|tool_call",
    "<tool_use>",
    "to=functions.",
    "<function=",
    "<|python_tag|>",
];

pub(super) fn tag(text: &str) -> Option<&str> {
    first(text, TAGS)
}

pub(super) fn call(text: &str) -> Option<&str> {
    first(text, CALLS)
}

/// The first of these marks in a text, in whatever case.
fn first<'a>(text: &'a str, marks: &[&str]) -> Option<&'a str> {
    let starts = |c: char| matches!(c, '<' | '[' | '(' | '#' | 't' | 'T');
    text.match_indices(starts).find_map(|(at, _)| {
        let rest = text.get(at..)?;
        let mark = marks.iter().find(|mark| {
            rest.get(..mark.len())
                .is_some_and(|begin| begin.eq_ignore_ascii_case(mark))
        })?;
        rest.get(..mark.len())
    })
}
