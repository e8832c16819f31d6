//! Files that tell a tool what to build or start: Dockerfiles, compose files and
//! the workflows of build services.
//!
//! What runs inside a container stays there; what is listed is what lets it out:
//! mounts of the machine's own files, shared namespaces, rights, other files.

use super::yaml::{YamlRow, rows};
use super::{Capability, CapabilityUse, SourceLanguage};
use crate::place::Secret;

type RecipeUses = Result<Vec<CapabilityUse>, String>;
type RecipeReader = fn(&str) -> RecipeUses;

const INSTRUCTIONS: &[&str] = &[
    "ADD",
    "ARG",
    "CMD",
    "COPY",
    "ENTRYPOINT",
    "ENV",
    "EXPOSE",
    "FROM",
    "HEALTHCHECK",
    "LABEL",
    "MAINTAINER",
    "ONBUILD",
    "RUN",
    "SHELL",
    "STOPSIGNAL",
    "USER",
    "VOLUME",
    "WORKDIR",
];

const READERS: &[(SourceLanguage, RecipeReader)] = &[
    (SourceLanguage::Dockerfile, dockerfile),
    (SourceLanguage::Compose, compose),
    (SourceLanguage::Workflow, workflow),
];

/// What a recipe could do; `None` where the language is none of recipes.
pub(super) fn read(language: SourceLanguage, text: &str) -> Option<RecipeUses> {
    let (_, read) = READERS.iter().find(|(of, _)| *of == language)?;
    Some(read(text))
}

fn dockerfile(text: &str) -> RecipeUses {
    let mut uses = Vec::new();
    let mut document: Option<String> = None;
    let mut goes_on = false;
    let mut instruction = String::new();
    for (number, line) in text.lines().enumerate() {
        let number = number.saturating_add(1);
        let trimmed = line.trim();
        if let Some(end) = &document {
            if trimmed == end {
                document = None;
            } else {
                instructed(&instruction, trimmed, number, &mut uses);
            }
            continue;
        }
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let words = if goes_on {
            trimmed
        } else {
            let (word, rest) = trimmed
                .split_once(char::is_whitespace)
                .unwrap_or((trimmed, ""));
            instruction = word.to_uppercase();
            if !INSTRUCTIONS.contains(&instruction.as_str()) {
                return Err(format!("line {number}: `{word}` is no instruction"));
            }
            rest
        };
        goes_on = trimmed.ends_with('\\');
        instructed(&instruction, words, number, &mut uses);
        if let Some((_, name)) = words.split_once("<<")
            && matches!(instruction.as_str(), "RUN" | "COPY" | "ADD")
        {
            let name: String = name
                .trim_start_matches(['-', '"', '\''])
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            document = (!name.is_empty()).then_some(name);
        }
    }
    match document {
        Some(name) => Err(format!("the text up to `{name}` does not end")),
        None => Ok(uses),
    }
}

fn instructed(instruction: &str, words: &str, line: usize, uses: &mut Vec<CapabilityUse>) {
    let mut add = |capability: Capability| uses.push(found(line, capability, words));
    let fetches = ["curl ", "wget ", "git clone", "http://", "https://"]
        .iter()
        .any(|word| words.contains(word));
    match instruction {
        "RUN" => {
            let lets_out = [
                "--security=insecure",
                "--network=host",
                "type=ssh",
                "type=secret",
            ];
            if lets_out.iter().any(|word| words.contains(word)) {
                add(Capability::Privilege);
            }
            if fetches {
                add(Capability::Network);
            }
        }
        "ADD" | "COPY" => {
            if words.contains("://") {
                add(Capability::Network);
            }
            let secret = words.split_whitespace().any(|word| {
                Secret::of(&format!("/{}", word.trim_start_matches("./")), None).is_some()
            });
            if secret {
                add(Capability::FileRead);
            }
        }
        _ => {}
    }
}

fn found(line: usize, capability: Capability, text: &str) -> CapabilityUse {
    CapabilityUse {
        line,
        capability,
        text: text.chars().take(80).collect(),
    }
}

/// Keys whose value `host` (or any value at all) opens a container.
const SHARED: &[&str] = &[
    "network_mode",
    "pid",
    "ipc",
    "userns_mode",
    "uts",
    "cgroup",
    "cgroup_parent",
];
const RIGHTS: &[&str] = &[
    "cap_add",
    "devices",
    "device_cgroup_rules",
    "security_opt",
    "privileged",
    "runtime",
    "credential_spec",
    "post_start",
    "pre_stop",
];

fn compose(text: &str) -> RecipeUses {
    let rows = rows(text)?;
    let mut uses = Vec::new();
    for row in &rows {
        if let Some(capability) = compose_row(row) {
            uses.push(found(row.line, capability, &row.value));
        }
    }
    Ok(uses)
}

fn compose_row(row: &YamlRow) -> Option<Capability> {
    let value = row.value.as_str();
    let has = |key: &str| row.is_below(key);
    let last = row.last_key();
    let environment =
        has("environment") || has("labels") || has("args") || has("healthcheck") || has("logging");
    if environment || value.is_empty() {
        return None;
    }
    if SHARED.contains(&last) {
        return (value == "host" || value.contains('$')).then_some(Capability::Privilege);
    }
    if let Some(right) = row.keys.iter().find(|key| RIGHTS.contains(&key.as_str())) {
        let harmless = match right.as_str() {
            "privileged" => value == "false",
            "security_opt" => value.starts_with("no-new-privileges"),
            _ => false,
        };
        return (!harmless).then_some(Capability::Privilege);
    }
    match last {
        "volumes"
        | "source"
        | "device"
        | "file"
        | "path"
        | "context"
        | "dockerfile"
        | "build"
        | "env_file"
        | "additional_contexts" => {
            // `../x:/y` and `${DATA}:/y` leave the project, `db-data:/y` is a volume.
            let source = value.split(':').next().unwrap_or_default();
            let leaves = source.starts_with(['/', '~', '$', '\\'])
                || source.split('/').any(|part| part == "..");
            let is_volume = last == "volumes"
                && row.keys.iter().filter(|key| *key == "volumes").count() == 1
                && !value.contains(':')
                && source.starts_with('/');
            (leaves && !is_volume).then_some(Capability::Home)
        }
        "extends" | "include" => Some(Capability::DynamicCode),
        _ => None,
    }
}

fn workflow(text: &str) -> RecipeUses {
    let rows = rows(text)?;
    let mut uses = Vec::new();
    for row in &rows {
        let value = row.value.as_str();
        let last = row.last_key();
        let has = |key: &str| row.is_below(key);
        let mut add = |capability| uses.push(found(row.line, capability, value));
        if has("pull_request_target") || value == "pull_request_target" {
            add(Capability::Privilege);
        }
        if has("permissions") && value.contains("write") {
            add(Capability::Privilege);
        }
        if matches!(last, "runs-on" | "tags") && value.contains("self-hosted") {
            add(Capability::Privilege);
        }
        if value.contains("secrets.") || value.contains("GITHUB_TOKEN") {
            add(Capability::Environment);
        }
        if matches!(
            last,
            "run" | "script" | "before_script" | "after_script" | "command"
        ) && [
            "curl ",
            "wget ",
            "git push",
            "npm publish",
            "docker push",
            "ssh ",
            "scp ",
        ]
        .iter()
        .any(|word| value.contains(word))
        {
            add(Capability::Network);
        }
        if last == "uses"
            && !value.starts_with("actions/")
            && !value.starts_with("./")
            && !value.contains('@')
        {
            add(Capability::Library);
        }
    }
    Ok(uses)
}
