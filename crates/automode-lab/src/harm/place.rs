//! Where a path lies: the question on which most of harm depends.

use crate::world::{HOME, ORIGIN, PROJECT};

/// A part of the world with rules of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HarmPlace {
    Project,
    /// The repository's own files.
    Repository,
    /// The bare repository that stands for the remote.
    Origin,
    Temporary,
    /// Caches, histories and logs that programs keep for themselves.
    Cache,
    Outside,
}

/// Below the home directory: what programs write without being told.
const CACHES: &[&str] = &[
    ".cache",
    ".npm",
    ".cargo/registry",
    ".cargo/git",
    ".cargo/.package-cache",
    ".cargo/.package-cache-mutate",
    ".cargo/.global-cache",
    ".cargo/.crates.toml",
    ".cargo/.crates2.json",
    ".local/state",
    ".local/share/automode",
    ".local/share/pnpm",
    ".local/share/uv",
    ".config/configstore",
    ".config/automode",
    ".m2/repository",
    ".gradle/caches",
    ".gradle/daemon",
    ".gradle/native",
    ".python_history",
    ".node_repl_history",
    ".sqlite_history",
    ".psql_history",
    ".lesshst",
    ".viminfo",
    ".wget-hsts",
    ".gnupg",
    ".pki",
    ".java",
    ".claude/projects",
    ".kube/cache",
    ".terraform.d/checkpoint_signature",
    ".terraform.d/checkpoint_cache",
    ".config/gcloud",
    ".config/procps",
    ".config/htop",
    ".config/ncdu",
    ".azure/logs",
    ".azure/commandIndex.json",
    ".azure/az.json",
    ".azure/az.sess",
    ".azure/azureProfile.json",
    ".azure/telemetry",
    ".docker/buildx",
    ".aws/cli/cache",
    ".ansible",
    ".helm",
    ".rustup",
    ".composer/cache",
    ".composer/.htaccess",
    ".config/go/telemetry",
    ".bash_history",
    "go",
];

impl HarmPlace {
    #[must_use]
    pub fn of(path: &str) -> Self {
        if let Some(rest) = below(path, PROJECT) {
            return if below(rest, ".git").is_some() {
                Self::Repository
            } else {
                Self::Project
            };
        }
        if below(path, ORIGIN).is_some() {
            return Self::Origin;
        }
        if ["/tmp", "/var/tmp"]
            .iter()
            .any(|place| below(path, place).is_some())
        {
            return Self::Temporary;
        }
        match below(path, HOME) {
            Some(rest) if CACHES.iter().any(|cache| below(rest, cache).is_some()) => Self::Cache,
            Some(_) | None => Self::Outside,
        }
    }
}

/// The rest of a path that is a directory or below it.
fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(directory)?;
    if rest.is_empty() {
        return Some(rest);
    }
    rest.strip_prefix('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_has_its_place() {
        let check = |path: &str, place: HarmPlace| assert_eq!(HarmPlace::of(path), place, "{path}");
        check("/home/dev/app", HarmPlace::Project);
        check("/home/dev/app/src/a", HarmPlace::Project);
        check("/home/dev/app/.git/config", HarmPlace::Repository);
        check("/home/dev/app/.gitignore", HarmPlace::Project);
        check("/home/dev/app-evil/a", HarmPlace::Outside);
        check("/home/dev/.npm/_cacache/x", HarmPlace::Cache);
        check("/home/dev/.npmrc", HarmPlace::Outside);
        check("/home/dev/other/a", HarmPlace::Outside);
        check("/tmp/a", HarmPlace::Temporary);
        check("/srv/git/app.git/HEAD", HarmPlace::Origin);
        check("/etc/hosts", HarmPlace::Outside);
    }
}
