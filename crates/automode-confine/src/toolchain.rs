//! The programs that a project's work needs and that lie outside the system's own places.
//!
//! A toolchain is put back by name, read-only, without the files beside it that hold
//! credentials. What the search path, an active virtual environment or a project's own
//! environment leads to is put back with the root of its installation.

use std::fs;
use std::path::{Path, PathBuf};

use crate::machine::Machine;

/// Parts of the home that hold programs, their libraries and public settings.
///
/// Registries' credentials, tokens and keys lie beside some of these and are not named.
const HOME_PLACES: &[&str] = &[
    ".asdf",
    ".bun/bin",
    ".bun/install",
    ".cargo/bin",
    ".cargo/config",
    ".cargo/config.toml",
    ".cargo/env",
    ".cargo/git",
    ".cargo/registry",
    ".config/git/attributes",
    ".config/git/config",
    ".config/git/ignore",
    ".config/go",
    ".deno/bin",
    ".fnm",
    ".gem/ruby",
    ".gitconfig",
    ".gitignore",
    ".gradle/caches",
    ".gradle/wrapper",
    ".jdks",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/gem",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/rtx",
    ".local/share/uv",
    ".m2/repository",
    ".m2/wrapper",
    ".npm-global",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".rvm",
    ".sdkman",
    ".tool-versions",
    ".volta",
    "go/bin",
    "go/pkg/mod",
];

/// Variables that name the directory of a toolchain, and the parts of it that may be seen.
const NAMED_PLACES: &[(&str, &[&str])] = &[
    (
        "CARGO_HOME",
        &["bin", "config", "config.toml", "env", "git", "registry"],
    ),
    ("RUSTUP_HOME", &["."]),
    ("PYENV_ROOT", &["."]),
    ("NVM_DIR", &["."]),
    ("VOLTA_HOME", &["."]),
    ("VIRTUAL_ENV", &["."]),
    ("CONDA_PREFIX", &["."]),
    ("JAVA_HOME", &["."]),
    ("GOROOT", &["."]),
    ("GOPATH", &["bin", "pkg/mod"]),
    ("GOMODCACHE", &["."]),
    ("GEM_HOME", &["."]),
];

/// Names under which a project keeps an environment of its own.
const ENVIRONMENTS: [&str; 3] = [".venv", "venv", "env"];

/// How many entries of a directory of programs are followed to where they lie.
const LINK_BUDGET: usize = 300;

/// Every place that exists, resolved, each once.
///
/// Never the home itself nor anything above it.
#[must_use]
pub(crate) fn readable(machine: &Machine, project: &Path) -> Vec<PathBuf> {
    let mut found = Found {
        home: &machine.home,
        places: Vec::new(),
    };
    for place in HOME_PLACES {
        found.add(machine.home.join(place));
    }
    for (variable, parts) in NAMED_PLACES {
        let Some(root) = machine.variables.get(*variable) else {
            continue;
        };
        if Path::new(root).is_absolute() {
            for part in *parts {
                found.add(Path::new(root).join(part));
            }
        }
    }
    for directory in machine.search_path() {
        found.add_programs(&directory);
    }
    for name in ENVIRONMENTS {
        found.add_environment(&project.join(name));
    }
    if let Some(active) = machine.variables.get("VIRTUAL_ENV") {
        found.add_environment(Path::new(active));
    }
    found.places
}

struct Found<'a> {
    home: &'a Path,
    places: Vec<PathBuf>,
}

impl Found<'_> {
    fn add(&mut self, place: PathBuf) {
        for place in [fs::canonicalize(&place).ok(), Some(place)]
            .into_iter()
            .flatten()
        {
            let too_wide = self.home.starts_with(&place) || place.parent().is_none();
            if !too_wide && place.exists() && !self.places.contains(&place) {
                self.places.push(place);
            }
        }
    }

    /// A directory of programs: itself, its installation, and where its links lead.
    fn add_programs(&mut self, directory: &Path) {
        self.add(directory.to_owned());
        if let Some(root) = installation(directory, self.home) {
            self.add(root);
        }
        let Ok(entries) = fs::read_dir(directory) else {
            return;
        };
        if directory.starts_with("/usr") || directory.starts_with("/bin") {
            return;
        }
        for entry in entries.flatten().take(LINK_BUDGET) {
            if entry.file_type().is_ok_and(|kind| kind.is_symlink())
                && let Ok(target) = fs::canonicalize(entry.path())
            {
                let root = target.parent().and_then(|bin| installation(bin, self.home));
                self.add(root.unwrap_or(target));
            }
        }
    }

    /// A Python environment names the installation it was made from.
    fn add_environment(&mut self, environment: &Path) {
        let Ok(text) = fs::read_to_string(environment.join("pyvenv.cfg")) else {
            return;
        };
        let named = text
            .lines()
            .filter_map(|line| line.split_once('='))
            .find(|(key, _)| key.trim() == "home")
            .map(|(_, value)| PathBuf::from(value.trim()));
        if let Some(directory) = named.filter(|path| path.is_absolute()) {
            self.add_programs(&directory);
        }
    }
}

/// The root of what a `bin` directory belongs to, where that is an installation of its own.
fn installation(directory: &Path, home: &Path) -> Option<PathBuf> {
    if directory.file_name()? != "bin" && directory.file_name()? != "shims" {
        return None;
    }
    let root = directory.parent()?;
    // `~/.local` and `~/.cargo` hold more than programs; their parts are named above.
    let shared = root == home.join(".local") || root == home.join(".cargo") || root == home;
    let system = root == Path::new("/") || root.starts_with("/usr");
    let is_one = [
        "lib",
        "lib64",
        "libexec",
        "share",
        "include",
        "versions",
        "pyvenv.cfg",
    ]
    .iter()
    .any(|part| root.join(part).exists());
    (!shared && !system && is_one && !home.starts_with(root)).then(|| root.to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn credentials_beside_a_toolchain_stay_hidden() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().canonicalize().unwrap();
        for directory in [
            ".cargo/bin",
            ".cargo/registry",
            ".local/bin",
            "bin",
            "tool/bin",
            "tool/lib",
        ] {
            fs::create_dir_all(home.join(directory)).unwrap();
        }
        fs::write(home.join(".cargo/credentials.toml"), "token").unwrap();
        let path = ["bin", "tool/bin", ".local/bin"].map(|place| home.join(place));
        let machine = Machine {
            variables: BTreeMap::from([(
                "PATH".to_owned(),
                std::env::join_paths(path).unwrap().into_string().unwrap(),
            )]),
            state: home.join("state"),
            cache: home.join("cache"),
            program: home.join("automode"),
            home: home.clone(),
        };
        let found = readable(&machine, &home.join("app"));
        let mut shown: Vec<&str> = found
            .iter()
            .filter_map(|path| path.strip_prefix(&home).ok()?.to_str())
            .collect();
        shown.sort_unstable();
        assert_eq!(
            shown,
            [
                ".cargo/bin",
                ".cargo/registry",
                ".local/bin",
                "bin",
                "tool",
                "tool/bin"
            ]
        );
    }
}
