//! The policy in force.

use std::sync::Arc;

use super::{
    Asked, Asks, AutoMode, Bypass, Match, Provenance, Settings, Subject,
    index::RuleIndex,
    permit,
    reach::{named_places, places},
    rule::Rule,
    strip::AutoAllowRule,
    veto::{self, Hit, VetoFound},
};
use crate::Mode;

/// All layers put together. The default is built-in settings and no rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    pub settings: Settings,
    pub auto_mode: AutoMode,
    pub(super) deny: RuleIndex<Arc<Rule>>,
    pub(super) ask: RuleIndex<Arc<Rule>>,
    pub(super) allow: RuleIndex<Arc<Rule>>,
    pub(super) auto_allow: RuleIndex<AutoAllowRule>,
    pub(super) directories: Vec<String>,
    pub(super) bypass: Bypass,
    pub(super) provenance: Provenance,
    pub(super) failure: Option<String>,
}

impl Policy {
    /// Whether the mode that bypasses permissions may allow anything.
    #[must_use]
    pub const fn bypass(&self) -> Bypass {
        self.bypass
    }

    /// Places that rules on reading name: whether they are there decides about trees that
    /// hold them.
    #[must_use]
    pub fn unreadable_places(&self, subject: &Subject<'_>) -> Vec<String> {
        self.deny
            .reading()
            .chain(self.ask.reading())
            .flat_map(|rule| places(rule, subject))
            .collect()
    }

    /// Whether any deny rule is on reading files.
    #[must_use]
    pub fn speaks_of_reading(&self) -> bool {
        self.deny.reading().next().is_some()
    }

    /// Places that rules on editing name: whether git has them decides about commands that
    /// change whatever git has.
    #[must_use]
    pub fn uneditable_places(&self, subject: &Subject<'_>) -> Vec<String> {
        [&self.deny, &self.ask]
            .into_iter()
            .flat_map(|index| index.editing().chain(index.named("Write")))
            .flat_map(|rule| named_places(rule, subject))
            .collect()
    }

    /// The first deny rule that matches any part of the call.
    #[must_use]
    pub fn denies(&self, subject: &Subject<'_>) -> Option<Match> {
        let VetoFound { person, project } = veto::find(&self.deny, subject);
        let sure = [person, project]
            .into_iter()
            .flatten()
            .find(|(_, hit)| *hit == Hit::Sure);
        sure.map(|(rule, _)| Match::of(&[rule]))
    }

    /// Of each voice the first deny rule that may match any part of the call, or the
    /// first ask rule that does.
    #[must_use]
    pub fn asks(&self, subject: &Subject<'_>) -> Asks {
        let asked = veto::find(&self.ask, subject);
        let doubted = veto::find(&self.deny, subject);
        let of = |asked: Option<(&Rule, Hit)>, doubted: Option<(&Rule, Hit)>| {
            let doubted = doubted.filter(|(_, hit)| *hit == Hit::Maybe);
            let doubted = doubted.map(|(rule, _)| Asked::Doubt(Match::of(&[rule])));
            doubted.or_else(|| asked.map(|(rule, _)| Asked::Rule(Match::of(&[rule]))))
        };
        Asks {
            person: of(asked.person, doubted.person)
                .or_else(|| self.untrusted(subject).map(Asked::Rule)),
            project: of(asked.project, doubted.project),
        }
    }

    /// Allow rules that cover the whole call, in auto mode only such as survived stripping.
    /// With a [failure](Self::failure) there are none.
    #[must_use]
    pub fn allows(&self, subject: &Subject<'_>, mode: Mode) -> Option<Match> {
        if self.failure.is_some() {
            return None;
        }
        let rules = match mode {
            Mode::Auto => permit::find(&self.auto_allow, subject),
            Mode::Default
            | Mode::AcceptEdits
            | Mode::Plan
            | Mode::DontAsk
            | Mode::BypassPermissions => permit::find(&self.allow, subject),
        };
        rules.map(|rules| Match::of(&rules))
    }

    /// Why the policy cannot be relied on: a layer that may hold vetoes is broken.
    /// With a failure no call may be allowed.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

impl Match {
    fn of(rules: &[&Rule]) -> Self {
        let mut texts: Vec<&str> = Vec::new();
        for rule in rules {
            if !texts.contains(&&*rule.text) {
                texts.push(&rule.text);
            }
        }
        Self {
            rule: texts.join(", "),
            origin: rules
                .first()
                .map(|rule| rule.origin().to_string())
                .unwrap_or_default(),
        }
    }
}
