//! What takes code to tell about git: settings, pushes, checkouts.

mod checkout;
mod push;
mod setting;

pub(super) use checkout::checkout;
pub(super) use push::{push, refspec, remote};
pub(super) use setting::{config, setting};
