//! Rules filed by tool, and command rules by the first word.
//!
//! A call looks only at rules that could speak of it, so thousands of rules for
//! other tools and other programs cost nothing.

use std::{borrow::Borrow, collections::BTreeMap};

use super::{
    filed::FiledRules,
    glob::UNKNOWN,
    rule::{Rule, RuleTool, Specifier},
};

/// A list of rules with its index. Rules keep their order, which never matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RuleIndex<R> {
    rules: Vec<R>,
    /// Rules on shell commands that were filed before.
    filed: Vec<FiledRules>,
    bash: Heads,
    powershell: Heads,
    by_server: BTreeMap<String, Vec<usize>>,
    by_name: BTreeMap<String, Vec<usize>>,
    read: Vec<usize>,
    edit: Vec<usize>,
    fetch: Vec<usize>,
    agent: Vec<usize>,
    patterns: Vec<usize>,
    /// Rules that look at one parameter, of whatever tool.
    parameters: Vec<usize>,
}

/// Command rules by their first word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Heads {
    /// Every command.
    any: Vec<usize>,
    /// Rules under the digest of their word, in shares: most of thousands are never asked for.
    by_word: Vec<Vec<(u32, usize)>>,
    /// The first word is a pattern.
    open: Vec<usize>,
}

impl<R> Default for RuleIndex<R> {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            filed: Vec::new(),
            bash: Heads::default(),
            powershell: Heads::default(),
            by_server: BTreeMap::new(),
            by_name: BTreeMap::new(),
            read: Vec::new(),
            edit: Vec::new(),
            fetch: Vec::new(),
            agent: Vec::new(),
            patterns: Vec::new(),
            parameters: Vec::new(),
        }
    }
}

impl<R: Borrow<Rule>> RuleIndex<R> {
    pub(super) fn new(rules: Vec<R>) -> Self {
        let mut index = Self::default();
        for (at, rule) in rules.iter().enumerate() {
            index.file(at, rule.borrow());
        }
        index.rules = rules;
        index
    }

    /// The same with rules that were filed before.
    pub(super) fn with(rules: Vec<R>, mut filed: Vec<FiledRules>) -> Self {
        filed.retain(|filed| !filed.is_empty());
        Self {
            filed,
            ..Self::new(rules)
        }
    }

    /// The rules that are not filed.
    pub(super) fn rules(&self) -> &[R] {
        &self.rules
    }

    /// All rules, filed or not.
    pub(super) fn all(&self) -> impl Iterator<Item = &Rule> {
        let filed = self.filed.iter().flat_map(FiledRules::all);
        self.rules.iter().map(Borrow::borrow).chain(filed)
    }

    fn file(&mut self, at: usize, rule: &Rule) {
        if let Some(word) = rule.plain_command() {
            self.bash.file_word(at, word);
            return;
        }
        if rule.parameter.is_some() {
            self.parameters.push(at);
        }
        match &rule.tool {
            RuleTool::Bash => self.bash.file(at, rule),
            RuleTool::PowerShell => self.powershell.file(at, rule),
            RuleTool::Read => self.read.push(at),
            RuleTool::Edit => self.edit.push(at),
            RuleTool::Fetch => self.fetch.push(at),
            RuleTool::Agent => self.agent.push(at),
            RuleTool::Mcp { server, .. } => {
                self.by_server.entry(server.clone()).or_default().push(at)
            }
            RuleTool::Named(name) => self.by_name.entry(name.clone()).or_default().push(at),
            RuleTool::Pattern(_) => self.patterns.push(at),
        }
    }

    fn pick<'a>(&'a self, at: &'a [usize]) -> impl Iterator<Item = &'a Rule> {
        at.iter()
            .filter_map(|at| self.rules.get(*at))
            .map(Borrow::borrow)
    }

    /// Rules for every use of the shell, or of PowerShell.
    pub(super) fn all_commands(&self, shell: Shell) -> impl Iterator<Item = &Rule> {
        self.pick(&self.heads(shell).any)
    }

