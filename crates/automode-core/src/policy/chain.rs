//! The judges of `[[judge.chain]]`, as tables and as meant.

use std::collections::BTreeMap;

use super::field::{Column, FieldKind, FieldNeed, Value};
use super::fields::text;
use crate::judge::{KeySource, Kind as Wire, Overrides, Price, Provider};

/// The keys of one judge.
#[rustfmt::skip]
pub(super) const COLUMNS: &[Column] = &[
    Column { need: FieldNeed::Required, ..column("kind", FieldKind::Choice(&["anthropic", "openai", "openai-compatible", "command", "cassette"]), "The wire it speaks.") },
    column("model", FieldKind::Text, "The model; without it the agent's own or the default of the kind."),
    column("base_url", FieldKind::Text, "Its address; without it the vendor's."),
    column("headers", FieldKind::Map, "Headers to send along."),
    column("key_env", FieldKind::Text, "The environment variable that holds the key."),
    column("key_file", FieldKind::Text, "The file that holds the key."),
    column("key_command", FieldKind::Texts, "The program that prints the key, with its arguments."),
    column("no_key", FieldKind::Flag, "The service wants no key."),
    column("command", FieldKind::Texts, "The program to run, with its arguments, for kind `command`."),
    column("cassette", FieldKind::Text, "The file of recorded replies: kind `cassette` plays it, every other kind writes it."),
    column("temperature", FieldKind::Flag, "Whether the model takes a temperature; without it as the table of models says."),
    column("stop", FieldKind::Flag, "Whether the model takes stop sequences."),
    column("force_tool", FieldKind::Flag, "Whether the model can be made to call a tool."),
    column("schema", FieldKind::Flag, "Whether the service can hold the answer to a JSON schema."),
    column("thinking", FieldKind::Choice(&["off", "always"]), "Whether the model thinks before every answer and needs room for it."),
    column("price_input", PRICE, "What a million tokens of input cost, in thousandths of a dollar."),
    column("price_output", PRICE, "What a million tokens of output cost, in thousandths of a dollar."),
    column("price_cached", PRICE, "What a million tokens read from the cache cost, in thousandths of a dollar; without it as input."),
    column("price_written", PRICE, "What a million tokens written to the cache cost, in thousandths of a dollar; without it as input."),
];

/// A thousandth of a dollar for a million tokens is a billionth for one.
const PRICE: FieldKind = FieldKind::Count {
    min: 0,
    max: 1_000_000_000,
};

const fn column(key: &'static str, kind: FieldKind, doc: &'static str) -> Column {
    Column {
        key,
        doc,
        kind,
        need: FieldNeed::Optional,
    }
}

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
    provider.capabilities = capabilities(table);
    provider.price = price(table);
    Some(provider)
}

fn capabilities(table: &BTreeMap<String, Value>) -> Overrides {
    let flag = |key: &str| table.get(key).map(|value| *value == Value::Flag(true));
    Overrides {
        temperature: flag("temperature"),
        stop: flag("stop"),
        forced_tool: flag("force_tool"),
        schema: flag("schema"),
        thinks: table.get("thinking").map(|value| *value == text("always")),
    }
}

/// `None` where nothing is said. What is left unsaid beside a price is not free.
fn price(table: &BTreeMap<String, Value>) -> Option<Price> {
    let amount = |key: &str| match table.get(key) {
        Some(Value::Count(amount)) => Some(*amount),
        _ => None,
    };
    let names = [
        "price_input",
        "price_output",
        "price_cached",
        "price_written",
    ];
    let [input, output, cached, written] = names.map(amount);
    if [input, output, cached, written].iter().all(Option::is_none) {
        return None;
    }
    let input = input.unwrap_or(Price::UNKNOWN.input);
    Some(Price {
        input,
        output: output.unwrap_or(Price::UNKNOWN.output),
        cached: cached.unwrap_or(input),
        written: written.unwrap_or(input),
        long: None,
    })
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
        let known = &provider.capabilities;
        put("temperature", known.temperature.map(Value::Flag));
        put("stop", known.stop.map(Value::Flag));
        put("force_tool", known.forced_tool.map(Value::Flag));
        put("schema", known.schema.map(Value::Flag));
        let thinking = |thinks| text(if thinks { "always" } else { "off" });
        put("thinking", known.thinks.map(thinking));
        if let Some(price) = provider.price {
            put("price_input", Some(Value::Count(price.input)));
            put("price_output", Some(Value::Count(price.output)));
            put("price_cached", Some(Value::Count(price.cached)));
            put("price_written", Some(Value::Count(price.written)));
        }
        table
    });
    Value::Tables(tables.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(&str, Value)]) -> BTreeMap<String, Value> {
        let rows = rows.iter().cloned();
        rows.map(|(key, value)| (key.to_owned(), value)).collect()
    }

    fn check(rows: &[(&str, Value)]) {
        let value = Value::Tables(vec![table(rows)]);
        assert_eq!(FieldKind::Tables(COLUMNS).accepts(&value), Ok(()));
        assert_eq!(write(&read(&value)), value);
    }

    fn refused(rows: &[(&str, Value)], expected: &str) {
        let value = Value::Tables(vec![table(rows)]);
        let why = FieldKind::Tables(COLUMNS).accepts(&value).unwrap_err();
        assert!(why.contains(expected), "{why}");
    }

    #[test]
    fn there_and_back() {
        let headers = Value::Map([("x".to_owned(), "y".to_owned())].into());
        check(&[
            ("kind", text("openai-compatible")),
            ("model", text("m")),
            ("base_url", text("http://127.0.0.1:11434/v1")),
            ("no_key", Value::Flag(true)),
            ("headers", headers),
        ]);
        check(&[
            ("kind", text("anthropic")),
            ("temperature", Value::Flag(false)),
            ("stop", Value::Flag(true)),
            ("force_tool", Value::Flag(false)),
            ("schema", Value::Flag(true)),
            ("thinking", text("always")),
            ("price_input", Value::Count(400)),
            ("price_output", Value::Count(1_600)),
            ("price_cached", Value::Count(0)),
            ("price_written", Value::Count(500)),
        ]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        refused(&[("model", text("m"))], "`kind` is missing");
        refused(&[("kind", text("claude"))], "expected one of `anthropic`");
        let kind = ("kind", text("openai"));
        refused(
            &[kind.clone(), ("thinking", text("maybe"))],
            "`off`, `always`",
        );
        refused(&[kind.clone(), ("stop", text("yes"))], "`true` or `false`");
        refused(
            &[kind.clone(), ("price_input", text("$1"))],
            "a whole number",
        );
        refused(
            &[kind, ("temprature", Value::Flag(true))],
            "unknown key `temprature`",
        );
    }

    #[test]
    fn half_a_price_is_not_free() {
        let half = table(&[("kind", text("command")), ("price_input", Value::Count(7))]);
        let price = price(&half).unwrap();
        assert_eq!((price.input, price.cached, price.written), (7, 7, 7));
        assert_eq!(price.output, Price::UNKNOWN.output);
    }

    #[test]
    fn kinds_are_the_wires() {
        let FieldKind::Choice(names) = COLUMNS[0].kind else {
            panic!("a choice")
        };
        assert_eq!(names, Wire::ALL.map(Wire::name));
    }
}
