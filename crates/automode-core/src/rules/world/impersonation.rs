//! Words put into somebody's mouth. Nothing in a command tells: the judge decides.

use crate::Finding;
use crate::rules::Rule;
use crate::scene::Scene;

pub struct Impersonation;

impl Rule for Impersonation {
    fn id(&self) -> &'static str {
        "impersonation"
    }

    fn page(&self) -> &'static str {
        include_str!("impersonation.md")
    }

    fn detect(&self, _scene: &Scene<'_>) -> Vec<Finding> {
        Vec::new()
    }
}
