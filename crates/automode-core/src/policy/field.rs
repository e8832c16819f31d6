//! A setting: its key, which values it takes, and how they are refused.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Settings, fields::FIELDS, nearest::nearest};

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// With dots between tables: `limits.total`.
    pub key: &'static str,
    /// One sentence.
    pub doc: &'static str,
    pub kind: FieldKind,
    /// Sets a value that [`FieldKind::accepts`] took.
    pub(super) set: fn(&mut Settings, &Value),
    pub(super) get: fn(&Settings) -> Value,
}

/// Which values a setting takes.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind {
    Choice(&'static [&'static str]),
    /// A whole number within bounds.
    Count {
        min: u64,
        max: u64,
    },
    /// Money, in millionths of a dollar; a file may say `"$5"`.
    Money,
    Flag,
    Text,
    Texts,
    /// Names with texts.
    Map,
    /// A list of tables with these columns.
    Tables(&'static [Column]),
}

impl FieldKind {
    /// The keys of one entry, where it is a list of tables.
    #[must_use]
    pub const fn columns(self) -> &'static [Column] {
        match self {
            Self::Tables(columns) => columns,
            Self::Choice(_)
            | Self::Count { .. }
            | Self::Money
            | Self::Flag
            | Self::Text
            | Self::Texts
            | Self::Map => &[],
        }
    }
}

/// One key of a table in a list.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub key: &'static str,
    pub doc: &'static str,
    pub kind: FieldKind,
    pub need: FieldNeed,
}

/// Whether a table can do without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldNeed {
    Required,
    Optional,
}

/// A value of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    Text(String),
    Count(u64),
    Flag(bool),
    Texts(Vec<String>),
    Map(BTreeMap<String, String>),
    Tables(Vec<BTreeMap<String, Value>>),
    /// Not set, and there is no default.
    Unset,
}

impl Field {
    /// The field of a key.
    #[must_use]
    pub fn find(key: &str) -> Option<&'static Self> {
        FIELDS.iter().find(|field| field.key == key)
    }

    /// What the settings hold.
    #[must_use]
    pub fn value(&self, settings: &Settings) -> Value {
        (self.get)(settings)
    }
}

impl FieldKind {
    /// Whether the value is of this kind, or what was expected.
    pub fn accepts(&self, value: &Value) -> Result<(), String> {
        let fits = match (self, value) {
            (Self::Choice(names), Value::Text(text)) => names.contains(&text.as_str()),
            (Self::Count { min, max }, Value::Count(count)) => (min..=max).contains(&count),
            (Self::Money, Value::Count(_))
            | (Self::Flag, Value::Flag(_))
            | (Self::Text, Value::Text(_))
            | (Self::Texts, Value::Texts(_))
            | (Self::Map, Value::Map(_)) => true,
            (Self::Texts, Value::Tables(tables)) => tables.is_empty(),
            (Self::Map, Value::Tables(_)) => false,
            (Self::Tables(columns), Value::Tables(tables)) => {
                return tables
                    .iter()
                    .try_for_each(|table| accepts_table(columns, table));
            }
            (Self::Tables(_), Value::Texts(texts)) => texts.is_empty(),
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.expected()) }
    }

    /// What is expected, in words.
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            Self::Choice(names) => format!("expected one of `{}`", names.join("`, `")),
            Self::Count { min, max } => format!("expected a whole number from {min} to {max}"),
            Self::Money => "expected money, such as `\"$5\"`, or millionths of a dollar".to_owned(),
            Self::Flag => "expected `true` or `false`".to_owned(),
            Self::Text => "expected a text".to_owned(),
            Self::Texts => "expected a list of texts".to_owned(),
            Self::Map => "expected a table of texts".to_owned(),
            Self::Tables(_) => "expected a list of tables".to_owned(),
        }
    }
}

fn unknown_column(columns: &[Column], key: &str) -> String {
    // A key must not be written down here, so none of the keys is near to it.
    if key.contains("key") || key.contains("token") || key.contains("secret") {
        return format!(
            "unknown key `{key}`: a secret does not belong here, `key_env`, `key_file` or `key_command` say where it is"
        );
    }
    // Other programs call it so.
    let meant = match key {
        "provider" | "type" | "vendor" | "service" => columns
            .iter()
            .map(|column| column.key)
            .find(|known| *known == "kind"),
        "url" | "endpoint" | "host" => columns
            .iter()
            .map(|column| column.key)
            .find(|known| *known == "base_url"),
        _ => nearest(key, columns.iter().map(|column| column.key)),
    };
    match meant {
        Some(meant) => format!("unknown key `{key}`, did you mean `{meant}`?"),
        None => {
            let known: Vec<&str> = columns.iter().map(|column| column.key).collect();
            format!(
                "unknown key `{key}`, expected one of `{}`",
                known.join("`, `")
            )
        }
    }
}

fn accepts_table(columns: &[Column], table: &BTreeMap<String, Value>) -> Result<(), String> {
    for (key, value) in table {
        let Some(column) = columns.iter().find(|column| column.key == key) else {
            return Err(unknown_column(columns, key));
        };
        column
            .kind
            .accepts(value)
            .map_err(|why| format!("`{key}`: {why}"))?;
    }
    let lacks =
        |column: &&Column| column.need == FieldNeed::Required && !table.contains_key(column.key);
    match columns.iter().find(lacks) {
        Some(column) => Err(format!(
            "`{}` is missing: {}",
            column.key,
            column.kind.expected()
        )),
        None => Ok(()),
    }
}
