//! The toy's record: the user's words, a line each.

use serde_json::Value;

use crate::transcript::{Item, RecordFormat};
use crate::words;

pub(super) static FORMAT: RecordFormat = RecordFormat {
    folder: None,
    path: None,
    is_line: |line| line.get("toy").is_some(),
    is_document: None,
    output_marks: &[],
    call_mark: "",
    read: |line, _, items| {
        let line: Option<Value> = serde_json::from_slice(line).ok();
        let said = line.as_ref().and_then(|line| line.get("toy")?.as_str());
        items.extend(said.and_then(words::own).map(Item::User));
    },
    read_document: None,
    branches: None,
};
