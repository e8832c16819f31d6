//! What the names of a file stand for, by its own imports.
//!
//! Every import gives aliases; one of a module that no table knows is a use of a
//! library. Imports of the project's own files are fine: those files are read too.

use std::collections::BTreeMap;

use super::lexer::{CodeLexeme, CodeToken, mark, whole_text, word};
use super::table::CapabilityTable;
use super::{Capability, CapabilityUse, SourceLanguage};

/// The imports of one file.
#[derive(Debug, Default)]
pub(super) struct FileImports {
    /// A name of the file, and the dotted name that it stands for.
    pub(super) aliases: BTreeMap<String, String>,
    /// Modules all of whose names are here by their last name alone.
    pub(super) open: Vec<String>,
    /// Places of tokens that belong to imports and are no uses.
    pub(super) spans: Vec<(usize, usize)>,
    /// Modules that are handed on whole, and the places where that is.
    pub(super) values: Vec<(String, usize)>,
    /// Modules that were named, with their lines.
    modules: Vec<(String, usize)>,
}

pub(super) fn imports(language: SourceLanguage, tokens: &[CodeLexeme]) -> FileImports {
    let mut found = FileImports::default();
    let mut at = 0_usize;
    while at < tokens.len() {
        let next = match language {
            SourceLanguage::Rust => rust(tokens, at, &mut found),
            SourceLanguage::Go => go(tokens, at, &mut found),
            SourceLanguage::Java | SourceLanguage::Kotlin | SourceLanguage::Groovy => {
                dotted(tokens, at, "import", language, &mut found)
            }
            SourceLanguage::CSharp => dotted(tokens, at, "using", language, &mut found),
            SourceLanguage::Swift => dotted(tokens, at, "import", language, &mut found),
            SourceLanguage::Php => dotted(tokens, at, "use", language, &mut found),
            SourceLanguage::Elixir => elixir(tokens, at, &mut found),
            SourceLanguage::C => c(tokens, at, &mut found),
            SourceLanguage::JavaScript => javascript(tokens, at, &mut found),
            SourceLanguage::Ruby => ruby(tokens, at, &mut found),
            SourceLanguage::CMake
            | SourceLanguage::Terraform
            | SourceLanguage::Dockerfile
            | SourceLanguage::Compose
            | SourceLanguage::Workflow => None,
        };
        at = match next {
            Some(next) if next > at => {
                found.spans.push((at, next));
                next
            }
            Some(_) | None => at.saturating_add(1),
        };
    }
    found
}

impl FileImports {
    pub(super) fn covers(&self, at: usize) -> bool {
        // Spans are in order but for the few that reach back.
        let near = self.spans.partition_point(|(start, _)| *start <= at);
        let from = near.saturating_sub(4);
        let to = near.saturating_add(4).min(self.spans.len());
        self.spans
            .get(from..to)
            .unwrap_or_default()
            .iter()
            .any(|(start, end)| (*start..*end).contains(&at))
    }

    /// Whether a module is imported.
    pub(super) fn names(&self, module: &str) -> bool {
        self.modules.iter().any(|(name, _)| name == module)
    }

    /// Imports of modules that are in no list, and of those that nobody imports but for what
    /// they can do.
    pub(super) fn libraries(
        &self,
        language: SourceLanguage,
        table: &CapabilityTable,
    ) -> Vec<CapabilityUse> {
        self.modules
            .iter()
            .filter_map(|(module, line)| {
                let known = || {
                    is_own(language, module)
                        || CapabilityTable::covers(table.harmless, module)
                        || CapabilityTable::covers(table.watched, module)
                        || table.name(module).is_some()
                };
                let capability = match table.import(module.trim_start_matches('"')) {
                    Some(capability) => capability,
                    None if known() => return None,
                    None => Capability::Library,
                };
                Some(CapabilityUse {
                    line: *line,
                    capability,
                    text: module.clone(),
                })
            })
            .collect()
    }

    fn module(&mut self, name: &str, line: usize) {
        self.modules.push((name.to_owned(), line));
    }

