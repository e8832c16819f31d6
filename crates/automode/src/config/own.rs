//! Our own settings files, in TOML.
//!
//! Every key is known: one that is not is a fault with its line and the key that
//! was probably meant. The keys come from the table of settings, the three rule
//! lists and the four prose lists.

use std::collections::BTreeMap;

use automode_core::policy::{
    Column, FIELDS, Field, FieldKind, Layer, List, Origin, ProjectPolicy, SettingAssignment, Value,
    Written, nearest,
};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    fault::{Fault, SettingsText},
    places::Place,
};

/// The rule lists, and what else stands beside them.
pub(super) const PERMISSIONS: &[&str] =
    &["allow", "ask", "deny", "directories", "managed_allow_only"];

/// Reads a person's or an administrator's file.
pub(super) fn layer(text: &str, origin: &Origin, faults: &mut Vec<Fault>) -> Layer {
    let mut layer = Layer::empty(origin.clone());
    let mut reader = TomlSettings(SettingsText::new(text, &origin.file, faults));
    reader.walk(&mut |reader, key, value, line| reader.put(&mut layer, key, value, line));
    layer
}

/// Reads a repository's file: deny and ask rules count, and settings that it may tighten; the
/// rest is noted.
pub(super) fn project(text: &str, place: &Place, faults: &mut Vec<Fault>) -> ProjectPolicy {
    let mut project = place.empty_project();
    let file = project.origin.file.clone();
    let mut reader = TomlSettings(SettingsText::new(text, &file, faults));
    reader.walk(&mut |reader, key, value, line| match key {
        "permissions.deny" => project.deny.extend(reader.texts(key, value)),
        "permissions.ask" => project.ask.extend(reader.texts(key, value)),
        _ => match Field::find(key).filter(|field| field.is_tightenable()) {
            Some(field) => project.settings.extend(reader.setting(field, value, line)),
            None => project.ignored.push(Written {
                text: key.to_owned(),
                line,
            }),
        },
    });
    project
}

struct TomlSettings<'t, 'f>(SettingsText<'t, 'f>);

type Put<'p, 't, 'f> =
    &'p mut dyn FnMut(&mut TomlSettings<'t, 'f>, &str, &Spanned<DeValue<'_>>, u32);

impl<'t, 'f> TomlSettings<'t, 'f> {
    /// Calls `put` for every known key.
    fn walk(&mut self, put: Put<'_, 't, 'f>) {
        match DeTable::parse(self.0.text) {
            Ok(table) => self.table("", table.get_ref(), put),
            Err(error) => {
                let line = error.span().map_or(0, |span| self.0.lines.at(span.start));
                let mut what = error.message().trim().replace('\n', ", ");
                let place = error.span().and_then(|span| self.0.text.get(span));
                if let (true, Some(key)) = (what.contains("duplicate key"), place) {
                    what = format!("duplicate key `{}`", key.trim());
                }
                self.0.fault(line, what, None);
            }
        }
    }

