//! What reaches other people.

mod external_write;
mod impersonation;
mod transaction;

pub use external_write::ExternalWrite;
pub use impersonation::Impersonation;
pub use transaction::Transaction;
