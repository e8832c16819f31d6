//! The settings of a coding agent, as far as they are permission rules.
//!
//! Reads `permissions` and `autoMode` of an agent's JSON settings; every other key is
//! the agent's own business. A repository's file gives its deny and ask rules only.

use automode_core::policy::{Bypass, Layer, List, Origin, ProjectPolicy, Written};
use serde_json::Value;

use super::{
    fault::{Fault, SettingsText},
    places::Place,
    settings_value::{SettingsObject, SettingsValue},
};

/// Reads the user's or an administrator's settings.
pub(super) fn layer(text: &str, origin: &Origin, faults: &mut Vec<Fault>) -> Layer {
    let mut layer = Layer::empty(origin.clone());
    let mut reader = JsonSettings(SettingsText::new(text, &origin.file, faults));
    let Some(root) = reader.root() else {
        return layer;
    };
    if let Some(permissions) = reader.object(&root, "permissions") {
        layer.allow = reader.texts(permissions, "allow");
        layer.ask = reader.texts(permissions, "ask");
        layer.deny = reader.texts(permissions, "deny");
        layer.directories = reader.texts(permissions, "additionalDirectories");
        if let Some(SettingsValue::Text(word)) = permissions.get("disableBypassPermissionsMode")
            && word == "disable"
        {
            layer.bypass = Bypass::Closed;
        }
    }
    if let Some(lists) = reader.object(&root, "autoMode") {
        for list in List::ALL {
            if lists.contains_key(list.name()) {
                layer.prose.push((list, reader.texts(lists, list.name())));
            }
        }
    }
    layer.managed_allow_only =
        root.get("allowManagedPermissionRulesOnly") == Some(&SettingsValue::Bool(true));
    layer
}

/// Reads a repository's settings.
pub(super) fn project(text: &str, place: &Place, faults: &mut Vec<Fault>) -> ProjectPolicy {
    let mut project = place.empty_project();
    let file = project.origin.file.clone();
    let mut reader = JsonSettings(SettingsText::new(text, &file, faults));
    let Some(root) = reader.root() else {
        return project;
    };
    if let Some(permissions) = reader.object(&root, "permissions") {
        project.ask = reader.texts(permissions, "ask");
        project.deny = reader.texts(permissions, "deny");
        for key in ["allow", "additionalDirectories"] {
            if permissions.contains_key(key) {
                project
                    .ignored
                    .push(reader.key(key, &format!("permissions.{key}")));
            }
        }
    }
    if root.contains_key("autoMode") {
        project.ignored.push(reader.key("autoMode", "autoMode"));
    }
    project
}

struct JsonSettings<'t, 'f>(SettingsText<'t, 'f>);

impl<'t> JsonSettings<'t, '_> {
    fn root(&mut self) -> Option<SettingsObject<'t>> {
        if self.0.text.trim().is_empty() {
            return None;
        }
        match serde_json::from_str(self.0.text) {
            Ok(SettingsValue::Object(root)) => Some(root),
            Ok(_) => {
                self.0.fault(1, "is not a JSON object".to_owned(), None);
                None
            }
            Err(error) => {
                let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
                let text = error.to_string();
                let what = text.split(" at line ").next().unwrap_or(&text).to_owned();
                self.0.fault(line, what, None);
                None
            }
        }
    }

    fn object<'v>(
        &mut self,
        parent: &'v SettingsObject<'t>,
        key: &str,
    ) -> Option<&'v SettingsObject<'t>> {
        match parent.get(key)? {
            SettingsValue::Object(object) => Some(object),
            SettingsValue::Null => None,
            SettingsValue::Bool(_)
            | SettingsValue::Number
            | SettingsValue::Text(_)
            | SettingsValue::List(_) => {
                let line = self.key(key, key).line;
                self.0
                    .fault(line, format!("`{key}`: expected an object"), None);
                None
            }
        }
    }

    fn texts(&mut self, parent: &SettingsObject<'t>, key: &str) -> Vec<Written> {
        let list = match parent.get(key) {
            None | Some(SettingsValue::Null) => return Vec::new(),
            Some(SettingsValue::List(list)) => list,
            Some(
                SettingsValue::Bool(_)
                | SettingsValue::Number
                | SettingsValue::Text(_)
                | SettingsValue::Object(_),
            ) => {
                let line = self.key(key, key).line;
                self.0
                    .fault(line, format!("`{key}`: expected a list of texts"), None);
                return Vec::new();
            }
        };
        let mut texts = Vec::with_capacity(list.len());
        // Entries follow each other in the file: each is looked for behind the one before.
        let key = format!("\"{key}\"");
        let mut from = self
            .0
            .text
            .find(&key)
            .map_or(0, |at| at.saturating_add(key.len()));
        for entry in list {
            let SettingsValue::Text(text) = entry else {
                let line = self.0.lines.at(from);
                self.0.fault(
                    line,
                    format!("{}: expected a text", key.replace('"', "`")),
                    None,
                );
                continue;
            };
            let at = self.place(from, text);
            from = at.map_or(from, |at| at.saturating_add(text.len()).saturating_add(1));
            texts.push(Written {
                text: text.clone().into_owned(),
                line: at.map_or(0, |at| self.0.lines.at(at)),
            });
        }
        texts
    }

    /// Where a text stands between quotes: nearly always it is the next that does.
    fn place(&self, from: usize, text: &str) -> Option<usize> {
        let rest = self.0.text.get(from..)?;
        let quote = rest.find('"')?;
        let next = rest.get(quote.saturating_add(1)..)?;
        let is_next = next
            .strip_prefix(text)
            .is_some_and(|behind| behind.starts_with('"'));
        let quote = match is_next {
            true => quote,
            false => rest.find(&Value::from(text).to_string())?,
        };
        from.checked_add(quote)?.checked_add(1)
    }

    fn key(&self, key: &str, shown: &str) -> Written {
        let at = self.0.text.find(&format!("\"{key}\""));
        Written {
            text: shown.to_owned(),
            line: at.map_or(0, |at| self.0.lines.at(at)),
        }
    }
}
