//! Justfiles.
//!
//! Recipes with their parameters and dependencies; `{{name}}` is replaced where
//! it names a variable with a constant text, a parameter that was given, or the
//! default of one. Everything else in braces is a gap.

use std::collections::{BTreeMap, BTreeSet};

use super::lookup::TaskFile;
use super::steps::TaskSteps;
use crate::{Language, Nested, Value};

#[derive(Debug, Default)]
struct Recipe {
    parameters: Vec<Parameter>,
    needs: Vec<String>,
    body: Vec<String>,
}

#[derive(Debug)]
struct Parameter {
    name: String,
    default: Option<String>,
    /// `*args` and `+args` take all the words that are left.
    all: bool,
}

struct Justfile {
    recipes: BTreeMap<String, Recipe>,
    first: Option<String>,
    variables: BTreeMap<String, String>,
    aliases: BTreeMap<String, String>,
}

pub(super) fn read(found: &TaskFile<'_>, names: &[String], steps: &mut TaskSteps<'_>) {
    let file = parse(found.text, steps);
    let mut visited = BTreeSet::new();
    let (name, words) = match names.split_first() {
        Some((name, rest)) => (Some(name.clone()), rest),
        None => (file.first.clone(), [].as_slice()),
    };
    let Some(name) = name else {
        return steps.missing("default");
    };
    let name = file.aliases.get(&name).cloned().unwrap_or(name);
    let takes = file
        .recipes
        .get(&name)
        .map_or(0, |recipe| recipe.parameters.len());
    let span = steps.request.span;
    let mut arguments: Vec<Value> = Vec::new();
    let mut more: Vec<&String> = Vec::new();
    for word in words {
        // Words beyond what the recipe takes are further recipes.
        if arguments.len() < takes || recipe_takes_all(&file, &name) {
            arguments.push(Value::text(word.as_str(), span));
        } else {
            more.push(word);
        }
    }
    arguments.extend(steps.request.arguments.iter().cloned());
    run(&file, &name, &arguments, &mut visited, steps);
    for name in more {
        run(&file, name, &[], &mut visited, steps);
    }
}

fn recipe_takes_all(file: &Justfile, name: &str) -> bool {
    file.recipes
        .get(name)
        .and_then(|recipe| recipe.parameters.last())
        .is_some_and(|last| last.all)
}

fn run(
    file: &Justfile,
    name: &str,
    arguments: &[Value],
    visited: &mut BTreeSet<String>,
    steps: &mut TaskSteps<'_>,
) {
    let Some(recipe) = file.recipes.get(name) else {
        return steps.missing(name);
    };
    if !visited.insert(name.to_owned()) || visited.len() > 128 {
        return;
    }
    steps.exists();
    for needed in &recipe.needs {
        run(file, needed, &[], visited, steps);
    }
    let Some(parameters) = bind(recipe, arguments) else {
        return steps.unclear(&format!("the arguments of `{name}`"));
    };
    let lines: Option<Vec<String>> = recipe
        .body
        .iter()
        .map(|line| interpolate(line, &parameters, &file.variables))
        .collect();
    let Some(lines) = lines else {
        return steps.unclear(&format!("braces in `{name}`"));
    };
    match lines.first() {
        Some(first) if first.starts_with("#!") => whole(first, &lines, steps),
        Some(_) | None => {
            for line in &lines {
                let line = line.trim_start_matches(['@', '-']);
                if !line.trim().is_empty() {
                    steps.shell(line);
                }
            }
        }
    }
}

/// A recipe that is a script of its own.
fn whole(first: &str, lines: &[String], steps: &mut TaskSteps<'_>) {
    let text = lines.join("\n");
    let language = match first.rsplit(['/', ' ']).next() {
        Some("sh" | "bash" | "zsh" | "dash") => return steps.shell(text),
        Some("python" | "python3") => Language::Python,
        Some("node") => Language::JavaScript,
        Some("ruby") => Language::Ruby,
        Some("perl") => Language::Perl,
        Some(_) | None => Language::Other,
    };
    let nested = Nested::Code {
        language,
        text: Value::text(text, steps.request.span),
        arguments: Vec::new(),
        layer: steps.layer(),
    };
    steps.push(nested);
}

fn bind(recipe: &Recipe, arguments: &[Value]) -> Option<BTreeMap<String, String>> {
    let mut words = arguments.iter();
    let mut bound = BTreeMap::new();
    for parameter in &recipe.parameters {
        let value = if parameter.all {
            let rest: Option<Vec<String>> = words
                .by_ref()
                .map(|word| word.literal().map(|word| word.into_owned()))
                .collect();
            let rest = rest?.join(" ");
            if rest.is_empty() {
                parameter.default.clone().unwrap_or_default()
            } else {
                rest
            }
        } else {
            match words.next() {
                Some(word) => word.literal()?.into_owned(),
                None => parameter.default.clone()?,
            }
        };
        bound.insert(parameter.name.clone(), value);
    }
    words.next().is_none().then_some(bound)
}

