//! Who may do what, and who would notice.

mod audit_tampering;
mod permission_grant;
mod security_disabling;
mod transport_weakening;

pub use audit_tampering::AuditTampering;
pub use permission_grant::{PermissionGrant, lets_in};
pub use security_disabling::{SecurityDisabling, guards_branch};
pub use transport_weakening::TransportWeakening;
