//! The same catalogue, held against the code that a write leaves behind.
//!
//! Writing a file is not running it, so nothing in it is a veto yet. What would
//! be one once it runs is evidence now; lesser findings count only where the
//! code runs by itself, because there nobody is asked again.

use super::CATALOGUE;
use crate::effects::{Content, Runs};
use crate::scene::{Scene, report};
use crate::{Action, Finding, Weight};

/// What the code that an action leaves behind would be stopped for.
#[must_use]
pub fn detect(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .content
        .iter()
        .flat_map(|content| inside(scene, content))
        .collect()
}

/// The rules that the code would be evidence for once it runs, whoever is asked then: what a
/// later session has to read again.
#[must_use]
pub fn suspected(scene: &Scene<'_>) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = scene
        .content
        .iter()
        .flat_map(|content| all_inside(scene, content))
        .filter(|finding| finding.weight != Weight::Soft)
        .map(|finding| finding.rule)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn inside(scene: &Scene<'_>, content: &Content) -> Vec<Finding> {
    all_inside(scene, content)
        .into_iter()
        .filter(|finding| match (finding.weight, content.runs) {
            (Weight::Veto, _) => true,
            (Weight::Evidence, Runs::ByItself) => true,
            (Weight::Evidence, Runs::WhenStarted) | (Weight::Soft, _) => false,
        })
        .map(|finding| Finding {
            weight: Weight::Evidence,
            // The span points into the piece, not into what the agent wrote.
            span: automode_shell::Span::default(),
            evidence: report::line(&format!("once it runs, {}", finding.evidence)),
            ..finding
        })
        .collect()
}

fn all_inside(scene: &Scene<'_>, content: &Content) -> Vec<Finding> {
    let action = Action::Shell {
        command: content.text.clone(),
    };
    let scene = Scene {
        action: &action,
        analysis: Some(&content.analysis),
        content: &[],
        writes: &[],
        ..*scene
    };
    CATALOGUE
        .iter()
        .flat_map(|rule| rule.detect(&scene))
        .collect()
}
