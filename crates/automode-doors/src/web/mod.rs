//! What the doors that listen share: who may come, where it goes, and bodies as they arrive.

mod body;
pub(crate) mod event;
mod listener;
mod upstream;
mod visitor;

pub(crate) use body::{Arriving, BodyPiece, is_packed, passed_on, whole};
pub use listener::ListenError;
pub(crate) use listener::listen;
pub use upstream::UpstreamError;
pub(crate) use upstream::{client, leads_elsewhere, upstream};
