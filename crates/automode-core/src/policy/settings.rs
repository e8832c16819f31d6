//! The switches of the engine, one struct per noun.

use crate::confine::ConfineSettings;
use crate::exceptions::ProjectCode;
use crate::{OnUnavailable, judge};

/// Everything that can be set apart from rules and prose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub strip: Strip,
    pub ask_rules: AskRules,
    pub on_unavailable: OnUnavailable,
    pub on_limit: OnLimit,
    pub beside: Beside,
    /// Hosts that need no question; where any is named, the others ask.
    pub hosts: Vec<String>,
    pub limits: Limits,
    pub project_code: ProjectCode,
    pub powershell: PowerShell,
    pub confine: ConfineSettings,
    /// How a judge is asked.
    pub judge: judge::Settings,
    /// Who is asked.
    pub service: judge::Service,
}

/// What automode does where a client has a check of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beside {
    /// It decides every call.
    #[default]
    Decide,
    /// It stops calls, and leaves the rest to the client's own check.
    VetoOnly,
}

/// Who decides about PowerShell commands in auto mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PowerShell {
    #[default]
    Ask,
    Judge,
}

/// Which allow rules are set aside in auto mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strip {
    /// Rules that reach an interpreter, a shell or a task runner.
    #[default]
    Standard,
    /// Also network, version control and cloud programs.
    Strict,
}

/// Who answers a person's ask rule in auto mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AskRules {
    #[default]
    Person,
    Judge,
}

/// What a headless run does at the denial limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnLimit {
    /// End the run.
    #[default]
    Stop,
    /// Refuse this call and go on.
    Deny,
}

/// Denials of the judge and outages, per session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Denials in a row; any allow resets the count.
    pub consecutive: u32,
    /// Denials in the whole session.
    pub total: u32,
    /// Outages of the judge in a row before it is left alone for a while.
    pub unavailable: u32,
    /// How long it is left alone, in seconds.
    pub pause: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            consecutive: 3,
            total: 20,
            unavailable: 2,
            pause: 60,
        }
    }
}