    fn alias(&mut self, name: &str, full: &str) {
        self.aliases.insert(name.to_owned(), full.to_owned());
    }
}

/// A module of the project itself.
fn is_own(language: SourceLanguage, module: &str) -> bool {
    let first = module.split('.').next().unwrap_or_default();
    match language {
        SourceLanguage::Rust => matches!(first, "crate" | "self" | "super" | ""),
        SourceLanguage::JavaScript => {
            module.starts_with("./")
                || module.starts_with("../")
                || module.starts_with("@/")
                || module.starts_with("~/")
                || module == "."
                || module == ".."
        }
        SourceLanguage::C => {
            module.starts_with('"') && !module.contains("..") && !module.starts_with("\"/")
        }
        SourceLanguage::Ruby => module.starts_with("./") || module.starts_with("../"),
        // Namespaces of the project cannot be told from those of a library by name.
        SourceLanguage::Go
        | SourceLanguage::Java
        | SourceLanguage::Kotlin
        | SourceLanguage::CSharp
        | SourceLanguage::Swift
        | SourceLanguage::Php
        | SourceLanguage::Groovy
        | SourceLanguage::CMake
        | SourceLanguage::Elixir
        | SourceLanguage::Dockerfile
        | SourceLanguage::Compose
        | SourceLanguage::Workflow
        | SourceLanguage::Terraform => false,
    }
}

fn line(tokens: &[CodeLexeme], at: usize) -> usize {
    tokens.get(at).map_or(0, |lexeme| lexeme.line)
}

/// Whether a statement begins here.
fn begins(tokens: &[CodeLexeme], at: usize) -> bool {
    match at.checked_sub(1).and_then(|before| tokens.get(before)) {
        None => true,
        Some(before) => {
            matches!(before.token, CodeToken::Mark(";" | "}" | "{" | "]" | ")"))
                || before.line != line(tokens, at)
                || matches!(&before.token, CodeToken::Word(word) if matches!(word.as_str(), "pub" | "export" | "global"))
        }
    }
}

/// `use a::b::{c, d as e, f::*};` and `extern crate x as y;`.
fn rust(tokens: &[CodeLexeme], at: usize, found: &mut FileImports) -> Option<usize> {
    if word(tokens, at) == Some("extern") && word(tokens, at.saturating_add(1)) == Some("crate") {
        let name = word(tokens, at.saturating_add(2))?;
        found.module(name, line(tokens, at));
        if word(tokens, at.saturating_add(3)) == Some("as")
            && let Some(alias) = word(tokens, at.saturating_add(4))
        {
            found.alias(alias, name);
        }
        return Some(at.saturating_add(3));
    }
    if word(tokens, at) != Some("use") || !begins(tokens, at) {
        return None;
    }
    let from = found.modules.len();
    let end = rust_tree(tokens, at.saturating_add(1), "", found, 0)?;
    // What is handed on has another path in the files that use it.
    let before = at.checked_sub(1);
    if before.is_some_and(|before| {
        word(tokens, before) == Some("pub") || mark(tokens, before) == Some(")")
    }) {
        let handed = found.modules.get(from..).unwrap_or_default().iter();
        let handed: Vec<(String, usize)> = handed.map(|(name, _)| (name.clone(), at)).collect();
        found.values.extend(handed);
    }
    Some(end)
}

fn rust_tree(
    tokens: &[CodeLexeme],
    mut at: usize,
    prefix: &str,
    found: &mut FileImports,
    depth: usize,
) -> Option<usize> {
    if depth > 16 {
        return None;
    }
    let mut path = prefix.to_owned();
    loop {
        if mark(tokens, at) == Some("{") {
            at = at.saturating_add(1);
            while mark(tokens, at) != Some("}") {
                at = rust_tree(tokens, at, &path, found, depth.saturating_add(1))?;
                if mark(tokens, at) == Some(",") {
                    at = at.saturating_add(1);
                }
            }
            return Some(at.saturating_add(1));
        }
        if mark(tokens, at) == Some("*") {
            found.module(&path, line(tokens, at));
            found.open.push(path);
            return Some(at.saturating_add(1));
        }
        if mark(tokens, at) == Some("::") {
            at = at.saturating_add(1);
            continue;
        }
        let name = word(tokens, at)?;
        if name == "as" {
            let alias = word(tokens, at.saturating_add(1))?;
            found.module(&path, line(tokens, at));
            found.alias(alias, &path);
            return Some(at.saturating_add(2));
        }
        if name != "self" || path.is_empty() {
            path = joined(&path, name);
        }
        at = at.saturating_add(1);
        match mark(tokens, at) {
            Some("::") => at = at.saturating_add(1),
            Some(_) | None if word(tokens, at) == Some("as") => {}
            Some(_) | None => {
                found.module(&path, line(tokens, at.saturating_sub(1)));
                let last = path.rsplit('.').next().unwrap_or_default().to_owned();
                found.alias(&last, &path);
                return Some(at);
            }
        }
    }
}

