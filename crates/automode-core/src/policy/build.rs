//! From layers to the policy in force.
//!
//! Rules of all layers are put together; settings of a stronger scope win;
//! prose lists are joined, an administrator's first. A rule that cannot be read
//! is a fault, and a policy with a fault allows nothing: what was lost may have
//! been a veto.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    AutoMode, Bypass, Origin, Policy, Prose, Rule, Scope, Settings, Stripped,
    index::RuleIndex,
    layer::{Filed, Layer, List, ProjectPolicy, SettingAssignment, Sources, Written},
    strip::AutoAllowRule,
};

/// Where the policy comes from and what was left out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Files in the order of their strength.
    pub files: Vec<Origin>,
    /// Who set a setting, by key.
    pub settings: BTreeMap<&'static str, Origin>,
    /// Allow rules that auto mode sets aside.
    pub stripped: Vec<Stripped>,
    /// Keys of a project that are not obeyed.
    pub ignored: Vec<(String, Origin)>,
    /// Keys that mean nothing in the file they stand in.
    pub misplaced: Vec<(&'static str, Origin)>,
    /// Texts in rule lists that are no rules.
    pub comments: Vec<(String, Origin)>,
    /// Allow rules that an administrator's setting switches off.
    pub unmanaged: Vec<Arc<Rule>>,
    pub faults: Vec<String>,
    /// Fingerprint of everything that was read; empty for the built-in policy.
    pub digest: String,
}

impl Policy {
    /// Puts the layers together.
    #[must_use]
    pub fn new(mut sources: Sources) -> Self {
        sources.layers.sort_by_key(|layer| layer.origin.scope);
        let mut build = Build {
            provenance: Provenance {
                faults: std::mem::take(&mut sources.faults),
                digest: std::mem::take(&mut sources.digest),
                ..Provenance::default()
            },
            ..Build::default()
        };
        for project in &mut sources.projects {
            build.project(project);
        }
        for layer in &mut sources.layers {
            build.layer(layer);
        }
        for project in &sources.projects {
            build.tighten(project);
        }
        build.finish(&sources.layers, sources.filed)
    }

    /// Where everything comes from.
    #[must_use]
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Directories beside the project that a person opened to agents.
    #[must_use]
    pub fn directories(&self) -> &[String] {
        &self.directories
    }

    /// All deny, ask and allow rules, as written; without those that were filed before.
    #[must_use]
    pub fn rules(&self) -> [&[Arc<Rule>]; 3] {
        [self.deny.rules(), self.ask.rules(), self.allow.rules()]
    }
}

#[derive(Default)]
struct Build {
    settings: Settings,
    provenance: Provenance,
    deny: Vec<Arc<Rule>>,
    ask: Vec<Arc<Rule>>,
    allow: Vec<Arc<Rule>>,
    directories: Vec<String>,
}

impl Build {
    /// Takes a repository's rules in.
    fn project(&mut self, project: &mut ProjectPolicy) {
        self.provenance.files.push(project.origin.clone());
        let root = Some(project.root.as_str());
        let deny = self.read(std::mem::take(&mut project.deny), &project.origin, root);
        let ask = self.read(std::mem::take(&mut project.ask), &project.origin, root);
        self.deny.extend(deny);
        self.ask.extend(ask);
        for key in &project.ignored {
            self.provenance
                .ignored
                .push((key.text.clone(), project.origin.at(key.line)));
        }
    }

    /// Lets a repository take away from the settings that all others have made.
    fn tighten(&mut self, project: &ProjectPolicy) {
        for SettingAssignment { field, value, line } in &project.settings {
            let origin = project.origin.at(*line);
            let now = field.value(&self.settings);
            let then = field.tightened(&now, value);
            if then != *value {
                let key = (field.key.to_owned(), origin.clone());
                self.provenance.ignored.push(key);
            }
            if then != now {
                (field.set)(&mut self.settings, &then);
                self.provenance.settings.insert(field.key, origin);
            }
        }
    }

    /// Takes a layer in. Its rules move; the rest of it is asked once more at the end.
    fn layer(&mut self, layer: &mut Layer) {
        self.provenance.files.push(layer.origin.clone());
        let root = layer.root.as_deref();
        let deny = self.read(std::mem::take(&mut layer.deny), &layer.origin, root);
        let ask = self.read(std::mem::take(&mut layer.ask), &layer.origin, root);
        let allow = self.read(std::mem::take(&mut layer.allow), &layer.origin, root);
        self.deny.extend(deny);
        self.ask.extend(ask);
        self.allow.extend(allow);
        self.directories
            .extend(layer.directories.iter().map(|written| written.text.clone()));
        for assignment in &layer.settings {
            (assignment.field.set)(&mut self.settings, &assignment.value);
            let origin = layer.origin.at(assignment.line);
            self.provenance
                .settings
                .insert(assignment.field.key, origin);
        }
    }