    fn table(&mut self, path: &str, table: &DeTable<'_>, put: Put<'_, 't, 'f>) {
        for (name, value) in table {
            let key = if path.is_empty() {
                name.get_ref().to_string()
            } else {
                format!("{path}.{}", name.get_ref())
            };
            let line = self.0.lines.at(name.span().start);
            let keys = || known();
            let inner = format!("{key}.");
            if keys().any(|own| own == key) {
                put(self, &key, value, line);
            } else if keys().any(|own| own.starts_with(&inner)) {
                match value.get_ref() {
                    DeValue::Table(table) => self.table(&key, table, put),
                    other => self.0.fault(
                        line,
                        format!("`{key}` is a table, not {}", other.type_str()),
                        None,
                    ),
                }
            } else {
                let siblings: Vec<String> = keys()
                    .filter_map(|own| {
                        if path.is_empty() {
                            Some(own)
                        } else {
                            own.strip_prefix(path)?.strip_prefix('.').map(str::to_owned)
                        }
                    })
                    .map(|rest| rest.split('.').next().unwrap_or_default().to_owned())
                    .collect();
                let name = name.get_ref().as_ref();
                // A key that belongs into a table is often written outside of it.
                let moved = keys().find(|own| own.rsplit('.').next() == Some(name));
                let hint = moved
                    .or_else(|| {
                        nearest(name, siblings.iter().map(String::as_str)).map(str::to_owned)
                    })
                    .map(|meant| format!("did you mean `{meant}`?"));
                let hint = list_of(path, name)
                    .map(|list| format!("`{name}` stands in an entry of its own: `[[{list}]]`"))
                    .or_else(|| of_a_judge(path, name))
                    .or(hint);
                let hint =
                    hint.or_else(|| Some("`automode config schema` lists every key".to_owned()));
                self.0.fault(line, format!("unknown key `{key}`"), hint);
            }
        }
    }

    fn put(&mut self, layer: &mut Layer, key: &str, value: &Spanned<DeValue<'_>>, line: u32) {
        match key {
            "permissions.allow" => layer.allow.extend(self.texts(key, value)),
            "permissions.ask" => layer.ask.extend(self.texts(key, value)),
            "permissions.deny" => layer.deny.extend(self.texts(key, value)),
            "permissions.directories" => layer.directories.extend(self.texts(key, value)),
            "permissions.managed_allow_only" => match value.get_ref() {
                DeValue::Boolean(flag) => layer.managed_allow_only = *flag,
                _ => self
                    .0
                    .fault(line, format!("`{key}`: expected `true` or `false`"), None),
            },
            _ => {
                let list = List::ALL
                    .into_iter()
                    .find(|list| key.strip_prefix("auto_mode.") == Some(list.name()));
                match (list, Field::find(key)) {
                    (Some(list), _) => {
                        let texts = self.texts(key, value);
                        layer.prose.push((list, texts));
                    }
                    (None, Some(field)) => {
                        layer.settings.extend(self.setting(field, value, line));
                    }
                    (None, None) => {}
                }
            }
        }
    }

    fn setting(
        &mut self,
        field: &'static Field,
        value: &Spanned<DeValue<'_>>,
        line: u32,
    ) -> Option<SettingAssignment> {
        let converted = convert(value.get_ref(), &field.kind);
        let checked = converted
            .ok_or_else(|| match value.get_ref() {
                DeValue::Float(_) => format!("{}, without a point", field.kind.expected()),
                _ => field.kind.expected(),
            })
            .and_then(|value| field.kind.accepts(&value).map(|()| value));
        match checked {
            Ok(value) => Some(SettingAssignment { field, value, line }),
            Err(why) => {
                self.0.fault(line, format!("`{}`: {why}", field.key), None);
                None
            }
        }
    }

    fn texts(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Vec<Written> {
        let DeValue::Array(array) = value.get_ref() else {
            let line = self.0.lines.at(value.span().start);
            self.0
                .fault(line, format!("`{key}`: expected a list of texts"), None);
            return Vec::new();
        };
        let mut texts = Vec::new();
        for entry in array.iter() {
            let line = self.0.lines.at(entry.span().start);
            match entry.get_ref() {
                DeValue::String(text) => texts.push(Written {
                    text: text.to_string(),
                    line,
                }),
                other => self.0.fault(
                    line,
                    format!("`{key}`: expected a text, not {}", other.type_str()),
                    None,
                ),
            }
        }
        texts
    }
}

/// Every key a file may have.
fn known() -> impl Iterator<Item = String> {
    let settings = FIELDS.iter().map(|field| field.key.to_owned());
    let permissions = PERMISSIONS.iter().map(|name| format!("permissions.{name}"));
    let prose = List::ALL
        .into_iter()
        .map(|list| format!("auto_mode.{}", list.name()));
    permissions.chain(prose).chain(settings)
}

/// The list beside this path whose entries have this key.
fn list_of(path: &str, name: &str) -> Option<&'static str> {
    let mut lists = FIELDS.iter().filter(|field| {
        let is_near = path.is_empty() || field.key.rsplit_once('.').is_some_and(|at| at.0 == path);
        is_near && field.kind.columns().iter().any(|column| column.key == name)
    });
    lists.next().map(|field| field.key)
}

