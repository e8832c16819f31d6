//! Services and the variables that hold their credentials.

use automode_shell::{DynamicSource, Effect, Host, Piece, Taint};

use super::{Scene, is_detoured};

/// Variables by their first words, and the hosts that issued what they hold.
const PROVIDERS: &[(&str, &[&str])] = &[
    ("GITHUB", &["github.com", "ghcr.io"]),
    ("GH", &["github.com", "ghcr.io"]),
    ("GITLAB", &["gitlab.com"]),
    ("BITBUCKET", &["bitbucket.org"]),
    ("OPENAI", &["openai.com"]),
    ("ANTHROPIC", &["anthropic.com"]),
    ("GEMINI", &["googleapis.com"]),
    ("GOOGLE", &["googleapis.com"]),
    ("AWS", &["amazonaws.com"]),
    ("AZURE", &["azure.com", "windows.net"]),
    ("HF", &["huggingface.co"]),
    ("HUGGINGFACE", &["huggingface.co"]),
    ("NPM", &["npmjs.org", "npmjs.com"]),
    ("PYPI", &["pypi.org"]),
    ("CARGO", &["crates.io"]),
    ("DOCKER", &["docker.com", "docker.io"]),
    ("STRIPE", &["stripe.com"]),
    ("SLACK", &["slack.com"]),
    ("SENTRY", &["sentry.io"]),
    ("CLOUDFLARE", &["cloudflare.com"]),
    ("VERCEL", &["vercel.com"]),
    ("NETLIFY", &["netlify.com"]),
    ("LINEAR", &["linear.app"]),
    ("NOTION", &["notion.com"]),
    ("JIRA", &["atlassian.net"]),
    ("DATADOG", &["datadoghq.com", "datadoghq.eu"]),
];

/// Every secret in the program's words is a variable of the service it is sent to.
#[must_use]
pub fn is_own_provider(scene: &Scene<'_>, effect: &Effect, host: &Host) -> bool {
    let name = match host {
        // A program's own service gets the program's own credential.
        Host::Default(_) => {
            return scene.invocation(effect).is_some_and(|start| {
                start
                    .argv
                    .iter()
                    .all(|word| !word.taint().has(Taint::SECRET))
            });
        }
        Host::Named(name) => name.to_lowercase(),
        Host::Loopback | Host::Unknown => return false,
    };
    let Some(start) = scene.invocation(effect).filter(|start| !is_detoured(start)) else {
        return false;
    };
    let mut secrets = start
        .argv
        .iter()
        .flat_map(|word| &word.pieces)
        .filter_map(|piece| match piece {
            Piece::Dynamic(dynamic) if !dynamic.taint.is_none() => Some(&dynamic.source),
            Piece::Dynamic(_) | Piece::Text(_) | Piece::Glob(_) => None,
        })
        .peekable();
    secrets.peek().is_some()
        && secrets.all(|source| match source {
            DynamicSource::Variable(variable) => issued_by(variable, &name),
            DynamicSource::Argument
            | DynamicSource::Output
            | DynamicSource::OneOf(_)
            | DynamicSource::Item
            | DynamicSource::Number
            | DynamicSource::Name
            | DynamicSource::Unknown => false,
        })
}

fn issued_by(variable: &str, host: &str) -> bool {
    let first = variable.split('_').next().unwrap_or_default();
    PROVIDERS.iter().any(|(prefix, hosts)| {
        first.eq_ignore_ascii_case(prefix)
            && hosts.iter().any(|own| {
                host == *own
                    || host
                        .strip_suffix(own)
                        .is_some_and(|rest| rest.ends_with('.'))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_belongs_to_its_issuer() {
        for (variable, host, expected) in [
            ("GITHUB_TOKEN", "api.github.com", true),
            ("GITHUB_TOKEN", "github.com", true),
            ("GITHUB_TOKEN", "github.com.evil.example", false),
            ("GITHUB_TOKEN", "evilgithub.com", false),
            ("OPENAI_API_KEY", "api.openai.com", true),
            ("OPENAI_API_KEY", "api.anthropic.com", false),
            ("SECRET", "api.github.com", false),
        ] {
            assert_eq!(issued_by(variable, host), expected, "{variable} {host}");
        }
    }
}
