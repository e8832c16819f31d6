//! From settings to a model that can be asked.

use std::fmt;

use automode_core::judge::{Capabilities, Kind, Model, Provider, capabilities, default_model};

use crate::http::Endpoint;
use crate::key::Key;
use crate::{Recorder, cassette, command, http};

/// What the settings leave to the surroundings.
pub struct Surroundings<'a> {
    /// A variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The agent's own model, where the agent told it.
    pub agent_model: Option<&'a str>,
}

/// Why a model cannot be asked at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup(String);

impl Setup {
    pub(crate) const fn new(text: String) -> Self {
        Self(text)
    }

    pub(crate) fn no_key(kind: Kind) -> Self {
        let variable = match kind {
            Kind::Anthropic => "ANTHROPIC_API_KEY",
            Kind::OpenAi => "OPENAI_API_KEY",
            Kind::OpenAiCompatible | Kind::Command | Kind::Cassette => "AUTOMODE_API_KEY",
        };
        Self(format!(
            "no key for the judge `{}` (hint: set `AUTOMODE_API_KEY` or `{variable}`, or say where it is with `key_env`, `key_file` or `key_command` in the config)",
            kind.name()
        ))
    }

    pub(crate) fn no_variable(name: &str) -> Self {
        Self(format!(
            "the variable `{name}` that should hold the key is not set"
        ))
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Setup {}

/// Opens a provider. Nothing is sent and no client is built.
///
/// # Errors
/// What is missing or wrong in the settings.
pub fn open(provider: &Provider, surroundings: &Surroundings<'_>) -> Result<Box<dyn Model>, Setup> {
    let model = opened(provider, surroundings)?;
    match &provider.cassette {
        Some(path) if provider.kind != Kind::Cassette => {
            let recorder = Recorder::new(model, path).map_err(|error| {
                Setup::new(format!("the cassette `{path}` cannot be written: {error}"))
            })?;
            Ok(Box::new(recorder))
        }
        Some(_) | None => Ok(model),
    }
}

/// Opens a provider by its word, with the environment of this process: `anthropic`, `openai`,
/// or `openai-compatible` with `AUTOMODE_BASE_URL` and `AUTOMODE_MODEL`.
///
/// # Errors
/// What is missing or wrong.
pub fn named(word: &str) -> Result<Box<dyn Model>, Setup> {
    let variable = |name: &str| std::env::var(name).ok();
    let kind = Kind::named(word).ok_or_else(|| {
        Setup::new(format!(
            "there is no provider `{word}` (hint: anthropic, openai or openai-compatible)"
        ))
    })?;
    let mut provider = Provider::new(kind);
    provider.model = variable("AUTOMODE_MODEL");
    open(
        &provider,
        &Surroundings {
            variable: &variable,
            agent_model: None,
        },
    )
}

fn opened(provider: &Provider, surroundings: &Surroundings<'_>) -> Result<Box<dyn Model>, Setup> {
    match provider.kind {
        Kind::Anthropic | Kind::OpenAi | Kind::OpenAiCompatible => {
            let model = model(provider, surroundings)?;
            let known = capabilities(provider.kind, &model, provider.capabilities);
            let key = Key::find(&provider.key, provider.kind, surroundings)?;
            Ok(Box::new(http::HttpService::new(endpoint(
                provider,
                model,
                known,
                key,
                surroundings,
            )?)))
        }
        Kind::Command => Ok(Box::new(command::CommandJudge::new(provider)?)),
        Kind::Cassette => Ok(Box::new(cassette::Cassette::load(provider)?)),
    }
}

/// The model: chosen, else the agent's own if this service has it, else the default.
fn model(provider: &Provider, surroundings: &Surroundings<'_>) -> Result<String, Setup> {
    let agents = surroundings
        .agent_model
        .filter(|model| match provider.kind {
            Kind::Anthropic => model.starts_with("claude-"),
            Kind::OpenAi => model.starts_with("gpt-") || model.starts_with('o'),
            Kind::OpenAiCompatible | Kind::Command | Kind::Cassette => false,
        });
    provider
        .model
        .as_deref()
        .or(agents)
        .or(default_model(provider.kind))
        .map(str::to_owned)
        .ok_or_else(|| {
            Setup::new(format!(
                "no model for the judge `{}` (hint: set `AUTOMODE_MODEL`)",
                provider.kind.name()
            ))
        })
}

fn endpoint(
    provider: &Provider,
    model: String,
    capabilities: Capabilities,
    key: Option<Key>,
    surroundings: &Surroundings<'_>,
) -> Result<Endpoint, Setup> {
    let base = match &provider.base_url {
        Some(url) => url.clone(),
        None => match provider.kind {
            Kind::Anthropic => "https://api.anthropic.com".to_owned(),
            Kind::OpenAi => "https://api.openai.com/v1".to_owned(),
            Kind::OpenAiCompatible | Kind::Command | Kind::Cassette => {
                let named = (surroundings.variable)("AUTOMODE_BASE_URL");
                named.ok_or_else(|| {
                    Setup::new(
                        "no address for the judge (hint: set `AUTOMODE_BASE_URL`, for example `http://127.0.0.1:11434/v1`)"
                            .to_owned(),
                    )
                })?
            }
        },
    };
    let endpoint = Endpoint::new(
        provider.kind,
        &base,
        model,
        capabilities,
        &provider.headers,
        key,
    )?;
    Ok(endpoint.priced(provider.price))
}
