//! Permits that can be proved.
//!
//! The seven exceptions of the block rules, each as a proof over effects. An
//! action is provably fine if everything it does is known, every effect is
//! covered by some exception, and every finding is of the soft kind and cleared
//! by one. Nothing here can clear a veto or a hard finding, and an effect that no
//! exception speaks for is never fine by silence.

pub(crate) mod asked_program;
mod declared_dependency;
mod declared_tool;
mod feature_branch_push;
mod inside;
mod manifest;
mod noted_name;
mod own_program;
mod project_code;
mod project_local;
mod read_only;
mod standard_credential;
mod task_name;
mod test_artifact;
mod toolchain_setup;

pub(crate) use manifest::in_tables;
pub use manifest::manifest_names;
pub(crate) use noted_name::is_well_known;
pub use project_code::ProjectCode;
pub use read_only::is_plain_read;

use automode_shell::{Act, Coverage, Effect, Gap, Layer};

use crate::scene::{Scene, report};
use crate::{Finding, Weight};

/// A kind of action that is routine.
pub trait Exception: Sync {
    fn id(&self) -> &'static str;
    /// Its page, of the same shape as a rule's.
    fn page(&self) -> &'static str;
    /// Proves that this effect is routine here.
    fn covers(&self, effect: &Effect, scene: &Scene<'_>) -> bool;
    /// Proves that what was not seen here does not matter.
    fn accepts(&self, _gap: &Gap, _scene: &Scene<'_>) -> bool {
        false
    }
    /// Proves that this soft finding does not matter here.
    fn clears(&self, _finding: &Finding, _scene: &Scene<'_>) -> bool {
        false
    }
}

/// Every exception, in the order of the documentation.
pub const EXCEPTIONS: &[&dyn Exception] = &[
    &read_only::ReadOnly,
    &project_local::ProjectLocal,
    &test_artifact::TestArtifact,
    &declared_dependency::DeclaredDependency,
    &toolchain_setup::ToolchainSetup,
    &standard_credential::StandardCredential,
    &feature_branch_push::FeatureBranchPush,
];

/// A proof that an action is harmless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutineProof {
    /// The exception that carries the most of it.
    pub exception: &'static str,
    pub reason: String,
}

/// Tries to prove that an action is fine.
///
/// # Errors
/// What is in the way of a proof, for people.
pub fn settle(
    scene: &Scene<'_>,
    findings: &[Finding],
    project_code: ProjectCode,
) -> Result<RoutineProof, Vec<String>> {
    let Some(analysis) = scene.analysis else {
        return Err(vec!["nothing is known about what it does".to_owned()]);
    };
    let mut used = vec![false; EXCEPTIONS.len()];
    let mut open: Vec<String> = open_gaps(scene, project_code)
        .into_iter()
        .map(|gap| report::gap(&gap.kind))
        .collect();
    for effect in &analysis.effects {
        let by = |exception: &&dyn Exception| exception.covers(effect, scene);
        let covered = EXCEPTIONS.iter().position(by);
        let accepted = project_code::covers(effect, scene, project_code);
        match covered.and_then(|at| used.get_mut(at)) {
            Some(used) => *used = true,
            None if accepted => {}
            None => open.push(describe_effect(effect, scene)),
        }
    }
    for finding in findings {
        match clearing(finding, scene).and_then(|at| used.get_mut(at)) {
            Some(used) => *used = true,
            None => open.push(finding.evidence.clone()),
        }
    }
    if open.is_empty() {
        Ok(proof(&used))
    } else {
        open.dedup();
        Err(open)
    }
}

/// Whether an effect is routine by an exception or a setting.
pub(crate) fn is_covered(effect: &Effect, scene: &Scene<'_>, project_code: ProjectCode) -> bool {
    EXCEPTIONS
        .iter()
        .any(|exception| exception.covers(effect, scene))
        || project_code::covers(effect, scene, project_code)
}

/// The findings that no exception clears.
pub fn standing<'f>(
    scene: &'f Scene<'_>,
    findings: &'f [Finding],
) -> impl Iterator<Item = &'f Finding> {
    findings
        .iter()
        .filter(|finding| clearing(finding, scene).is_none())
}