fn joined(prefix: &str, name: &str) -> String {
    if prefix.is_empty() {
        name.to_owned()
    } else {
        format!("{prefix}.{name}")
    }
}

/// `import x "a/b"`, alone or in brackets.
fn go(tokens: &[CodeLexeme], at: usize, found: &mut FileImports) -> Option<usize> {
    if word(tokens, at) != Some("import") || !begins(tokens, at) {
        return None;
    }
    let mut next = at.saturating_add(1);
    let many = mark(tokens, next) == Some("(");
    if many {
        next = next.saturating_add(1);
    }
    loop {
        if mark(tokens, next) == Some(")") {
            return Some(next.saturating_add(1));
        }
        if mark(tokens, next) == Some(";") {
            next = next.saturating_add(1);
            continue;
        }
        let alias = word(tokens, next).map(str::to_owned);
        let dot = mark(tokens, next) == Some(".");
        if alias.is_some() || dot {
            next = next.saturating_add(1);
        }
        let path = whole_text(tokens, next)?;
        found.module(path, line(tokens, next));
        // The comment above this import is code of another language.
        if path == "C" {
            found.values.push((path.to_owned(), next));
        }
        let name = path.replace('/', ".");
        let last = package_name(path).to_owned();
        if dot {
            found.open.push(name);
        } else {
            found.alias(alias.as_deref().unwrap_or(&last), &name);
        }
        next = next.saturating_add(1);
        if !many {
            return Some(next);
        }
    }
}

/// The name under which a Go package is used: without its version.
fn package_name(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let version = last
        .strip_prefix('v')
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()));
    let name = if version {
        parts.next().unwrap_or(last)
    } else {
        last
    };
    name.split('.').next().unwrap_or(name)
}

/// `import [static] a.b.C [as D];`, `using A.B;`, `use A\B as C;`.
fn dotted(
    tokens: &[CodeLexeme],
    at: usize,
    keyword: &str,
    language: SourceLanguage,
    found: &mut FileImports,
) -> Option<usize> {
    if word(tokens, at) != Some(keyword) || !begins(tokens, at) {
        return None;
    }
    let mut next = at.saturating_add(1);
    let mut is_static = false;
    while let Some(
        "static" | "function" | "const" | "class" | "struct" | "func" | "enum" | "protocol",
    ) = word(tokens, next)
    {
        is_static |= word(tokens, next) == Some("static");
        next = next.saturating_add(1);
    }
    // `using (var x = …)`, `using var x = …` and closures are no imports.
    let first = word(tokens, next)?;
    let mut renamed = None;
    if language == SourceLanguage::CSharp {
        match mark(tokens, next.saturating_add(1)) {
            Some("=") => {
                renamed = Some(first.to_owned());
                next = next.saturating_add(2);
            }
            Some(";" | ".") => {}
            Some(_) | None => return None,
        }
    }
    let mut path = String::new();
    loop {
        match tokens.get(next).map(|lexeme| &lexeme.token) {
            Some(CodeToken::Word(name)) if name != "as" => path = joined(&path, name),
            Some(CodeToken::Mark("." | "\\" | "::")) => {}
            _ => break,
        }
        next = next.saturating_add(1);
        let joins = matches!(mark(tokens, next), Some("." | "\\" | "::"));
        let was_join = matches!(
            mark(tokens, next.saturating_sub(1)),
            Some("." | "\\" | "::")
        );
        if !joins && !was_join {
            break;
        }
    }
    let path = path.trim_matches('.').to_owned();
    found.module(&path, line(tokens, at));
    if mark(tokens, next) == Some("*") {
        found.open.push(path);
        return Some(next.saturating_add(1));
    }
    if word(tokens, next) == Some("as") {
        renamed = word(tokens, next.saturating_add(1)).map(str::to_owned);
        next = next.saturating_add(2);
    }
    match renamed {
        Some(renamed) => found.alias(&renamed, &path),
        None => {
            let last = path.rsplit('.').next().unwrap_or_default().to_owned();
            // A namespace of these is opened, not named by its last part.
            let is_opened = matches!(language, SourceLanguage::CSharp | SourceLanguage::Swift);
            if language == SourceLanguage::CSharp && is_static {
                found.open.push(path);
            } else if !is_opened {
                found.alias(&last, &path);
            }
        }
    }
    Some(next)
}

