//! Taskfiles, read line by line.
//!
//! Only the plain shape is understood: tasks with `cmds`, `cmd` and `deps`, one
//! value a line. Templates, includes, anchors and folded blocks are gaps.

use std::collections::{BTreeMap, BTreeSet};

use super::lookup::TaskFile;
use super::steps::TaskSteps;

#[derive(Debug, Default)]
struct TaskfileTask {
    needs: Vec<String>,
    lines: Vec<TaskfileLine>,
    unclear: bool,
}

#[derive(Debug)]
enum TaskfileLine {
    Shell(String),
    Task(String),
}

pub(super) fn read(found: &TaskFile<'_>, names: &[String], steps: &mut TaskSteps<'_>) {
    let tasks = parse(found.text);
    let default = ["default".to_owned()];
    let names = if names.is_empty() {
        &default[..]
    } else {
        names
    };
    let mut visited = BTreeSet::new();
    for name in names {
        run(&tasks, name, &mut visited, steps);
    }
}

fn run(
    tasks: &BTreeMap<String, TaskfileTask>,
    name: &str,
    visited: &mut BTreeSet<String>,
    steps: &mut TaskSteps<'_>,
) {
    let Some(task) = tasks.get(name) else {
        return steps.missing(name);
    };
    if !visited.insert(name.to_owned()) || visited.len() > 128 {
        return;
    }
    steps.exists();
    if task.unclear {
        steps.unclear(name);
    }
    for needed in &task.needs {
        run(tasks, needed, visited, steps);
    }
    for line in &task.lines {
        match line {
            TaskfileLine::Task(other) => run(tasks, other, visited, steps),
            TaskfileLine::Shell(text) => {
                let text = text.replace("{{.CLI_ARGS}}", "\"$@\"");
                if text.contains("{{") {
                    steps.unclear(&text);
                } else if text.contains("\"$@\"") {
                    let mut arguments = vec![crate::Value::text("task", steps.request.span)];
                    arguments.extend(steps.request.arguments.iter().cloned());
                    steps.shell_value(crate::Value::text(text, steps.request.span), arguments);
                } else {
                    steps.shell(text);
                }
            }
        }
    }
}

fn parse(text: &str) -> BTreeMap<String, TaskfileTask> {
    let mut tasks: BTreeMap<String, TaskfileTask> = BTreeMap::new();
    let mut inside = false;
    let mut name_indent: Option<usize> = None;
    let mut current = String::new();
    let mut key = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        let indent = line.len().saturating_sub(line.trim_start().len());
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if indent == 0 {
            inside = trimmed == "tasks:";
            name_indent = None;
            continue;
        }
        if !inside {
            continue;
        }
        let depth = *name_indent.get_or_insert(indent);
        if indent == depth {
            let (name, value) = trimmed.split_once(':').unwrap_or((trimmed, ""));
            current = unquoted(name).to_owned();
            key.clear();
            let task = tasks.entry(current.clone()).or_default();
            match value.trim() {
                "" => {}
                value if value.starts_with(['[', '{', '&', '*', '|', '>']) => task.unclear = true,
                value => task
                    .lines
                    .push(TaskfileLine::Shell(unquoted(value).to_owned())),
            }
            continue;
        }
        let Some(task) = tasks.get_mut(&current) else {
            continue;
        };
        let item = trimmed.strip_prefix("- ").map(str::trim);
        match item {
            Some(item) => {
                let block = listed(task, &key, item);
                if block {
                    let body = block_of(&mut lines, indent);
                    task.lines.push(TaskfileLine::Shell(body));
                }
            }
            None => {
                let (name, value) = trimmed.split_once(':').unwrap_or((trimmed, ""));
                key = name.to_owned();
                match (name, value.trim()) {
                    ("cmd", value) if !value.is_empty() => {
                        task.lines
                            .push(TaskfileLine::Shell(unquoted(value).to_owned()));
                    }
                    ("deps", value) if value.starts_with('[') => {
                        let names = value.trim_matches(['[', ']']).split(',');
                        task.needs
                            .extend(names.map(|name| unquoted(name.trim()).to_owned()));
                    }
                    ("cmds" | "deps", "") => {}
                    (
                        "cmds" | "deps" | "env" | "vars" | "dir" | "for" | "dotenv" | "shopt"
                        | "set" | "defer",
                        _,
                    ) => {
                        task.unclear = true;
                    }
                    _ => {}
                }
            }
        }
    }
    tasks
}

/// One entry of a list; says whether its text is a block that follows.
fn listed(task: &mut TaskfileTask, key: &str, item: &str) -> bool {
    let block = matches!(item, "|" | "|-" | ">" | ">-");
    match key {
        "cmds" if block => return true,
        "cmds" => match item.split_once(": ") {
            Some(("cmd", value)) if matches!(value.trim(), "|" | "|-" | ">" | ">-") => return true,
            Some(("cmd", value)) => task
                .lines
                .push(TaskfileLine::Shell(unquoted(value.trim()).to_owned())),
            Some(("task", value)) => task
                .lines
                .push(TaskfileLine::Task(unquoted(value.trim()).to_owned())),
            Some(("defer" | "for" | "platforms" | "vars", _)) => task.unclear = true,
            Some(_) | None => task
                .lines
                .push(TaskfileLine::Shell(unquoted(item).to_owned())),
        },
        "deps" => match item.split_once(": ") {
            Some(("task", value)) => task.needs.push(unquoted(value.trim()).to_owned()),
            Some(_) => task.unclear = true,
            None => task.needs.push(unquoted(item).to_owned()),
        },
        "preconditions" | "status" => task.lines.push(TaskfileLine::Shell(
            unquoted(item.strip_prefix("sh:").unwrap_or(item).trim()).to_owned(),
        )),
        _ => {}
    }
    false
}

/// The lines of a block, which stand deeper than its head.
fn block_of<'a>(
    lines: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    indent: usize,
) -> String {
    let mut body = Vec::new();
    while let Some(line) = lines.peek() {
        let depth = line.len().saturating_sub(line.trim_start().len());
        if !line.trim().is_empty() && depth <= indent {
            break;
        }
        body.push(line.trim_start());
        lines.next();
    }
    body.join("\n")
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = text
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
        {
            return inner;
        }
    }
    text
}
