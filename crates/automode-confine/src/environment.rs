//! The variables that a confined command sees.
//!
//! The person's own, without the ways to agents that hold keys and without what is named as
//! a secret; with private caches, since a shared one holds code that runs later unconfined.

use std::collections::BTreeMap;
use std::path::Path;

use crate::layout::Layout;
use crate::machine::Machine;

/// Ways to helpers outside that act with the person's rights.
const HELPERS: &[&str] = &[
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "DOCKER_HOST",
    "GNOME_KEYRING_CONTROL",
    "GPG_AGENT_INFO",
    "KUBECONFIG",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "SSH_AUTH_SOCK",
    "SUDO_ASKPASS",
    "TMUX",
    "VSCODE_GIT_IPC_HANDLE",
    "VSCODE_IPC_HOOK_CLI",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
];

/// Words of names of variables that hold secrets.
const SECRET_WORDS: &[&str] = &[
    "APIKEY",
    "AUTH",
    "AUTHTOKEN",
    "COOKIE",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "PAT",
    "SECRET",
    "SECRETS",
    "TOKEN",
    "WEBHOOK",
];

/// How such names end where their words are not set apart.
const SECRET_ENDINGS: &[&str] = &["_KEY", "KEY_ID", "PASSWORD", "SECRET", "TOKEN", "KEY_BASE"];

/// Variables that name caches, and the directory each gets.
const CACHES: &[(&str, &str)] = &[
    ("XDG_CACHE_HOME", "cache"),
    ("npm_config_cache", "npm"),
    ("YARN_CACHE_FOLDER", "yarn"),
    ("PIP_CACHE_DIR", "pip"),
    ("UV_CACHE_DIR", "uv"),
    ("GOCACHE", "go"),
    ("GRADLE_USER_HOME", "gradle"),
    ("CCACHE_DIR", "ccache"),
    ("SCCACHE_DIR", "sccache"),
    ("COMPOSER_CACHE_DIR", "composer"),
    ("BUNDLE_USER_CACHE", "bundle"),
];

