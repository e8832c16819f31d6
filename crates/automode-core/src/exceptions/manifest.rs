//! Which packages a manifest declares.
//!
//! Every manager has manifests of its own, and in each of them only some places name
//! packages: a script, a field or the project's own name is none. A name in another
//! manager's manifest is another package, which anybody may have registered.

use automode_shell::reference::MANIFESTS;
use serde_json::Value;

/// Files in which projects declare what they depend on, of every manager.
pub fn manifest_names() -> impl Iterator<Item = &'static str> {
    let families = MANIFESTS.iter();
    families.flat_map(|family| family.manifests.iter().copied())
}

/// The manifests that a program takes its packages from.
pub(super) fn of_program(program: &str) -> &'static [&'static str] {
    let name = program.rsplit('/').next().unwrap_or_default();
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    MANIFESTS
        .iter()
        .find(|family| family.programs.contains(&name) || family.programs.contains(&plain))
        .map_or(&[], |family| family.manifests)
}

/// What a manager is itself made of, and brings up to date.
pub(super) fn is_part_of(program: &str, package: &str) -> bool {
    of_program(program).contains(&"requirements.txt")
        && matches!(package, "pip" | "setuptools" | "wheel")
}

/// Whether a manifest declares a package.
pub(super) fn declares(manifest: &str, text: &str, package: &str) -> bool {
    let name = manifest.rsplit('/').next().unwrap_or_default();
    match name {
        "package.json" | "composer.json" => in_json(text, package),
        "package-lock.json" => {
            in_json(text, package) || text.contains(&format!("node_modules/{package}\""))
        }
        "composer.lock" => text.contains(&format!("\"name\": \"{package}\"")),
        "yarn.lock" | "pnpm-lock.yaml" | "bun.lock" => {
            heads_a_line(text, package, &['@', ':', '"', '/'])
        }
        "pubspec.yaml" => heads_a_line(text, package, &[':']),
        "Cargo.lock" | "poetry.lock" | "uv.lock" => text.contains(&format!("name = \"{package}\"")),
        "go.mod" => text
            .lines()
            .map(str::trim)
            .filter(|line| !line.starts_with("module ") && !line.starts_with("//"))
            .any(|line| line.split_whitespace().any(|word| word == package)),
        "Gemfile" => text.lines().map(str::trim).any(|line| {
            line.strip_prefix("gem ")
                .is_some_and(|rest| quoted(rest).next().is_some_and(|word| word == package))
        }),
        "Gemfile.lock" => heads_a_line(text, package, &[' ', '!']),
        "mix.exs" => text.contains(&format!("{{:{package},")),
        "Directory.Packages.props" => text.contains(&format!("Include=\"{package}\"")),
        "pyproject.toml" | "setup.py" | "setup.cfg" | "Pipfile" | "Cargo.toml" => {
            in_tables(text).any(|word| same_python(&word, package))
        }
        // A list with a package a line.
        _ => text
            .lines()
            .map(|line| line.trim().trim_start_matches("- ").trim_start())
            .any(|line| same_python(&bare(line), package)),
    }
}

/// Dependencies of a manifest in JSON: keys of its `dependencies` and `require` objects.
fn in_json(text: &str, package: &str) -> bool {
    let Ok(Value::Object(manifest)) = serde_json::from_str::<Value>(text) else {
        return false;
    };
    manifest.iter().any(|(key, value)| {
        let lists = key.ends_with("ependencies") || key == "require" || key == "require-dev";
        lists
            && match value {
                Value::Object(names) => names.contains_key(package),
                Value::Array(names) => names.iter().any(|name| name.as_str() == Some(package)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
            }
    })
}

/// Whether a line begins with the name, and what follows ends a name there.
fn heads_a_line(text: &str, package: &str, after: &[char]) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start().trim_start_matches(['"', '\'', '/']);
        line.strip_prefix(package)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(after))
    })
}

/// Names in tables and lists of dependencies, as TOML, `setup.py` and `setup.cfg` have them.
pub(crate) fn in_tables(text: &str) -> impl Iterator<Item = String> {
    let lists = |word: &str| {
        let word = word.to_lowercase();
        word.contains("depend") || word.contains("require") || word.contains("packages")
    };
    let (mut table, mut key) = (String::new(), String::new());
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        let indented = line.starts_with([' ', '\t']);
        let line = line.split(" #").next().unwrap_or_default().trim();
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        if line.starts_with('[') && !line.contains('=') && !key.ends_with('[') {
            table = line.trim_matches(['[', ']']).to_owned();
            key.clear();
            // `[dependencies.name]`
            if let Some((head, name)) = table.rsplit_once('.')
                && head.ends_with("dependencies")
            {
                found.push(name.trim_matches(['"', '\'']).to_owned());
            }
            continue;
        }
        let within = key.ends_with('[');
        let assigned = line.split_once('=').filter(|(left, right)| {
            let plain = |c: char| c.is_alphanumeric() || "-_.\"' ".contains(c);
            !within && !right.starts_with('=') && left.chars().all(plain)
        });
        match assigned {
            Some((left, right)) => {
                let name = left.trim().trim_matches(['"', '\'']);
                let opens = right.trim_start().starts_with('[');
                let below = table.rsplit('.').next().is_some_and(lists);
                key = name.to_owned();
                // A table of names, or one of groups of names.
                if below && !opens {
                    found.push(name.to_owned());
                }
                if opens && (lists(name) || below || lists(&table)) {
                    found.extend(quoted(right).map(bare));
                    if !right.contains(']') {
                        key.push('[');
                    }
                } else if opens && !right.contains(']') {
                    key = "[".to_owned();
                }
            }
            None if within => {
                let closes = line.starts_with(']') || line.ends_with(']');
                if key != "[" {
                    found.extend(quoted(line).map(bare));
                }
                if closes {
                    key.clear();
                }
            }
            // `install_requires =` with names below it.
            None if indented && lists(&key) => found.push(bare(line)),
            None => {}
        }
    }
    found.into_iter()
}

