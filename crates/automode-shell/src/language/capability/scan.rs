//! Every name of a file held against the table of its language.

use std::collections::BTreeSet;

use super::contained::{Containment, PathVariables, VALUE, chain};
use super::import::{FileImports, imports};
use super::lexer::{CodeLexeme, CodeToken, tokens};
use super::syntax::{LexicalRules, rules};
use super::table::NameRule;
use super::{Capability, CapabilityTable, CapabilityUse, SourceLanguage};
use crate::place::is_secret_variable;

/// A file with so many uses is not read further.
const ENOUGH: usize = 256;

/// The argument number that stands for the receiver.
const RECEIVER: u8 = u8::MAX;

pub(super) fn scan(language: SourceLanguage, text: &str) -> Result<Vec<CapabilityUse>, String> {
    let Some(table) = CapabilityTable::of(language) else {
        return Err(format!("no table for {}", language.name()));
    };
    if let Some(why) = disguised(language, text) {
        return Err(why);
    }
    let rules = rules(language);
    let tokens = tokens(text, rules)?;
    let imports = imports(language, &tokens);
    let uses = imports.libraries(language, table);
    let mut scan = FileScan {
        language,
        table,
        rules,
        tokens: &tokens,
        paths: PathVariables::new(&tokens, table, rules, &imports),
        uses,
        imports: &imports,
        words: tokens
            .iter()
            .filter_map(|lexeme| match &lexeme.token {
                CodeToken::Word(word) => Some(word.as_str()),
                CodeToken::Text { .. }
                | CodeToken::Number
                | CodeToken::Mark(_)
                | CodeToken::Command => None,
            })
            .collect(),
    };
    scan.own_packages();
    scan.run();
    Ok(scan.uses)
}

struct FileScan<'a> {
    language: SourceLanguage,
    table: &'static CapabilityTable,
    rules: LexicalRules,
    tokens: &'a [CodeLexeme],
    imports: &'a FileImports,
    paths: PathVariables<'a>,
    uses: Vec<CapabilityUse>,
    /// Every word of the file.
    words: BTreeSet<&'a str>,
}

/// A name with its imports filled in.
struct ResolvedName {
    parts: Vec<String>,
    /// Where the file's own name for it stands.
    own: usize,
    /// A member of something that has no name.
    is_member: bool,
}