fn interpolate(
    line: &str,
    parameters: &BTreeMap<String, String>,
    variables: &BTreeMap<String, String>,
) -> Option<String> {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        text.push_str(before);
        if let Some(literal) = after.strip_prefix("{{") {
            text.push_str("{{");
            rest = literal;
            continue;
        }
        let (name, after) = after.split_once("}}")?;
        let name = name.trim();
        text.push_str(parameters.get(name).or_else(|| variables.get(name))?);
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

fn parse(text: &str, steps: &mut TaskSteps<'_>) -> Justfile {
    let mut file = Justfile {
        recipes: BTreeMap::new(),
        first: None,
        variables: BTreeMap::new(),
        aliases: BTreeMap::new(),
    };
    let mut current: Option<String> = None;
    for line in joined(text) {
        if line.starts_with([' ', '\t']) {
            if let Some(recipe) = current.as_ref().and_then(|name| file.recipes.get_mut(name)) {
                recipe.body.push(line.trim_start().to_owned());
            }
            continue;
        }
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') || trimmed.starts_with('[') {
            continue;
        }
        current = None;
        let word = trimmed.split_whitespace().next().unwrap_or_default();
        let rest = trimmed.strip_prefix(word).unwrap_or_default().trim();
        match word {
            "set" => setting(rest, steps),
            "import" | "import?" | "mod" | "mod?" => steps.unclear(trimmed),
            "alias" => {
                if let Some((name, target)) = rest.split_once(":=") {
                    file.aliases
                        .insert(name.trim().to_owned(), target.trim().to_owned());
                }
            }
            _ => {
                let assignment = trimmed.strip_prefix("export ").unwrap_or(trimmed);
                match assignment.split_once(":=") {
                    Some((name, value)) => variable(&mut file, name.trim(), value.trim(), steps),
                    None => match recipe(trimmed) {
                        Some((name, recipe)) => {
                            file.first.get_or_insert_with(|| name.clone());
                            current = Some(name.clone());
                            file.recipes.insert(name, recipe);
                        }
                        None => steps.unclear(trimmed),
                    },
                }
            }
        }
    }
    file
}

/// Only shells that speak shell are followed.
fn setting(rest: &str, steps: &mut TaskSteps<'_>) {
    let tame = !rest.starts_with("shell")
        || ["sh", "bash", "zsh"]
            .iter()
            .any(|shell| rest.contains(&format!("[\"{shell}\"")));
    if !tame {
        steps.unclear(&format!("set {rest}"));
    }
}

fn variable(file: &mut Justfile, name: &str, value: &str, steps: &mut TaskSteps<'_>) {
    let quoted = value
        .strip_prefix(['"', '\''])
        .and_then(|inner| inner.strip_suffix(['"', '\'']))
        .filter(|inner| !inner.contains(['"', '\'', '\\']));
    if let Some(text) = quoted {
        file.variables.insert(name.to_owned(), text.to_owned());
    } else if let Some(command) = value
        .strip_prefix('`')
        .and_then(|inner| inner.strip_suffix('`'))
    {
        // Runs when the value is wanted; in a recipe the shell can run it in place.
        steps.shell(command);
        file.variables
            .insert(name.to_owned(), format!("$({command})"));
    } else if value.contains('`') {
        steps.unclear(value);
    }
}

fn recipe(line: &str) -> Option<(String, Recipe)> {
    let line = line.trim_start_matches('@');
    let (header, needs) = line.split_once(':')?;
    let mut words = header.split_whitespace();
    let name = words.next()?.to_owned();
    let mut parameters = Vec::new();
    for word in words {
        let all = word.starts_with(['*', '+']);
        let word = word.trim_start_matches(['*', '+', '$']);
        let (name, default) = match word.split_once('=') {
            Some((name, default)) => (name, Some(default.trim_matches(['"', '\'']).to_owned())),
            None => (word, None),
        };
        parameters.push(Parameter {
            name: name.to_owned(),
            default,
            all,
        });
    }
    if needs.contains('(') {
        return None;
    }
    let needs = needs.split('#').next().unwrap_or_default();
    Some((
        name,
        Recipe {
            parameters,
            needs: needs
                .split_whitespace()
                .filter(|word| *word != "&&")
                .map(str::to_owned)
                .collect(),
            body: Vec::new(),
        },
    ))
}

fn joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let goes_on = line.ends_with('\\');
        let part = line.strip_suffix('\\').unwrap_or(line);
        match lines.last_mut() {
            Some(last) if open => {
                last.push(' ');
                last.push_str(part.trim_start());
            }
            Some(_) | None => lines.push(part.to_owned()),
        }
        open = goes_on;
    }
    lines
}
