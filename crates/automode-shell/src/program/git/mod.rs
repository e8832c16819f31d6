//! What takes code to tell about git: settings, pushes, checkouts, branches, pathspecs.

mod branch;
mod checkout;
mod extension;
mod pathspec;
mod push;
mod remove;
mod setting;

pub(super) use branch::{abort, reset_branch};
pub(super) use checkout::{checkout, discard};
pub(super) use extension::extension;
pub(super) use push::{push, refspec, remote};
pub(super) use remove::remove;
pub(super) use setting::{config, setting};
