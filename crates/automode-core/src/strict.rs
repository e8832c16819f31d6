//! JSON as a gate may read it: one meaning, and no more of it than was asked for.
//!
//! A name that stands twice in an object is refused, because two readers may take
//! different ones. Depth and the number of values are bounded while reading, so a
//! short text cannot grow into more memory than the process has.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::call::ToolCall;

/// Values that one text may hold, all depths together.
const MAX_VALUES: usize = 1 << 18;

/// The one value in a text.
///
/// # Errors
/// In words, with the place where the reading stopped.
pub fn parse(bytes: &[u8]) -> Result<Value, String> {
    let left = Cell::new(MAX_VALUES);
    let seed = Bounded {
        left: &left,
        depth: ToolCall::MAX_DEPTH.saturating_add(1),
    };
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = seed.deserialize(&mut reader);
    let value = value.and_then(|value| reader.end().map(|()| value));
    value.map_err(|error| match error.classify() {
        serde_json::error::Category::Data => error.to_string(),
        serde_json::error::Category::Io
        | serde_json::error::Category::Syntax
        | serde_json::error::Category::Eof => format!(
            "it is not JSON (line {}, column {})",
            error.line(),
            error.column()
        ),
    })
}

/// How much may still be read.
#[derive(Clone, Copy)]
struct Bounded<'a> {
    left: &'a Cell<usize>,
    depth: usize,
}

impl Bounded<'_> {
    /// One value deeper.
    fn inside<E: Error>(self) -> Result<Self, E> {
        let depth = self.depth.checked_sub(1);
        let depth = depth.ok_or_else(|| E::custom("it is nested too deeply"))?;
        Ok(Self { depth, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        let left = self.left.get().checked_sub(1);
        let left = left.ok_or_else(|| D::Error::custom("it holds too many values"))?;
        self.left.set(left);
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inside)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut map = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            if map.contains_key(&name) {
                return Err(A::Error::custom("a name stands twice in one object"));
            }
            let value = fields.next_value_seed(inside)?;
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_one_meaning_is_read_as_everybody_reads_it() {
        for text in [
            "null",
            " [1, -2, 3.5, \"x\\u00e9\\n\", true, {}] ",
            r#"{"a": {"b": [null, {"c": 18446744073709551615}]}, "d": "\ud83d\ude00"}"#,
        ] {
            let usual: Value = serde_json::from_str(text).unwrap();
            assert_eq!(parse(text.as_bytes()), Ok(usual), "{text}");
        }
    }

    #[test]
    fn what_has_two_meanings_or_none_is_refused() {
        let check = |text: &[u8], why: &str| {
            let refused = parse(text).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        };
        check(br#"{"a": 1, "a": 2}"#, "twice");
        check(br#"{"a": {"b": 1, "\u0062": 2}}"#, "twice");
        check(b"{} {}", "not JSON");
        check(b"{\"a\": 1", "not JSON");
        check(b"\"\\ud800\"", "not JSON");
        check(b"\"\xff\"", "not JSON");
        check(b"1e999", "not JSON");
        check(b"", "not JSON");
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(nested(ToolCall::MAX_DEPTH).as_bytes()).is_ok());
        check(nested(100).as_bytes(), "too deeply");
        check(nested(100_000).as_bytes(), "too deeply");
        let many = format!("[{}0]", "0,".repeat(MAX_VALUES));
        check(many.as_bytes(), "too many");
    }
}
