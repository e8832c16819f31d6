//! Aliases in `.cargo/config.toml`.

use toml::{Table, Value as Toml};

use super::lookup::TaskFile;
use super::steps::TaskSteps;
use crate::Value;

pub(super) fn read(found: &TaskFile<'_>, names: &[String], steps: &mut TaskSteps<'_>) {
    let Ok(config) = found.text.parse::<Table>() else {
        return steps.unclear("config.toml does not parse");
    };
    let [name] = names else {
        return steps.missing(&names.join(" "));
    };
    let alias = config
        .get("alias")
        .and_then(Toml::as_table)
        .and_then(|aliases| aliases.get(name));
    let words: Option<Vec<String>> = match alias {
        Some(Toml::String(line)) => Some(line.split_whitespace().map(str::to_owned).collect()),
        Some(Toml::Array(words)) => words
            .iter()
            .map(|word| word.as_str().map(str::to_owned))
            .collect(),
        Some(_) => None,
        None => return steps.missing(name),
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