/// The texts between quotes of a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split(['"', '\'']).skip(1).step_by(2)
}

/// A requirement without its version, extras and marker.
fn bare(requirement: &str) -> String {
    let end = requirement.find(['@', '=', '<', '>', '~', '!', '[', ';', ' ', ',', '^', '(']);
    let name = requirement.get(..end.unwrap_or(requirement.len()));
    name.unwrap_or_default().trim().to_owned()
}

/// Python takes `-`, `_` and `.`, and letters of either case, for the same.
fn same_python(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace(['_', '.'], "-");
    !one.is_empty() && plain(one) == plain(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGE: &str = r#"{"name":"shop","scripts":{"lint":"eslint ."},
        "dependencies":{"left-pad":"1.0"},"devDependencies":{"@types/node":"20"}}"#;
    const PROJECT: &str = "[project]\nname = \"shop\"\nversion = \"1\"\ndependencies = [\n  \"requests>=2\",\n  'flask[async]',\n]\nkeywords = [\"web\"]\n[project.optional-dependencies]\ntest = [\"pytest\"]\n[tool.poetry.dependencies]\nhttpx = \"^0.27\"\n[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n[dependency-groups]\ndev = [\"ruff==0.5\"]\n";
    const CRATE: &str = "[package]\nname = \"shop\"\nedition = \"2021\"\n[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\n[dev-dependencies.insta]\nversion = \"1\"\n";

    #[test]
    fn a_manifest_declares_what_it_depends_on_and_nothing_else() {
        for (manifest, text, package, expected) in [
            ("package.json", PACKAGE, "left-pad", true),
            ("package.json", PACKAGE, "@types/node", true),
            ("package.json", PACKAGE, "lint", false),
            ("package.json", PACKAGE, "shop", false),
            ("package.json", PACKAGE, "eslint", false),
            ("package.json", PACKAGE, "name", false),
            ("requirements.txt", "flask==2.0\nrequests>=2", "flask", true),
            ("requirements.txt", "Flask_Login==2.0", "flask-login", true),
            ("requirements.txt", "flask-login==2.0", "flask", false),
            ("requirements/dev.txt", "# of pytest\nruff", "pytest", false),
            (
                "environment.yml",
                "dependencies:\n  - numpy=1.26\n",
                "numpy",
                true,
            ),
            ("pyproject.toml", PROJECT, "requests", true),
            ("pyproject.toml", PROJECT, "flask", true),
            ("pyproject.toml", PROJECT, "pytest", true),
            ("pyproject.toml", PROJECT, "httpx", true),
            ("pyproject.toml", PROJECT, "ruff", true),
            ("pyproject.toml", PROJECT, "shop", false),
            ("pyproject.toml", PROJECT, "version", false),
            ("pyproject.toml", PROJECT, "tests", false),
            ("pyproject.toml", PROJECT, "web", false),
            ("pyproject.toml", PROJECT, "project", false),
            (
                "setup.cfg",
                "[options]\ninstall_requires =\n    attrs\n    flask>2\n",
                "flask",
                true,
            ),
            ("setup.cfg", "[metadata]\nname = shop\n", "shop", false),
            (
                "setup.py",
                "setup(name='shop', install_requires=['attrs'])",
                "shop",
                false,
            ),
            (
                "setup.py",
                "setup(\n    install_requires=[\n        'attrs',\n    ],\n)",
                "attrs",
                true,
            ),
            ("Cargo.toml", CRATE, "serde", true),
            ("Cargo.toml", CRATE, "insta", true),
            ("Cargo.toml", CRATE, "shop", false),
            ("Cargo.toml", CRATE, "edition", false),
            (
                "go.mod",
                "module shop\n\nrequire example.org/a v1.0.0\n",
                "shop",
                false,
            ),
            (
                "go.mod",
                "module shop\n\nrequire (\n\texample.org/a v1.0.0\n)\n",
                "example.org/a",
                true,
            ),
            ("Gemfile", "gem 'rails', '~> 7'\n", "rails", true),
            ("Gemfile", "# gem 'rack'\nruby '3.2'\n", "rack", false),
            ("Gemfile.lock", "    rails (7.0)\n", "rails", true),
            (
                "yarn.lock",
                "left-pad@^1.0:\n  version \"1\"\n",
                "left-pad",
                true,
            ),
            (
                "yarn.lock",
                "left-pad@^1.0:\n  version \"1\"\n",
                "left",
                false,
            ),
            ("composer.json", r#"{"require":{"a/b":"1"}}"#, "a/b", true),
            ("mix.exs", "[{:jason, \"~> 1.4\"}]", "jason", true),
        ] {
            assert_eq!(
                declares(manifest, text, package),
                expected,
                "{manifest} {package}"
            );
        }
    }

    #[test]
    fn a_program_has_manifests_of_its_own() {
        for (program, manifest, expected) in [
            ("npm", "package.json", true),
            ("npm", "requirements.txt", false),
            ("pip", "package.json", false),
            ("python3.12", "requirements.txt", true),
            ("/usr/bin/pip3", "requirements.txt", true),
            ("uvx", "package.json", false),
            ("cargo", "Cargo.toml", true),
            ("gem", "package.json", false),
            ("brew", "package.json", false),
            ("apt", "requirements.txt", false),
        ] {
            assert_eq!(
                of_program(program).contains(&manifest),
                expected,
                "{program} {manifest}"
            );
        }
    }
}
