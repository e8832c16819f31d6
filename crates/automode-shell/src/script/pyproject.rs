//! Tasks in `pyproject.toml`: poe, pdm and hatch.

use toml::{Table as Toml, Value};

use super::lookup::TaskFile;
use super::steps::TaskSteps;

/// Whose table is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PyprojectTable {
    Poe,
    Pdm,
    Hatch,
}

pub(super) fn read(
    found: &TaskFile<'_>,
    names: &[String],
    table: PyprojectTable,
    steps: &mut TaskSteps<'_>,
) {
    let Ok(project) = found.text.parse::<Toml>() else {
        return steps.unclear("pyproject.toml does not parse");
    };
    let tool = |path: &[&str]| {
        path.iter()
            .try_fold(project.get("tool")?.as_table()?, |table, key| {
                table.get(*key)?.as_table()
            })
    };
    let tables: Vec<&Toml> = match table {
        PyprojectTable::Poe => tool(&["poe", "tasks"]).into_iter().collect(),
        PyprojectTable::Pdm => tool(&["pdm", "scripts"]).into_iter().collect(),
        PyprojectTable::Hatch => tool(&["hatch", "envs"])
            .into_iter()
            .flat_map(Toml::values)
            .filter_map(|env| env.as_table()?.get("scripts")?.as_table())
            .collect(),
    };
    for name in names {
        // `hatch run env:script`.
        let script = match table {
            PyprojectTable::Hatch => name.rsplit(':').next().unwrap_or(name),
            PyprojectTable::Poe | PyprojectTable::Pdm => name,
        };
        let mut known = false;
        for tasks in &tables {
            if tasks.contains_key(script) {
                known = true;
                run(tasks, script, steps, 0);
            }
        }
        if !known {
            steps.missing(name);
        }
    }
}

fn run(tasks: &Toml, name: &str, steps: &mut TaskSteps<'_>, depth: usize) {
    match tasks.get(name) {
        _ if depth > 16 => steps.unclear("tasks that call each other"),
        Some(task) => {
            for event in ["pre_", "post_"] {
                if tasks.contains_key(&format!("{event}{name}")) {
                    step(
                        tasks,
                        &Value::String(format!("{event}{name}")),
                        steps,
                        depth,
                    );
                }
            }
            step(tasks, task, steps, depth);
        }
        None => steps.missing(name),
    }
}

fn step(tasks: &Toml, task: &Value, steps: &mut TaskSteps<'_>, depth: usize) {
    let deeper = depth.saturating_add(1);
    match task {
        Value::String(line) => {
            let first = line.split_whitespace().next().unwrap_or_default();
            if tasks.contains_key(first) && depth < 16 && first != "python" {
                run(tasks, first, steps, deeper);
            } else {
                steps.shell_with_arguments(line);
            }
        }
        Value::Array(lines) => {
            steps.exists();
            for line in lines {
                step(tasks, line, steps, deeper);
            }
        }
        Value::Table(task) => {
            let known = ["cmd", "shell", "sequence", "composite", "ref"];
            if let Some(needed) = task.get("deps") {
                step(tasks, needed, steps, deeper);
            }
            match known.iter().find_map(|key| task.get(*key)) {
                Some(Value::Array(words)) if task.contains_key("cmd") => {
                    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                    steps.shell_with_arguments(&words.join(" "));
                }
                Some(inner) if depth < 16 => step(tasks, inner, steps, deeper),
                Some(_) | None => steps.unclear("a task that calls Python"),
            }
        }
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {
            steps.unclear("a task that is not text");
        }
    }
}
