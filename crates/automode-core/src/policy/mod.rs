//! What people wrote down: permission rules, settings, and prose for the judge.
//!
//! A [`Policy`] is built from layers, each with its provenance. It answers three
//! questions about a [`Subject`]: does a rule deny it, does one ask, does one
//! allow it. Deny beats ask beats allow whichever layer a rule comes from, so
//! the order of rules and layers never matters.
//! In auto mode only rules that survived stripping may allow.

mod alias;
mod book;
mod build;
mod chain;
mod command;
mod critique;
mod field;
mod fields;
mod filed;
#[cfg(test)]
pub(crate) mod fixture;
mod glob;
mod history;
mod host;
mod index;
#[cfg(test)]
mod laws;
mod layer;
mod lint;
mod nearest;
mod origin;
mod path;
mod permit;
mod plain;
mod powershell;
mod prefix;
mod reach;
mod rule;
mod segment;
mod settings;
mod strip;
mod subject;
mod suspect;
#[cfg(test)]
mod tests;
mod tightening;
mod trusted;
mod veto;

pub use crate::exceptions::ProjectCode;
pub use crate::failure::OnUnavailable;
pub use crate::judge::{AutoMode, Prose};
pub use book::Policy;
pub use build::Provenance;
pub use critique::critique;
pub use field::{Column, Field, FieldKind, FieldNeed, Value};
pub use fields::FIELDS;
pub use filed::FiledRules;
pub use layer::{Bypass, Filed, Layer, List, ProjectPolicy, SettingAssignment, Sources, Written};
pub use lint::{LintNote, NoteKind};
pub use nearest::nearest;
pub use origin::{Origin, Scope};
pub use rule::{Rule, RuleError};
pub use settings::{AskRules, Beside, Limits, OnLimit, PowerShell, Settings, Strip};
pub use strip::{AutoAllowRule, Stripped};
pub use subject::{Asked, Asks, Match, Subject};