impl FileScan<'_> {
    fn run(&mut self) {
        for module in self.imports.open.clone() {
            // Every name of such a module may be here under no name of its own.
            if self.table.name(&format!("{module}.*")).is_some() {
                self.add(0, Capability::Library, &format!("{module}.*"));
            }
        }
        let mut at = 0_usize;
        while self.uses.len() < ENOUGH
            && let Some(lexeme) = self.tokens.get(at)
        {
            let next = match &lexeme.token {
                CodeToken::Word(_) if self.imports.covers(at) => at.saturating_add(1),
                CodeToken::Word(word) => {
                    if self.is_computed(word, at) {
                        self.add(at, Capability::DynamicCode, word);
                    }
                    let (parts, next) = chain(self.tokens, at);
                    let parts: Vec<String> = parts.into_iter().map(str::to_owned).collect();
                    self.named(&parts, at, next);
                    next
                }
                CodeToken::Command => {
                    self.add(at, Capability::Process, "`…`");
                    at.saturating_add(1)
                }
                CodeToken::Text { text, .. } => {
                    if is_home(text) {
                        self.add(at, Capability::Home, text);
                    }
                    if self.names_code(text, at) {
                        self.add(at, Capability::DynamicCode, text);
                    }
                    at.saturating_add(1)
                }
                CodeToken::Mark(mark) => {
                    if self.makes_names(mark, at) {
                        self.add(at, Capability::DynamicCode, mark);
                    }
                    at.saturating_add(1)
                }
                CodeToken::Number => at.saturating_add(1),
            };
            at = next;
        }
    }

    fn token(&self, at: usize) -> Option<&CodeToken> {
        self.tokens.get(at).map(|lexeme| &lexeme.token)
    }

    /// A member or a function whose name is made at run time: `globalThis[x]`,
    /// `$name(…)`.
    fn is_computed(&self, word: &str, at: usize) -> bool {
        let after = self.token(at.saturating_add(1));
        let opens = matches!(after, Some(CodeToken::Mark("[" | "?.")));
        let global = self.table.prefixes.binary_search(&word).is_ok();
        match self.language {
            SourceLanguage::JavaScript => global && opens,
            SourceLanguage::Php => {
                let member = matches!(
                    at.checked_sub(1).and_then(|at| self.token(at)),
                    Some(CodeToken::Mark("->" | "::" | "?."))
                );
                word.starts_with('$') && after == Some(&CodeToken::Mark("(")) && !member
            }
            SourceLanguage::Rust
            | SourceLanguage::Go
            | SourceLanguage::Java
            | SourceLanguage::Kotlin
            | SourceLanguage::C
            | SourceLanguage::CSharp
            | SourceLanguage::Swift
            | SourceLanguage::Ruby
            | SourceLanguage::Groovy
            | SourceLanguage::CMake
            | SourceLanguage::Elixir
            | SourceLanguage::Dockerfile
            | SourceLanguage::Compose
            | SourceLanguage::Workflow
            | SourceLanguage::Terraform => false,
        }
    }

    /// A text that stands for code: a function by its name in PHP, a module file
    /// outside the project in Rust.
    fn names_code(&self, text: &str, at: usize) -> bool {
        let back = |by: usize| at.checked_sub(by).and_then(|at| self.token(at));
        match self.language {
            SourceLanguage::Php => self
                .table
                .name(text)
                .is_some_and(|rule| rule.capability.is_some()),
            SourceLanguage::Rust => {
                let path = back(1) == Some(&CodeToken::Mark("="))
                    && matches!(back(2), Some(CodeToken::Word(word)) if word == "path");
                let up = text.split('/').filter(|part| *part == "..").count();
                path && (text.starts_with('/') || up > 3)
            }
            SourceLanguage::Go
            | SourceLanguage::Java
            | SourceLanguage::Kotlin
            | SourceLanguage::C
            | SourceLanguage::CSharp
            | SourceLanguage::Swift
            | SourceLanguage::Ruby
            | SourceLanguage::JavaScript
            | SourceLanguage::Groovy
            | SourceLanguage::CMake
            | SourceLanguage::Elixir
            | SourceLanguage::Dockerfile
            | SourceLanguage::Compose
            | SourceLanguage::Workflow
            | SourceLanguage::Terraform => false,
        }
    }

    /// Marks that put names together (`a##b`) or spell them in numbers (`\\u0065val`).
    fn makes_names(&self, mark: &str, at: usize) -> bool {
        let next = self.token(at.saturating_add(1));
        let pastes = self.language == SourceLanguage::C
            && mark == "#"
            && next == Some(&CodeToken::Mark("#"));
        let spells = mark == "\\"
            && matches!(next, Some(CodeToken::Word(word)) if word.starts_with(['u', 'x', 'U']));
        pastes || spells
    }

    /// Imports of packages beside the file's own package are the project's own.
    fn own_packages(&mut self) {
        let (keyword, depth) = match self.language {
            SourceLanguage::Java | SourceLanguage::Kotlin | SourceLanguage::Groovy => {
                ("package", 2)
            }
            SourceLanguage::CSharp | SourceLanguage::Php => ("namespace", 1),
            SourceLanguage::Elixir => ("defmodule", 1),
            SourceLanguage::Rust
            | SourceLanguage::Go
            | SourceLanguage::C
            | SourceLanguage::Swift
            | SourceLanguage::Ruby
            | SourceLanguage::JavaScript
            | SourceLanguage::CMake
            | SourceLanguage::Dockerfile
            | SourceLanguage::Compose
            | SourceLanguage::Workflow
            | SourceLanguage::Terraform => return,
        };
        let own = self.tokens.iter().enumerate().find_map(|(at, lexeme)| {
            let named = matches!(&lexeme.token, CodeToken::Word(word) if word == keyword);
            named.then(|| chain(self.tokens, at.saturating_add(1)).0)
        });
        let Some(own) = own else { return };
        let prefix = own.into_iter().take(depth).collect::<Vec<_>>().join(".");
        if prefix.is_empty() || is_library_root(&prefix) {
            return;
        }
        self.uses.retain(|found| {
            let inside = found
                .text
                .strip_prefix(&prefix)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            found.capability != Capability::Library || !inside
        });
    }

    fn named(&mut self, parts: &[String], at: usize, next: usize) {
        let is_member = matches!(
            at.checked_sub(1)
                .and_then(|at| self.tokens.get(at))
                .map(|lexeme| &lexeme.token),
            Some(CodeToken::Mark("." | "?." | "&." | "->" | "::" | "|>"))
        );
        let resolved = self.resolve(parts, at, is_member);
        let Some(rule) = self
            .lookup(&resolved)
            .or_else(|| self.method(parts, is_member, next))
        else {
            return;
        };
        let name = resolved.parts.join(".");
        let Some(capability) = rule.capability else {
            return;
        };
        if !rule.when.is_empty() && !rule.when.iter().any(|word| self.has_word(word)) {
            return;
        }
        if self.is_contained(rule, capability, at, next)
            || is_plain_member(capability, &resolved.parts)
        {
            return;
        }
        self.add(at, capability, &name);
    }

    /// The name with what its first part stands for.
    fn resolve(&self, parts: &[String], at: usize, is_member: bool) -> ResolvedName {
        let module = if is_member {
            // `require('fs').rmSync`: the module is the receiver.
            self.required(at)
        } else {
            parts
                .first()
                .and_then(|first| self.imports.aliases.get(first).cloned())
        };
        let Some(module) = module else {
            return ResolvedName {
                parts: parts.to_vec(),
                own: 0,
                is_member,
            };
        };
        let mut full: Vec<String> = module.split('.').map(str::to_owned).collect();
        let own = full.len().saturating_sub(1);
        full.extend(parts.iter().skip(usize::from(!is_member)).cloned());
        ResolvedName {
            parts: full,
            own,
            is_member: false,
        }
    }

    /// The module of `require('m')` that ends right before `at`.
    fn required(&self, at: usize) -> Option<String> {
        let back = |by: usize| {
            at.checked_sub(by)
                .and_then(|at| self.tokens.get(at))
                .map(|lexeme| &lexeme.token)
        };
        match (back(2), back(3), back(4), back(5)) {
            (
                Some(CodeToken::Mark(")")),
                Some(CodeToken::Text { text, whole: true }),
                Some(CodeToken::Mark("(")),
                Some(CodeToken::Word(word)),
            ) if word == "require" => {
                Some(text.strip_prefix("node:").unwrap_or(text).replace('/', "."))
            }
            _ => None,
        }
    }

    /// The rule of the part of a name that says most: the one that reaches
    /// furthest to its end, a name before a whole module.
    fn lookup(&self, name: &ResolvedName) -> Option<NameRule> {
        let parts = &name.parts;
        let prefix = parts
            .iter()
            .take_while(|part| self.table.prefixes.binary_search(&part.as_str()).is_ok())
            .count();
        let mut best: Option<((usize, bool, usize), NameRule)> = None;
        for start in 0..parts.len() {
            for length in 1..=parts.len().saturating_sub(start).min(5) {
                let end = start.saturating_add(length);
                let window = parts.get(start..end).unwrap_or_default().join(".");
                // A single word counts at the front only; elsewhere it is a member.
                let front = start <= prefix || start == name.own;
                let exact = self
                    .table
                    .name(&window)
                    .filter(|_| length > 1 || (front && !name.is_member));
                let whole = self
                    .table
                    .name(&format!("{window}.*"))
                    .filter(|_| start == 0 && !name.is_member);
                for (rule, is_exact) in [(exact, true), (whole, false)] {
                    let score = (end, is_exact, length);
                    if let Some(rule) = rule
                        && best.as_ref().is_none_or(|(known, _)| score > *known)
                    {
                        best = Some((score, rule));
                    }
                }
            }
        }
        let ((end, is_exact, _), rule) = best?;
        // A harmless part of a module that is watched as a whole.
        let furthest = parts.len().min(end.saturating_add(4));
        let harmless = (end.saturating_add(1)..=furthest).any(|length| {
            let inner = parts.get(..length).unwrap_or_default().join(".");
            self.table.harmless.binary_search(&inner.as_str()).is_ok()
        });
        (is_exact || !harmless).then_some(rule)
    }

    fn method(&self, parts: &[String], is_member: bool, next: usize) -> Option<NameRule> {
        let from = usize::from(!is_member);
        let called = matches!(
            self.tokens.get(next).map(|lexeme| &lexeme.token),
            Some(CodeToken::Mark("(" | "{" | "?." | "<" | "::" | "[" | "!"))
        ) || self.rules.bare_arguments;
        let last = parts.len().saturating_sub(1);
        parts.iter().enumerate().skip(from).find_map(|(at, part)| {
            let counts = called || at < last;
            self.table.method(part).filter(|_| counts)
        })
    }

    fn has_word(&self, wanted: &str) -> bool {
        self.words.contains(wanted)
    }

    /// Whether a use stays where a test may work.
    fn is_contained(&self, rule: NameRule, capability: Capability, at: usize, next: usize) -> bool {
        let Some(number) = rule.argument else {
            return false;
        };
        let argument = if number == RECEIVER {
            self.receiver(at, next)
        } else {
            self.argument(next, usize::from(number))
        };
        let Some(argument) = argument.filter(|argument| !argument.is_empty()) else {
            return false;
        };
        match capability {
            Capability::Environment => is_plain_variable(argument),
            Capability::Network => self.stays_here(argument),
            Capability::Process => false,
            Capability::FileRead => self.paths.containment(argument) <= Containment::Project,
            // Code of the project by one constant name.
            Capability::DynamicCode => {
                let constant = matches!(
                    argument,
                    [CodeLexeme {
                        token: CodeToken::Text { .. },
                        ..
                    }]
                ) || self.language != SourceLanguage::JavaScript;
                constant && self.paths.containment(argument) == Containment::Project
            }
            Capability::FileWrite | Capability::FileDelete => {
                self.paths.containment(argument) == Containment::Temporary
            }
            Capability::Home | Capability::Native | Capability::Library | Capability::Privilege => {
                false
            }
        }
    }

    /// An address on this machine: a path of the same site, `localhost`, or the
    /// server that a test has started itself.
    fn stays_here(&self, argument: &[CodeLexeme]) -> bool {
        let own_server = self.has_word("httptest")
            && matches!(
                argument,
                [first, .., last] if matches!(&first.token, CodeToken::Word(_))
                    && matches!(&last.token, CodeToken::Word(word) if word == "URL")
            );
        let local = match argument.first().map(|lexeme| &lexeme.token) {
            Some(CodeToken::Text { text, .. }) => {
                let site = text.starts_with('/') && !text.starts_with("//");
                site || [
                    "http://localhost:",
                    "http://localhost/",
                    "http://127.0.0.1:",
                ]
                .iter()
                .any(|start| text.starts_with(start))
            }
            _ => false,
        };
        own_server || (local && argument.len() == 1)
    }

    /// The tokens in front of the last part of the name.
    fn receiver(&self, at: usize, next: usize) -> Option<&[CodeLexeme]> {
        // `dir.path().join("x").write(…)`: back to where the expression begins.
        let mut start = at;
        let mut depth = 0_usize;
        let first = at.saturating_sub(VALUE);
        while let Some(before) = start.checked_sub(1).filter(|before| *before >= first) {
            match self.tokens.get(before).map(|lexeme| &lexeme.token) {
                Some(CodeToken::Mark(")" | "]")) => depth = depth.saturating_add(1),
                Some(CodeToken::Mark("(" | "[")) if depth > 0 => depth = depth.saturating_sub(1),
                Some(CodeToken::Mark("." | "?." | "::" | "&.")) => {}
                Some(_) if depth > 0 => {}
                Some(CodeToken::Word(_))
                    if matches!(
                        self.tokens.get(start).map(|lexeme| &lexeme.token),
                        Some(CodeToken::Mark(_))
                    ) => {}
                Some(CodeToken::Text { .. })
                    if matches!(
                        self.tokens.get(start).map(|lexeme| &lexeme.token),
                        Some(CodeToken::Mark("." | "?."))
                    ) => {}
                _ => break,
            }
            start = before;
        }
        self.tokens.get(start..next.saturating_sub(2).max(start))
    }

    /// One argument of the call behind a name.
    fn argument(&self, next: usize, number: usize) -> Option<&[CodeLexeme]> {
        let open = self.tokens.get(next)?;
        let bracket = matches!(open.token, CodeToken::Mark("(" | "[" | "{"));
        if !bracket && !self.rules.bare_arguments {
            return None;
        }
        let mut at = if bracket {
            next.saturating_add(1)
        } else {
            next
        };
        let mut start = at;
        let mut seen = 0_usize;
        let mut depth = 0_usize;
        let last = at.saturating_add(VALUE);
        while at < last
            && let Some(lexeme) = self.tokens.get(at)
        {
            let ends = match &lexeme.token {
                CodeToken::Mark("(" | "[" | "{") => {
                    depth = depth.saturating_add(1);
                    false
                }
                CodeToken::Mark(")" | "]" | "}") if depth > 0 => {
                    depth = depth.saturating_sub(1);
                    false
                }
                CodeToken::Mark(")" | "]" | "}" | ";") if depth == 0 => true,
                CodeToken::Mark(",") if depth == 0 => {
                    if seen == number {
                        return self.tokens.get(start..at);
                    }
                    seen = seen.saturating_add(1);
                    start = at.saturating_add(1);
                    false
                }
                _ => !bracket && depth == 0 && lexeme.line != open.line,
            };
            if ends {
                break;
            }
            at = at.saturating_add(1);
        }
        (seen == number)
            .then(|| self.tokens.get(start..at))
            .flatten()
    }

    fn add(&mut self, at: usize, capability: Capability, text: &str) {
        let line = self.tokens.get(at).map_or(1, |lexeme| lexeme.line);
        self.uses.push(CapabilityUse {
            line,
            capability,
            text: text.chars().take(80).collect(),
        });
    }
}

