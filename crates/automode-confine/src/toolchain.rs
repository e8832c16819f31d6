//! The programs that a project's work needs and that lie outside the system's own places.
//!
//! A toolchain is put back by name, read-only, without the files beside it that hold
//! credentials. What the search path, an active virtual environment or a project's own
//! environment leads to is put back with the root of its installation.

use std::fs;
use std::path::{Path, PathBuf};

use automode_core::redact::redact;

use crate::gitconfig::small_text;
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

/// Settings without secrets that tools look for in every directory above a project.
const ABOVE: [&str; 10] = [
    ".cargo/config",
    ".cargo/config.toml",
    ".node-version",
    ".nvmrc",
    ".python-version",
    ".ruby-version",
    ".tool-versions",
    "clippy.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
];

/// Names under which a project keeps an environment of its own.
const ENVIRONMENTS: [&str; 3] = [".venv", "venv", "env"];

/// Files that only a project has.
const PROJECT_FILES: [&str; 9] = [
    ".env",
    ".envrc",
    ".git",
    "Cargo.toml",
    "Gemfile",
    "composer.json",
    "package.json",
    "pom.xml",
    "pyproject.toml",
];

/// How many entries of a directory of programs are followed to where they lie.
const LINK_BUDGET: usize = 300;

/// Every place that exists, resolved, each once.
///
/// Never the home itself nor anything above it.
#[must_use]
pub(crate) fn readable(machine: &Machine, writable: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = FoundToolchain {
        home: &machine.home,
        writable,
        places: Vec::new(),
    };
    for place in HOME_PLACES {
        let place = machine.home.join(place);
        if !holds_secret(&place) {
            found.add(place);
        }
    }
    for above in writable.iter().flat_map(|root| root.ancestors().skip(1)) {
        for name in ABOVE {
            found.add_settings(above.join(name));
        }
    }
    for (variable, parts) in NAMED_PLACES {
        let Some(root) = machine.variables.get(*variable) else {
            continue;
        };
        if Path::new(root).is_absolute() && !found.is_written(Path::new(root)) {
            for part in *parts {
                found.add(Path::new(root).join(part));
            }
        }
    }
    for directory in machine.search_path(writable) {
        found.add_programs(&directory);
    }
    for name in ENVIRONMENTS {
        for root in writable {
            found.add_environment(&root.join(name));
        }
    }
    if let Some(active) = machine.variables.get("VIRTUAL_ENV") {
        found.add_environment(Path::new(active));
    }
    found.places
}

struct FoundToolchain<'a> {
    home: &'a Path,
    /// What a confined command may have changed: a name or a link there opens nothing.
    writable: &'a [PathBuf],
    places: Vec<PathBuf>,
}

impl FoundToolchain<'_> {
    fn add(&mut self, place: PathBuf) {
        // Most are not there, and one look tells.
        if self.places.contains(&place) || place.symlink_metadata().is_err() {
            return;
        }
        let Ok(real) = fs::canonicalize(&place) else {
            return;
        };
        for place in [real, place] {
            let too_wide = self.home.starts_with(&place) || place.parent().is_none();
            if !too_wide && !self.places.contains(&place) {
                self.places.push(place);
            }
        }
    }

    /// A file as it stands; a link could lead to anything.
    fn add_settings(&mut self, file: PathBuf) {
        let is_file = file.symlink_metadata().is_ok_and(|found| found.is_file());
        if is_file && !holds_secret(&file) && fs::canonicalize(&file).is_ok_and(|real| real == file)
        {
            self.add(file);
        }
    }

    fn is_written(&self, path: &Path) -> bool {
        let inside = |path: &Path| self.writable.iter().any(|root| path.starts_with(root));
        inside(path) || fs::canonicalize(path).is_ok_and(|real| inside(&real))
    }

    /// A directory of programs: itself, its installation, and where its links lead.
    fn add_programs(&mut self, directory: &Path) {
        if self.is_written(directory) {
            return;
        }
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

    /// A Python environment names the installation it was made from. A confined command may
    /// have written that name, so only what is an installation of Python is put back, and of
    /// that only the parts that Python reads.
    fn add_environment(&mut self, environment: &Path) {
        let Some(text) = small_text(&environment.join("pyvenv.cfg")) else {
            return;
        };
        let named = text
            .lines()
            .filter_map(|line| line.split_once('='))
            .find(|(key, _)| key.trim() == "home")
            .and_then(|(_, value)| fs::canonicalize(value.trim()).ok());
        let Some(programs) = named.filter(|path| path.is_absolute() && !self.is_written(path))
        else {
            return;
        };
        let Some(root) = python_root(&programs) else {
            return;
        };
        for part in ["bin", "include", "lib", "lib64"] {
            self.add(root.join(part));
        }
    }
}

