//! `composer.json` scripts.

use serde_json::{Map, Value as Json};

use super::lookup::TaskFile;
use super::steps::TaskSteps;
use crate::TaskRequest;

const INSTALL: &[&str] = &[
    "pre-install-cmd",
    "pre-update-cmd",
    "pre-package-install",
    "post-package-install",
    "pre-autoload-dump",
    "post-autoload-dump",
    "post-install-cmd",
    "post-update-cmd",
    "post-root-package-install",
    "post-create-project-cmd",
    "pre-operations-exec",
    "pre-pool-create",
];

pub(super) fn read(found: &TaskFile<'_>, names: &[String], steps: &mut TaskSteps<'_>) {
    let Ok(Json::Object(manifest)) = serde_json::from_str::<Json>(found.text) else {
        return steps.unclear("composer.json does not parse");
    };
    let empty = Map::new();
    let scripts = match manifest.get("scripts") {
        Some(Json::Object(scripts)) => scripts,
        Some(_) => return steps.unclear("`scripts` is not an object"),
        None => &empty,
    };
    match steps.request.tasks {
        TaskRequest::Install => {
            for event in INSTALL {
                if scripts.contains_key(*event) {
                    run(scripts, event, steps, 0);
                }
            }
        }
        TaskRequest::Publish => {}
        TaskRequest::Run(_) => {
            for name in names {
                run(scripts, name, steps, 0);
            }
        }
    }
}

fn run(scripts: &Map<String, Json>, name: &str, steps: &mut TaskSteps<'_>, depth: usize) {
    match scripts.get(name) {
        _ if depth > 16 => steps.unclear("scripts that call each other"),
        Some(Json::String(line)) => step(scripts, line, steps, depth),
        Some(Json::Array(lines)) => {
            steps.exists();
            for line in lines {
                match line {
                    Json::String(line) => step(scripts, line, steps, depth),
                    Json::Null
                    | Json::Bool(_)
                    | Json::Number(_)
                    | Json::Array(_)
                    | Json::Object(_) => steps.unclear(name),
                }
            }
        }
        Some(_) => steps.unclear(name),
        None => steps.missing(name),
    }
}

fn step(scripts: &Map<String, Json>, line: &str, steps: &mut TaskSteps<'_>, depth: usize) {
    let line = line.trim();
    match line.strip_prefix('@') {
        Some(reference) => {
            let (word, rest) = reference.split_once(' ').unwrap_or((reference, ""));
            match word {
                "php" => steps.shell(format!("php {rest}")),
                "composer" => steps.shell(format!("composer {rest}")),
                "putenv" => steps.shell(format!("export {rest}")),
                name => run(scripts, name, steps, depth.saturating_add(1)),
            }
        }
        // A PHP callback: `Vendor\Class::method`.
        None if line.contains("::") && !line.contains(' ') => steps.unclear(line),
        None => steps.shell_with_arguments(line),
    }
}
