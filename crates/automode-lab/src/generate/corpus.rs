//! Cases that people wrote: the project's corpora, the examples of pages and knowledge,
//! and any files that the caller names.

use std::fs;
use std::path::{Path, PathBuf};

use automode::eval::{self, CORPUS};
use serde::Deserialize;

use super::Draft;

/// Why a corpus could not be read.
#[derive(Debug)]
pub struct CorpusError {
    path: String,
    why: String,
}

impl std::fmt::Display for CorpusError {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "`{}` could not be read: {}", self.path, self.why)
    }
}

impl std::error::Error for CorpusError {}

/// Everything that is in the checkout at `root`, then what lies at the `extra` places.
///
/// # Errors
/// Where a file is there and cannot be read.
pub fn corpora(root: &Path, extra: &[PathBuf]) -> Result<Vec<Draft>, CorpusError> {
    let mut drafts = Vec::new();
    for (name, text) in CORPUS {
        let cases = eval::parse(text, name).map_err(|why| wrong(Path::new(name), &why))?;
        drafts.extend(
            cases
                .iter()
                .filter_map(|case| draft(&format!("corpus:{name}"), case)),
        );
    }
    for path in files(&root.join("crates/automode-shell/knowledge"), "toml") {
        drafts.extend(knowledge(&path)?);
    }
    for path in files(&root.join("crates/automode-core/src"), "md") {
        drafts.extend(page(&path)?);
    }
    for place in extra {
        let listed = if place.is_dir() {
            files(place, "jsonl")
                .into_iter()
                .chain(files(place, "txt"))
                .collect()
        } else {
            vec![place.clone()]
        };
        for path in listed {
            drafts.extend(extra_file(&path)?);
        }
    }
    Ok(drafts)
}

fn wrong(path: &Path, why: &dyn std::fmt::Display) -> CorpusError {
    CorpusError {
        path: path.display().to_string(),
        why: why.to_string(),
    }
}

fn read(path: &Path) -> Result<String, CorpusError> {
    fs::read_to_string(path).map_err(|why| wrong(path, &why))
}

fn draft(source: &str, case: &eval::Case) -> Option<Draft> {
    let command = case.call.input.get("command")?.as_str()?;
    (case.call.tool == "Bash").then(|| Draft::command(source, command))
}

/// A file of cases, or of commands, one a line.
fn extra_file(path: &Path) -> Result<Vec<Draft>, CorpusError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let source = format!("corpus:{stem}");
    if path.extension().is_some_and(|ending| ending == "jsonl") {
        let cases = eval::load(path).map_err(|why| wrong(path, &why))?;
        return Ok(cases
            .iter()
            .filter_map(|case| draft(&source, case))
            .collect());
    }
    let text = read(path)?;
    let lines = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    Ok(lines
        .map(|line| Draft::command(source.clone(), line.replace('\u{2424}', "\n")))
        .collect())
}

#[derive(Deserialize)]
struct KnowledgeFile {
    #[serde(default)]
    example: Vec<KnowledgeExample>,
}

#[derive(Deserialize)]
struct KnowledgeExample {
    #[serde(default)]
    run: String,
}

fn knowledge(path: &Path) -> Result<Vec<Draft>, CorpusError> {
    let file: KnowledgeFile = toml::from_str(&read(path)?).map_err(|why| wrong(path, &why))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let source = format!("knowledge:{stem}");
    let runs = file.example.into_iter().map(|example| example.run);
    Ok(runs
        .filter(|run| !run.is_empty())
        .map(|run| Draft::command(source.clone(), run))
        .collect())
}

/// The commands in fenced blocks of a page.
fn page(path: &Path) -> Result<Vec<Draft>, CorpusError> {
    let text = read(path)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut drafts = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if let Some(fence) = line.strip_prefix("```") {
            inside = fence.starts_with("sh");
        } else if inside && !line.trim().is_empty() {
            drafts.push(Draft::command(format!("page:{stem}"), line));
        }
    }
    Ok(drafts)
}

/// Files with an ending below a directory, in order.
pub fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(directory) else {
        return found;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|one| one == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}
