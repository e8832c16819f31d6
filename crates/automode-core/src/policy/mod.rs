//! What people wrote down: permission rules, settings, and prose for the judge.
//!
//! A [`Policy`] is built from layers, each with its provenance. It answers three
//! questions about a [`Subject`]: does a rule deny it, does one ask, does one
//! allow it. Deny beats ask beats allow whichever layer a rule comes from, so
//! the order of rules and layers never matters.
//! In auto mode only rules that survived stripping may allow.

mod auto_mode;
mod book;
mod settings;
mod subject;

pub use auto_mode::{AutoMode, Prose};
pub use book::Policy;
pub use settings::{
    AskRules, Limits, OnLimit, OnUnavailable, PowerShell, ProjectCode, Settings, Strip,
};
pub use subject::{Match, Subject};
