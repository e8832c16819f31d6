//! The JSON of an agent's settings, whose texts stay where they are.
//!
//! Settings hold thousands of rules at worst and are read before every tool call: a text
//! without escapes is a piece of the file, and nothing is copied before it is a rule.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A value as far as settings look at it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SettingsValue<'t> {
    Null,
    Bool(bool),
    /// Which one is nobody's question.
    Number,
    Text(Cow<'t, str>),
    List(Vec<Self>),
    Object(SettingsObject<'t>),
}

/// Keys and values as they follow each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SettingsObject<'t> {
    entries: Vec<(Cow<'t, str>, SettingsValue<'t>)>,
}

impl<'t> SettingsObject<'t> {
    /// The value of a key; of several the last one counts, as agents have it.
    pub(super) fn get(&self, key: &str) -> Option<&SettingsValue<'t>> {
        let mut latest_first = self.entries.iter().rev();
        latest_first
            .find(|(own, _)| own == key)
            .map(|(_, value)| value)
    }

    pub(super) fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }
}

/// A text that is borrowed where the file holds it as it is.
struct BorrowedText;

impl<'de> Visitor<'de> for BorrowedText {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

/// A key of an object.
struct SettingsKey<'t>(Cow<'t, str>);

impl<'de> Deserialize<'de> for SettingsKey<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(BorrowedText).map(Self)
    }
}

struct AnySetting;

impl<'de> Visitor<'de> for AnySetting {
    type Value = SettingsValue<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(SettingsValue::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(SettingsValue::Bool(value))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(SettingsValue::Number)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(SettingsValue::Number)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(SettingsValue::Number)
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(SettingsValue::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(SettingsValue::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = from.next_element()? {
            list.push(value);
        }
        Ok(SettingsValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(SettingsKey(key)) = from.next_key()? {
            entries.push((key, from.next_value()?));
        }
        Ok(SettingsValue::Object(SettingsObject { entries }))
    }
}

impl<'de> Deserialize<'de> for SettingsValue<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AnySetting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<SettingsValue<'_>, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// The same value in the library's words.
    fn shown(value: &SettingsValue<'_>) -> serde_json::Value {
        use serde_json::Value;
        match value {
            SettingsValue::Null => Value::Null,
            SettingsValue::Bool(value) => Value::Bool(*value),
            SettingsValue::Number => Value::from(0),
            SettingsValue::Text(text) => Value::from(text.as_ref()),
            SettingsValue::List(list) => list.iter().map(shown).collect(),
            SettingsValue::Object(object) => {
                let entries = object.entries.iter();
                entries
                    .map(|(key, value)| (key.to_string(), shown(value)))
                    .collect()
            }
        }
    }

    #[test]
    fn it_reads_what_the_library_reads() {
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for text in [
            "null",
            "[true, false, null, 0, \"a\", []]",
            r#"{"a": {"b": ["c\n\u00e9", "d"]}, "\u0061b": 0, "a": "last"}"#,
            r#"{"a": 1e999}"#,
            r#"{"a": 0} x"#,
            r#"{"a": 0,}"#,
            r#"{"a" 0}"#,
            r#"{1: 0}"#,
            "[\"\u{1}\"]",
            r#"["\ud800"]"#,
            "[1",
            "",
            &deep(127),
            &deep(128),
            &deep(4_000),
        ] {
            let library = serde_json::from_str::<serde_json::Value>(text);
            let library = library.map_err(|error| error.to_string());
            assert_eq!(read(text).map(|value| shown(&value)), library, "{text}");
        }
    }

    #[test]
    fn a_plain_text_is_not_copied() {
        let Ok(SettingsValue::List(texts)) = read(r#"["plain", "a\tb"]"#) else {
            panic!("a list");
        };
        let borrowed =
            |value: &SettingsValue<'_>| matches!(value, SettingsValue::Text(Cow::Borrowed(_)));
        assert_eq!(
            texts.iter().map(borrowed).collect::<Vec<_>>(),
            [true, false]
        );
    }
}
