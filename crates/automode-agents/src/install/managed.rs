//! Registrations that device management ships: files of the machine, which whoever uses
//! it cannot take away.
//!
//! Each client has a place of its own for them, and a key that leaves no other hooks.
//! The hooks are those of an ordinary installation.

use serde_json::Value;

use super::{ConfigChange, InstallRefusal, Request, plan};
use crate::Agent;

/// A file to be shipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedFile {
    /// Where it lies on the machine.
    pub path: &'static str,
    pub text: String,
}

/// What a client reads for all users of a machine.
struct ManagedPlace {
    client: &'static str,
    linux: &'static str,
    macos: &'static str,
    form: ManagedForm,
}

enum ManagedForm {
    /// The client's usual file, and a key that is set in it.
    Json { key: Option<&'static str> },
    /// The same hooks as TOML, behind the key.
    Requirements,
}

/// The key of [`ManagedForm::Requirements`].
const MANAGED_ONLY: &str = "allow_managed_hooks_only";

const PLACES: &[ManagedPlace] = &[
    ManagedPlace {
        client: "claude-code",
        linux: "/etc/claude-code/managed-settings.d/automode.json",
        macos: "/Library/Application Support/ClaudeCode/managed-settings.d/automode.json",
        form: ManagedForm::Json {
            key: Some("allowManagedHooksOnly"),
        },
    },
    ManagedPlace {
        client: "codex",
        linux: "/etc/codex/requirements.toml",
        macos: "/etc/codex/requirements.toml",
        form: ManagedForm::Requirements,
    },
    ManagedPlace {
        client: "copilot",
        linux: "/etc/github-copilot/policy.d/automode.json",
        macos: "/etc/github-copilot/policy.d/automode.json",
        form: ManagedForm::Json { key: None },
    },
    ManagedPlace {
        client: "cursor",
        linux: "/etc/cursor/hooks.json",
        macos: "/Library/Application Support/Cursor/hooks.json",
        form: ManagedForm::Json { key: None },
    },
    ManagedPlace {
        client: "gemini-cli",
        linux: "/etc/gemini-cli/settings.json",
        macos: "/Library/Application Support/GeminiCli/settings.json",
        form: ManagedForm::Json { key: None },
    },
];

/// The clients that have such a place.
pub fn managed_clients() -> impl Iterator<Item = &'static str> {
    PLACES.iter().map(|place| place.client)
}

/// The key of a client's file that leaves no other hooks, where it has one.
#[must_use]
pub fn managed_only(agent: Agent) -> Option<&'static str> {
    let place = PLACES.iter().find(|place| place.client == agent.name())?;
    match place.form {
        ManagedForm::Json { key } => key,
        ManagedForm::Requirements => Some(MANAGED_ONLY),
    }
}

/// The file for a client; nothing where it has no place for one.
///
/// # Errors
/// [`InstallRefusal`] where the hooks cannot be written.
pub fn managed(request: &Request<'_>, macos: bool) -> Result<Option<ManagedFile>, InstallRefusal> {
    let place = PLACES
        .iter()
        .find(|place| place.client == request.agent.name());
    let (Some(place), Some(plan)) = (place, plan(request)) else {
        return Ok(None);
    };
    let path = if macos { place.macos } else { place.linux };
    let text = match &place.form {
        ManagedForm::Json { key } => json(&plan.change, *key)?,
        ManagedForm::Requirements => requirements(&plan.change, request.program)?,
    };
    Ok(Some(ManagedFile { path, text }))
}

fn parsed(change: &ConfigChange) -> Result<Value, InstallRefusal> {
    let text = change.apply(None)?;
    serde_json::from_str(&text).map_err(|error| InstallRefusal(error.to_string()))
}

fn json(change: &ConfigChange, key: Option<&str>) -> Result<String, InstallRefusal> {
    let mut value = parsed(change)?;
    if let (Value::Object(object), Some(key)) = (&mut value, key) {
        object.insert(key.to_owned(), Value::Bool(true));
    }
    let text =
        serde_json::to_string_pretty(&value).map_err(|error| InstallRefusal(error.to_string()))?;
    Ok(text + "\n")
}

/// The hooks as tables of TOML. Its basic strings take what JSON writes.
fn requirements(change: &ConfigChange, program: &str) -> Result<String, InstallRefusal> {
    let value = parsed(change)?;
    let folder = program.rsplit_once('/').map_or("/", |(folder, _)| folder);
    let folder = Value::from(if folder.is_empty() { "/" } else { folder });
    let mut text = format!(
        "# Written by automode: no hooks count but these.\n{MANAGED_ONLY} = true\n\n[features]\nhooks = true\n\n[hooks]\nmanaged_dir = {folder}\n"
    );
    let events = value.get("hooks").and_then(Value::as_object);
    for (event, groups) in events.into_iter().flatten() {
        for group in groups.as_array().into_iter().flatten() {
            text.push_str(&format!("\n[[hooks.{event}]]\n"));
            if let Some(matcher) = group.get("matcher") {
                text.push_str(&format!("matcher = {matcher}\n"));
            }
            let hooks = group.get("hooks").and_then(Value::as_array);
            for hook in hooks.into_iter().flatten() {
                text.push_str(&format!("\n[[hooks.{event}.hooks]]\n"));
                for (key, value) in hook.as_object().into_iter().flatten() {
                    text.push_str(&format!("{key} = {value}\n"));
                }
            }
        }
    }
    Ok(text)
}
