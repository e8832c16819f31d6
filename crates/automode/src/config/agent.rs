//! The settings of a coding agent, as far as they are permission rules.
//!
//! Reads `permissions` and `autoMode` of an agent's JSON settings; every other key is
//! the agent's own business. A repository's file gives its deny and ask rules only.

use automode_core::policy::{Bypass, Layer, List, Origin, ProjectPolicy, Written};
use serde_json::{Map, Value};

use super::{
    fault::{Fault, LineNumbers},
    places::Place,
};

/// Reads the user's or an administrator's settings.
pub(super) fn layer(text: &str, origin: &Origin, faults: &mut Vec<Fault>) -> Layer {
    let mut layer = Layer::empty(origin.clone());
    let mut reader = Reader {
        text,
        file: &origin.file,
        faults,
        lines: LineNumbers::of(text),
    };
    let Some(root) = reader.root() else {
        return layer;
    };
    if let Some(permissions) = reader.object(&root, "permissions") {
        layer.allow = reader.texts(permissions, "allow");
        layer.ask = reader.texts(permissions, "ask");
        layer.deny = reader.texts(permissions, "deny");
        layer.directories = reader.texts(permissions, "additionalDirectories");
        if permissions.get("disableBypassPermissionsMode") == Some(&Value::from("disable")) {
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
        root.get("allowManagedPermissionRulesOnly") == Some(&Value::Bool(true));
    layer
}

/// Reads a repository's settings.
pub(super) fn project(text: &str, place: &Place, faults: &mut Vec<Fault>) -> ProjectPolicy {
    let origin = place.origin();
    let file = origin.file.clone();
    let mut reader = Reader {
        text,
        file: &file,
        faults,
        lines: LineNumbers::of(text),
    };
    let mut project = ProjectPolicy {
        origin,
        root: place
            .root
            .as_deref()
            .map(|root| root.display().to_string())
            .unwrap_or_default(),
        ask: Vec::new(),
        deny: Vec::new(),
        ignored: Vec::new(),
    };
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

struct Reader<'t, 'f> {
    text: &'t str,
    file: &'t str,
    faults: &'f mut Vec<Fault>,
    lines: LineNumbers,
}

impl Reader<'_, '_> {
    fn root(&mut self) -> Option<Map<String, Value>> {
        if self.text.trim().is_empty() {
            return None;
        }
        match serde_json::from_str(self.text) {
            Ok(Value::Object(root)) => Some(root),
            Ok(_) => {
                self.fault(1, "is not a JSON object".to_owned());
                None
            }
            Err(error) => {
                let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
                let text = error.to_string();
                let what = text.split(" at line ").next().unwrap_or(&text).to_owned();
                self.fault(line, what);
                None
            }
        }
    }

    fn object<'v>(
        &mut self,
        parent: &'v Map<String, Value>,
        key: &str,
    ) -> Option<&'v Map<String, Value>> {
        match parent.get(key)? {
            Value::Object(object) => Some(object),
            Value::Null => None,
            _ => {
                let line = self.key(key, key).line;
                self.fault(line, format!("`{key}`: expected an object"));
                None
            }
        }
    }

    fn texts(&mut self, parent: &Map<String, Value>, key: &str) -> Vec<Written> {
        let list = match parent.get(key) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(list)) => list,
            Some(_) => {
                let line = self.key(key, key).line;
                self.fault(line, format!("`{key}`: expected a list of texts"));
                return Vec::new();
            }
        };
        let mut texts = Vec::new();
        // Entries follow each other in the file: each is looked for behind the one before.
        let mut from = self.text.find(&format!("\"{key}\"")).unwrap_or(0);
        for entry in list {
            let Value::String(text) = entry else {
                let line = self.lines.at(from);
                self.fault(line, format!("`{key}`: expected a text"));
                continue;
            };
            let found = self
                .text
                .get(from..)
                .and_then(|rest| rest.find(&entry.to_string()));
            let at = found.map(|at| from.saturating_add(at));
            from = at.map_or(from, |at| at.saturating_add(1));
            texts.push(Written {
                text: text.clone(),
                line: at.map_or(0, |at| self.lines.at(at)),
            });
        }
        texts
    }

    fn key(&self, key: &str, shown: &str) -> Written {
        let at = self.text.find(&format!("\"{key}\""));
        Written {
            text: shown.to_owned(),
            line: at.map_or(0, |at| self.lines.at(at)),
        }
    }

    fn fault(&mut self, line: u32, what: String) {
        self.faults.push(Fault {
            file: self.file.to_owned(),
            line,
            what,
            hint: None,
        });
    }
}