    /// Command rules that could match a text.
    pub(super) fn commands<'a>(
        &'a self,
        shell: Shell,
        text: &str,
    ) -> Box<dyn Iterator<Item = &'a Rule> + 'a> {
        let heads = self.heads(shell);
        let word = first_word(text);
        let filed = self.filed(shell).iter();
        if word.contains(UNKNOWN) {
            let all = heads.by_word.iter().flatten();
            let all = all.filter_map(|(_, at)| self.rules.get(*at));
            let all = all.map(Borrow::borrow);
            let filed = filed.flat_map(FiledRules::all);
            return Box::new(all.chain(filed).chain(self.pick(&heads.open)));
        }
        let own = heads.of_word(word).filter_map(|at| self.rules.get(at));
        let own: Vec<&Rule> = own.map(Borrow::borrow).collect();
        let digest = mixed(word);
        let filed = filed.flat_map(move |filed| filed.of_word(digest));
        Box::new(own.into_iter().chain(filed).chain(self.pick(&heads.open)))
    }

    /// Whether any rule speaks of single commands.
    pub(super) fn speaks_of_commands(&self, shell: Shell) -> bool {
        let heads = self.heads(shell);
        !heads.by_word.is_empty() || !heads.open.is_empty() || !self.filed(shell).is_empty()
    }

    pub(super) fn reading(&self) -> impl Iterator<Item = &Rule> {
        self.pick(&self.read)
    }

    pub(super) fn editing(&self) -> impl Iterator<Item = &Rule> {
        self.pick(&self.edit)
    }

    pub(super) fn fetching(&self) -> impl Iterator<Item = &Rule> {
        self.pick(&self.fetch)
    }

    pub(super) fn agents(&self) -> impl Iterator<Item = &Rule> {
        self.pick(&self.agent)
    }

    pub(super) fn named<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Rule> {
        self.pick(self.by_name.get(name).map_or(&[], Vec::as_slice))
    }

    /// Rules on a server's tools. A server's name may itself hold `__`.
    pub(super) fn mcp<'a>(&'a self, tool: &str) -> Vec<&'a Rule> {
        let Some(rest) = tool.strip_prefix("mcp__") else {
            return Vec::new();
        };
        rest.match_indices("__")
            .filter_map(|(at, _)| rest.get(..at))
            .filter_map(|server| self.by_server.get(server))
            .flat_map(|at| self.pick(at))
            .filter(|rule| match &rule.tool {
                RuleTool::Mcp { server, tool } => rest
                    .strip_prefix(server.as_str())
                    .and_then(|rest| rest.strip_prefix("__"))
                    .is_some_and(|name| tool.matches(name)),
                RuleTool::Bash
                | RuleTool::PowerShell
                | RuleTool::Read
                | RuleTool::Edit
                | RuleTool::Fetch
                | RuleTool::Agent
                | RuleTool::Named(_)
                | RuleTool::Pattern(_) => false,
            })
            .collect()
    }

    /// Rules whose tool is a pattern.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &Rule> {
        self.pick(&self.patterns)
    }

    pub(super) fn parameters(&self) -> impl Iterator<Item = &Rule> {
        self.pick(&self.parameters)
    }

    /// What was filed are rules of the shell.
    fn filed(&self, shell: Shell) -> &[FiledRules] {
        match shell {
            Shell::Bash => &self.filed,
            Shell::PowerShell => &[],
        }
    }

    fn heads(&self, shell: Shell) -> &Heads {
        match shell {
            Shell::Bash => &self.bash,
            Shell::PowerShell => &self.powershell,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shell {
    Bash,
    PowerShell,
}

impl Heads {
    fn file_word(&mut self, at: usize, word: &str) {
        if self.by_word.is_empty() {
            self.by_word.resize_with(SHARES, Vec::new);
        }
        let mixed = mixed(word);
        if let Some(share) = self.by_word.get_mut(share(mixed)) {
            share.push((mixed, at));
        }
    }

    /// The rules whose first word this is. One of another word with the same digest is there
    /// too, and does not match.
    fn of_word(&self, word: &str) -> impl Iterator<Item = usize> {
        let mixed = mixed(word);
        let share = self.by_word.get(share(mixed)).into_iter().flatten();
        share
            .filter(move |(own, _)| *own == mixed)
            .map(|(_, at)| *at)
    }

    fn file(&mut self, at: usize, rule: &Rule) {
        match &rule.what {
            Specifier::Command(glob) => {
                let prefix = glob.prefix();
                let word = first_word(prefix);
                // The word is whole only if the pattern goes on behind a blank or ends.
                if word.len() < prefix.len() || glob.exact().is_some() {
                    self.file_word(at, word);
                } else {
                    self.open.push(at);
                }
            }
            Specifier::Any | Specifier::Path(_) | Specifier::Host(_) | Specifier::Name(_) => {
                self.any.push(at);
            }
        }
    }
}

/// How many shares the words are in.
const SHARES: usize = 256;

/// The digest of a word.
pub(super) fn mixed(word: &str) -> u32 {
    word.bytes().fold(0_u32, |mixed, byte| {
        mixed
            .wrapping_mul(0x0100_0193)
            .wrapping_add(u32::from(byte))
    })
}

/// The share of a digest.
const fn share(mixed: u32) -> usize {
    (mixed as usize) % SHARES
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::policy::{Origin, Scope};

    proptest! {
        #[test]
        fn a_word_that_is_told_without_reading_is_the_word_that_is_read(
            text in "(Bash|Shell|Read)[ ]?\\([ls .:*\t\\\\'\"/()-]{0,8}\\)"
        ) {
            let file = Arc::new(Origin { scope: Scope::User, file: String::new(), line: 0 });
            let rule = Rule::parse(&text, &file, 0, None).expect("a rule");
            if let Some(word) = rule.plain_command() {
                prop_assert_eq!(&rule.tool, &RuleTool::Bash);
                prop_assert!(rule.parameter.is_none());
                let mut read = Heads::default();
                read.file(0, &rule);
                let words: Vec<_> = read.by_word.into_iter().flatten().collect();
                prop_assert_eq!(words, vec![(mixed(word), 0)]);
                prop_assert!(read.any.is_empty() && read.open.is_empty());
            }
        }
    }
}
