//! The judges of `[[judge.chain]]`, as tables and as meant.

use std::collections::BTreeMap;

use super::field::{Column, Kind, Value, text};
use crate::judge::{KeySource, Kind as Wire, Provider};

/// The keys of one judge.
pub(super) const COLUMNS: &[Column] = &[
    Column {
        key: "kind",
        doc: "The wire it speaks.",
        kind: Kind::Choice(&[
            "anthropic",
            "openai",
            "openai-compatible",
            "command",
            "cassette",
        ]),
    },
    Column {
        key: "model",
        doc: "The model; without it the agent's own or the default of the kind.",
        kind: Kind::Text,
    },
    Column {
        key: "base_url",
        doc: "Its address; without it the vendor's.",
        kind: Kind::Text,
    },
    Column {
        key: "headers",
        doc: "Headers to send along.",
        kind: Kind::Map,
    },
    Column {
        key: "key_env",
        doc: "The environment variable that holds the key.",
        kind: Kind::Text,
    },
    Column {
        key: "key_file",
        doc: "The file that holds the key.",
        kind: Kind::Text,
    },
    Column {
        key: "key_command",
        doc: "The program that prints the key, with its arguments.",
        kind: Kind::Texts,
    },
    Column {
        key: "no_key",
        doc: "The service wants no key.",
        kind: Kind::Flag,
    },
    Column {
        key: "command",
        doc: "The program to run, with its arguments, for kind `command`.",
        kind: Kind::Texts,
    },
    Column {
        key: "cassette",
        doc: "The file of recorded replies: kind `cassette` plays it, every other kind writes it.",
        kind: Kind::Text,
    },
];

pub(super) fn read(value: &Value) -> Vec<Provider> {
    match value {
        Value::Tables(tables) => tables.iter().filter_map(provider).collect(),
        Value::Text(_)
        | Value::Count(_)
        | Value::Flag(_)
        | Value::Texts(_)
        | Value::Map(_)
        | Value::Unset => Vec::new(),
    }
}

/// `None` without a kind: there is nothing to speak.
fn provider(table: &BTreeMap<String, Value>) -> Option<Provider> {
    let word = |key: &str| match table.get(key) {
        Some(Value::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let words = |key: &str| match table.get(key) {
        Some(Value::Texts(texts)) => texts.clone(),
        _ => Vec::new(),
    };
    let mut provider = Provider::new(Wire::named(&word("kind")?)?);
    provider.model = word("model");
    provider.base_url = word("base_url");
    if let Some(Value::Map(headers)) = table.get("headers") {
        provider.headers.clone_from(headers);
    }
    provider.command = words("command");
    provider.cassette = word("cassette");
    provider.key = if table.get("no_key") == Some(&Value::Flag(true)) {
        KeySource::None
    } else if let Some(name) = word("key_env") {
        KeySource::Env(name)
    } else if let Some(file) = word("key_file") {
        KeySource::File(file)
    } else if !words("key_command").is_empty() {
        KeySource::Command(words("key_command"))
    } else {
        KeySource::Vendor
    };
    Some(provider)
}

pub(super) fn write(chain: &[Provider]) -> Value {
    let tables = chain.iter().map(|provider| {
        let mut table = BTreeMap::from([("kind".to_owned(), text(provider.kind.name()))]);
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                table.insert(key.to_owned(), value);
            }
        };
        put("model", provider.model.as_deref().map(text));
        put("base_url", provider.base_url.as_deref().map(text));
        put("cassette", provider.cassette.as_deref().map(text));
        let some = |words: &Vec<String>| (!words.is_empty()).then(|| Value::Texts(words.clone()));
        put("command", some(&provider.command));
        put(
            "headers",
            (!provider.headers.is_empty()).then(|| Value::Map(provider.headers.clone())),
        );
        match &provider.key {
            KeySource::Vendor => {}
            KeySource::Env(name) => put("key_env", Some(text(name))),
            KeySource::File(file) => put("key_file", Some(text(file))),
            KeySource::Command(words) => put("key_command", some(words)),
            KeySource::None => put("no_key", Some(Value::Flag(true))),
        }
        table
    });
    Value::Tables(tables.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let table = BTreeMap::from([
            ("kind".to_owned(), text("openai-compatible")),
            ("model".to_owned(), text("m")),
            ("base_url".to_owned(), text("http://127.0.0.1:11434/v1")),
            ("no_key".to_owned(), Value::Flag(true)),
            (
                "headers".to_owned(),
                Value::Map([("x".to_owned(), "y".to_owned())].into()),
            ),
        ]);
        let value = Value::Tables(vec![table]);
        assert!(Kind::Tables(COLUMNS).accepts(&value).is_ok());
        assert_eq!(write(&read(&value)), value);
    }

    #[test]
    fn kinds_are_the_wires() {
        let Kind::Choice(names) = COLUMNS[0].kind else {
            panic!("a choice")
        };
        assert_eq!(names, Wire::ALL.map(Wire::name));
    }
}
