//! Models behind wires: the judges that automode can ask.
//!
//! Anthropic Messages, OpenAI Responses, OpenAI-compatible chat, any command,
//! and recorded replies. Each turns a provider-neutral [`judge::Request`] into
//! the vendor's own form and the answer back into a [`judge::Reply`]; whether
//! that reply is a verdict is not for this crate to say. No answer, a broken
//! one, one that is too large or from elsewhere is [`judge::Trouble`].
//! One HTTP client is built when the first request needs it, and none before.
//!
//! [`judge::Request`]: automode_core::judge::Request
//! [`judge::Reply`]: automode_core::judge::Reply
//! [`judge::Trouble`]: automode_core::judge::Trouble

mod anthropic;
mod cassette;
mod chat;
mod command;
mod http;
mod key;
mod open;
mod process;
mod responses;
mod shape;

pub use cassette::Recorder;
pub use key::Key;
pub use open::{Setup, Surroundings, named, open};