    fn read(&mut self, texts: Vec<Written>, origin: &Origin, root: Option<&str>) -> Vec<Arc<Rule>> {
        let mut rules = Vec::with_capacity(texts.len());
        let file = Arc::new(origin.clone());
        let root = root.map(Arc::from);
        for Written { text, line } in texts {
            match Rule::new(text, &file, line, root.as_ref()) {
                Ok(rule) => rules.push(Arc::new(rule)),
                // Agents skip what is no rule, and people use that for headings.
                Err(error) if foreign(origin.scope, &origin.file) && !error.text.contains('(') => {
                    let comment = (error.text, origin.at(line));
                    self.provenance.comments.push(comment);
                }
                Err(error) => self
                    .provenance
                    .faults
                    .push(format!("{}:{line}: {error}", origin.file)),
            }
        }
        rules
    }

    fn finish(mut self, layers: &[Layer], filed: Filed) -> Policy {
        let idle = |layer: &&Layer| layer.managed_allow_only && !layer.origin.scope.is_managed();
        self.provenance.misplaced = layers
            .iter()
            .filter(idle)
            .map(|layer| ("permissions.managed_allow_only", layer.origin.clone()))
            .collect();
        if layers
            .iter()
            .any(|layer| layer.managed_allow_only && layer.origin.scope.is_managed())
        {
            let (kept, rest) = self
                .allow
                .into_iter()
                .partition(|rule| rule.scope().is_managed());
            self.allow = kept;
            self.provenance.unmanaged = rest;
        }
        let mut admitted = Vec::with_capacity(self.allow.len());
        for rule in &self.allow {
            match AutoAllowRule::admit(Arc::clone(rule), self.settings.strip) {
                Ok(rule) => admitted.push(rule),
                Err(stripped) => self.provenance.stripped.push(stripped),
            }
        }
        let failure = self.provenance.faults.first().cloned();
        let closed = layers.iter().any(|layer| layer.bypass == Bypass::Closed);
        Policy {
            bypass: if closed { Bypass::Closed } else { Bypass::Open },
            settings: self.settings,
            auto_mode: auto_mode(layers),
            deny: RuleIndex::with(self.deny, filed.deny),
            ask: RuleIndex::with(self.ask, filed.ask),
            allow: RuleIndex::new(self.allow),
            auto_allow: RuleIndex::new(admitted),
            directories: self.directories,
            provenance: self.provenance,
            failure,
        }
    }
}

/// Whether a file is an agent's, written for the agent's own reader.
fn foreign(scope: Scope, file: &str) -> bool {
    match scope {
        Scope::AgentUser | Scope::AgentManaged => true,
        Scope::Project => file.ends_with(".json"),
        Scope::User | Scope::Chosen | Scope::Managed => false,
    }
}

/// The lists of all layers, strongest first. Where an administrator sets a list, only
/// an administrator's `$defaults` count.
fn auto_mode(layers: &[Layer]) -> AutoMode {
    let join = |list: List| -> Vec<Prose> {
        let found: Vec<(&Layer, &Vec<Written>)> = layers
            .iter()
            .rev()
            .flat_map(|layer| {
                layer
                    .prose
                    .iter()
                    .filter(move |(own, _)| *own == list)
                    .map(move |(_, texts)| (layer, texts))
            })
            .collect();
        if found.is_empty() {
            return vec![Prose::Defaults];
        }
        let managed = found
            .iter()
            .any(|(layer, _)| layer.origin.scope.is_managed());
        let mut prose = Vec::new();
        for (layer, texts) in found {
            for written in texts {
                if written.text != "$defaults" {
                    prose.push(Prose::Entry {
                        text: written.text.clone(),
                        origin: layer.origin.at(written.line).to_string(),
                    });
                } else if !prose.contains(&Prose::Defaults)
                    && (!managed || layer.origin.scope.is_managed())
                {
                    prose.push(Prose::Defaults);
                }
            }
        }
        prose
    };
    AutoMode {
        allow: join(List::Allow),
        soft_deny: join(List::SoftDeny),
        hard_deny: join(List::HardDeny),
        environment: join(List::Environment),
    }
}
