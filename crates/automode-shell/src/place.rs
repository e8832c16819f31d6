//! Places where secrets are kept.
//!
//! Whatever is read from such a place carries the mark [`Taint::SECRET`].
//! A place is recognised by its name alone, wherever the home directory is, so
//! that another user's key counts as much as one's own.

use crate::{Extent, Taint, Target};

/// Directories that hold credentials.
const DIRECTORIES: &[&str] = &[
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".kube",
    ".docker",
    ".password-store",
    ".vault-token",
    "gcloud",
    "Keychains",
    "keyrings",
    "Login Data",
    "Cookies",
];

/// Files that hold credentials, by their whole name.
const FILES: &[&str] = &[
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".htpasswd",
    ".vault-token",
    ".terraformrc",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "service-account.json",
    "secrets.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.toml",
    "shadow",
    "gshadow",
    "sudoers",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "environ",
    "key3.db",
    "key4.db",
    "logins.json",
    ".bash_history",
    ".zsh_history",
];

/// Endings of files that hold keys.
const ENDINGS: &[&str] = &[
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
    ".asc",
    ".tfstate",
];

/// The marks of what is read from a place.
#[must_use]
pub fn taint_of(target: &Target) -> Taint {
    match target.extent {
        Extent::Unknown => Taint::UNKNOWN,
        Extent::Exact | Extent::Pattern | Extent::Below | Extent::Prefix => {
            if is_secret(&target.path) {
                Taint::SECRET.with(Taint::LOCAL)
            } else {
                Taint::LOCAL
            }
        }
    }
}

fn is_secret(path: &str) -> bool {
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let Some(name) = parts.next_back() else {
        return false;
    };
    DIRECTORIES.contains(&name)
        || parts.any(|part| DIRECTORIES.contains(&part))
        || FILES.contains(&name)
        || is_environment_file(name)
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// `.env`, `.env.local`, `prod.env`, but not the examples that projects commit.
fn is_environment_file(name: &str) -> bool {
    let example = ["example", "sample", "template", "dist"]
        .iter()
        .any(|word| name.contains(word));
    !example && (name == ".env" || name.starts_with(".env.") || name.ends_with(".env"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Span, Value};

    #[test]
    fn secrets_are_known_by_their_place() {
        let secret = [
            "/home/dev/.ssh/id_rsa",
            "/root/.ssh",
            "/home/dev/app/.env",
            "/home/dev/app/.env.production",
            "/etc/shadow",
            "/home/dev/.aws/credentials",
            "/srv/tls/server.key",
            "/proc/self/environ",
        ];
        let plain = [
            "/home/dev/app/.env.example",
            "/home/dev/app/src/main.rs",
            "/home/dev/app/environment.ts",
            "/etc/hosts",
            "/",
        ];
        let marks =
            |path: &str| taint_of(&Target::locate(&Value::text(path, Span::default()), None));
        for path in secret {
            assert!(marks(path).has(Taint::SECRET), "{path}");
        }
        for path in plain {
            assert!(!marks(path).has(Taint::SECRET), "{path}");
        }
    }
}
