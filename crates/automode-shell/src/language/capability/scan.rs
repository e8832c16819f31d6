//! Every name of a file held against the table of its language.

use std::collections::BTreeSet;

use super::contained::{PathVariables, chain};
use super::directive::directives;
use super::import::{FileImports, imports};
use super::lexer::{CodeLexeme, CodeToken, tokens};
use super::loaded_file::loaded_files;
use super::made_name::{disguised, spelled_out};
use super::resolved_name::ResolvedName;
use super::syntax::{LexicalRules, rules};
use super::table::NameRule;
use super::{Capability, CapabilityTable, CapabilityUse, SourceLanguage};
use crate::place::is_secret_variable;

/// A file with so many uses is not read further.
const ENOUGH: usize = 256;

pub(super) fn scan(language: SourceLanguage, text: &str) -> Result<Vec<CapabilityUse>, String> {
    let Some(table) = CapabilityTable::of(language) else {
        return Err(format!("no table for {}", language.name()));
    };
    if let Some(why) = disguised(language, text) {
        return Err(why);
    }
    let text = &*spelled_out(language, text)?;
    let rules = rules(language);
    let tokens = tokens(text, rules)?;
    let imports = imports(language, &tokens);
    let mut uses = imports.libraries(language, table);
    uses.extend(directives(language, text, &tokens));
    uses.extend(loaded_files(language, &tokens));
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

pub(super) struct FileScan<'a> {
    pub(super) language: SourceLanguage,
    pub(super) table: &'static CapabilityTable,
    pub(super) rules: LexicalRules,
    pub(super) tokens: &'a [CodeLexeme],
    pub(super) imports: &'a FileImports,
    pub(super) paths: PathVariables<'a>,
    pub(super) uses: Vec<CapabilityUse>,
    /// Every word of the file.
    pub(super) words: BTreeSet<&'a str>,
}