/// `alias A.B, as: C`, `import A`, `use A`.
fn elixir(tokens: &[CodeLexeme], at: usize, found: &mut FileImports) -> Option<usize> {
    let keyword = word(tokens, at)?;
    if !matches!(keyword, "alias" | "import" | "use" | "require") || !begins(tokens, at) {
        return None;
    }
    let mut next = at.saturating_add(1);
    let mut path = word(tokens, next)?.to_owned();
    next = next.saturating_add(1);
    while mark(tokens, next) == Some(".") {
        let Some(name) = word(tokens, next.saturating_add(1)) else {
            break;
        };
        path = joined(&path, name);
        next = next.saturating_add(2);
    }
    // A module needs no import to be called: an alias says nothing of its own.
    if keyword != "alias" {
        found.module(&path, line(tokens, at));
    }
    match keyword {
        "import" => found.open.push(path),
        "alias" => {
            let here = line(tokens, at);
            let mut renamed = None;
            while line(tokens, next) == here {
                if word(tokens, next) == Some("as") {
                    renamed = word(tokens, next.saturating_add(2)).map(str::to_owned);
                }
                next = next.saturating_add(1);
            }
            let last = path.rsplit('.').next().unwrap_or_default().to_owned();
            found.alias(renamed.as_deref().unwrap_or(&last), &path);
        }
        _ => {}
    }
    Some(next)
}

/// `#include <x>` and `#include "x"`, `namespace a = b;`, `using namespace a;`.
/// `std::filesystem`, and where it ends.
fn scoped_path(tokens: &[CodeLexeme], mut at: usize) -> (String, usize) {
    let mut path = String::new();
    while let Some(name) = word(tokens, at) {
        path = joined(&path, name);
        let goes_on = mark(tokens, at.saturating_add(1)) == Some("::");
        at = at.saturating_add(if goes_on { 2 } else { 1 });
    }
    (path, at)
}

fn c(tokens: &[CodeLexeme], at: usize, found: &mut FileImports) -> Option<usize> {
    match (mark(tokens, at), word(tokens, at)) {
        (Some("#"), _)
            if matches!(
                word(tokens, at.saturating_add(1)),
                Some("include" | "import" | "include_next")
            ) =>
        {
            let here = line(tokens, at);
            let next = at.saturating_add(2);
            if let Some(name) = whole_text(tokens, next) {
                found.module(&format!("\"{name}"), here);
                return Some(next.saturating_add(1));
            }
            let mut end = next;
            let mut name = String::new();
            while line(tokens, end) == here {
                match tokens.get(end).map(|lexeme| &lexeme.token) {
                    Some(CodeToken::Word(part)) => name.push_str(part),
                    Some(CodeToken::Mark(part)) if !matches!(*part, "<" | ">") => {
                        name.push_str(part)
                    }
                    Some(CodeToken::Number) => name.push('0'),
                    _ => {}
                }
                end = end.saturating_add(1);
            }
            found.module(&name, here);
            Some(end)
        }
        (_, Some("namespace")) if mark(tokens, at.saturating_add(2)) == Some("=") => {
            let alias = word(tokens, at.saturating_add(1))?;
            let (path, next) = scoped_path(tokens, at.saturating_add(3));
            found.alias(alias, &path);
            Some(next)
        }
        (_, Some("using")) => {
            let whole = word(tokens, at.saturating_add(1)) == Some("namespace");
            let (path, next) = scoped_path(tokens, at.saturating_add(if whole { 2 } else { 1 }));
            if whole {
                found.open.push(path);
            } else if let Some((_, last)) = path.rsplit_once('.') {
                found.alias(last, &path);
            } else {
                return None;
            }
            Some(next)
        }
        _ => None,
    }
}