/// The constant name of a variable that holds no secret and no directory.
fn is_plain_variable(argument: &[CodeLexeme]) -> bool {
    match argument {
        [
            CodeLexeme {
                token: CodeToken::Text { text, whole: true },
                ..
            },
        ] => {
            !is_secret_variable(text)
                && !matches!(
                    text.as_str(),
                    "HOME" | "USERPROFILE" | "PATH" | "XDG_CONFIG_HOME" | "user.home"
                )
        }
        _ => false,
    }
}

/// `process.env.PORT`: one variable by its name, which holds no secret.
fn is_plain_member(capability: Capability, parts: &[String]) -> bool {
    let name = match parts {
        [process, env, name] if process == "process" && env == "env" => name,
        [import, meta, env, name] if import == "import" && meta == "meta" && env == "env" => name,
        _ => return false,
    };
    capability == Capability::Environment
        && !is_secret_variable(name)
        && !matches!(
            name.as_str(),
            "HOME" | "USERPROFILE" | "PATH" | "toObject" | "get" | "set"
        )
}

/// Text that a compiler reads otherwise than it looks: names cut by the end of a
/// line in C, letters spelled as numbers in Java.
fn disguised(language: SourceLanguage, text: &str) -> Option<String> {
    let is_word = |letter: Option<char>| letter.is_some_and(|c| c == '_' || c.is_alphanumeric());
    match language {
        SourceLanguage::C => text.match_indices("\\\n").find_map(|(at, cut)| {
            let before = text.get(..at)?.chars().next_back();
            let after = text.get(at.saturating_add(cut.len())..)?.chars().next();
            (is_word(before) && is_word(after))
                .then(|| "a name that is cut by a line's end".to_owned())
        }),
        SourceLanguage::Java | SourceLanguage::Groovy => {
            text.match_indices("\\u").find_map(|(at, _)| {
                let digits = text
                    .get(at.saturating_add(1)..)?
                    .trim_start_matches('u')
                    .get(..4)?;
                let letter = u32::from_str_radix(digits, 16).ok()?;
                (letter < 0x80).then(|| "letters that are spelled as numbers".to_owned())
            })
        }
        SourceLanguage::Rust
        | SourceLanguage::Go
        | SourceLanguage::Kotlin
        | SourceLanguage::CSharp
        | SourceLanguage::Swift
        | SourceLanguage::Ruby
        | SourceLanguage::Php
        | SourceLanguage::JavaScript
        | SourceLanguage::CMake
        | SourceLanguage::Elixir
        | SourceLanguage::Dockerfile
        | SourceLanguage::Compose
        | SourceLanguage::Workflow
        | SourceLanguage::Terraform => None,
    }
}

/// A text that names somebody's home directory or the system's own files.
fn is_home(text: &str) -> bool {
    [
        "~/",
        "/home/",
        "/Users/",
        "/root/",
        "$HOME",
        "${HOME}",
        "%USERPROFILE%",
        "/etc/passwd",
        "/etc/shadow",
    ]
    .iter()
    .any(|start| text.starts_with(start))
        || text.contains("/.ssh/")
        || text.contains("/.aws/")
}

/// Prefixes that many unrelated packages share.
fn is_library_root(prefix: &str) -> bool {
    matches!(
        prefix,
        "java"
            | "javax"
            | "org.apache"
            | "com.google"
            | "org.springframework"
            | "System"
            | "Microsoft"
            | "com.github"
            | "io.github"
    )
}
