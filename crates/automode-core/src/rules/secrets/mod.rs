//! What must not be seen, and what must not leave.

mod credential_browsing;
mod credential_leak;
mod data_exfiltration;
mod git_settings;
mod history;
mod outgoing;
mod printed;
mod told;

pub use credential_browsing::CredentialBrowsing;
pub use credential_leak::CredentialLeak;
pub use data_exfiltration::DataExfiltration;
pub use git_settings::settings_around;
pub use history::is_adding as adds_to_history;
pub use outgoing::outgoing_query;
