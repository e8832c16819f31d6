//! Rules filed by tool, and command rules by the first word.
//!
//! A call looks only at rules that could speak of it, so thousands of rules for
//! other tools and other programs cost nothing.

use std::{borrow::Borrow, collections::BTreeMap};

use super::{
    glob::UNKNOWN,
    rule::{Rule, Specifier, Tool},
};

/// A list of rules with its index. Rules keep their order, which never matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RuleIndex<R> {
    rules: Vec<R>,
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
    by_word: BTreeMap<String, Vec<usize>>,
    /// The first word is a pattern.
    open: Vec<usize>,
}

impl<R> Default for RuleIndex<R> {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
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

    pub(super) fn rules(&self) -> &[R] {
        &self.rules
    }

    fn file(&mut self, at: usize, rule: &Rule) {
        if rule.parameter.is_some() {
            self.parameters.push(at);
        }
        match &rule.tool {
            Tool::Bash => self.bash.file(at, rule),
            Tool::PowerShell => self.powershell.file(at, rule),
            Tool::Read => self.read.push(at),
            Tool::Edit => self.edit.push(at),
            Tool::Fetch => self.fetch.push(at),
            Tool::Agent => self.agent.push(at),
            Tool::Mcp { server, .. } => self.by_server.entry(server.clone()).or_default().push(at),
            Tool::Named(name) => self.by_name.entry(name.clone()).or_default().push(at),
            Tool::Pattern(_) => self.patterns.push(at),
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
        if word.contains(UNKNOWN) {
            let all = heads
                .by_word
                .values()
                .flatten()
                .filter_map(|at| self.rules.get(*at))
                .map(Borrow::borrow);
            return Box::new(all.chain(self.pick(&heads.open)));
        }
        let own = heads
            .by_word
            .get(word)
            .map_or(&[] as &[usize], Vec::as_slice);
        Box::new(self.pick(own).chain(self.pick(&heads.open)))
    }

    /// Whether any rule speaks of single commands.
    pub(super) fn speaks_of_commands(&self, shell: Shell) -> bool {
        let heads = self.heads(shell);
        !heads.by_word.is_empty() || !heads.open.is_empty()
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
                Tool::Mcp { server, tool } => rest
                    .strip_prefix(server.as_str())
                    .and_then(|rest| rest.strip_prefix("__"))
                    .is_some_and(|name| tool.matches(name)),
                Tool::Bash
                | Tool::PowerShell
                | Tool::Read
                | Tool::Edit
                | Tool::Fetch
                | Tool::Agent
                | Tool::Named(_)
                | Tool::Pattern(_) => false,
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
    fn file(&mut self, at: usize, rule: &Rule) {
        match &rule.what {
            Specifier::Command(glob) => {
                let prefix = glob.prefix();
                let word = first_word(prefix);
                // The word is whole only if the pattern goes on behind a blank or ends.
                if word.len() < prefix.len() || glob.exact().is_some() {
                    self.by_word.entry(word.to_owned()).or_default().push(at);
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

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}