/// What keeps tools from asking their makers for news, which would only be refused.
const QUIET: &[(&str, &str)] = &[
    ("DO_NOT_TRACK", "1"),
    ("NO_UPDATE_NOTIFIER", "1"),
    ("npm_config_update_notifier", "false"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ("NEXT_TELEMETRY_DISABLED", "1"),
    ("NUXT_TELEMETRY_DISABLED", "1"),
    ("ASTRO_TELEMETRY_DISABLED", "1"),
    ("GATSBY_TELEMETRY_DISABLED", "1"),
    ("STORYBOOK_DISABLE_TELEMETRY", "1"),
    ("TURBO_TELEMETRY_DISABLED", "1"),
    ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
    ("CHECKPOINT_DISABLE", "1"),
    ("SCARF_ANALYTICS", "false"),
];

/// What stands in the environment inside.
#[must_use]
pub(crate) fn inside(machine: &Machine, layout: &Layout) -> BTreeMap<String, String> {
    let mut variables: BTreeMap<String, String> = machine
        .variables
        .iter()
        .filter(|(name, value)| !is_hidden(name) && !holds_secret(name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    for (name, directory) in CACHES {
        let place = layout.caches.join(directory);
        variables.insert((*name).to_owned(), place.to_string_lossy().into_owned());
    }
    for (name, value) in QUIET {
        let value = (*value).to_owned();
        variables.entry((*name).to_owned()).or_insert(value);
    }
    // Reading a repository must not write its index.
    variables.insert("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned());
    variables.insert("AUTOMODE_CONFINED".to_owned(), "1".to_owned());
    let downloaded = machine.home.join(".gradle/caches");
    if downloaded.is_dir() {
        let downloaded = downloaded.to_string_lossy().into_owned();
        variables
            .entry("GRADLE_RO_DEP_CACHE".to_owned())
            .or_insert(downloaded);
    }
    variables
}

/// The proxy that every polite program asks, for all but this machine.
pub(crate) fn with_proxy(variables: &mut BTreeMap<String, String>, address: &str) {
    for name in [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
    ] {
        variables.insert(name.to_owned(), format!("http://{address}"));
    }
    for name in ["NO_PROXY", "no_proxy"] {
        variables.insert(name.to_owned(), "localhost,127.0.0.1,::1".to_owned());
    }
}

/// A home of its own, where the real one cannot be covered.
pub(crate) fn with_home(
    variables: &mut BTreeMap<String, String>,
    machine: &Machine,
    home: &Path,
    temporary: &Path,
) {
    for (name, directory) in [
        ("CARGO_HOME", ".cargo"),
        ("RUSTUP_HOME", ".rustup"),
        ("PYENV_ROOT", ".pyenv"),
        ("GOPATH", "go"),
        ("NVM_DIR", ".nvm"),
    ] {
        let real = machine.home.join(directory);
        if real.is_dir() {
            let real = real.to_string_lossy().into_owned();
            variables.entry(name.to_owned()).or_insert(real);
        }
    }
    let settings = machine.home.join(".gitconfig");
    if settings.is_file() {
        let settings = settings.to_string_lossy().into_owned();
        variables
            .entry("GIT_CONFIG_GLOBAL".to_owned())
            .or_insert(settings);
    }
    if !machine.home.join(".m2/repository").is_dir() {
        // Java takes the home from the list of users, not from the variable.
        let options = variables.entry("MAVEN_OPTS".to_owned()).or_default();
        options.push_str(&format!(" -Duser.home={}", home.display()));
    }
    variables.insert("HOME".to_owned(), home.to_string_lossy().into_owned());
    for name in ["TMPDIR", "TMP", "TEMP"] {
        variables.insert(name.to_owned(), temporary.to_string_lossy().into_owned());
    }
}

fn is_hidden(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let secret = upper
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .any(|word| SECRET_WORDS.contains(&word));
    secret
        || HELPERS.contains(&upper.as_str())
        || SECRET_ENDINGS.iter().any(|ending| upper.ends_with(ending))
}

/// A password in an address, or what is known as a token by its form.
fn holds_secret(name: &str, value: &str) -> bool {
    let with_password = value.split("://").skip(1).any(|rest| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        authority
            .rsplit_once('@')
            .is_some_and(|(person, _)| person.contains(':'))
    });
    with_password || is_redacted(&format!("{name}={value}"))
}

fn is_redacted(text: &str) -> bool {
    automode_core::redact::redact(text) != text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_helpers_stay_outside() {
        let check = |name: &str, hidden: bool| assert_eq!(is_hidden(name), hidden, "{name}");
        check("ANTHROPIC_API_KEY", true);
        check("GITHUB_TOKEN", true);
        check("npm_config__authToken", true);
        check("AWS_SECRET_ACCESS_KEY", true);
        check("AWS_ACCESS_KEY_ID", true);
        check("PGPASSWORD", true);
        check("SSH_AUTH_SOCK", true);
        check("DBUS_SESSION_BUS_ADDRESS", true);
        check("PATH", false);
        check("KEYBOARD", false);
        check("LANG", false);
        check("TOKENIZERS_PARALLELISM", false);
        check("VIRTUAL_ENV", false);
        check("SECRET_KEY_BASE", true);
        check("TOKEN_FOR_DEPLOY", true);
        check("STRIPE_KEY", true);
        check("DB_PASSWORD_FILE", true);
        check("SLACK_WEBHOOK_URL", true);
        check("PWD", false);
        check("AUTHOR", false);
        check("GIT_AUTHOR_NAME", false);
        check("PATH_INFO", false);
    }

    #[test]
    fn secrets_are_known_by_their_form_too() {
        let check = |value: &str, secret: bool| {
            assert_eq!(holds_secret("PLAIN", value), secret, "{value}");
        };
        check("postgres://me:word@db.example/x", true);
        check("https://db.example/x:y@z", false);
        check("ghp_0123456789abcdefghijABCDEFGHIJ012345", true);
        check("/usr/bin:/bin", false);
        check("en_US.UTF-8", false);
        check("-C target-cpu=native", false);
    }
}
