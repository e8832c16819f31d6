//! The commands of `tox.ini`.

use super::lookup::TaskFile;
use super::steps::TaskSteps;

pub(super) fn read(found: &TaskFile<'_>, names: &[String], steps: &mut TaskSteps<'_>) {
    if found.path.ends_with(".toml") {
        return project(found.text, names, steps);
    }
    ini(found.text, names, steps);
}

/// `[tool.tox]`: the old file as a text, or tables of commands.
fn project(text: &str, names: &[String], steps: &mut TaskSteps<'_>) {
    let Ok(manifest) = text.parse::<toml::Table>() else {
        return steps.unclear("pyproject.toml does not parse");
    };
    let tool = manifest
        .get("tool")
        .and_then(|tool| tool.get("tox"))
        .and_then(toml::Value::as_table);
    let Some(tool) = tool else {
        return steps.missing(&names.join(" "));
    };
    if let Some(old) = tool.get("legacy_tox_ini").and_then(toml::Value::as_str) {
        return ini(old, names, steps);
    }
    let base = tool.get("env_run_base").into_iter();
    let environments = tool.get("env").and_then(toml::Value::as_table);
    let wanted = environments
        .into_iter()
        .flatten()
        .filter_map(|(name, table)| (names.is_empty() || names.contains(name)).then_some(table));
    steps.exists();
    for table in base.chain(wanted) {
        for key in ["commands_pre", "commands", "commands_post"] {
            let Some(lines) = table.get(key).and_then(toml::Value::as_array) else {
                continue;
            };
            for line in lines {
                let words: Option<Vec<String>> = line
                    .as_array()
                    .and_then(|words| words.iter().map(word).collect());
                match words {
                    Some(words) => command(&words.join(" "), steps),
                    None => steps.unclear("a command of tox that is not a list of words"),
                }
            }
        }
    }
}

/// A word of a command, or the table that stands for the words after `--`.
fn word(value: &toml::Value) -> Option<String> {
    if let Some(text) = value.as_str() {
        return Some(text.to_owned());
    }
    let table = value.as_table()?;
    if table.get("replace")?.as_str()? != "posargs" {
        return None;
    }
    let given: Option<Vec<&str>> = match table.get("default") {
        Some(default) => default
            .as_array()?
            .iter()
            .map(toml::Value::as_str)
            .collect(),
        None => Some(Vec::new()),
    };
    Some(format!("{} {{posargs}}", given?.join(" ")))
}

fn ini(text: &str, names: &[String], steps: &mut TaskSteps<'_>) {
    let mut section = "";
    let mut key = "";
    let mut commands: Vec<(&str, &str)> = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') || trimmed.starts_with(';') {
            continue;
        }
        if let Some(name) = trimmed
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = name;
            key = "";
        } else if line.starts_with([' ', '\t']) {
            if key.starts_with("commands") {
                commands.push((section, trimmed));
            }
        } else if let Some((name, value)) = trimmed.split_once('=') {
            key = name.trim();
            if key.starts_with("commands") && !value.trim().is_empty() {
                commands.push((section, value.trim()));
            }
        } else {
            steps.unclear(trimmed);
        }
    }
    let wanted = |section: &str| {
        section == "testenv"
            || section
                .strip_prefix("testenv:")
                .is_some_and(|env| names.is_empty() || names.iter().any(|name| name == env))
    };
    steps.exists();
    for (section, line) in commands {
        if wanted(section) {
            command(line, steps);
        }
    }
}

fn command(line: &str, steps: &mut TaskSteps<'_>) {
    let line = line
        .trim_start_matches(['-', '!', ' '])
        .trim_end_matches('\\');
    let line = line
        .replace("{posargs}", "\"$@\"")
        .replace("{envpython}", "python")
        .replace("{env_python}", "python")
        .replace("{toxinidir}", ".")
        .replace("{tox_root}", ".")
        .replace("{toxworkdir}", ".tox")
        .replace("{work_dir}", ".tox")
        .replace("{envdir}", ".tox/env")
        .replace("{env_dir}", ".tox/env")
        .replace("{envtmpdir}", ".tox/env/tmp")
        .replace("{env_tmp_dir}", ".tox/env/tmp")
        .replace("{envlogdir}", ".tox/env/log")
        .replace("{env_log_dir}", ".tox/env/log")
        .replace("{envname}", "env")
        .replace("{env_name}", "env");
    let line = with_default_arguments(&line);
    if line.contains('{') {
        return steps.unclear(&line);
    }
    let mut arguments = vec![crate::Value::text("tox", steps.request.span)];
    arguments.extend(steps.request.arguments.iter().cloned());
    let text = crate::Value::text(line, steps.request.span);
    steps.shell_value(text, arguments);
}

/// `{posargs:tests -q}`: the words after `--`, or else these. Both are taken.
fn with_default_arguments(line: &str) -> String {
    let Some((before, rest)) = line.split_once("{posargs:") else {
        return line.to_owned();
    };
    let Some((default, after)) = rest.split_once('}') else {
        return line.to_owned();
    };
    with_default_arguments(&format!("{before}{default} \"$@\"{after}"))
}