/// `import x, {a as b} from 'm'`, `const {a: b} = require('m')`, `import('m')`.
fn javascript(tokens: &[CodeLexeme], at: usize, found: &mut FileImports) -> Option<usize> {
    let keyword = word(tokens, at)?;
    match keyword {
        "import" | "export"
            if begins(tokens, at) && mark(tokens, at.saturating_add(1)) != Some("(") =>
        {
            let (end, module) = javascript_from(tokens, at)?;
            let here = line(tokens, at);
            let only_types = word(tokens, at.saturating_add(1)) == Some("type")
                && mark(tokens, at.saturating_add(2)) == Some("{");
            if !only_types {
                let module = plain_module(&module);
                found.module(&module, here);
                bind(tokens, at.saturating_add(1), end, &module, found);
                if keyword == "export" {
                    found.values.push((module, at));
                }
            }
            Some(end.saturating_add(1))
        }
        "require" | "import" | "requireActual" | "importActual"
            if mark(tokens, at.saturating_add(1)) == Some("(") =>
        {
            required(tokens, at, keyword, found)
        }
        _ => None,
    }
}

/// `require('m')` and the like, by name or used in place.
fn required(
    tokens: &[CodeLexeme],
    at: usize,
    keyword: &str,
    found: &mut FileImports,
) -> Option<usize> {
    let module = plain_module(whole_text(tokens, at.saturating_add(2))?);
    if mark(tokens, at.saturating_add(3)) != Some(")") {
        return None;
    }
    found.module(&module, line(tokens, at));
    // `const x = [await] require('m')`, `const {a} = …`.
    let mut before = at;
    if word(tokens, before.saturating_sub(1)) == Some("await") {
        before = before.saturating_sub(1);
    }
    // `x = require('m').f()` keeps what the call gives, not the module.
    let behind = match mark(tokens, at.saturating_add(4)) {
        Some(".") => mark(tokens, at.saturating_add(6)),
        other => other,
    };
    let is_used = matches!(behind, Some("(" | "." | "[" | "?." | "`"));
    if !is_used && mark(tokens, before.saturating_sub(1)) == Some("=") {
        let start = (0..before.saturating_sub(1))
            .rev()
            .take(200)
            .find(|at| {
                matches!(word(tokens, *at), Some("const" | "let" | "var"))
                    || mark(tokens, *at) == Some(";")
            })
            .map_or(before.saturating_sub(2), |at| at.saturating_add(1));
        let direct = mark(tokens, at.saturating_add(4)) != Some(".");
        let member = word(tokens, at.saturating_add(5)).filter(|_| !direct);
        let module = member.map_or_else(|| module.clone(), |member| joined(&module, member));
        bind(tokens, start, before.saturating_sub(1), &module, found);
        let member_of = mark(tokens, before.saturating_sub(3)) == Some(".");
        if member_of || word(tokens, start.saturating_sub(2)) == Some("export") {
            found.values.push((module, at));
        }
        found.spans.push((start, at));
        return Some(at.saturating_add(if direct { 4 } else { 6 }));
    }
    // Used in place: `require('m').x()` stays a use of the module.
    if is_used || mark(tokens, at.saturating_add(4)) == Some(".") {
        // Only `require('m').x` is resolved where it stands.
        if keyword != "require" {
            found.values.push((module.clone(), at));
        }
        found.aliases.insert(format!("require {module}"), module);
        return None;
    }
    if !is_side_effect(tokens, at) {
        found.values.push((module, at));
    }
    Some(at.saturating_add(4))
}

