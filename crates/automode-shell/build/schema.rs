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
    /// Options whose values have roles, by their spellings.
    #[serde(default)]
    pub option: BTreeMap<String, Lines>,
    /// Options that conditions ask for.
    #[serde(default)]
    pub tested: String,
    /// Options without an effect, by the reason.
    #[serde(default)]
    pub inert: BTreeMap<String, String>,
    /// Options that subcommands understand too.
    #[serde(default)]
    pub global: Rows,
    /// Options of some names of the file only.
    #[serde(default)]
    pub only: BTreeMap<String, Rows>,
    /// What a word that is only known at run time may do where it turns out to be an option.
    pub dynamic_options: Option<String>,
    /// Words that, standing alone, print something and end the program.
    #[serde(default)]
    pub ends: String,
    pub dry: Option<String>,
    pub operands: Option<Vec<String>>,
    #[serde(default)]
    pub acts: Vec<String>,
    pub output: Option<Lines>,
    #[serde(default)]
    pub sub: BTreeMap<String, Spec>,
    #[serde(default)]
    pub example: Vec<ExampleSpec>,
}

/// Options in the three ways in which they are written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rows {
    #[serde(default)]
    pub option: BTreeMap<String, Lines>,
    #[serde(default)]
    pub tested: String,
    #[serde(default)]
    pub inert: BTreeMap<String, String>,
}

/// One text, or a list of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Lines {
    One(String),
    Many(Vec<String>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExampleSpec {
    pub run: String,
    #[serde(default)]
    pub effects: Vec<String>,
    pub output: Option<String>,
}

/// `environment.toml`: variables that may stand in front of a program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvironmentFile {
    pub variable: BTreeMap<String, VariableSpec>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableSpec {
    pub runs: String,
    #[serde(default)]
    pub fine: Vec<String>,
}

/// `git-settings.toml`: keys of git's configuration that do something.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GitSettingsFile {
    pub key: BTreeMap<String, GitSettingSpec>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GitSettingSpec {
    pub is: String,
}

impl Lines {
    pub fn list(&self) -> Vec<String> {
        match self {
            Self::One(line) => vec![line.clone()],
            Self::Many(lines) => lines.clone(),
        }
    }
}