/// The exception that clears a finding, by its place in the list.
fn clearing(finding: &Finding, scene: &Scene<'_>) -> Option<usize> {
    match finding.weight {
        Weight::Soft => EXCEPTIONS
            .iter()
            .position(|exception| exception.clears(finding, scene)),
        Weight::Evidence | Weight::Veto => None,
    }
}

/// Whatever was not understood and no setting accepts.
pub fn open_gaps<'a>(scene: &Scene<'a>, project_code: ProjectCode) -> Vec<&'a Gap> {
    match scene.analysis.map(|analysis| &analysis.coverage) {
        None | Some(Coverage::Complete) => Vec::new(),
        Some(Coverage::Opaque(gap)) => vec![gap],
        Some(Coverage::Partial(gaps)) => gaps
            .iter()
            .filter(|gap| {
                !EXCEPTIONS
                    .iter()
                    .any(|exception| exception.accepts(gap, scene))
                    && !project_code::accepts(gap, scene, project_code)
            })
            .collect(),
    }
}

fn proof(used: &[bool]) -> RoutineProof {
    let ids: Vec<_> = EXCEPTIONS
        .iter()
        .zip(used)
        .filter(|(_, used)| **used)
        .map(|(exception, _)| exception.id())
        .collect();
    // The later an exception stands, the less obvious it is. With none, nothing happens at all.
    let exception = ids.last().copied().unwrap_or(read_only::ID);
    let reason = if ids.is_empty() {
        "it changes nothing".to_owned()
    } else {
        format!(
            "everything it does is known and routine: {}",
            ids.join(", ")
        )
    };
    RoutineProof { exception, reason }
}

/// Two spans of the command that touch. What a task runs has the span of the whole command
/// that starts it; a word of that command is no part of the task.
fn overlaps(effect: &Effect, gap: &Gap, scene: &Scene<'_>) -> bool {
    let touch = effect.span.start <= gap.span.end && gap.span.start <= effect.span.end;
    let within = effect.span.start <= gap.span.start && gap.span.end <= effect.span.end;
    let word = within && effect.span != gap.span && gap.span.start < gap.span.end;
    touch && !(word && is_of_task(effect, scene))
}

fn is_of_task(effect: &Effect, scene: &Scene<'_>) -> bool {
    scene.invocation(effect).is_some_and(|start| {
        let mut layers = start.layers.iter();
        layers.any(|layer| matches!(layer, Layer::Task(_)))
    })
}

fn describe_effect(effect: &Effect, scene: &Scene<'_>) -> String {
    use report::target as shown;
    match &effect.act {
        Act::Read { target } => format!("reads {}", shown(scene, target)),
        Act::List { target } => format!("lists {}", shown(scene, target)),
        Act::Write { target, .. } => format!("writes {}", shown(scene, target)),
        Act::Delete { target, .. } => format!("deletes {}", shown(scene, target)),
        Act::Execute { .. } => "runs code that was not seen".to_owned(),
        Act::Connect { .. } => "talks to the network".to_owned(),
        Act::Listen { .. } => "accepts connections".to_owned(),
        Act::Vcs(_) => "changes version control".to_owned(),
        Act::Package { .. } => "changes installed packages".to_owned(),
        Act::Process { .. } => "signals processes".to_owned(),
        Act::Privilege(_) => "uses or grants rights".to_owned(),
        Act::Persist { .. } => "leaves something that runs by itself".to_owned(),
        Act::System(_) => "changes the machine".to_owned(),
        Act::Cloud { service, .. } => format!("changes {service}"),
        Act::Database { .. } => "changes a database".to_owned(),
        Act::Credential { .. } => "handles a credential".to_owned(),
        Act::Publish { registry } => format!("publishes to {registry}"),
        Act::Message { service } => format!("writes to people through {service}"),
        Act::Agent { program, .. } => format!("starts the agent {program}"),
        Act::Environment { name } => format!("sets {name}, which decides what programs run"),
        Act::Exhaust => "uses up the machine".to_owned(),
    }
}

#[cfg(test)]
mod tests;