/// Whether a file of settings holds a token or a password after all. One that cannot be read may.
fn holds_secret(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|found| found.is_file())
        && small_text(file).is_none_or(|text| redact(&text) != text)
}

/// The installation that a directory of programs belongs to, if it is one of Python.
fn python_root(programs: &Path) -> Option<PathBuf> {
    let root = programs.parent()?;
    let is_program = |name: &str| {
        fs::metadata(programs.join(name)).is_ok_and(|found| {
            use std::os::unix::fs::PermissionsExt;
            found.is_file() && found.permissions().mode() & 0o111 != 0
        })
    };
    let library = fs::read_dir(root.join("lib")).ok()?.flatten().any(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with("python3") && entry.path().join("os.py").is_file()
    });
    let named_so = programs.file_name()? == "bin";
    (named_so && library && (is_program("python3") || is_program("python")))
        .then(|| root.to_owned())
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
    // A project with a directory of programs is somebody's work, not an installation.
    let is_project = PROJECT_FILES.iter().any(|file| root.join(file).exists());
    (!shared && !system && is_one && !is_project && !home.starts_with(root))
        .then(|| root.to_owned())
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
        let found = readable(&machine, &[home.join("app")]);
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

    #[test]
    fn settings_above_a_project_are_read_and_links_there_are_not_followed() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().canonicalize().unwrap();
        for directory in [".ssh", "work/.cargo", "work/app"] {
            fs::create_dir_all(home.join(directory)).unwrap();
        }
        fs::write(home.join("work/.cargo/config.toml"), "").unwrap();
        fs::write(home.join("work/.cargo/credentials.toml"), "token").unwrap();
        fs::write(home.join(".ssh/key"), "key").unwrap();
        std::os::unix::fs::symlink(home.join(".ssh/key"), home.join("work/.nvmrc")).unwrap();
        let token = "[registries.own]\ntoken = \"cio4Fq81kkPwX2mN7vRt5YbL\"\n";
        fs::create_dir_all(home.join(".cargo")).unwrap();
        fs::write(home.join(".cargo/config.toml"), token).unwrap();
        let url = "[url \"https://me:Zq81kkPwX2mN7vRt@git.example/\"]\n\tinsteadOf = git:\n";
        fs::write(home.join(".gitconfig"), url).unwrap();
        let machine = Machine {
            variables: BTreeMap::new(),
            state: home.join("state"),
            cache: home.join("cache"),
            program: home.join("automode"),
            home: home.clone(),
        };
        let mut found = readable(&machine, &[home.join("work/app")]);
        found.retain(|place| place.starts_with(&home));
        assert_eq!(found, [home.join("work/.cargo/config.toml")]);
    }

    #[test]
    fn what_a_confined_command_may_have_written_opens_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let home = temp.path().canonicalize().unwrap();
        let app = home.join("app");
        for directory in [
            ".ssh",
            "app/bin",
            "app/.venv",
            "python/bin",
            "python/lib/python3.12",
        ] {
            fs::create_dir_all(home.join(directory)).unwrap();
        }
        std::os::unix::fs::symlink(home.join(".ssh"), app.join("bin/x")).unwrap();
        std::os::unix::fs::symlink(home.join(".ssh"), app.join("way")).unwrap();
        let path = [app.join("bin"), app.join("way")];
        let machine = Machine {
            variables: BTreeMap::from([
                (
                    "PATH".to_owned(),
                    std::env::join_paths(path).unwrap().into_string().unwrap(),
                ),
                (
                    "VIRTUAL_ENV".to_owned(),
                    app.join("way").to_str().unwrap().to_owned(),
                ),
            ]),
            state: home.join("state"),
            cache: home.join("cache"),
            program: home.join("automode"),
            home: home.clone(),
        };
        let named = |place: &Path| {
            let text = format!("home = {}\n", place.display());
            fs::write(app.join(".venv/pyvenv.cfg"), text).unwrap();
            readable(&machine, std::slice::from_ref(&app))
        };
        let none: [PathBuf; 0] = [];
        assert_eq!(named(&home.join(".ssh")), none);
        assert_eq!(named(&app.join("bin")), none);
        assert_eq!(named(&home.join("python/bin")), none, "no Python in it");
        fs::write(home.join("python/lib/python3.12/os.py"), "").unwrap();
        fs::copy("/bin/true", home.join("python/bin/python3")).unwrap();
        assert_eq!(
            named(&home.join("python/bin")),
            [home.join("python/bin"), home.join("python/lib")]
        );
    }
}