/// What other programs call the key of a judge, written outside of the list of judges.
fn of_a_judge(path: &str, name: &str) -> Option<String> {
    let meant = match name {
        _ if path != "judge" => return None,
        "key" | "api_key" | "apikey" | "token" | "api_token" | "secret" | "password" => {
            return Some("a secret does not belong here: `key_env`, `key_file` or `key_command` in `[[judge.chain]]` say where it is".to_owned());
        }
        "provider" | "type" | "vendor" | "service" => "kind",
        "url" | "endpoint" | "host" => "base_url",
        _ => return None,
    };
    Some(format!(
        "a judge is an entry of its own: `{meant}` in `[[judge.chain]]`"
    ))
}

/// `$5` or `$0.50`, in millionths.
fn money(text: &str) -> Option<u64> {
    let amount = text.trim().strip_prefix('$')?;
    let (whole, part) = amount.split_once('.').unwrap_or((amount, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || part.len() > 6 || !digits(whole) || !digits(part) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let part: u64 = format!("{part:0<6}").parse().ok()?;
    whole.checked_mul(1_000_000)?.checked_add(part)
}

/// `None` where TOML has something that no setting has.
/// One table of a list of tables.
fn row(value: &DeValue<'_>, columns: &[Column]) -> Option<BTreeMap<String, Value>> {
    let DeValue::Table(table) = value else {
        return None;
    };
    let cell = |name: &str, value: &DeValue<'_>| {
        let column = columns.iter().find(|column| column.key == name);
        let kind = column.map_or(&FieldKind::Text, |column| &column.kind);
        Some((name.to_owned(), convert(value, kind)?))
    };
    let cells = table.iter();
    cells
        .map(|(name, value)| cell(name.get_ref(), value.get_ref()))
        .collect()
}

fn convert(value: &DeValue<'_>, kind: &FieldKind) -> Option<Value> {
    match value {
        DeValue::String(text) => match kind {
            FieldKind::Money => money(text).map(Value::Count),
            FieldKind::Choice(_)
            | FieldKind::Count { .. }
            | FieldKind::Flag
            | FieldKind::Text
            | FieldKind::Texts
            | FieldKind::Map
            | FieldKind::Tables(_) => Some(Value::Text(text.to_string())),
        },
        DeValue::Boolean(flag) => Some(Value::Flag(*flag)),
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix())
            .ok()
            .map(Value::Count),
        DeValue::Array(array) => match kind {
            FieldKind::Tables(columns) => array
                .iter()
                .map(|entry| row(entry.get_ref(), columns))
                .collect::<Option<Vec<_>>>()
                .map(Value::Tables),
            FieldKind::Choice(_)
            | FieldKind::Count { .. }
            | FieldKind::Money
            | FieldKind::Flag
            | FieldKind::Text
            | FieldKind::Texts
            | FieldKind::Map => array
                .iter()
                .map(|entry| entry.get_ref().as_str().map(str::to_owned))
                .collect::<Option<Vec<_>>>()
                .map(Value::Texts),
        },
        DeValue::Table(table) => table
            .iter()
            .map(|(name, value)| {
                Some((
                    name.get_ref().to_string(),
                    value.get_ref().as_str()?.to_owned(),
                ))
            })
            .collect::<Option<BTreeMap<_, _>>>()
            .map(Value::Map),
        DeValue::Float(_) | DeValue::Datetime(_) => None,
    }
}