impl FileScan<'_> {
    /// What the imports alone bring in, whoever uses them.
    fn imported(&mut self) {
        for module in self.imports.open.clone() {
            // Every name of such a module may be here under no name of its own.
            if let Some(rule) = self.table.name(&format!("{module}.*")) {
                let worst = self.worst_of(&module).or(rule.capability);
                let capability = worst.unwrap_or(Capability::Library);
                self.add(0, capability, &format!("{module}.*"));
            }
        }
        for (module, at) in self.imports.values.clone() {
            // Whoever gets the module as a value may call anything of it.
            let name = ResolvedName {
                parts: module.split('.').map(str::to_owned).collect(),
                own: 0,
                is_member: false,
            };
            let whole = || self.table.name(&format!("{module}.*"));
            let rule = self.lookup(&name).or_else(whole);
            if let Some(capability) = rule.and_then(|rule| rule.capability) {
                self.add(at, capability, &module);
            }
        }
    }

    fn run(&mut self) {
        self.imported();
        let mut at = 0_usize;
        while self.uses.len() < ENOUGH
            && let Some(lexeme) = self.tokens.get(at)
        {
            let next = match &lexeme.token {
                CodeToken::Word(_) if self.imports.covers(at) => at.saturating_add(1),
                // `return \system(…)`: the word in front is no part of the name.
                CodeToken::Word(word) if self.stands_before_name(word, at) => at.saturating_add(1),
                CodeToken::Word(word) => {
                    if self.is_computed(word, at) {
                        self.add(at, Capability::DynamicCode, word);
                    }
                    let (parts, next) = chain(self.tokens, at);
                    let parts: Vec<String> = parts.into_iter().map(str::to_owned).collect();
                    if self.is_spelled_out(at, next) || self.takes_computed(&parts, next) {
                        self.add(at, Capability::DynamicCode, word);
                    }
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
                    if self.is_read_address(text) {
                        self.add(at, Capability::Network, text);
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

    /// What a name of a module may do that stands in the file under no module at all.
    fn worst_of(&self, module: &str) -> Option<Capability> {
        let last = module.rsplit(['.', '/', ':']).next().unwrap_or(module);
        self.table
            .names
            .iter()
            .filter_map(|(name, rule)| {
                let (of, own) = name.rsplit_once('.')?;
                let used = (of == module || of == last) && self.words.contains(own);
                used.then_some(rule.capability).flatten()
            })
            .filter(|capability| *capability != Capability::Library)
            .max_by_key(|capability| {
                !matches!(capability, Capability::Environment | Capability::FileRead)
            })
    }

    pub(super) fn token(&self, at: usize) -> Option<&CodeToken> {
        self.tokens.get(at).map(|lexeme| &lexeme.token)
    }

    /// A keyword of PHP in front of a name that begins at the root of all names.
    fn stands_before_name(&self, word: &str, at: usize) -> bool {
        const KEYWORDS: &[&str] = &[
            "return",
            "echo",
            "print",
            "new",
            "extends",
            "implements",
            "instanceof",
            "throw",
            "yield",
            "case",
            "else",
            "do",
            "clone",
            "and",
            "or",
            "xor",
            "use",
            "from",
            "as",
        ];
        self.language == SourceLanguage::Php
            && self.token(at.saturating_add(1)) == Some(&CodeToken::Mark("\\"))
            && KEYWORDS.contains(&word)
    }

    /// An address in a file whose language reads one as it reads a file.
    fn is_read_address(&self, text: &str) -> bool {
        const READERS: &[&str] = &[
            "contentsOf",
            "readText",
            "readBytes",
            "readLines",
            "text",
            "bytes",
            "getText",
            "eachLine",
            "withReader",
            "newReader",
            "read",
            "file_get_contents",
            "fopen",
            "readfile",
        ];
        let reads = match self.language {
            SourceLanguage::Php => true,
            SourceLanguage::Ruby => self.imports.names("open-uri"),
            language => {
                READS_URLS.contains(&language) && (self.has_word("URL") || self.has_word("URI"))
            }
        };
        let remote = ["http://", "https://", "ftp://"]
            .iter()
            .find_map(|scheme| text.strip_prefix(scheme))
            .is_some_and(|rest| !rest.starts_with("localhost") && !rest.starts_with("127.0.0.1"));
        reads && remote && READERS.iter().any(|word| self.has_word(word))
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
        let mut resolved = self.resolve(parts, at, is_member);
        let mut rule = self.lookup(&resolved);
        if rule.is_none() && self.language == SourceLanguage::Php {
            // Names of functions are the same in any case.
            let lower = parts
                .iter()
                .map(|part| part.to_lowercase())
                .collect::<Vec<_>>();
            rule = self.lookup(&self.resolve(&lower, at, is_member));
        }
        if rule.is_none() && !is_member {
            // `use std::fs::*` gives its names without their module.
            if let Some((opened, found)) = self.opened(parts) {
                (resolved, rule) = (opened, Some(found));
            }
        }
        let method = || self.method(parts, is_member, next);
        // `File::delete` is more than its type.
        let rule = if self.is_reference(next) {
            method().or(rule)
        } else {
            rule.or_else(method)
        };
        let Some(rule) = rule else {
            return;
        };
        let name = resolved.parts.join(".");
        let Some(capability) = rule.capability else {
            return;
        };
        if self.is_plain_word(&name, at, next) {
            return;
        }
        if !rule.when.is_empty() && !rule.when.iter().any(|word| self.has_word(word)) {
            return;
        }
        let capability = if let Capability::FileRead = capability
            && self.opens_to_write(&name, next)
        {
            Capability::FileWrite
        } else {
            capability
        };
        // What is given to a method by its name, nobody sees here.
        if (self.is_contained(rule, capability, at, next) && !self.is_reference(next))
            || is_plain_member(capability, &resolved.parts)
        {
            return;
        }
        self.add(at, capability, &name);
    }

    /// A word of Rust that only says something in an attribute: `#[link(…)]`, `link_name = …`.
    fn is_plain_word(&self, name: &str, at: usize, next: usize) -> bool {
        let name = name.split('.').next().unwrap_or_default();
        let listed = matches!(name, "link" | "link_name" | "link_section" | "no_mangle");
        let before = at.checked_sub(1).and_then(|at| self.token(at));
        let opened = matches!(before, Some(CodeToken::Mark("[" | "(" | ",")));
        let valued = matches!(
            self.token(next),
            Some(CodeToken::Mark("(" | "=" | "]" | ")"))
        );
        let attribute =
            opened && valued && (name != "link" || self.token(next) == Some(&CodeToken::Mark("(")));
        self.language == SourceLanguage::Rust && listed && !attribute
    }

    fn method(&self, parts: &[String], is_member: bool, next: usize) -> Option<NameRule> {
        let from = usize::from(!is_member);
        let called = matches!(
            self.tokens.get(next).map(|lexeme| &lexeme.token),
            Some(CodeToken::Mark("(" | "{" | "?." | "<" | "::" | "[" | "!"))
        ) || self.rules.bare_arguments
            || self.is_reference(next);
        if !is_member && let [only] = parts {
            return self.scoped_method(only).filter(|_| called);
        }
        let last = parts.len().saturating_sub(1);
        parts.iter().enumerate().skip(from).find_map(|(at, part)| {
            let counts = called || at < last;
            self.table.method(part).filter(|_| counts)
        })
    }

    /// `File::delete`: a method by its name, for somebody else to call.
    fn is_reference(&self, next: usize) -> bool {
        matches!(self.language, SourceLanguage::Java | SourceLanguage::Kotlin)
            && next
                .checked_sub(2)
                .is_some_and(|before| self.token(before) == Some(&CodeToken::Mark("::")))
    }

    /// `with(file) { deleteRecursively() }`: a method of whatever the block is about, by a name
    /// that means one thing and that the file does not give to something of its own.
    fn scoped_method(&self, name: &str) -> Option<NameRule> {
        const TELLING: &[&str] = &[
            "deleteRecursively",
            "deleteExisting",
            "deleteIfExists",
            "deleteOnExit",
            "deleteDir",
            "writeText",
            "writeBytes",
            "appendText",
            "appendBytes",
            "copyRecursively",
            "removeItem",
        ];
        let scoped = matches!(
            self.language,
            SourceLanguage::Kotlin | SourceLanguage::Groovy | SourceLanguage::Swift
        );
        let own = || {
            self.tokens.windows(2).any(|pair| match pair {
                [one, two] => {
                    matches!(&one.token, CodeToken::Word(word) if matches!(word.as_str(), "fun" | "def" | "func" | "void"))
                        && matches!(&two.token, CodeToken::Word(word) if word == name)
                }
                _ => false,
            })
        };
        (scoped && TELLING.contains(&name) && !own())
            .then(|| self.table.method(name))
            .flatten()
    }

    pub(super) fn has_word(&self, wanted: &str) -> bool {
        self.words.contains(wanted)
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

/// Languages whose type for an address also reads what lies there.
const READS_URLS: &[SourceLanguage] = &[
    SourceLanguage::Java,
    SourceLanguage::Kotlin,
    SourceLanguage::Groovy,
    SourceLanguage::Swift,
];

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
        "user.home",
    ]
    .iter()
    .any(|start| text.starts_with(start))
        || text.contains("/.ssh/")
        || text.contains("/.aws/")
        || matches!(
            text.rsplit('/').next(),
            Some(
                ".env"
                    | ".env.local"
                    | ".env.production"
                    | ".netrc"
                    | ".npmrc"
                    | ".pypirc"
                    | ".git-credentials"
                    | "id_rsa"
                    | "id_ed25519"
            )
        )
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