/// `require('m')` as a statement, the module of a mock (`vi.mock(import('m'))`), and the rest
/// of a module that is mocked (`...jest.requireActual('m')`).
fn is_side_effect(tokens: &[CodeLexeme], at: usize) -> bool {
    let mocked = mark(tokens, at.saturating_sub(1)) == Some("(")
        && matches!(
            word(tokens, at.saturating_sub(2)),
            Some("mock" | "doMock" | "unmock" | "mocked")
        );
    let spread = [1, 3]
        .iter()
        .any(|by| mark(tokens, at.saturating_sub(*by)) == Some("..."));
    begins(tokens, at) || mocked || spread
}

/// Without `node:`, with dots for slashes where a table says so.
fn plain_module(module: &str) -> String {
    let module = module.strip_prefix("node:").unwrap_or(module);
    if module.starts_with('.') || module.starts_with('@') || module.starts_with('~') {
        module.to_owned()
    } else {
        module.replace('/', ".")
    }
}

fn javascript_from(tokens: &[CodeLexeme], at: usize) -> Option<(usize, String)> {
    // `import 'm'`.
    if let Some(module) = whole_text(tokens, at.saturating_add(1)) {
        return Some((at.saturating_add(1), module.to_owned()));
    }
    for next in at.saturating_add(1)..at.saturating_add(400) {
        match tokens.get(next).map(|lexeme| &lexeme.token)? {
            CodeToken::Word(word) if word == "from" => {
                if let Some(module) = whole_text(tokens, next.saturating_add(1)) {
                    return Some((next.saturating_add(1), module.to_owned()));
                }
            }
            CodeToken::Word(_) | CodeToken::Mark("{" | "}" | "," | "*") => {}
            CodeToken::Mark(_)
            | CodeToken::Text { .. }
            | CodeToken::Number
            | CodeToken::Command => return None,
        }
    }
    None
}

/// The names between two places, each bound to the module or to a member of it.
fn bind(tokens: &[CodeLexeme], start: usize, end: usize, module: &str, found: &mut FileImports) {
    let mut at = start;
    let mut inside = false;
    while at < end {
        match (mark(tokens, at), word(tokens, at)) {
            (Some("{"), _) => inside = true,
            (Some("}"), _) => inside = false,
            (_, Some("as" | "from" | "type" | "const" | "let" | "var" | "default")) => {}
            (_, Some(name)) => {
                let renames = matches!(word(tokens, at.saturating_add(1)), Some("as"))
                    || (inside && mark(tokens, at.saturating_add(1)) == Some(":"));
                let full = if inside {
                    joined(module, name)
                } else {
                    module.to_owned()
                };
                if renames {
                    if let Some(alias) = word(tokens, at.saturating_add(2)) {
                        found.alias(alias, &full);
                    }
                    at = at.saturating_add(2);
                } else {
                    found.alias(name, &full);
                }
            }
            _ => {}
        }
        // `* as fs`.
        if mark(tokens, at) == Some("*")
            && word(tokens, at.saturating_add(1)) == Some("as")
            && let Some(alias) = word(tokens, at.saturating_add(2))
        {
            found.alias(alias, module);
            at = at.saturating_add(2);
        }
        at = at.saturating_add(1);
    }
}

/// `require 'x'`; `require_relative` stays in the project.
fn ruby(tokens: &[CodeLexeme], at: usize, found: &mut FileImports) -> Option<usize> {
    let keyword = word(tokens, at)?;
    if !matches!(keyword, "require" | "require_relative" | "gem" | "autoload") {
        return None;
    }
    let bracket = usize::from(mark(tokens, at.saturating_add(1)) == Some("("));
    let name = at.saturating_add(1).saturating_add(bracket);
    let module = whole_text(tokens, name)?;
    if keyword == "require_relative" {
        found.module(&format!("./{module}"), line(tokens, at));
    } else {
        found.module(module, line(tokens, at));
    }
    Some(name.saturating_add(1).saturating_add(bracket))
}
