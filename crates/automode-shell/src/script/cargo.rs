//! Aliases in `.cargo/config.toml`.
//!
//! Cargo reads every configuration from the working directory upwards and then the
//! person's own; the nearest one that knows an alias decides.

use toml::{Table, Value as Toml};

use super::lookup::TaskFileSearch;
use super::steps::TaskSteps;
use crate::Value;

pub(super) fn read(found: Vec<TaskFileSearch<'_>>, names: &[String], steps: &mut TaskSteps<'_>) {
    let [name] = names else {
        return steps.missing(&names.join(" "));
    };
    for file in found {
        match file {
            TaskFileSearch::Found(file) => {
                let Ok(config) = file.text.parse::<Table>() else {
                    return steps.unclear("config.toml does not parse");
                };
                let alias = config
                    .get("alias")
                    .and_then(Toml::as_table)
                    .and_then(|aliases| aliases.get(name));
                if let Some(alias) = alias {
                    steps.marks(&file);
                    return run(name, alias, steps);
                }
            }
            TaskFileSearch::Unreadable(path) => return steps.unreadable(&path),
            TaskFileSearch::Unknown => return steps.unseen(),
            TaskFileSearch::Nowhere => {}
        }
    }
    // An installed `cargo-NAME`, which was not seen either.
    steps.not_found();
}

fn run(name: &String, alias: &Toml, steps: &mut TaskSteps<'_>) {
    let words: Option<Vec<String>> = match alias {
        Toml::String(line) => Some(line.split_whitespace().map(str::to_owned).collect()),
        Toml::Array(words) => words
            .iter()
            .map(|word| word.as_str().map(str::to_owned))
            .collect(),
        Toml::Integer(_)
        | Toml::Float(_)
        | Toml::Boolean(_)
        | Toml::Datetime(_)
        | Toml::Table(_) => None,
    };
    let Some(words) = words else {
        return steps.unclear(name);
    };
    if words.first() == Some(name) {
        return steps.unclear("an alias that calls itself");
    }
    let span = steps.request.span;
    let mut argv = vec![Value::text("cargo", span)];
    argv.extend(words.into_iter().map(|word| Value::text(word, span)));
    argv.extend(steps.request.arguments.iter().cloned());
    steps.command(argv);
}
