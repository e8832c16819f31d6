//! The commands of `tox.ini`.

use super::lookup::TaskFile;
use super::steps::TaskSteps;

pub(super) fn read(found: &TaskFile<'_>, names: &[String], steps: &mut TaskSteps<'_>) {
    let mut section = "";
    let mut key = "";
    let mut commands: Vec<(&str, &str)> = Vec::new();
    for line in found.text.lines() {
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
        .replace("{toxinidir}", ".")
        .replace("{tox_root}", ".");
    if line.contains('{') {
        return steps.unclear(&line);
    }
    let mut arguments = vec![crate::Value::text("tox", steps.request.span)];
    arguments.extend(steps.request.arguments.iter().cloned());
    let text = crate::Value::text(line, steps.request.span);
    steps.shell_value(text, arguments);
}
