//! Who is asked: what a person chose in the configuration or, without one, in the environment.
//!
//! A key that merely lies in the environment chooses nobody: agents hand theirs
//! to hooks, and a person must have decided to spend it.

use std::time::Duration;

use automode_core::judge::{Kind, Provider, Service};
use automode_core::policy::Policy;

/// A choice in the environment that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// A variable says something that it cannot say.
    #[error("{0}")]
    Variable(String),
    /// A judge's own process, under a judge that an administrator has set: it would ask itself.
    #[error("a judge's own process asks no judge")]
    Judging,
}

/// The service of a policy, as the environment completes it. What an administrator has set, the
/// environment does not change; a judge's own process, which `is_judging` tells, asks nobody.
///
/// # Errors
/// A variable that says something it cannot say.
pub fn service_of(
    policy: &Policy,
    variable: impl Fn(&str) -> Option<String>,
    is_judging: impl Fn() -> bool,
) -> Result<Service, Wrong> {
    let set = &policy.provenance().settings;
    let is_managed = |key: &str| set.get(key).is_some_and(|origin| origin.scope.is_managed());
    managed(&policy.settings.service, is_managed, variable, is_judging)
}

fn managed(
    configured: &Service,
    is_managed: impl Fn(&str) -> bool,
    variable: impl Fn(&str) -> Option<String>,
    is_judging: impl Fn() -> bool,
) -> Result<Service, Wrong> {
    let (chain, deadline) = (is_managed("judge.chain"), is_managed("judge.deadline"));
    if chain && is_judging() {
        return Err(Wrong::Judging);
    }
    service(configured, |name| match name {
        "AUTOMODE_JUDGE" | "AUTOMODE_MODEL" | "AUTOMODE_BASE_URL" | "AUTOMODE_COMMAND" if chain => {
            None
        }
        "AUTOMODE_DEADLINE" if deadline => None,
        _ => variable(name),
    })
}

/// The service of the configuration, as the environment completes it.
///
/// # Errors
/// A variable that says something it cannot say.
pub fn service(
    configured: &Service,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Service, Wrong> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let mut service = configured.clone();
    match set("AUTOMODE_JUDGE").as_deref() {
        // Off is off: a program that serves as a judge must not ask itself.
        Some("none") => {
            service.chain.clear();
            return Ok(service);
        }
        Some(word) if service.chain.is_empty() => service.chain.push(chosen(word, &set)?),
        Some(_) | None => {}
    }
    // What a provider lacks is completed here, where it is known what may complete it.
    for provider in &mut service.chain {
        if provider.kind == Kind::OpenAiCompatible && provider.base_url.is_none() {
            provider.base_url = set("AUTOMODE_BASE_URL");
        }
    }
    if let (Some(model), Some(first)) = (set("AUTOMODE_MODEL"), service.chain.first_mut()) {
        first.model = Some(model);
    }
    if let Some(text) = set("AUTOMODE_DEADLINE") {
        service.deadline = duration(&text).ok_or_else(|| {
            Wrong::Variable(format!(
                "`AUTOMODE_DEADLINE` is `{text}` (hint: a number of seconds, such as `20`)"
            ))
        })?;
    }
    Ok(service)
}

fn chosen(word: &str, set: &impl Fn(&str) -> Option<String>) -> Result<Provider, Wrong> {
    let kind = Kind::named(word)
        .filter(|kind| *kind != Kind::Cassette)
        .ok_or_else(|| {
            Wrong::Variable(format!(
                "`AUTOMODE_JUDGE` is `{word}` (hint: anthropic, openai, openai-compatible, command or none)"
            ))
        })?;
    let mut provider = Provider::new(kind);
    provider.base_url = set("AUTOMODE_BASE_URL");
    if kind == Kind::Command {
        let command = set("AUTOMODE_COMMAND").ok_or_else(|| {
            Wrong::Variable(
                "`AUTOMODE_JUDGE` is `command` but `AUTOMODE_COMMAND` is not set".to_owned(),
            )
        })?;
        provider.command = vec!["/bin/sh".to_owned(), "-c".to_owned(), command];
    }
    Ok(provider)
}

