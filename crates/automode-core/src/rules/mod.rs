//! The catalogue of block rules: one category, two files.

use automode_shell::Analysis;

use crate::{Action, Facts, Finding, Session};

/// Everything a rule may look at.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    pub action: &'a Action,
    /// Effects of the action: of a shell command, or of the code that an edit would leave behind.
    pub analysis: Option<&'a Analysis>,
    pub context: &'a automode_shell::Context,
    pub facts: &'a Facts,
    pub session: &'a Session,
}

/// A category of actions to block.
pub trait Rule: Sync {
    /// Kebab-case, named after what it catches: `force-push`.
    fn id(&self) -> &'static str;
    /// Its page: what it blocks, why, what is fine, how to permit it, what the judge is told.
    fn page(&self) -> &'static str;
    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding>;
}

/// All rules.
pub const CATALOGUE: &[&dyn Rule] = &[];

/// Everything the rules see.
#[must_use]
pub fn detect(scene: &Scene<'_>) -> Vec<Finding> {
    CATALOGUE
        .iter()
        .flat_map(|rule| rule.detect(scene))
        .collect()
}
