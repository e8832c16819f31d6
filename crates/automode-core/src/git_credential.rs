//! Credentials that git's settings hold in the open.
//!
//! A clone made with a token keeps it in the address of its remote, and a CI job puts one into a
//! header. Whatever prints the settings prints it. Which lines hold one is said here once, for
//! those who look at a repository and for those who imagine one.

use serde::{Deserialize, Serialize};

use crate::redact::redact;

/// A line of git's settings with a credential in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitCredential {
    /// The file that it stands in, absolute.
    pub file: String,
    /// Its key, without what is secret in it.
    pub key: String,
}

/// Ends of keys whose values are credentials.
const SECRET_KEYS: &[&str] = &["extraheader", "pass", "password", "secret", "token"];

/// Letters after which a name in front of an address is no name but a token.
const TOKEN_LENGTH: usize = 20;

impl GitCredential {
    /// The credential in one line of a file of settings.
    #[must_use]
    pub fn read(file: &str, key: &str, value: &str) -> Option<Self> {
        let named = key.rsplit('.').next().unwrap_or(key).to_lowercase();
        let is_switch = matches!(
            value.to_lowercase().as_str(),
            "" | "true" | "false" | "yes" | "no" | "on" | "off" | "0" | "1"
        );
        let secret_key = SECRET_KEYS.iter().any(|end| named.ends_with(end)) && !is_switch;
        let holds = secret_key
            || [key, value]
                .iter()
                .any(|text| has_user_secret(text) || redact(text) != *text);
        // A shell script that answers git's question, or asks with a header of its own.
        let answers = ["password=", "authorization"];
        let said = value.to_lowercase();
        let answered = answers.iter().any(|word| said.contains(word));
        (holds || answered).then(|| Self {
            file: file.to_owned(),
            // A key may hold the address.
            key: match key.split_once("://") {
                Some((before, _)) => before.to_owned(),
                None => key.to_owned(),
            },
        })
    }
}

/// Whether an address in a text says who asks with more than a name: `https://me:key@host/`.
fn has_user_secret(text: &str) -> bool {
    text.split("://").skip(1).any(|rest| {
        let end = rest
            .find(['/', '?', '#', '"', '\'', ' '])
            .unwrap_or(rest.len());
        let place = rest.get(..end).unwrap_or(rest);
        place.rsplit_once('@').is_some_and(|(user, _)| {
            let password = user.split_once(':').map_or("", |(_, word)| word);
            !password.is_empty() || user.len() >= TOKEN_LENGTH
        })
    })
}

#[cfg(test)]
mod tests {
    use super::GitCredential;

    #[test]
    fn credentials_are_told_from_names() {
        let check = |key: &str, value: &str, expected: bool| {
            let found = GitCredential::read("/p/.git/config", key, value);
            assert_eq!(found.is_some(), expected, "{key} = {value}");
        };
        for (key, value) in [
            (
                "remote.origin.url",
                "https://me:hunter2@example.com/a/b.git",
            ),
            (
                "remote.origin.url",
                "https://abcdefghij0123456789@example.com/a.git",
            ),
            (
                "remote.origin.pushurl",
                "https://x-access-token:abc@github.com/a/b",
            ),
            (
                "url.https://oauth2:abc@example.com/.insteadof",
                "https://example.com/",
            ),
            (
                "http.https://github.com/.extraheader",
                "AUTHORIZATION: basic eDp5",
            ),
            ("http.extraheader", "X-Token: 1"),
            ("http.proxy", "http://me:word@proxy.example.com:3128"),
            ("sendemail.smtppass", "hunter2"),
            ("github.token", "abc"),
            ("hub.oauthtoken", "abc"),
            ("credential.helper", "!f() { echo password=abc; }; f"),
        ] {
            check(key, value, true);
        }
        for (key, value) in [
            ("remote.origin.url", "https://example.com/a/b.git"),
            ("remote.origin.url", "https://me@dev.azure.com/me/p/_git/p"),
            ("remote.origin.url", "git@github.com:a/b.git"),
            ("remote.origin.url", "ssh://git@example.com:22/a/b.git"),
            ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
            ("core.bare", "false"),
            ("user.email", "me@example.com"),
            ("user.signingkey", "ABCDEF0123456789"),
            ("branch.main.remote", "origin"),
            ("credential.helper", "store"),
            ("http.sslcertpasswordprotected", "true"),
        ] {
            check(key, value, false);
        }
    }
}