/// `20`, `1.5s` or `800ms`; never longer than an hour.
fn duration(text: &str) -> Option<Duration> {
    let (number, factor) = match text.strip_suffix("ms") {
        Some(number) => (number, 0.001),
        None => (text.strip_suffix('s').unwrap_or(text), 1.0),
    };
    let seconds = number.trim().parse::<f64>().ok()? * factor;
    (0.001..=3600.0)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(configured: &Service, variables: &[(&str, &str)]) -> Result<Service, String> {
        service(configured, |name| {
            variables
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        })
        .map_err(|wrong| wrong.to_string())
    }

    fn kinds(configured: &Service, variables: &[(&str, &str)]) -> Vec<Kind> {
        let service = choose(configured, variables).unwrap();
        service.chain.iter().map(|link| link.kind).collect()
    }

    #[test]
    fn the_environment_does_not_change_what_an_administrator_set() {
        let mut configured = Service::default();
        configured.chain.push(Provider::new(Kind::Anthropic));
        let variables = |judge: &'static str| {
            move |name: &str| match name {
                "AUTOMODE_JUDGE" => Some(judge.to_owned()),
                "AUTOMODE_COMMAND" => Some("echo allow".to_owned()),
                "AUTOMODE_MODEL" => Some("mine".to_owned()),
                "AUTOMODE_DEADLINE" => Some("1".to_owned()),
                _ => None,
            }
        };
        for judge in ["none", "command", "openai", "nonsense"] {
            let kept = managed(&configured, |_| true, variables(judge), || false).unwrap();
            assert_eq!(kept, configured, "{judge}");
        }
        // Not even an address that the administrator left out is taken from there.
        let mut open = Service::default();
        open.chain.push(Provider::new(Kind::OpenAiCompatible));
        let address = |name: &str| (name == "AUTOMODE_BASE_URL").then(|| "http://x".to_owned());
        let kept = managed(&open, |_| true, address, || false).unwrap();
        assert_eq!(kept.chain[0].base_url, None);
        // A judge's own process asks nobody, and that switches no judge off.
        let own = managed(&configured, |_| true, variables("none"), || true);
        assert_eq!(own, Err(Wrong::Judging));
        // An administrator who set nothing of it leaves the choice.
        let free = managed(&configured, |_| false, variables("none"), || false).unwrap();
        assert!(free.chain.is_empty());
    }

    #[test]
    fn a_key_in_the_environment_chooses_nobody() {
        let keys = [
            ("ANTHROPIC_API_KEY", "k"),
            ("OPENAI_API_KEY", "k"),
            ("AUTOMODE_API_KEY", "k"),
            ("AUTOMODE_MODEL", "m"),
            ("AUTOMODE_BASE_URL", "u"),
        ];
        assert_eq!(kinds(&Service::default(), &keys), []);
        assert_eq!(kinds(&Service::default(), &[("AUTOMODE_JUDGE", "")]), []);
    }

    #[test]
    fn the_environment_chooses_where_the_configuration_does_not() {
        let none = Service::default();
        assert_eq!(
            kinds(&none, &[("AUTOMODE_JUDGE", "anthropic")]),
            [Kind::Anthropic]
        );
        let configured = Service {
            chain: vec![Provider::new(Kind::OpenAi)],
            ..Service::default()
        };
        assert_eq!(
            kinds(&configured, &[("AUTOMODE_JUDGE", "anthropic")]),
            [Kind::OpenAi]
        );
        assert_eq!(kinds(&configured, &[("AUTOMODE_JUDGE", "none")]), []);
        let chosen = choose(
            &none,
            &[
                ("AUTOMODE_JUDGE", "openai-compatible"),
                ("AUTOMODE_MODEL", "qwen3"),
                ("AUTOMODE_BASE_URL", "http://127.0.0.1:1/v1"),
                ("AUTOMODE_DEADLINE", "1.5"),
            ],
        )
        .unwrap();
        assert_eq!(chosen.deadline, Duration::from_millis(1500));
        assert_eq!(chosen.chain[0].model.as_deref(), Some("qwen3"));
        assert_eq!(
            chosen.chain[0].base_url.as_deref(),
            Some("http://127.0.0.1:1/v1")
        );
        let program = choose(
            &none,
            &[("AUTOMODE_JUDGE", "command"), ("AUTOMODE_COMMAND", "x -y")],
        );
        assert_eq!(program.unwrap().chain[0].command, ["/bin/sh", "-c", "x -y"]);
    }

    #[test]
    fn what_cannot_be_followed_is_said() {
        let none = Service::default();
        for (variables, word) in [
            (&[("AUTOMODE_JUDGE", "claude")][..], "`claude`"),
            (&[("AUTOMODE_JUDGE", "cassette")], "`cassette`"),
            (&[("AUTOMODE_JUDGE", "command")], "AUTOMODE_COMMAND"),
            (&[("AUTOMODE_DEADLINE", "soon")], "`soon`"),
            (&[("AUTOMODE_DEADLINE", "-1")], "`-1`"),
            (&[("AUTOMODE_DEADLINE", "inf")], "`inf`"),
        ] {
            let error = choose(&none, variables).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }
}
