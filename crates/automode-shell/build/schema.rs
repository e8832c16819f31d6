//! A knowledge file as it is written.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A program, or one of its subcommands.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Spec {
    /// The file's name without its ending, unless it says otherwise.
    pub name: Option<String>,
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Kinds of program: `shell` for all names, `shell: sh bash` for some.
    #[serde(default)]
    pub nature: Vec<String>,
    pub style: Option<String>,
    /// Flags without a value and without an effect.
    #[serde(default)]
    pub switches: String,
    /// Flags with a value and without an effect.
    #[serde(default)]
    pub valued: String,
    #[serde(default)]
    pub flags: BTreeMap<String, Values>,
    /// As `switches`, for subcommands too.
    #[serde(default)]
    pub global_switches: String,
    /// As `valued`, for subcommands too.
    #[serde(default)]
    pub global_valued: String,
    /// Flags that subcommands understand too.
    #[serde(default)]
    pub global: BTreeMap<String, Values>,
    #[serde(default)]
    pub help: String,
    pub dry: Option<String>,
    pub operands: Option<Vec<String>>,
    #[serde(default)]
    pub acts: Vec<String>,
    pub output: Option<Lines>,
    #[serde(default)]
    pub sub: BTreeMap<String, Spec>,
    #[serde(default)]
    pub example: Vec<Example>,
}

/// The values of a flag.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Values {
    One(String),
    Many(Vec<String>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Lines {
    One(String),
    Many(Vec<String>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Example {
    pub run: String,
    #[serde(default)]
    pub effects: Vec<String>,
    pub output: Option<String>,
}

/// `environment.toml`: variables that make programs run something.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    pub variable: BTreeMap<String, Variable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    pub runs: String,
    #[serde(default)]
    pub fine: Vec<String>,
}

/// `git-settings.toml`: keys of git's configuration that do something.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub key: BTreeMap<String, Setting>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    pub is: String,
}
