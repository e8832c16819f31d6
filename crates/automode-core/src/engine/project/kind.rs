//! What kind of file a runner would take a name for.
//!
//! Code is read as code, settings of tools by their changed lines, and what no
//! runner loads is data. A manifest that a runner is followed through (`package.json`,
//! a Makefile) is read where it is followed. A kind that nobody reads is foreign.

use automode_shell::language::capability::SourceLanguage;

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    /// Nothing in it runs.
    Data,
    /// The runner's own analysis reads it from the disk.
    Manifest,
    /// Followed step by step.
    Followed,
    /// Scanned for what it can do.
    Scanned(SourceLanguage),
    /// Markup with scripts in it.
    Markup,
    /// Settings of a tool, which may name what it loads.
    Settings,
    /// Code that nobody reads.
    Foreign,
    /// No ending that says what it is.
    Unnamed,
}

/// Endings of what no runner loads as code.
const DATA: &[&str] = &[
    "md",
    "markdown",
    "rst",
    "adoc",
    "txt",
    "text",
    "log",
    "csv",
    "tsv",
    "json",
    "jsonl",
    "json5",
    "ndjson",
    "xml",
    "yml",
    "yaml",
    "toml",
    "ini",
    "html",
    "htm",
    "css",
    "scss",
    "sass",
    "less",
    "svg",
    "png",
    "jpg",
    "jpeg",
    "gif",
    "webp",
    "ico",
    "bmp",
    "tiff",
    "pdf",
    "woff",
    "woff2",
    "ttf",
    "otf",
    "eot",
    "mp3",
    "mp4",
    "wav",
    "ogg",
    "webm",
    "lock",
    "sum",
    "snap",
    "golden",
    "sql",
    "proto",
    "graphql",
    "gql",
    "po",
    "pot",
    "map",
    "patch",
    "diff",
    "out",
    "prof",
    "lcov",
    "parquet",
    "db",
    "sqlite",
    "sqlite3",
    "zip",
    "gz",
    "tar",
    "tgz",
    "xz",
    "bz2",
    "env",
    "example",
    "sample",
    "tmpl",
    "tpl",
    "template",
    "hbs",
    "mustache",
    "j2",
    "jinja",
    "ejs",
    "erb",
    "bib",
    "tex",
    "diffs",
    "pem",
    "crt",
    "key",
    "cfg",
    "conf",
    "properties",
    "editorconfig",
];

/// Endings of code that is not read.
const FOREIGN: &[&str] = &[
    "so", "dylib", "dll", "pyd", "node", "jar", "class", "war", "o", "a", "lib", "exe", "wasm",
    "pyc", "pyo", "egg", "whl", "bin", "scala", "sc", "clj", "cljs", "cljc", "edn", "hs", "lhs",
    "ml", "mli", "erl", "hrl", "lua", "r", "jl", "dart", "zig", "nim", "pl", "pm", "t", "ps1",
    "psm1", "bat", "cmd", "vb", "fs", "fsx", "f90", "f", "d", "cr", "v", "asm", "s", "cu", "elm",
    "purs", "rkt", "lisp", "el", "bzl", "bazel", "nix", "sol", "tcl", "coffee", "awk", "pyx",
    "pxd", "vim", "raku", "pro", "star",
];

/// Names of tools' settings.
const SETTINGS: &[&str] = &[
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "pytest.ini",
    ".coveragerc",
    "noxfile.toml",
    "cargo.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
    "tsconfig.json",
    "jsconfig.json",
    "babel.config.json",
    ".babelrc",
    ".swcrc",
    ".eslintrc",
    ".eslintrc.json",
    ".eslintrc.yml",
    ".eslintrc.yaml",
    ".mocharc.json",
    ".mocharc.yml",
    ".mocharc.yaml",
    ".nycrc",
    ".nycrc.json",
    "jest.config.json",
    "karma.conf.json",
    "nx.json",
    "project.json",
    "turbo.json",
    "angular.json",
    "deno.json",
    "deno.jsonc",
    "bunfig.toml",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.json",
    "pom.xml",
    "build.xml",
    "settings.xml",
    "gradle.properties",
    "phpunit.xml",
    "phpunit.xml.dist",
    "phpstan.neon",
    ".rspec",
    ".rubocop.yml",
    "mkdocs.yml",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    "lefthook.yaml",
    ".lintstagedrc",
    "bsconfig.json",
    "go.mod",
    "go.work",
    "mix.lock",
    ".formatter.exs",
    "pubspec.yaml",
    "stack.yaml",
    ".golangci.yml",
    ".golangci.yaml",
    "mypy.ini",
    ".flake8",
    ".pylintrc",
    "ruff.toml",
    "conftest.ini",
    "cmakepresets.json",
    "meson.options",
    "buf.yaml",
    "skaffold.yaml",
];

/// Manifests that a runner is followed through, so that they are read when they run.
const FOLLOWED_BY_RUNNER: &[&str] = &[
    "package.json",
    "composer.json",
    "makefile",
    "gnumakefile",
    "justfile",
    ".justfile",
    "taskfile.yml",
    "taskfile.yaml",
    "procfile",
];

/// The ending of a file's name; none for a name that only begins with a dot.
pub(super) fn ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => ending,
        Some(_) | None => "",
    }
}

pub(super) fn of(path: &str) -> FileKind {
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    let ending = ending(&lower);
    if FOLLOWED_BY_RUNNER.contains(&name) || ending == "mk" || ending == "just" {
        return FileKind::Manifest;
    }
    if SETTINGS.contains(&name) {
        return FileKind::Settings;
    }
    if matches!(ending, "vue" | "svelte" | "astro") {
        return FileKind::Markup;
    }
    if matches!(
        ending,
        "py" | "pyw" | "ipynb" | "sh" | "bash" | "zsh" | "ksh"
    ) {
        return FileKind::Followed;
    }
    if matches!(ending, "pyi") || is_type_declaration(name) {
        return FileKind::Data;
    }
    if let Some(language) = SourceLanguage::of_path(path) {
        return FileKind::Scanned(language);
    }
    if DATA.contains(&ending) {
        return FileKind::Data;
    }
    if FOREIGN.contains(&ending) {
        return FileKind::Foreign;
    }
    FileKind::Unnamed
}

/// `x.d.ts`: types and nothing else.
fn is_type_declaration(name: &str) -> bool {
    name.ends_with(".d.ts") || name.ends_with(".d.mts") || name.ends_with(".d.cts")
}

/// Whether nothing that runs can come of a file of this name.
pub(super) fn is_data(path: &str) -> bool {
    of(path) == FileKind::Data
}
