//! System calls that a confined command may not make, or that are looked at first.
//!
//! A filter decides on numbers alone: what a pointer leads to can change after it was read.
//! `rules` says what is refused, `program` turns it into the kernel's filter language, and
//! `raw` holds the few calls that have no safe interface.

mod program;
mod raw;
mod rules;

pub(crate) use program::compile;
pub(crate) use raw::{
    CallReply, Listener, Notification, install, install_listener, keep_files, leave_namespaces,
};
pub(crate) use rules::{
    METADATA_CALLS, refused, refused_without_namespaces, reported_network, reported_writes,
    watched_metadata, watched_network,
};
