//! The catalogue of block rules: one category, two files.
//!
//! A rule looks at effects, program starts, facts and the session, never at raw
//! text, and answers with findings. A **veto** is something that no sane consent
//! makes routine; **evidence** is for the judge or a person to weigh. The page
//! beside each rule is its documentation, its part of the judge's prompt and its
//! tests. The order of rules never matters: findings are gathered, not raced.

mod access;
mod content;
mod delegate;
mod deploy;
mod destroy;
mod execute;
mod expose;
mod git;
mod persist;
mod secrets;
mod world;
mod written;

use crate::Finding;
use crate::scene::Scene;
pub use content::{detect as detect_content, suspected as suspected_content};
pub use destroy::{CLOUD_STORAGE, LOCAL_DATA, replaced_queries};
pub use persist::{git_directory, runs_hooks};
pub use secrets::{adds_to_history, outgoing_query, settings_around};
pub(crate) use written::holds_credential;

/// A category of actions to block.
pub trait Rule: Sync {
    /// Kebab-case, named after what it catches: `force-push`.
    fn id(&self) -> &'static str;
    /// Its page: what it blocks, why, what is fine, how to permit it, what the judge is told.
    fn page(&self) -> &'static str;
    /// Whether the user's own words, written out as the very command, turn a veto of it into
    /// evidence: the judge or a person then decides.
    fn consentable(&self) -> bool {
        false
    }
    /// What it sees in this scene. A category with no static signal sees nothing.
    fn detect(&self, scene: &Scene<'_>) -> Vec<Finding>;
}

/// Every rule, in the order of the documentation.
pub const CATALOGUE: &[&dyn Rule] = &[
    &git::ForcePush,
    &git::DefaultBranchPush,
    &execute::OpenBackdoor,
    &execute::DownloadedCode,
    &execute::RemoteShellWrite,
    &execute::UnreviewedPatch,
    &destroy::LocalData,
    &destroy::CloudStorage,
    &deploy::ProductionDeploy,
    &deploy::SharedResource,
    &access::PermissionGrant,
    &access::TransportWeakening,
    &access::SecurityDisabling,
    &access::AuditTampering,
    &secrets::CredentialLeak,
    &secrets::CredentialBrowsing,
    &secrets::DataExfiltration,
    &expose::LocalService,
    &persist::ScheduledPersistence,
    &persist::AgentSelfChange,
    &persist::ClassifierBypass,
    &delegate::BroadAgent,
    &delegate::ForeignProcess,
    &world::ExternalWrite,
    &world::Impersonation,
    &world::Transaction,
];

/// The rule with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static dyn Rule> {
    CATALOGUE.iter().copied().find(|rule| rule.id() == id)
}

/// Everything the catalogue sees: in the action itself, and in the code that it
/// would leave behind. Vetoes come first, then the order of the command.
#[must_use]
pub fn detect(scene: &Scene<'_>) -> Vec<Finding> {
    // What code would do once it runs says more than where it is put.
    let mut findings: Vec<Finding> = content::detect(scene)
        .into_iter()
        .chain(written::detect(scene))
        .chain(CATALOGUE.iter().flat_map(|rule| rule.detect(scene)))
        .collect();
    findings.sort_by_key(|finding| (std::cmp::Reverse(finding.weight), finding.span));
    findings.dedup();
    findings
}

#[cfg(test)]
mod tests;
