//! A team's view of automode.
//!
//! The server keeps what devices decided and hands out the organisation's policy;
//! its pages show both. The client half runs beside the hook and never in it: it sends
//! the log, fetches bundles and carries questions, while the hook reads files alone.
//! Nothing here allows a call: a bundle is a layer of settings under the same vetoes,
//! and an answer to a question counts only for what would have been asked.

pub mod alert;
pub mod broker;
pub mod bundle;
pub mod client;
pub mod clock;
pub mod export;
pub mod hex;
pub mod http;
pub mod ingest;
pub mod key;
pub mod letters;
pub mod oidc;
pub mod outgoing;
pub mod page;
pub mod policy_document;
pub mod policy_review;
pub mod release;
pub mod sample;
pub mod secret;
pub mod server;
pub mod store;
pub mod wire;
