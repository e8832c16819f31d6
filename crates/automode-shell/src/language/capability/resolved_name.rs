//! What a name stands for, with the file's imports filled in.

use super::SourceLanguage;
use super::lexer::CodeToken;
use super::scan::FileScan;
use super::table::NameRule;

/// A name with its imports filled in.
pub(super) struct ResolvedName {
    pub(super) parts: Vec<String>,
    /// Where the file's own name for it stands.
    pub(super) own: usize,
    /// A member of something that has no name.
    pub(super) is_member: bool,
}

impl FileScan<'_> {
    /// The name with what its first part stands for.
    pub(super) fn resolve(&self, parts: &[String], at: usize, is_member: bool) -> ResolvedName {
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

    /// A name out of a module whose names are all here.
    pub(super) fn opened(&self, parts: &[String]) -> Option<(ResolvedName, NameRule)> {
        // One that counts as a whole has been told already.
        let counts = |module: &&String| self.table.name(&format!("{module}.*")).is_none();
        self.imports.open.iter().filter(counts).find_map(|module| {
            let mut full: Vec<String> = module.split('.').map(str::to_owned).collect();
            let own = full.len();
            full.extend(parts.iter().cloned());
            let name = ResolvedName {
                parts: full,
                own,
                is_member: false,
            };
            let rule = self.lookup(&name)?;
            Some((name, rule))
        })
    }

    /// The module of `require('m')` that ends right before `at`.
    pub(super) fn required(&self, at: usize) -> Option<String> {
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
    pub(super) fn lookup(&self, name: &ResolvedName) -> Option<NameRule> {
        let parts = &name.parts;
        let prefix = self.namespace(parts);
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
                // A type that is harmless to name says nothing of what is called on it.
                let exact = exact.filter(|exact| {
                    exact.capability.is_some() || whole.is_none() || end == parts.len()
                });
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

    /// How many parts in front of a name only say where it lies: `java.net` of
    /// `java.net.Socket`, all of `System.Net.Sockets` before a type of C#.
    pub(super) fn namespace(&self, parts: &[String]) -> usize {
        let listed = parts
            .iter()
            .take_while(|part| self.table.prefixes.binary_search(&part.as_str()).is_ok())
            .count();
        let first = parts.first().map_or("", String::as_str);
        let is_jvm = matches!(
            self.language,
            SourceLanguage::Java | SourceLanguage::Kotlin | SourceLanguage::Groovy
        );
        let packages = parts
            .iter()
            .take_while(|part| {
                part.starts_with(|letter: char| letter.is_lowercase() || letter == '_')
            })
            .count();
        if is_jvm && packages > 1 && packages < parts.len() {
            return packages;
        }
        let is_dotnet = self.language == SourceLanguage::CSharp
            && matches!(first, "System" | "Microsoft" | "global");
        if is_dotnet { parts.len() } else { listed }
    }
}
